import { test } from "node:test";
import assert from "node:assert/strict";
import { buildPluginConfig } from "../../lib/config/plugin_config.ts";
import { SETTINGS } from "../../lib/config/schema.ts";
import { HOSTS } from "../../hosts/mod.ts";
import { createScratch } from "../support/scratch.ts";

const scratch = createScratch();

/** What the stages obey: the budget of each, and what a write may take when it delivers by itself. */
type Budget =
  | "recallBudgetMs"
  | "sessionStartBudgetMs"
  | "captureTimeoutMs"
  | "drainWaitMs"
  | "timeoutMs";
const OF_STAGE: Readonly<Record<string, readonly Budget[]>> = {
  "session-start": ["sessionStartBudgetMs", "captureTimeoutMs", "drainWaitMs"],
  prompt: ["recallBudgetMs"],
  "pre-tool": [],
  "turn-end": ["captureTimeoutMs"],
  "pre-compact": ["captureTimeoutMs", "drainWaitMs"],
  "session-end": ["captureTimeoutMs", "drainWaitMs"],
  "subagent-start": ["captureTimeoutMs"],
  "subagent-end": ["captureTimeoutMs"],
};
const STDIN_MS = 5000;

/** Values around every limit, and beyond it. */
const TRIED: readonly unknown[] = [0, 1, 199, 200, 1000, 2000, 57_999, 60_000, 10 ** 6, -1, "no"];

test("no stage of any host may take longer than the host waits for it, less 2 s, whatever is configured [BR-056] [BR-057]", () => {
  const budgets = [...new Set(Object.values(OF_STAGE).flat()), "timeoutMs"] as const;
  const settings = [
    {},
    ...budgets.flatMap((key) => TRIED.map((value) => ({ [key]: value }))),
    ...TRIED.map((value) => Object.fromEntries(budgets.map((key) => [key, value]))),
  ];
  for (const plugin of settings) {
    scratch.write("home/.openviking/ovcli.conf", { plugin });
    for (const [id, host] of Object.entries(HOSTS)) {
      const config = buildPluginConfig(id as keyof typeof HOSTS, { runtime: scratch.runtime() });
      for (const [event, stage] of Object.entries(host.adapter.stages)) {
        const written = host.record.limits.written[event];
        if (written === undefined) continue;
        const longest = Math.max(
          STDIN_MS,
          ...(OF_STAGE[stage] ?? []).map((key) => Number(config.settings[key])),
        );
        assert.ok(
          written * 1000 >= longest + 2000,
          `${id} ${event}: ${longest} ms of ${written} s with ${JSON.stringify(plugin)}`,
        );
      }
    }
  }
  for (const key of budgets) assert.ok("max" in SETTINGS[key], `${key} has an upper limit`);
});
