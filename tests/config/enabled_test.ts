import { test } from "node:test";
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { bypassReason, isCaptureEnabled, isRecallEnabled } from "../../lib/config/enabled.ts";
import { readBypass, setBypass } from "../../lib/config/bypass.ts";
import { buildPluginConfig } from "../../lib/config/plugin_config.ts";
import { createScratch } from "../support/scratch.ts";

const scratch = createScratch();
const agent = `${scratch.home}/.openviking/agent`;

const SWITCHES: readonly (readonly [
  variables: Record<string, string>,
  recall: boolean,
  capture: boolean,
])[] = [
  [{}, true, true],
  [{ OPENVIKING_AUTO_RECALL: "0" }, false, true],
  [{ OPENVIKING_AUTO_CAPTURE: "0" }, true, false],
  [{ OPENVIKING_MEMORY_ENABLED: "0" }, false, false],
  [{ OPENVIKING_MEMORY_ENABLED: "0", OPENVIKING_AUTO_RECALL: "1" }, false, false],
];

for (const [variables, recall, capture] of SWITCHES) {
  test(`isRecallEnabled() is ${recall} and isCaptureEnabled() ${capture} for ${JSON.stringify(variables)} [CFG-14] [CFG-15]`, () => {
    const config = buildPluginConfig("zcode", { runtime: scratch.runtime(variables) });
    assert.equal(isRecallEnabled(config), recall);
    assert.equal(isCaptureEnabled(config), capture);
  });
}

function reason(
  question: { session: string; nativeSession?: string; cwd: string },
  variables: Record<string, string> = {},
): string | undefined {
  const runtime = scratch.runtime(variables);
  return bypassReason(buildPluginConfig("claude-code", { runtime }), { runtime, ...question });
}

const PATTERNS:
  readonly (readonly [pattern: string, session: string, cwd: string, hit: boolean])[] = [
    ["cc-1", "cc-1", "/w", true],
    ["1", "cc-1", "/w", true],
    ["test-*", "cc-test-1", "/w", true],
    ["/w/*", "cc-1", "/w/app", true],
    ["/w/*", "cc-1", "/w/app/src", false],
    ["/w/**", "cc-1", "/w/app/src", true],
    ["/w", "cc-1", "/w/", true],
    ["other,/w", "cc-1", "/w", true],
    ["x", "cc-1", "/w", false],
    ["**", "cc-1", "", true],
  ];

for (const [pattern, session, cwd, hit] of PATTERNS) {
  test(`bypassReason() ${hit ? "names" : "does not name"} ${pattern} for ${session} in "${cwd}" [CFG-13]`, () => {
    const why = reason({ session, cwd }, { OPENVIKING_BYPASS_SESSION_PATTERNS: pattern });
    assert.equal(why !== undefined, hit);
  });
}

test("bypassReason() tells the switch, and nothing when nothing applies [CFG-13]", () => {
  assert.equal(reason({ session: "cc-1", cwd: "/w" }), undefined);
  assert.equal(
    reason({ session: "cc-1", cwd: "/w" }, { OPENVIKING_BYPASS_SESSION: "1" }),
    "bypassSession is true",
  );
  assert.match(
    reason({ session: "x", nativeSession: "native", cwd: "" }, {
      OPENVIKING_BYPASS_SESSION_PATTERNS: "native",
    }) ?? "",
    /native/,
  );
});

test("setBypass() covers a session with its subagents until it is taken back [CFG-13]", () => {
  const runtime = scratch.runtime();
  setBypass(runtime, agent, { session: "cc-1" }, true);
  assert.deepEqual(setBypass(runtime, agent, { session: "cc-1" }, true).sessions, ["cc-1"]);
  assert.equal(runtime.files.stat(`${agent}/bypass.json`)?.mode, 0o600);
  assert.equal(reason({ session: "cc-1", cwd: "" }), "session cc-1 is bypassed");
  assert.equal(reason({ session: "cc-1__subagent-a", cwd: "" }), "session cc-1 is bypassed");
  assert.equal(reason({ session: "cc-11", cwd: "" }), undefined);
  setBypass(runtime, agent, { session: "cc-1" }, false);
  assert.equal(reason({ session: "cc-1", cwd: "" }), undefined);
});

test("setBypass() takes a session by the host's own id", () => {
  const runtime = scratch.runtime();
  setBypass(runtime, agent, { session: "abc" }, true);
  assert.notEqual(reason({ session: "cc-abc", cwd: "" }), undefined);
  assert.notEqual(reason({ session: "cc-abc__subagent-x", cwd: "" }), undefined);
  setBypass(runtime, agent, { session: "abc" }, false);
});

test("setBypass() covers a folder with what lies below, through links too [CFG-13]", () => {
  const runtime = scratch.runtime();
  scratch.write("project/src/file", "");
  scratch.write("projects/file", "");
  symlinkSync(`${scratch.dir}/project`, `${scratch.dir}/link`);
  const dir = `${scratch.dir}/project`;
  for (const given of [`${scratch.dir}/link`, `${dir}/`]) {
    assert.deepEqual(setBypass(runtime, agent, { dir: given }, true).dirs, [dir]);
    for (const cwd of [dir, `${dir}/src`, `${scratch.dir}/link/src`]) {
      assert.equal(reason({ session: "cc-1", cwd }), `${dir} is bypassed`);
    }
    assert.equal(reason({ session: "cc-1", cwd: `${scratch.dir}/projects` }), undefined);
    assert.deepEqual(setBypass(runtime, agent, { dir: given }, false).dirs, []);
  }
});

test("bypassReason() leaves a session alone when the notes cannot be read, and setBypass() keeps them", () => {
  const runtime = scratch.runtime();
  scratch.write("home/.openviking/agent/bypass.json", '{"sessions": [');
  assert.match(reason({ session: "cc-1", cwd: "" }) ?? "", /Cannot read .*bypass\.json/);
  assert.throws(() => setBypass(runtime, agent, { session: "x" }, true), /repair or remove it/);
  assert.equal(readBypass(runtime, agent).ok, false);
});
