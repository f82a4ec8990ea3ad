import { test } from "node:test";
import assert from "node:assert/strict";
import { deriveHarnessSessionId, nativeSessionIdOf } from "../../lib/identity/session_id.ts";

const UUID = "5a4be63e-14d5-4a38-a883-f813ee757ec3";

/** The data contract: a change of any line needs a migration that still finds the old sessions. */
const PINNED:
  readonly (readonly [prefix: string, native: string, suffix: string | undefined, id: string])[] = [
    ["cc-", UUID, undefined, `cc-${UUID}`],
    ["cc-", UUID, "subagent:a1b2", `cc-${UUID}__subagent-a1b2`],
    ["cx-", "019a-77", undefined, "cx-019a-77"],
    ["cu-", "conv_1.x", undefined, "cu-conv_1.x"],
    ["tr-", "t1", undefined, "tr-t1"],
    ["trcn-", "t1", undefined, "trcn-t1"],
    ["zc-", "sess_9", undefined, "zc-sess_9"],
    ["oc-", "ses_p", "subagent:ses_c", "oc-ses_p__subagent-ses_c"],
    ["dsh-", "d", undefined, "dsh-d"],
    ["pi-", "p", undefined, "pi-p"],
    ["cc-", "a:b", undefined, "cc-a-b-e6619119"],
  ];

test("deriveHarnessSessionId() forms ids as the earlier plugins did [IDN-01] [IDN-03]", () => {
  for (const [prefix, native, suffix, id] of PINNED) {
    assert.equal(deriveHarnessSessionId(prefix, native, suffix), id);
  }
});

test("deriveHarnessSessionId() keeps sessions, windows and subagents apart [IDN-02]", () => {
  const natives = [
    "a:b",
    "a-b",
    "a/b",
    "a\\b",
    "a b",
    "ä",
    "a",
    ".",
    "..",
    "x".repeat(300),
    "x".repeat(301),
  ];
  const ids = [
    ...natives.map((native) => deriveHarnessSessionId("cc-", native)),
    ...natives.map((native) => deriveHarnessSessionId("cc-", native, "subagent:1")),
    deriveHarnessSessionId("cc-", "a", "subagent:2"),
    deriveHarnessSessionId("cx-", "a"),
  ];
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[A-Za-z0-9._-]{1,240}$/);
});

test("deriveHarnessSessionId() refuses an empty prefix or id", () => {
  assert.throws(() => deriveHarnessSessionId("", "a"), TypeError);
  assert.throws(() => deriveHarnessSessionId("cc-", ""), TypeError);
});

test("nativeSessionIdOf() prefers the host's id and falls back as documented [IDN-04]", () => {
  const transcript = `/home/dev/.claude/projects/-p/${UUID}.jsonl`;
  const table: readonly (readonly [Parameters<typeof nativeSessionIdOf>[0], string | RegExp])[] = [
    [{ nativeSessionId: "s1", transcriptPath: transcript, cwd: "/w" }, "s1"],
    [{ nativeSessionId: " s1 " }, "s1"],
    [{ nativeSessionId: "unknown", transcriptPath: transcript }, UUID],
    [{ transcriptPath: `C:\\t\\${UUID}.jsonl` }, UUID],
    [{ transcriptPath: `/t/${UUID}/agent.jsonl` }, UUID],
    [{ transcriptPath: "/t/log.jsonl", cwd: "/w" }, /^transcript-[0-9a-f]{16}$/],
    [{ nativeSessionId: "", cwd: "/w" }, /^cwd-[0-9a-f]{16}$/],
    [{}, "unknown"],
  ];
  for (const [input, expected] of table) {
    const id = nativeSessionIdOf(input);
    if (typeof expected === "string") assert.equal(id, expected);
    else assert.match(id, expected);
  }
});

test("nativeSessionIdOf() tells two windows in one directory apart when the host names them [IDN-02] [IDN-04]", () => {
  const [one, two] = ["w1", "w2"].map((nativeSessionId) =>
    nativeSessionIdOf({ nativeSessionId, cwd: "/w" })
  );
  assert.notEqual(one, two);
});
