import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHostLab } from "../support/host_lab.ts";
import { requireHost, requireShared } from "../support/requirements.ts";

interface Step {
  readonly code: number;
  readonly stderr: string;
  readonly hooks: {
    readonly subtype?: string;
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
  permissions: { allow: ["Read(*)", "Write(*)", "Bash(*)", "mcp__openviking"] },
};

test("the real Claude Code carries a fact from one session into the next [HOST-CC-01] [HOST-CC-02] [HOST-CC-04] [GRD-01] [GRD-02] [GRD-03] [GRD-08] [RCL-08] [RCL-12] [UNI-01] [UNI-02] [INS-09] [HOOK-09] [HOOK-12] [CAP-14]", (t) => {
  const shared = requireShared(t);
  const hosts = requireHost(t, "claude");
  if (shared === undefined || hosts === undefined) return;
  const lab = createHostLab(shared);
  const settings = join(lab.home, ".claude/settings.json");
  mkdirSync(join(lab.home, ".claude"), { recursive: true });
  const before = JSON.stringify(OWN, null, 2);
  writeFileSync(settings, before);
  lab.cli("install", "--host", "claude-code", "--engine", "local", "--yes");
  const { first, second, resumed, ...report } = lab.run("claude_code_scenario.ts") as Report;

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
  const [read, written, ran, allowed, changed] = results.map((result) => JSON.stringify(result));
  for (const denied of [read, written]) assert.match(denied ?? "", /"is_error":true/);
  assert.match(read ?? "", /mcp__openviking__read/, "the denial names the tool to use instead");
  assert.match(written ?? "", /mcp__openviking__remember/);
  assert.match(
    JSON.stringify(second.requests.at(-1)?.messages),
    /This command contains a viking:\/\/ URI/,
    "a command gets a note",
  );
  assert.match(ran ?? "", /No such file/, "and runs all the same");
  assert.match(allowed ?? "", /PLUGH/, "an ordinary Read goes on untouched");
  assert.match(changed ?? "", /successfully/, "so does an ordinary Write");
  const guards = second.hooks.filter((hook) =>
    hook.hook_event === "PreToolUse" && hook.subtype === "hook_started"
  );
  assert.equal(guards.length, 3, "ordinary files cost no process");

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

  lab.cli("uninstall", "--host", "claude-code", "--yes");
  assert.equal(readFileSync(settings, "utf8"), before, "uninstall gives the bytes back");
});
