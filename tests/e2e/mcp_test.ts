import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHostLab } from "../support/host_lab.ts";
import { requireHost, requireShared } from "../support/requirements.ts";

interface Report {
  readonly code: number;
  readonly stderr: string;
  readonly requests: readonly unknown[];
}

/** How a host shows a tool in a request to its model. */
const SHOWN: Readonly<Record<string, (tool: string) => string>> = {
  claude: (tool) => `mcp__openviking__${tool}`,
  codex: (tool) => `"name":"${tool}"`, // in the namespace mcp__openviking
  opencode: (tool) => `"name":"openviking_${tool}"`,
};

for (const host of ["claude", "codex", "opencode"] as const) {
  test(`the real ${host} lists our tools and calls find and remember [MCP-06]`, (t) => {
    const shared = requireShared(t);
    if (shared === undefined || requireHost(t, host) === undefined) return;
    const lab = createHostLab(shared);
    mkdirSync(join(lab.home, ".claude"));
    writeFileSync(
      join(lab.home, ".claude/settings.json"),
      JSON.stringify({ permissions: { allow: ["mcp__openviking"] } }),
    );
    lab.cli("install", "--host", "claude-code", "--engine", "local", "--yes");
    const { code, stderr, requests } = lab.run("mcp_scenario.ts", host) as Report;

    assert.equal(code, 0, stderr);
    const texts = requests.map((request) => JSON.stringify(request));
    for (const tool of ["find", "search", "read", "list", "remember", "forget", "health"]) {
      assert.ok(texts[0]?.includes(SHOWN[host]?.(tool) ?? "?"), `${tool} is listed`);
    }
    assert.match(texts[1] ?? "", /Stored 1 message\(s\)/, "remember is called");
    assert.match(texts[2] ?? "", /Found 1 item\(s\).*PELICAN-7/, "find gets it");
  });
}
