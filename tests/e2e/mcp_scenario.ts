/**
 * Lets a real host list and call our MCP tools, with a mock model that asks for them. Runs inside a
 * network namespace that has nothing but loopback; prints one JSON document.
 *
 * Arguments: folder of the host lab, folder of the lab run (home and project are below it), the lab's
 * name of the host.
 */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { printLine } from "../support/terminal.ts";

const [labCode = "", labDir = "", host = ""] = process.argv.slice(2);
const lab = await import(pathToFileURL(join(labCode, "lab.mjs")).href);
const adapter =
  (await import(pathToFileURL(join(labCode, `hosts/${host}.adapter.mjs`)).href)).default;

const context = lab.makeLab(labDir, { keep: true });
const launcher = join(context.home, ".openviking/agent/bin/openviking-agent");
const settings = join(context.home, ".claude/settings.json");
const installed = existsSync(settings) ? readFileSync(settings) : "{}";

/** Codex and OpenCode have no installation yet: their entries are written as a person would write them. */
const CODEX_ENTRY = `[mcp_servers.openviking]
command = ${JSON.stringify(launcher)}
args = ["mcp", "--host", "codex"]
`;
const OPENCODE_ENTRY = {
  type: "local",
  command: [launcher, "mcp", "--host", "opencode"],
  enabled: true,
};

const scenario = {
  noUserHooks: true,
  noPlugin: true,
  mcp: false,
  toml: CODEX_ENTRY,
  config: { mcp: { openviking: OPENCODE_ENTRY } },
};
const FACT = { role: "user", content: "The release train of billing is called PELICAN-7." };
const call = (tool: string, input: unknown) => ({
  tools: [{
    name: [`mcp__openviking__${tool}`, `mcp__openviking::${tool}`, `openviking_${tool}`],
    input,
  }],
});
context.mock = await lab.startMock(context, {
  turns: [
    call("remember", { messages: [FACT] }),
    call("find", { query: "release train billing" }),
    { text: "It is PELICAN-7." },
    { text: "spare" },
  ],
});
Object.assign(console, { log: () => {} }); // the lab reports its steps; stdout is ours
try {
  await adapter.setup(context, scenario);
  if (host === "claude") writeFileSync(settings, installed); // the adapter wrote settings of its own
  context.sid = randomUUID();
  const step = adapter.command(context, scenario, { name: "calls", prompt: "Use your memory." });
  const env = { ...step.env, PATH: "/usr/bin:/bin" };
  const done = await lab.runStep(context, "calls", step.bin, step.args, env, { limit_ms: 90_000 });
  const requests = readFileSync(join(labDir, "requests.jsonl"), "utf8").trim().split("\n")
    .map((row) => JSON.parse(row).body)
    .filter((body) => body?.tools?.length > 0); // not those for a title
  printLine(JSON.stringify({
    code: done.code,
    stderr: readFileSync(join(labDir, "calls.err"), "utf8").slice(0, 2000),
    requests,
  }));
} finally {
  context.mock.stop();
}
process.exit(0);
