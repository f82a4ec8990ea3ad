import { test } from "node:test";
import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import type { WireRequest } from "../../lib/http/types.ts";
import { adoptQueue } from "../../lib/outbox/queue/adopt_queue.ts";
import { dropEntry, exportQueue, retryQueue } from "../../lib/outbox/queue/change_queue.ts";
import { SETTINGS as SETTINGS_SCHEMA } from "../../lib/config/schema.ts";
import { drainQueue, type DrainReport } from "../../lib/outbox/queue/drain_queue.ts";
import { takeLease } from "../../lib/outbox/worker/lease.ts";
import { queueReport } from "../../lib/outbox/queue/queue_report.ts";
import { openQueueStore } from "../../lib/outbox/store/store.ts";
import { OutboxFixture } from "../support/outbox_fixture.ts";

const isWrite = ({ method }: WireRequest): boolean => method === "POST";

/** A queue with something of everything: messages and a commit that wait, an event, a dead letter. */
async function fullQueue(): Promise<OutboxFixture> {
  const f = new OutboxFixture();
  const [a, b] = [f.transcript(), f.transcript()];
  a.user("POISON");
  a.user("fine");
  f.spool("cc-a", { path: a.path });
  await f.work();
  f.engine.fault = (request) => isWrite(request) ? { kind: "status", status: 503 } : undefined;
  b.user("one");
  b.user("two");
  f.end("cc-b", b.path);
  await f.work(3);
  f.spool("cc-c");
  f.clock.now += 10_000;
  return f;
}
const drain = (f: OutboxFixture, seconds: number): Promise<DrainReport> => {
  const options = f.options();
  return drainQueue({ ...options, connect: () => options.connect, waitMs: seconds * 1000 });
};

test("queueReport() shows what waits, why and since when, in the contract's shape [RTY-10] [CUR-02]", async () => {
  const f = await fullQueue();
  const { pending, dead, problems } = await queueReport(f.runtime, f.agentHome);
  assert.deepEqual(problems, []);
  assert.deepEqual(pending.map(({ kind, session, messages }) => [kind, session, messages]), [
    ["message", "cc-b", 2],
    ["commit", "cc-b", 0],
    ["event", "cc-c", 0],
  ]);
  for (const entry of pending) {
    assert.deepEqual(Object.keys(entry).sort(), [
      "age_seconds",
      "attempts",
      "id",
      "kind",
      "messages",
      "next_try_at",
      "phase",
      "reason",
      "session",
      "state",
      "target",
    ]);
    assert.ok(entry.age_seconds >= 10);
  }
  assert.match(pending[0]?.reason ?? "", /^503 server/);
  assert.deepEqual(dead.map(({ session, target }) => [session, target]), [["cc-a", "test-target"]]);
  assert.deepEqual(Object.keys(dead[0] ?? {}).sort(), [
    "id",
    "reason",
    "session",
    "since",
    "target",
  ]);
});

test("queueReport() needs no store and no folder", async () => {
  const f = new OutboxFixture();
  assert.deepEqual((await queueReport(f.runtime, f.agentHome)).pending, []);
  f.spool("cc-1");
  assert.deepEqual((await queueReport(f.runtime, f.agentHome)).pending.map(({ kind }) => kind), [
    "event",
  ]);
});

test("drainQueue() counts what is left and says why; dead letters alone are nothing left", async () => {
  const f = await fullQueue();
  const first = await drain(f, 2);
  assert.equal(first.left, 2);
  assert.match(first.reasons.join("\n"), /test-target: message .*503 server/);
  f.engine.fault = () => undefined;
  const second = await drain(f, 120);
  assert.deepEqual([second.left, second.dead, second.delivered], [0, 1, 2]);
  assert.deepEqual(f.engine.texts(), ["fine", "one", "two"]);
});

test("drainQueue() waits for a worker that lives, as long as it may", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1", { path: t.path });
  const lease = await takeLease(f.runtime, f.folder);
  assert.ok(lease !== undefined);
  assert.equal((await drain(f, 5)).left, 1);
  assert.deepEqual(f.engine.texts(), []);
  lease.release();
  assert.equal((await drain(f, 5)).left, 0);
  assert.deepEqual(f.engine.texts(), ["a"]);
});

