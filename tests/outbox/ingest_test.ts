import { test } from "node:test";
import assert from "node:assert/strict";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { queueReport } from "../../lib/outbox/queue/queue_report.ts";
import { OutboxFixture, SETTINGS, type Transcript } from "../support/outbox_fixture.ts";

/** Every byte under the agent's home, as one string. */
function everything(folder: string): string {
  return readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? everything(path) : readFileSync(path, "latin1");
  }).join("\n");
}

type Change = (t: Transcript) => void;
const CHANGES: readonly (readonly [string, Change, readonly string[]])[] = [
  ["appended to", (t) => void t.user("c"), ["a", "b", "c"]],
  ["rewound and appended to", (t) => {
    t.rewrite(t.lines().slice(0, 1));
    t.user("c");
  }, ["a", "b", "c"]],
  ["rewound and grown past the old end", (t) => {
    t.rewrite(t.lines().slice(0, 1));
    for (const text of ["c", "d", "e"]) t.user(text);
  }, ["a", "b", "c", "d", "e"]],
  ["written anew with other bytes in the same rows", (t) => {
    t.rewrite(t.lines().map((line) => JSON.stringify({ ...JSON.parse(line), again: true })));
    t.user("c");
  }, ["a", "b", "c"]],
  ["replaced by another file", (t) => {
    const lines = t.lines();
    renameSync(t.path, `${t.path}.old`);
    t.rewrite(lines);
    t.user("c");
  }, ["a", "b", "c"]],
  ["emptied", (t) => {
    t.rewrite([]);
    t.user("c");
  }, ["a", "b", "c"]],
  ["given the same text again", (t) => void t.user("b"), ["a", "b", "b"]],
  ["given garbage", (t) => {
    t.rewrite([...t.lines(), "not json", '{"type":"user"}', "[]", "null", "\0\0"]);
    t.user("c");
  }, ["a", "b", "c"]],
  ["compacted", (t) => {
    t.row("user", "recap of a and b", { isCompactSummary: true, isVisibleInTranscriptOnly: true });
    t.user("c");
  }, ["a", "b", "c"]],
];
for (const [name, change, texts] of CHANGES) {
  test(`ingestSpool() neither loses nor doubles a message of a transcript that was ${name} [CUR-05] [CUR-11] [CAP-12]`, async () => {
    const f = new OutboxFixture();
    const t = f.transcript();
    t.user("a");
    t.assistant("b");
    f.spool("cc-1", { path: t.path });
    await f.work();
    change(t);
    f.spool("cc-1", { path: t.path });
    f.spool("cc-1", { path: t.path });
    await f.work();
    assert.deepEqual(f.engine.texts(), texts);
  });
}

test("ingestSpool() stores a fork's own rows only, and both branches go on [IDN-05]", async () => {
  const f = new OutboxFixture();
  const [parent, fork] = [f.transcript(), f.transcript()];
  parent.user("a");
  f.spool("cc-parent", { path: parent.path });
  await f.work();
  fork.rewrite(parent.lines());
  fork.user("b");
  f.spool("cc-fork", { path: fork.path, begins: "start" });
  parent.user("c");
  f.spool("cc-parent", { path: parent.path });
  await f.work();
  assert.deepEqual([f.engine.texts("cc-parent"), f.engine.texts("cc-fork")], [["a", "c"], ["b"]]);
});

test("ingestSpool() keeps two windows in one folder apart [IDN-02]", async () => {
  const f = new OutboxFixture();
  const [one, two] = [f.transcript(), f.transcript()];
  one.user("a");
  two.user("b");
  f.spool("cc-1", { path: one.path });
  f.spool("cc-2", { path: two.path });
  await f.work();
  assert.deepEqual([f.engine.texts("cc-1"), f.engine.texts("cc-2")], [["a"], ["b"]]);
});

test("ingestSpool() retries an unreadable transcript and forgets nothing [CAP-03] [CUR-12]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  renameSync(t.path, `${t.path}.away`);
  mkdirSync(t.path);
  f.spool("cc-1", { path: t.path });
  await f.work(3);
  const { pending, problems } = await queueReport(f.runtime, f.agentHome);
  assert.equal(pending[0]?.kind, "event");
  assert.match(pending[0]?.reason ?? "", /not a file/);
  assert.match(problems.join(), /not a file/);
  rmdirSync(t.path);
  renameSync(`${t.path}.away`, t.path);
  await f.work();
  assert.deepEqual(f.engine.texts(), ["a"]);
  assert.deepEqual(await queueReport(f.runtime, f.agentHome), {
    pending: [],
    dead: [],
    commits: [],
    problems: [],
  });
});

