/**
 * What the worker does for those who read: it lets hooks go that wait for their session's drain, and
 * tells the reading path what it knows of the server.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import type { Fault } from "../support/fake_engine.ts";
import { type Breaker, createBreaker } from "../../lib/http/breaker.ts";
import { OutboxFixture } from "../support/outbox_fixture.ts";

/** A compaction or `/clear` whose hook waits; returns the mark. */
function waitingEnd(f: OutboxFixture, reason: "pre-compact" | "clear", path: string): string {
  const mark = f.spool("cc-1", { path, boundary: { reason, keepRecentCount: 0 } }) + ".wait";
  writeFileSync(mark, "");
  f.clock.now += 1000;
  return mark;
}

for (const reason of ["pre-compact", "clear"] as const) {
  test(`runWorker() lets the hook of a ${reason} go when its session is drained, and not before [EXIT-09] [CMT-02]`, async () => {
    const f = new OutboxFixture();
    const t = f.transcript();
    t.user("a");
    const mark = waitingEnd(f, reason, t.path);
    const seen: [string, boolean][] = [];
    await f.work(60, { checkpoint: (name) => seen.push([name, existsSync(mark)]) });
    assert.equal(existsSync(mark), false);
    assert.equal(f.engine.commits.length, 1);
    for (const [name, waits] of seen) {
      if (name === "before-send" || name === "before-commit") assert.ok(waits, name);
    }
  });
}

const UNUSABLE: readonly (readonly [string, Fault])[] = [
  ["does not answer", { kind: "drop" }],
  ["refuses the key", { kind: "status", status: 401 }],
  ["is busy", { kind: "status", status: 429, retryAfter: 600 }],
  ["fails", { kind: "status", status: 503 }],
];
for (const [what, fault] of UNUSABLE) {
  test(`runWorker() lets hooks go at once when the server ${what} [EXIT-10] [HOOK-08]`, async () => {
    const f = new OutboxFixture();
    const t = f.transcript();
    t.user("a");
    f.engine.fault = () => fault;
    const mark = waitingEnd(f, "pre-compact", t.path);
    await f.work(5);
    assert.equal(existsSync(mark), false);
    assert.deepEqual(f.engine.texts(), []);
  });
}

test("runWorker() sweeps the mark of a hook that was killed", async () => {
  const f = new OutboxFixture();
  f.spool("cc-1");
  writeFileSync(`${f.folder}/spool/000-dead.json.wait`, "");
  f.clock.now = Date.now() + 2 * 3_600_000;
  await f.work(5);
  assert.deepEqual(readdirSync(`${f.folder}/spool`), []);
});

const breakerOf = (f: OutboxFixture, credential = "k1"): Breaker =>
  createBreaker({ runtime: f.runtime, agentHome: f.agentHome, target: f.target.id, credential });

test("runWorker() opens the readers' breaker when the server is gone or refuses the key, and closes it when it answers", async () => {
  for (
    const [fault, category] of [
      [{ kind: "drop" }, "unreachable"],
      [{ kind: "status", status: 401 }, "auth"],
    ] as const
  ) {
    const f = new OutboxFixture();
    const t = f.transcript();
    t.user("a");
    f.spool("cc-1", { path: t.path });
    await f.work(5);
    f.engine.fault = () => fault;
    t.user("b");
    f.spool("cc-1", { path: t.path });
    await f.work(5);
    assert.equal(breakerOf(f).current()?.category, category);
    assert.equal(breakerOf(f, "another-key").current(), undefined);
    f.engine.fault = () => undefined;
    f.clock.now += 3_600_000;
    await f.work(600);
    assert.equal(breakerOf(f).current(), undefined);
    assert.deepEqual(f.engine.texts(), ["a", "b"]);
  }
});

test("runWorker() leaves the readers alone with what concerns only one route", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.engine.fault = ({ method }) => method === "POST" ? { kind: "status", status: 503 } : undefined;
  f.spool("cc-1", { path: t.path });
  await f.work(5);
  assert.equal(breakerOf(f).current(), undefined);
  // A search that was too slow says nothing about appends, and the other way round.
  breakerOf(f).recordFailure({
    ok: false,
    status: 0,
    action: "retry",
    category: "timeout",
    ambiguous: true,
    code: "",
    message: "slow",
  });
  f.engine.fault = () => undefined;
  f.clock.now += 60_000;
  await f.work(60);
  assert.deepEqual(f.engine.texts(), ["a"]);
  assert.equal(breakerOf(f).current()?.category, "timeout");
});
