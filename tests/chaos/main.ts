/**
 * `deno task chaos --engine served|server [--rounds N] [--kills N] [--seed N]`: the long form of the
 * chaos test. The real server needs `OV_VENV` and `../shared/server`.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { printLine } from "../support/terminal.ts";
import { judge, runChaos } from "./chaos.ts";
import { realEngine, servedEngine } from "./engines.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "served" },
    rounds: { type: "string", default: "300" },
    kills: { type: "string", default: "40" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const root = mkdtempSync(join(tmpdir(), "ov-chaos-"));
try {
  const folder = join(root, "engine");
  const counts = await runChaos({
    home: join(root, "home"),
    engine: values.engine === "server" ? realEngine(folder) : servedEngine(folder),
    rounds: Number(values.rounds),
    kills: Number(values.kills),
    seed: Number(values.seed),
    log: printLine,
  });
  const { ok, line } = judge(counts);
  printLine(`${values.engine}: ${line}`);
  process.exitCode = ok ? 0 : 1;
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