test("ingestSpool() takes a missing transcript for nothing said yet", async () => {
  const f = new OutboxFixture();
  f.spool("cc-1", { path: `${f.home}/none.jsonl`, begins: "start" });
  assert.equal((await f.work()).ended, "idle");
  assert.deepEqual((await queueReport(f.runtime, f.agentHome)).pending, []);
});

test("ingestSpool() warns of a file that is no transcript and does not move past it", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.rewrite(["x", "y", "z"]);
  f.spool("cc-1", { path: t.path });
  await f.work();
  assert.match(
    (await queueReport(f.runtime, f.agentHome)).problems.join(),
    /3 lines, 0 messages recognised/,
  );
  t.user("a");
  f.spool("cc-1", { path: t.path });
  await f.work();
  assert.deepEqual(f.engine.texts(), ["a"]);
});

test("ingestSpool() changes nothing when a killed worker left the file behind [CUR-07] [RTY-07]", async () => {
  for (const point of ["before-ingest-commit", "after-ingest-commit", "before-unlink"]) {
    const f = new OutboxFixture();
    const t = f.transcript();
    t.user("a");
    t.row("assistant", [{ type: "tool_use", id: "t1", name: "Bash", input: {} }]);
    f.spool("cc-1", { path: t.path });
    f.spool("cc-2", {
      messages: [{
        id: "e1",
        role: "user",
        createdAt: "2026-11-30T10:00:00Z",
        parts: [{ type: "text", text: "m" }],
      }],
      boundary: { reason: "session-end", keepRecentCount: 0 },
    });
    const killed = await f.work(60, {
      checkpoint: (name) => {
        if (name === point) throw new Error("killed");
      },
    });
    assert.equal(killed.ended, "failed", point);
    t.row("user", [{ type: "tool_result", tool_use_id: "t1", content: "out" }]);
    f.spool("cc-1", { path: t.path });
    await f.work();
    assert.deepEqual(
      [f.engine.texts("cc-1"), f.engine.texts("cc-2")],
      [["a", "out"], ["m"]],
      point,
    );
    assert.equal(f.engine.commits.length, 1, point);
    assert.deepEqual(readdirSync(`${f.folder}/spool`), []);
  }
});

test("ingestSpool() stores a long transcript in pieces that survive a kill between them [CUR-03]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  const texts = Array.from({ length: 4500 }, (_, i) => `n${i}`);
  t.rewrite(texts.map((text, i) =>
    JSON.stringify({
      type: "user",
      uuid: `id-${i}`,
      timestamp: "2026-11-30T09:00:00Z",
      message: { role: "user", content: text },
    })
  ));
  f.spool("cc-1", {
    path: t.path,
    boundary: { reason: "session-end", keepRecentCount: 0 },
    settings: { ...SETTINGS, commitTokenThreshold: 0 },
  });
  let pieces = 0;
  const killed = await f.work(60, {
    checkpoint: (name) => {
      if (name === "after-ingest-commit" && ++pieces === 2) throw new Error("killed");
    },
  });
  assert.equal(killed.ended, "failed");
  await f.work();
  assert.deepEqual(f.engine.texts(), texts);
  assert.deepEqual(f.engine.commits.map(({ at }) => at), [4500]);
});

test("ingestSpool() leaves no secret and no private text anywhere on disk", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  const secret = `ghp${"_"}${"a1B2".repeat(9)}`;
  const known = "configured-plain-key";
  t.user(`my key is ${secret} <private>hidden-words</private> and ${known}`);
  t.row("assistant", [{
    type: "tool_use",
    id: "t1",
    name: "Bash",
    input: {
      command: `export TOKEN=${secret}`,
      note: `<private>hidden-words`,
      password: "hunter2hunter2",
    },
  }]);
  f.held = "no server";
  f.spool("cc-1", { path: t.path });
  await f.work(1, {
    connect: () => Promise.resolve({ http: f.http(), secrets: [known], keyFingerprint: "k1" }),
    checkpoint: (name) => {
      if (name === "before-send") throw new Error("killed");
    },
  });
  const bytes = everything(f.agentHome);
  assert.match(bytes, /redacted:github-token/);
  for (const word of [secret, "hidden-words", "hunter2hunter2", known]) {
    assert.ok(!bytes.includes(word), word);
  }
});

