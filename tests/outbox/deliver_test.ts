import { test } from "node:test";
import assert from "node:assert/strict";
import type { WireRequest } from "../../lib/http/types.ts";
import { queueReport } from "../../lib/outbox/queue/queue_report.ts";
import { OutboxFixture, SETTINGS, type Transcript } from "../support/outbox_fixture.ts";

const isWrite = ({ method, path }: WireRequest): boolean =>
  method === "POST" && path.includes("/messages");
const isCommit = ({ path }: WireRequest): boolean => path.endsWith("/commit");

/** A session with that many messages, recorded and not yet delivered. */
function said(n: number, session = "cc-1"): { f: OutboxFixture; t: Transcript; texts: string[] } {
  const f = new OutboxFixture();
  const t = f.transcript();
  const texts = Array.from({ length: n }, (_, i) => `n${i}`);
  for (const text of texts) t.user(text);
  f.spool(session, { path: t.path, settings: { ...SETTINGS, commitTokenThreshold: 0 } });
  return { f, t, texts };
}
const report = (f: OutboxFixture) => queueReport(f.runtime, f.agentHome);

test("serveNextSession() sends at most 100 messages per batch, in order [RTY-04] [CUR-01]", async () => {
  const { f, texts } = said(250);
  const result = await f.work();
  assert.deepEqual(
    f.engine.writes().map(({ body }) => (body as { messages: unknown[] }).messages.length),
    [100, 100, 50],
  );
  assert.deepEqual(f.engine.texts(), texts);
  assert.deepEqual([result.messages, result.delivered], [250, 250]);
});

test("serveNextSession() bounds a batch by bytes too", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  for (let i = 0; i < 6; i++) t.user("x".repeat(1_500_000));
  f.spool("cc-1", {
    path: t.path,
    settings: { ...SETTINGS, captureMaxLength: 0, commitTokenThreshold: 0 },
  });
  await f.work();
  const sizes = f.engine.writes().map(({ body }) =>
    (body as { messages: unknown[] }).messages.length
  );
  assert.deepEqual(sizes, [2, 2, 2]);
});

test("serveNextSession() sends the words of the server's routes [CAP-05] [CAP-06]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  const user = t.row("user", "hello", { promptId: "turn-1" });
  t.row("assistant", [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } }]);
  const result = t.row("user", [{
    type: "tool_result",
    tool_use_id: "t1",
    content: "out",
    is_error: true,
  }]);
  f.spool("cc-1", { path: t.path, peer: "repo-1" });
  await f.work();
  const [request] = f.engine.writes();
  assert.equal(request?.path, "/api/v1/sessions/cc-1/messages/batch");
  assert.deepEqual(request?.body, {
    messages: [
      {
        role: "user",
        parts: [{ type: "text", text: "hello" }],
        created_at: "2026-11-30T09:00:01.000Z",
        turn_id: "turn-1",
        peer_id: "repo-1",
        source_message_ids: [user],
      },
      {
        role: "assistant",
        parts: [{
          type: "tool",
          tool_id: "t1",
          tool_name: "Bash",
          tool_status: "error",
          tool_input: { command: "ls" },
          tool_output: "out",
        }],
        created_at: "2026-11-30T09:00:03.000Z",
        turn_id: "turn-1",
        peer_id: "repo-1",
        source_message_ids: [result],
      },
    ],
  });
});

test("serveNextSession() keeps the first peer when the directory changes [IDN-10]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1", { path: t.path, peer: "repo-1" });
  await f.work();
  t.user("b");
  f.spool("cc-1", { path: t.path, peer: "repo-2" });
  await f.work();
  assert.deepEqual(f.engine.order.map(({ raw }) => raw["peer_id"]), ["repo-1", "repo-1"]);
});

test("serveNextSession() sends singly where there is no batch route [RTY-05]", async () => {
  const { f, texts } = said(5);
  f.engine.batch = false;
  await f.work();
  assert.deepEqual(f.engine.texts(), texts);
  assert.equal(f.engine.writes().filter(({ path }) => path.endsWith("/batch")).length, 1);
});

test("serveNextSession() finds the message that is refused and lets the others pass", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  const texts = Array.from({ length: 40 }, (_, i) => i === 17 ? "POISON" : `n${i}`);
  for (const text of texts) t.user(text);
  f.end("cc-1", t.path);
  await f.work();
  assert.deepEqual(f.engine.texts(), texts.filter((text) => text !== "POISON"));
  assert.equal(f.engine.commits.at(-1)?.at, 39);
  assert.ok(f.engine.writes().length < 25, "found by halves");
  const { pending, dead } = await report(f);
  assert.deepEqual(pending, []);
  assert.equal(dead.length, 1);
  assert.match(dead[0]?.reason ?? "", /^422 refused: message rejected/);
  await f.work();
  assert.equal((await report(f)).dead.length, 1);
});