test("drainQueue() ends at once when the configuration names another target", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1", { path: t.path });
  f.held = "target: the configuration now names another server";
  const before = f.clock.now;
  const { left, reasons } = await drain(f, 3600);
  assert.equal(left, 1);
  assert.match(reasons.join(), /held .*another server/);
  assert.ok(f.clock.now - before < 60_000);
  f.held = undefined;
  assert.equal((await drain(f, 60)).left, 0);
});

test("retryQueue() makes what waits due now, and gives a dead letter another try", async () => {
  const f = await fullQueue();
  f.engine.fault = (request) =>
    isWrite(request) ? { kind: "status", status: 429, retryAfter: 3600 } : undefined;
  await f.work(60);
  f.engine.fault = () => undefined;
  assert.equal((await drain(f, 60)).left, 2);
  const { dead } = await queueReport(f.runtime, f.agentHome);
  assert.ok((await retryQueue(f.runtime, f.agentHome)).changed > 0);
  assert.equal((await drain(f, 60)).left, 0);
  assert.deepEqual(f.engine.texts(), ["fine", "one", "two"]);
  assert.deepEqual(await retryQueue(f.runtime, f.agentHome, dead[0]?.id ?? ""), {
    changed: 1,
    problems: [],
  });
  assert.equal((await queueReport(f.runtime, f.agentHome)).dead.length, 0);
  const unknown = await retryQueue(f.runtime, f.agentHome, "nothing/m99");
  assert.match(unknown.problems.join(), /Cannot find nothing\/m99/);
});

test("dropEntry() forgets one entry for good and leaves the others", async () => {
  const f = await fullQueue();
  const { pending, dead } = await queueReport(f.runtime, f.agentHome);
  for (const { id } of [...pending, ...dead]) {
    const { problems } = await dropEntry(f.runtime, f.agentHome, id);
    if (!id.includes("/e")) assert.deepEqual(problems, [], id);
  }
  f.engine.fault = () => undefined;
  assert.equal((await drain(f, 60)).left, 0);
  assert.deepEqual(f.engine.texts(), ["fine"]);
  for (const id of ["x", "../../etc/m1", "test-target/e../../x.json", "test-target/d9.9"]) {
    assert.equal((await dropEntry(f.runtime, f.agentHome, id)).changed, 0, id);
  }
});

test("exportQueue() writes waiting and dead messages, redacted, for their owner only", async () => {
  const f = await fullQueue();
  const file = `${f.home}/out.jsonl`;
  assert.equal((await exportQueue(f.runtime, f.agentHome, file)).changed, 3);
  const lines = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ session, state }) => [session, state]),
    [
      ["cc-a", "dead"],
      ["cc-b", "inflight"],
      ["cc-b", "inflight"],
      ["cc-b", "requested"],
    ].map(([session, state], i) => [session, i === 1 || i === 2 ? lines[i].state : state]),
  );
  assert.equal(lines[0].message.parts[0].text, "POISON");
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("adoptQueue() hands over what waits, to another target or to another identity of the same one", async () => {
  const f = await fullQueue();
  const to = { ...f.target, id: "second-target" };
  f.runtime.files.makeDir(`${f.agentHome}/outbox/second-target/spool`);
  f.engine.fault = () => undefined;
  f.clock.now += 60_000;
  assert.deepEqual(await adoptQueue(f.runtime, f.agentHome, f.target.id, to), {
    changed: 2,
    problems: [],
  });
  assert.deepEqual(f.engine.texts(), ["fine"]);
  await f.work();
  assert.deepEqual(f.engine.texts(), ["fine"]);
  f.target = to;
  await f.work();
  assert.deepEqual(f.engine.texts(), ["fine", "one", "two"]);
  assert.equal(f.engine.commits.at(-1)?.session, "cc-b");

  const same = new OutboxFixture();
  const t = same.transcript();
  t.user("a");
  same.engine.fault = (request) => isWrite(request) ? { kind: "status", status: 503 } : undefined;
  same.spool("cc-1", { path: t.path });
  await same.work(3);
  same.engine.fault = () => undefined;
  same.clock.now += 60_000;
  same.engine.user = "bob";
  same.key = "bob-key";
  await same.work(60);
  assert.deepEqual(same.engine.texts(), []);
  assert.equal(
    (await adoptQueue(same.runtime, same.agentHome, same.target.id, {
      ...same.target,
      keyFingerprint: same.key,
    })).changed,
    1,
  );
  await same.work(60);
  assert.deepEqual(same.engine.texts(), ["a"]);
});