test("ingestSpool() keeps files 0600 in 0700", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1", { path: t.path, peer: "project-1" });
  await f.work();
  const check = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      assert.equal(statSync(path).mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, path);
      if (entry.isDirectory()) check(path);
    }
  };
  check(f.agentHome);
});

test("ingestSpool() obeys the record's settings", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("x".repeat(100));
  t.assistant("answer");
  f.spool("cc-1", {
    path: t.path,
    settings: { ...SETTINGS, captureAssistantTurns: false, captureMaxLength: 60 },
  });
  await f.work();
  assert.equal(f.engine.texts().length, 1);
  assert.match(f.engine.texts()[0] ?? "", /^x+\n\[\.\.\. \d+ more characters left out\]$/);
});

test("ingestSpool() drops the commit of an end that a resume overtook [EXIT-04]", async () => {
  for (const endFirst of [true, false]) {
    const f = new OutboxFixture();
    const t = f.transcript();
    t.user("a");
    const endedAt = new Date(f.clock.now).toISOString();
    f.engine.fault = ({ method }) =>
      method === "POST" ? { kind: "status", status: 503 } : undefined;
    const boundary = { reason: "session-end", keepRecentCount: 0 } as const;
    if (endFirst) {
      f.spool("cc-1", { path: t.path, at: endedAt, boundary });
      await f.work(5);
      f.spool("cc-1", { path: t.path, begins: "resume" });
    } else {
      f.clock.now += 5000;
      f.spool("cc-1", { path: t.path, begins: "resume" });
      f.spool("cc-1", { path: t.path, at: endedAt, boundary });
    }
    t.user("b");
    f.spool("cc-1", { path: t.path });
    f.engine.fault = () => undefined;
    await f.work();
    assert.deepEqual(f.engine.texts(), ["a", "b"]);
    assert.deepEqual(f.engine.commits, [], `end first: ${endFirst}`);
    f.end("cc-1", t.path);
    await f.work();
    assert.equal(f.engine.commits.length, 1);
  }
});

test("ingestSpool() sets aside what is no record and postpones what it cannot decode", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1", { path: t.path });
  writeFileSync(`${f.folder}/spool/000000000000001-x.json`, "{ broken");
  writeFileSync(`${f.folder}/spool/000000000000002-x.json`, JSON.stringify({ version: 99 }));
  f.spool("cc-2", { transcript: { path: t.path, size: 0, inode: 0, decoder: "future" } });
  await f.work(2);
  assert.deepEqual(f.engine.texts(), ["a"]);
  assert.equal(readdirSync(`${f.folder}/rejected`).length, 2);
  const [event] = (await queueReport(f.runtime, f.agentHome)).pending;
  assert.match(event?.reason ?? "", /no decoder "future"/);
});

test("ingestSpool() takes over what waited while the configuration could not be read", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  const target = f.target;
  f.target = { ...target, id: "unresolved", keyFingerprint: "" };
  f.spool("cc-1", { path: t.path });
  f.target = target;
  await f.work();
  assert.deepEqual(f.engine.texts(), ["a"]);
});

test("ingestSpool() remembers the last session of a project, not a subagent's", async () => {
  const f = new OutboxFixture();
  const [main, sub] = [f.transcript(), f.transcript()];
  main.user("a");
  sub.user("b");
  f.spool("cc-1", { path: main.path, peer: "repo-1" });
  f.spool("cc-1__subagent-2", { path: sub.path, peer: "repo-1", parentSession: "cc-1" });
  await f.work();
  const file = `${f.agentHome}/state/last-session/repo-1.json`;
  assert.equal(JSON.parse(readFileSync(file, "utf8")).session, "cc-1");
  assert.deepEqual(f.engine.texts("cc-1__subagent-2"), ["b"]);
});

test("sweepIdle() commits a session whose end never came [EXIT-03]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1", { path: t.path });
  await f.work();
  t.user("said after the last event");
  assert.deepEqual(f.engine.commits, []);
  f.clock.now += 3_600_000;
  f.spool("cc-other");
  await f.work();
  assert.deepEqual(f.engine.texts(), ["a", "said after the last event"]);
  assert.deepEqual(f.engine.commits.map(({ session, at }) => [session, at]), [["cc-1", 2]]);
});