test("serveNextSession() takes a payload on which a healthy server always fails for the cause", async () => {
  const { f, texts } = said(3);
  f.engine.fault = (request) =>
    isWrite(request) && JSON.stringify(request.body).includes('"n1"')
      ? { kind: "status", status: 500 }
      : undefined;
  await f.work(3600);
  assert.deepEqual(f.engine.texts(), texts.filter((text) => text !== "n1"));
  assert.match((await report(f)).dead[0]?.reason ?? "", /^500 server/);
});

test("serveNextSession() never gives a message up because the server is down", async () => {
  const { f, texts } = said(3);
  f.engine.fault = (request) => isWrite(request) ? { kind: "status", status: 503 } : undefined;
  await f.work(24 * 3600, { pollMs: 30_000 });
  assert.deepEqual((await report(f)).dead, []);
  f.engine.fault = () => undefined;
  await f.work();
  assert.deepEqual(f.engine.texts(), texts);
});

const AMBIGUOUS = [
  { name: "no answer, not applied", fault: { kind: "drop" } },
  { name: "no answer, applied", fault: { kind: "drop", after: true } },
  { name: "applied after 30 s", fault: { kind: "drop", late: 30_000 } },
  { name: "500, applied", fault: { kind: "status", status: 500, after: true } },
  { name: "500, not applied", fault: { kind: "status", status: 500 } },
  { name: "a gateway's page", fault: { kind: "html", status: 502 } },
  { name: "a page instead of an answer", fault: { kind: "html" } },
] as const;
for (const { name, fault } of AMBIGUOUS) {
  for (const returnsIds of [true, false]) {
    const server = returnsIds ? "" : " on a server without our ids";
    test(`reconcile() neither loses nor doubles after: ${name}${server} [CUR-09] [RTY-01]`, async () => {
      const { f, texts } = said(3);
      await f.work();
      f.engine.returnsIds = returnsIds;
      const t = f.transcript();
      t.user("late one");
      t.user("late two");
      f.spool("cc-1", { path: t.path });
      let once = true;
      f.engine.fault = (request) => {
        if (!once || !isWrite(request)) return undefined;
        once = false;
        return fault;
      };
      await f.work();
      assert.deepEqual(f.engine.texts(), [...texts, "late one", "late two"]);
    });
  }
}

test("reconcile() finds what a commit of the server itself archived meanwhile", async () => {
  const { f, texts } = said(3);
  f.engine.fault = (request, engine) => {
    if (!isWrite(request)) return undefined;
    engine.fault = () => undefined;
    void engine.transport(request).then(() =>
      engine.transport({
        method: "POST",
        path: "/api/v1/sessions/cc-1/commit",
        headers: {},
        body: {},
      })
    );
    return { kind: "drop" };
  };
  await f.work();
  assert.deepEqual(f.engine.texts(), texts);
});

test("reconcile() fills a session again that the server emptied [RTY-09]", async () => {
  const { f, t, texts } = said(3);
  await f.work();
  f.engine.sessions.get("cc-1")!.live = [];
  t.user("n3");
  f.end("cc-1", t.path);
  await f.work();
  const live = f.engine.sessions.get("cc-1")!.archives.flat().map(({ text }) => text);
  assert.deepEqual(new Set(live), new Set([...texts, "n3"]));
  assert.equal(live.length, 4);
});

test("reconcile() fills a session again that the server lost", async () => {
  const { f, t, texts } = said(3);
  await f.work();
  f.engine.sessions.delete("cc-1");
  f.end("cc-1", t.path);
  await f.work();
  assert.deepEqual(f.engine.sessions.get("cc-1")?.archives.flat().map(({ text }) => text), texts);
});

test("moveToSuccessor() goes on under another id when the session is broken on the server", async () => {
  const { f, t, texts } = said(3);
  await f.work();
  f.engine.sessions.get("cc-1")!.broken = true;
  t.user("n3");
  f.end("cc-1", t.path);
  await f.work();
  assert.deepEqual(f.engine.sessions.get("cc-1-r1")?.archives.flat().map(({ text }) => text), [
    ...texts,
    "n3",
  ]);
  const { dead, pending, problems } = await report(f);
  assert.deepEqual([dead, pending], [[], []]);
  assert.match(problems.join(), /cc-1 is broken on the server .* goes on as cc-1-r1/);
});

test("verify finds what an earlier queue delivered, so that a lost store doubles nothing", async () => {
  const { f, t, texts } = said(3);
  await f.work();
  f.end("cc-1", t.path);
  await f.work();
  t.user("n3");
  f.spool("cc-1", { path: t.path });
  await f.work();
  f.runtime.files.removeTree(f.agentHome);
  t.user("n4");
  f.end("cc-1", t.path);
  await f.work();
  assert.deepEqual(f.engine.texts(), [...texts, "n3", "n4"]);
});

