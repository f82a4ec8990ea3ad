import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { projectRoot } from "../support/project.ts";
import { requireHost, requireShared } from "../support/requirements.ts";

interface Step {
  readonly code: number;
  readonly stderr: string;
  readonly hooks: {
    readonly hook_event?: string;
    readonly exit_code?: number;
    readonly stderr?: string;
    readonly stdout?: string;
    readonly outcome?: string;
  }[];
  readonly requests: {
    readonly messages: { readonly role: string; readonly content: unknown }[];
    readonly tools?: { readonly name: string }[];
  }[];
}

interface Report {
  readonly first: Step;
  readonly second: Step;
  readonly resumed: Step;
  readonly drainFirst: { readonly code: number };
  readonly drainSecond: { readonly code: number };
  readonly found: { readonly out: string };
  readonly status: { readonly out: string };
}

const OWN = {
  hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
  permissions: { allow: ["Read(*)", "mcp__openviking"] },
};

/** Environment of one person: nothing of this machine but what fetching modules needs. */
function environment(home: string): Record<string, string> {
  const kept =
    /^(PATH|DENO_DIR|DENO_CERT|DENO_TLS_CA_STORE|SSL_CERT_.*|NODE_EXTRA_CA_CERTS|HOSTS_DIR)$/;
  const env: Record<string, string> = { HOME: home, TMPDIR: tmpdir() };
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && kept.test(name)) env[name] = value;
  }
  return env;
}

function cli(home: string, ...args: string[]): string {
  return execFileSync(process.execPath, ["run", "-A", join(projectRoot, "cli.ts"), ...args], {
    env: environment(home),
    cwd: home,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function runScenario(shared: string, lab: string): Report {
  const unshare = process.getuid?.() === 0 ? ["unshare", "-n"] : ["unshare", "-rn"];
  const done = spawnSync(unshare[0] ?? "", [
    ...unshare.slice(1),
    "sh",
    "-c",
    'ip link set lo up; exec "$@"',
    "sh",
    process.execPath,
    "run",
    "-A",
    "--no-config",
    join(projectRoot, "tests/e2e/claude_code_scenario.ts"),
    join(shared, "hostlab"),
    lab,
  ], { env: environment(join(lab, "home")), encoding: "utf8", timeout: 240_000 });
  assert.equal(done.status, 0, done.stderr);
  return JSON.parse(done.stdout.trim().split("\n").at(-1) ?? "") as Report;
}

test("the real Claude Code carries a fact from one session into the next [HOST-CC-01] [HOST-CC-02] [HOST-CC-04] [GRD-01] [GRD-03] [GRD-08] [RCL-08] [RCL-12] [UNI-01] [UNI-02] [INS-09] [HOOK-09] [HOOK-12] [CAP-14]", (t) => {
  const shared = requireShared(t);
  const hosts = requireHost(t, "claude");
  if (shared === undefined || hosts === undefined) return;
  const lab = mkdtempSync(join(tmpdir(), "ov-e2e-claude-"));
  try {
    const home = join(lab, "home");
    const settings = join(home, ".claude/settings.json");
    mkdirSync(join(home, ".claude"), { recursive: true });
    const before = JSON.stringify(OWN, null, 2);
    writeFileSync(settings, before);
    cli(home, "install", "--host", "claude-code", "--engine", "local", "--yes");
    const { first, second, resumed, ...report } = runScenario(shared, lab);

    assert.deepEqual([first.code, second.code, resumed.code], [0, 0, 0], first.stderr);
    assert.deepEqual([report.drainFirst.code, report.drainSecond.code], [0, 0]);
    const asked = JSON.stringify(second.requests[0]?.messages);
    assert.match(asked, /PELICAN-7/, "the fact reaches the first request of the second session");
    assert.match(asked, /openviking-context/, "in a named wrapper");
    assert.ok(
      JSON.stringify(second.requests[0]).includes("mcp__openviking__find"),
      "the model sees the MCP tools",
    );

    const results = second.requests.at(-1)?.messages
      .flatMap((message) => Array.isArray(message.content) ? message.content : [])
      .filter((block) => block.type === "tool_result") ?? [];
    const [denied, allowed] = results.map((result) => JSON.stringify(result));
    assert.match(denied ?? "", /"is_error":true/);
    assert.match(denied ?? "", /mcp__openviking__read/, "the denial names the tool to use instead");
    assert.match(allowed ?? "", /PLUGH/, "an ordinary Read goes on untouched");

    for (const hook of [...first.hooks, ...second.hooks, ...resumed.hooks]) {
      assert.equal(hook.stderr ?? "", "", `${hook.hook_event} is silent`);
      assert.equal(hook.exit_code ?? 0, 0, `${hook.hook_event} exits 0`);
    }
    assert.equal(
      first.stderr + second.stderr + resumed.stderr,
      "",
      "the terminal shows nothing of ours",
    );

    const texts = (JSON.parse(report.found.out).results as { text: string }[]).map((r) => r.text);
    const said = texts.filter((text) => text.includes("Please remember: the release train"));
    assert.equal(said.length, 1, "captured once, over a later session and a resume");
    assert.ok(
      !texts.some((text) =>
        text.includes("openviking-context") || text.includes("hook additional context")
      ),
      "what was injected is not captured",
    );
    const outcomes = JSON.parse(report.status.out).outcomes as { stage: string; outcome: string }[];
    assert.ok(outcomes.some((o) => o.stage === "prompt" && o.outcome === "ok"));
    assert.ok(!outcomes.some((o) => o.outcome === "error"), JSON.stringify(outcomes));

    cli(home, "uninstall", "--host", "claude-code", "--yes");
    assert.equal(readFileSync(settings, "utf8"), before, "uninstall gives the bytes back");
  } finally {
    rmSync(lab, { recursive: true, force: true });
  }
});