test("queueReport() tells why the last worker stopped", async () => {
  const f = new OutboxFixture();
  f.spool("cc-1");
  const failing = { ...f.runtime, openDatabase: () => Promise.reject(new Error("disk full")) };
  assert.equal((await f.work(5, { runtime: failing })).ended, "failed");
  assert.match((await queueReport(f.runtime, f.agentHome)).problems.join(), /stopped: disk full/);
  await f.work(5);
  assert.deepEqual((await queueReport(f.runtime, f.agentHome)).problems, []);
});

test("enforceLimits() exports what is too old before it is given up [RTY-08]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("old");
  f.engine.fault = (request) =>
    isWrite(request) ? { kind: "status", status: 409, details: { retryable: true } } : undefined;
  f.spool("cc-1", { path: t.path });
  await f.work(5, { maxAgeDays: 7 });
  f.clock.now += 5 * 24 * 3_600_000;
  await f.work(5, { maxAgeDays: 7 });
  assert.match((await queueReport(f.runtime, f.agentHome)).problems.join(), /5 of 7 days/);
  f.clock.now += 3 * 24 * 3_600_000;
  t.user("new");
  f.spool("cc-1", { path: t.path });
  await f.work(40, { maxAgeDays: 7 });
  f.engine.fault = () => undefined;
  await f.work();
  assert.deepEqual(f.engine.texts(), ["new"]);
  const exported = readFileSync(`${f.folder}/expired.jsonl`, "utf8").trim().split("\n");
  assert.deepEqual(exported.map((line) => JSON.parse(line).message.parts[0].text), ["old"]);
  assert.match((await queueReport(f.runtime, f.agentHome)).problems.join(), /1 messages passed/);
});

test("enforceLimits() exports the oldest beyond the bytes that may wait [RTY-08]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  for (let i = 0; i < 10; i++) t.user(`${i} ${"x".repeat(1000)}`);
  f.engine.fault = (request) =>
    isWrite(request) ? { kind: "status", status: 409, details: { retryable: true } } : undefined;
  f.spool("cc-1", { path: t.path });
  await f.work(5);
  await f.work(40, { maxBytes: 6000 });
  f.engine.fault = () => undefined;
  await f.work();
  const left = f.engine.texts().map((text) => Number(text[0]));
  assert.ok(left.length > 0 && left.length < 10);
  assert.deepEqual(left, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].slice(-left.length));
  const exported = readFileSync(`${f.folder}/expired.jsonl`, "utf8").trim().split("\n").length;
  assert.equal(exported + left.length, 10);
});

const DAMAGES: readonly (readonly [string, (path: string) => void])[] = [
  ["truncated", (path) => truncateSync(path, 5000)],
  [
    "overwritten with noise",
    (path) => writeFileSync(path, new Uint8Array(20_000).map((_, i) => (i * 37) % 251)),
  ],
  ["emptied to a text", (path) => writeFileSync(path, "not a database at all, but some text")],
];
for (const [name, damage] of DAMAGES) {
  test(`openQueueStore() sets a store aside that was ${name}, and nothing is lost or doubled`, async () => {
    const f = new OutboxFixture();
    const t = f.transcript();
    t.user("a");
    f.spool("cc-1", { path: t.path });
    await f.work();
    f.runtime.files.remove(`${f.folder}/outbox.db-wal`);
    f.runtime.files.remove(`${f.folder}/outbox.db-shm`);
    damage(`${f.folder}/outbox.db`);
    t.user("b");
    f.end("cc-1", t.path);
    assert.equal((await f.work()).ended, "idle");
    assert.deepEqual(f.engine.texts(), ["a", "b"]);
    assert.match((await queueReport(f.runtime, f.agentHome)).problems.join(), /set aside/);
  });
}