test("serveNextSession() obeys Retry-After [RTY-01]", async () => {
  const { f, texts } = said(2);
  const at: number[] = [];
  f.engine.fault = (request) => {
    if (!isWrite(request)) return undefined;
    at.push(f.clock.now);
    return at.length === 1 ? { kind: "status", status: 429, retryAfter: 120 } : undefined;
  };
  await f.work(60);
  assert.equal(at.length, 1);
  const [entry] = (await report(f)).pending;
  assert.deepEqual([entry?.state, entry?.reason.slice(0, 9)], ["waiting", "429 busy:"]);
  await f.work();
  assert.ok((at[1] ?? 0) - (at[0] ?? 0) >= 120_000);
  assert.deepEqual(f.engine.texts(), texts);
});

const CONFLICTS: readonly (readonly [string, unknown, number])[] = [
  ["retryable", { retryable: true }, 0],
  ["final", {}, 2],
];
for (const [name, details, dead] of CONFLICTS) {
  test(`serveNextSession() tells a ${name} conflict by its details [RTY-02]`, async () => {
    const { f } = said(2);
    let refusals = 0;
    f.engine.fault = (request) =>
      isWrite(request) && (dead > 0 || refusals++ < 3)
        ? { kind: "status", status: 409, details }
        : undefined;
    await f.work();
    assert.deepEqual([(await report(f)).dead.length, f.engine.texts().length], [dead, 2 - dead]);
  });
}

for (const status of [401, 403]) {
  test(`a target is held after ${status}, without attempts, until the key changes [RTY-03]`, async () => {
    const { f, texts } = said(3);
    f.engine.fault = () => ({ kind: "status", status });
    await f.work(60);
    const [entry] = (await report(f)).pending;
    assert.equal(entry?.state, "held");
    assert.match(entry?.reason ?? "", new RegExp(`^${status} auth`));
    assert.ok(f.engine.log.length <= 4, `${f.engine.log.length} requests`);
    assert.deepEqual((await report(f)).dead, []);
    f.engine.fault = () => undefined;
    f.key = "k2";
    f.spool("cc-2");
    await f.work(5);
    assert.deepEqual(f.engine.texts(), texts);
  });
}

test("a held target is tried again by one cheap request with growing pauses", async () => {
  const { f } = said(1);
  f.engine.fault = () => ({ kind: "status", status: 401 });
  const options = { ...f.options(), untilDelivered: f.clock.now + 4 * 3_600_000, pollMs: 10_000 };
  const { runWorker } = await import("../../lib/outbox/worker/worker.ts");
  await runWorker({ ...options, lingerMs: 1 });
  assert.ok(f.engine.log.length < 12, `${f.engine.log.length} requests`);
  assert.deepEqual(f.engine.writes(), []);
});

test("a queue is never sent under another person's key, and a new key of the same one takes it over", async () => {
  const { f, texts } = said(3);
  f.target = { ...f.target };
  await f.work();
  const t = f.transcript();
  t.user("alice's");
  f.engine.fault = (request) => isWrite(request) ? { kind: "status", status: 503 } : undefined;
  f.spool("cc-2", { path: t.path });
  await f.work(5);
  f.engine.fault = () => undefined;
  f.key = "bob-key";
  f.engine.user = "bob";
  f.spool("cc-3", { messages: [] });
  await f.work();
  assert.deepEqual(f.engine.texts(), texts);
  assert.equal((await report(f)).pending.length, 1);
  f.key = "alice-second-key";
  f.engine.user = "default";
  await f.work();
  assert.deepEqual(f.engine.texts(), [...texts, "alice's"]);
});

test("commitNext() commits after the messages that were said before, with its parameters [CMT-02] [CMT-04] [CMT-06]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1", { path: t.path, boundary: { reason: "pre-compact", keepRecentCount: 0 } });
  f.engine.fault = (request) => isWrite(request) ? { kind: "status", status: 503 } : undefined;
  await f.work(5);
  t.user("b");
  f.spool("cc-1", { path: t.path, boundary: { reason: "turn-end", keepRecentCount: 1 } });
  await f.work(5);
  f.engine.fault = () => undefined;
  await f.work();
  assert.deepEqual(f.engine.commits.map(({ at, body }) => [at, body]), [
    [1, { keep_recent_count: 0, enable_working_memory: true }],
  ]);
  t.user("c");
  f.spool("cc-1", { path: t.path, boundary: { reason: "turn-end", keepRecentCount: 1 } });
  await f.work();
  assert.deepEqual(f.engine.commits.at(-1)?.body, {
    keep_recent_count: 1,
    enable_working_memory: true,
  });
  assert.deepEqual(f.engine.sessions.get("cc-1")?.live.map(({ text }) => text), ["c"]);
});