test("openQueueStore() rescues what waited in a damaged store without a transcript behind it", async () => {
  const f = new OutboxFixture();
  f.engine.fault = (request) =>
    isWrite(request) ? { kind: "status", status: 409, details: { retryable: true } } : undefined;
  f.spool("oc-1", {
    messages: [{
      id: "e1",
      role: "user",
      createdAt: "2026-11-30T10:00:00Z",
      parts: [{ type: "text", text: "only here" }],
    }],
  });
  await f.work(5);
  const path = `${f.folder}/outbox.db`;
  // A page of nonsense behind the last one makes the check fail; all others can still be read.
  const bytes = readFileSync(path);
  bytes.writeUInt32BE(bytes.readUInt32BE(28) + 5, 36);
  bytes.writeUInt32BE(99, 32);
  writeFileSync(path, bytes);
  appendFileSync(path, new Uint8Array(4096));
  f.engine.fault = () => undefined;
  f.spool("oc-2");
  await f.work();
  assert.deepEqual(f.engine.texts(), ["only here"]);
});

test("openQueueStore() looks again when the store changed after its worker left it sound", async () => {
  const f = new OutboxFixture();
  f.spool("oc-1");
  await f.work();
  assert.ok(existsSync(`${f.folder}/outbox.sound`));
  const path = `${f.folder}/outbox.db`;
  const bytes = readFileSync(path);
  bytes.fill(0xaa, 4096); // every page but the first, same size
  writeFileSync(path, bytes);
  const { store, setAside } = await openQueueStore(f.runtime, f.folder);
  store.close();
  assert.match(setAside ?? "", /outbox\.db\.damaged-/);
});

test("openQueueStore() does not look through a store that its worker left sound", async () => {
  const f = new OutboxFixture();
  f.spool("oc-1");
  await f.work();
  const asked: string[] = [];
  const watched = {
    ...f.runtime,
    openDatabase: async (...given: Parameters<typeof f.runtime.openDatabase>) => {
      const db = await f.runtime.openDatabase(...given);
      return { ...db, prepare: (sql: string) => (asked.push(sql), db.prepare(sql)) };
    },
  };
  (await openQueueStore(watched, f.folder)).store.close();
  assert.equal(asked.some((sql) => sql.includes("quick_check")), false);
  unlinkSync(`${f.folder}/outbox.sound`);
  (await openQueueStore(watched, f.folder)).store.close();
  assert.equal(asked.some((sql) => sql.includes("quick_check")), true);
});

test("a month without a server delays everything and loses nothing: in order, dated as it was said [RTY-08] [RTY-09]", async () => {
  const f = new OutboxFixture();
  const maxAgeDays = Number(SETTINGS_SCHEMA.queueMaxAgeDays.default);
  f.engine.fault = () => ({ kind: "drop" });
  const said = new Map<string, string[]>();
  const dates = new Map<string, string>();
  for (let day = 0; day < 31; day++) {
    const session = `cc-${day}`;
    const t = f.transcript();
    for (let n = 0; n < 4; n++) {
      const timestamp = new Date(f.clock.now + n * 1000).toISOString();
      const text = `day ${day} line ${n}`;
      t.row("user", text, { promptId: `p-${day}-${n}`, timestamp });
      said.set(session, [...said.get(session) ?? [], text]);
      dates.set(text, timestamp);
      f.clock.now += 5000;
      f.spool(session, { path: t.path });
    }
    f.end(session, t.path);
    await f.work(20, { maxAgeDays });
    f.clock.now += 24 * 3_600_000;
  }
  f.engine.fault = () => undefined;
  for (let i = 0; i < 3; i++) await f.work(4000, { maxAgeDays });
  for (const [session, texts] of said) assert.deepEqual(f.engine.texts(session), texts);
  for (const { text, raw } of f.engine.order) assert.equal(raw["created_at"], dates.get(text));
  assert.equal(new Set(f.engine.commits.map(({ session }) => session)).size, 31);
  assert.deepEqual((await queueReport(f.runtime, f.agentHome)).pending, []);
});