test("commitNext() repeats the original body after a failure and loses nothing [CMT-03] [CMT-05] [CMT-06]", async () => {
  const { f, t } = said(2);
  f.end("cc-1", t.path);
  const bodies: unknown[] = [];
  f.engine.fault = (request) => {
    if (!isCommit(request)) return undefined;
    bodies.push(request.body);
    return bodies.length < 4 ? { kind: "status", status: 503 } : undefined;
  };
  await f.work(1);
  assert.deepEqual((await report(f)).pending.map(({ kind, phase }) => [kind, phase]), [[
    "commit",
    "requested",
  ]]);
  await f.work();
  assert.equal(bodies.length, 4);
  assert.equal(new Set(bodies.map((body) => JSON.stringify(body))).size, 1);
  assert.equal(f.engine.commits.length, 1);
});

test("commitNext() asks for a commit when the engine says that much is pending [HOST-CC-03] [CMT-08]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  for (let i = 0; i < 20; i++) t.user("word ".repeat(1000));
  f.spool("cc-1", { path: t.path });
  await f.work();
  assert.deepEqual(f.engine.commits.map(({ body }) => body["keep_recent_count"]), [10]);
  assert.equal(f.engine.sessions.get("cc-1")?.live.length, 10);
});

test("commitNext() does without a field that a strict server refuses", async () => {
  const { f, t } = said(1);
  f.engine.strictCommit = true;
  f.end("cc-1", t.path);
  await f.work();
  assert.deepEqual(f.engine.commits.map(({ body }) => body), [{ keep_recent_count: 0 }]);
});

test("commitNext() sends no commit when there is nothing to commit", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  f.end("cc-1", t.path);
  await f.work();
  assert.deepEqual(f.engine.log.filter(isCommit), []);
  t.user("a");
  f.end("cc-1", t.path);
  f.end("cc-1", t.path);
  await f.work();
  f.end("cc-1", t.path);
  await f.work();
  assert.equal(f.engine.commits.length, 1);
});

test("commitNext() does not commit twice when the answer was lost", async () => {
  const { f, t } = said(2);
  f.end("cc-1", t.path);
  let once = true;
  f.engine.fault = (request) => {
    if (!once || !isCommit(request)) return undefined;
    once = false;
    return { kind: "drop", after: true };
  };
  await f.work();
  assert.equal(f.engine.commits.length, 1);
  assert.deepEqual((await report(f)).pending, []);
});

test("followTask() tells requested, archived, extracted and failed apart [CMT-01]", async () => {
  const { f, t } = said(2);
  const phases = async () => (await report(f)).commits.map(({ phase }) => phase);
  f.engine.taskStatus = "pending";
  f.end("cc-1", t.path);
  f.engine.fault = (request) => isCommit(request) ? { kind: "status", status: 503 } : undefined;
  await f.work(1);
  assert.deepEqual(await phases(), ["requested"]);
  f.engine.fault = () => undefined;
  await f.work();
  assert.deepEqual(await phases(), ["archived"]);
  f.engine.tasks.set("task-1", { status: "completed" });
  f.clock.now += 60_000;
  f.spool("cc-2");
  await f.work();
  assert.deepEqual(await phases(), ["extracted"]);
});

test("resendFailed() sends and commits again what the server could not extract", async () => {
  const { f, t, texts } = said(2);
  f.engine.taskStatus = "failed";
  f.end("cc-1", t.path);
  await f.work();
  f.clock.now += 2000;
  f.spool("cc-2");
  await f.work();
  assert.equal((await report(f)).commits[0]?.phase, "failed");
  f.engine.taskStatus = "completed";
  f.clock.now += 20 * 60_000;
  f.spool("cc-2");
  await f.work();
  assert.deepEqual(
    f.engine.sessions.get("cc-1")?.archives.map((list) => list.map(({ text }) => text)),
    [texts, texts],
  );
});

test("sessions are served in turn, and one that waits holds no other up", async () => {
  const f = new OutboxFixture();
  for (const session of ["cc-1", "cc-2", "cc-3"]) {
    const t = f.transcript();
    for (let i = 0; i < 250; i++) t.user(`${session} ${i}`);
    f.spool(session, { path: t.path, settings: { ...SETTINGS, commitTokenThreshold: 0 } });
  }
  f.engine.fault = (request) =>
    isWrite(request) && request.path.includes("cc-2")
      ? { kind: "status", status: 409, details: { retryable: true } }
      : undefined;
  await f.work(5);
  const order = f.engine.writes().filter(({ path }) => !path.includes("cc-2")).map(({ path }) =>
    path.slice(17, 21)
  );
  assert.deepEqual(order, ["cc-1", "cc-3", "cc-1", "cc-3", "cc-1", "cc-3"]);
});
