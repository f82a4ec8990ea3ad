/**
 * Delivery to the real server: what the queue assumes of it, and the whole way of a turn.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WireRequest } from "../../lib/http/types.ts";
import { askIdentity } from "../../lib/outbox/store/identity.ts";
import { makePerson } from "../support/person.ts";
import { RealDelivery } from "../support/real_delivery.ts";
import { type RealServer, requireServer } from "../support/requirements.ts";

const isAppend = ({ method, path }: WireRequest): boolean =>
  method === "POST" && path.includes("/messages");
const isCommit = ({ path }: WireRequest): boolean => path.endsWith("/commit");
const words = (n: number, prefix = "NOMEMORY"): string[] =>
  Array.from({ length: n }, (_, i) => `${prefix} ${i}`);
/** Folder of a session on the server's disk. */
const folderOf = (server: RealServer, d: RealDelivery, session: string): string =>
  join(server.dataDir, "workspace/viking/acme/user", d.user, "sessions", session);

test("askIdentity() learns account and user from the real server", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const d = new RealDelivery(server);
  assert.deepEqual(await askIdentity(d.http()), { account: "acme", user: d.user });
});

test("runWorker() delivers to the real server in order, commits after the messages and follows the task [CMT-01] [CMT-02] [CMT-04] [RTY-04]", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const d = new RealDelivery(server);
  const transcript = d.f.transcript();
  const texts = words(250);
  for (const text of texts) transcript.user(text);
  d.end("cc-1", transcript.path);
  const result = await d.work();
  assert.deepEqual([result.ended, result.delivered], ["idle", 250]);
  assert.deepEqual(await d.texts("cc-1"), texts);
  assert.equal(await d.follow("cc-1", ["extracted"]), "extracted");
  assert.deepEqual((await d.report()).pending, []);
});

for (
  const [what, trouble] of [
    ["the answer to every first append was lost", "lost"],
    ["every first append never arrived", "never"],
  ] as const
) {
  test(`reconcile() neither loses nor doubles on the real server when ${what} [CUR-09] [RTY-01]`, async (t) => {
    const server = requireServer(t);
    if (server === undefined) return;
    const d = new RealDelivery(server);
    const transcript = d.f.transcript();
    const texts = words(150);
    for (const text of texts) transcript.user(text);
    d.end("cc-1", transcript.path);
    let appends = 0;
    d.trouble = (request) => isAppend(request) && appends++ % 2 === 0 ? trouble : undefined;
    await d.work(60);
    assert.deepEqual(await d.texts("cc-1"), texts);
    assert.ok(appends >= (trouble === "never" ? 3 : 2));
  });
}

test("commitNext() commits once on the real server when the answer was lost", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const d = new RealDelivery(server);
  const transcript = d.f.transcript();
  for (const text of words(4)) transcript.user(text);
  d.end("cc-1", transcript.path);
  let commits = 0;
  d.trouble = (request) => isCommit(request) && commits++ === 0 ? "lost" : undefined;
  await d.work(60);
  const { body } = await d.ask("GET", "/api/v1/sessions/cc-1");
  assert.deepEqual(await d.texts("cc-1"), words(4));
  assert.equal((body as { result: { commit_count: number } }).result.commit_count, 1);
  assert.deepEqual((await d.report()).pending, []);
});

test("readBack() finds what the real server archived before the answer was known", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const d = new RealDelivery(server);
  const transcript = d.f.transcript();
  transcript.user("NOMEMORY before");
  d.spool("cc-1", { path: transcript.path });
  await d.work();
  for (const text of words(3)) transcript.user(text);
  d.spool("cc-1", { path: transcript.path });
  let appends = 0;
  d.trouble = (request) => isAppend(request) && appends++ === 0 ? "lost" : undefined;
  await d.work(0.3);
  // Somebody else commits while the outcome is unknown: what was sent lies in an archive now.
  assert.equal((await d.ask("POST", "/api/v1/sessions/cc-1/commit", {})).status, 200);
  transcript.user("NOMEMORY after");
  d.end("cc-1", transcript.path);
  await d.work(60);
  assert.deepEqual(await d.texts("cc-1"), ["NOMEMORY before", ...words(3), "NOMEMORY after"]);
});

test("reconcile() fills a session again that the real server emptied", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const d = new RealDelivery(server);
  const transcript = d.f.transcript();
  for (const text of words(3)) transcript.user(text);
  d.spool("cc-1", { path: transcript.path });
  await d.work();
  writeFileSync(join(folderOf(server, d, "cc-1"), "messages.jsonl"), "");
  transcript.user("NOMEMORY after");
  d.end("cc-1", transcript.path);
  await d.work(60);
  assert.deepEqual((await d.texts("cc-1")).sort(), [...words(3), "NOMEMORY after"].sort());
});

test("moveToSuccessor() leaves a session that is broken on the real server and keeps every message [CMT-03] [CMT-05]", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const d = new RealDelivery(server);
  const transcript = d.f.transcript();
  for (const text of words(3)) transcript.user(text);
  d.spool("cc-1", { path: transcript.path });
  await d.work();
  appendFileSync(join(folderOf(server, d, "cc-1"), "messages.jsonl"), '{"torn');
  transcript.user("NOMEMORY after");
  d.end("cc-1", transcript.path);
  await d.work(60);
  assert.deepEqual(await d.texts("cc-1-r1"), [...words(3), "NOMEMORY after"]);
  const { dead, problems, pending } = await d.report();
  assert.deepEqual([dead, pending], [[], []]);
  assert.match(problems.join(), /cc-1 is broken on the server/);
});

test("extractionFailed() keeps what the real server could not extract [CMT-01] [CMT-05]", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const d = new RealDelivery(server);
  const transcript = d.f.transcript();
  transcript.user("BADOUTPUT we decided to ship on Friday");
  d.end("cc-1", transcript.path);
  await d.work();
  assert.equal(await d.follow("cc-1", ["failed", "extracted"], 90), "failed");
  const [commit] = (await d.report()).commits;
  assert.match(commit?.detail ?? "", /could not extract/);
});

test("a turn goes from the hooks through the worker to the real server, and its ids come back [CAP-08] [CMT-02] [HOOK-10]", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const user = new RealDelivery(server).user;
  const person = await makePerson();
  try {
    person.write(".openviking/ovcli.conf", {
      url: server.url,
      api_key: server.rootKey,
      account: "acme",
      user,
    });
    const row = (type: string, content: unknown, n: number) =>
      JSON.stringify({
        type,
        uuid: `turn-${n}`,
        sessionId: "s-1",
        isSidechain: false,
        timestamp: `2026-11-30T10:00:0${n}.000Z`,
        promptId: "p-1",
        message: { role: type, content },
      }) + "\n";
    const transcript = person.write(
      ".claude/projects/p/s-1.jsonl",
      row("user", "We decided to deploy billing with the zebra pipeline on Tuesday.", 1) +
        row("assistant", [{ type: "text", text: "Noted: the zebra pipeline." }], 2),
    );
    const payload = { session_id: "s-1", transcript_path: transcript, cwd: person.project };
    for (const event of ["Stop", "SessionEnd"]) {
      const end = person.hook(event, { ...payload, hook_event_name: event });
      assert.deepEqual([end.code, end.out, end.err], [0, "", ""], event);
    }
    const drained = person.run(["queue", "drain", "--wait", "30"]);
    assert.equal(drained.code, 0, drained.err);

    const headers = { "x-openviking-account": "acme", "x-openviking-user": user };
    const read = await fetch(
      `${server.url}/api/v1/content/read?uri=${
        encodeURIComponent("viking://~/sessions/cc-s-1/history/archive_001/messages.jsonl")
      }`,
      { headers: { ...headers, "x-api-key": server.rootKey } },
    );
    const { result } = await read.json() as { result: string };
    const stored = result.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(
      stored.map((message) => [message.role, message.source_message_ids, message.created_at]),
      [
        ["user", ["turn-1"], "2026-11-30T10:00:01.000Z"],
        ["assistant", ["turn-2"], "2026-11-30T10:00:02.000Z"],
      ],
    );

    const until = Date.now() + 60_000;
    let phase = "";
    while (phase !== "extracted" && Date.now() < until) {
      person.run(["queue", "drain", "--wait", "2"]);
      const status = JSON.parse(person.run(["status", "--json"]).out);
      assert.equal(status.engine, "server");
      phase = status.commits.find((c: { session: string }) => c.session === "cc-s-1").phase;
    }
    assert.equal(phase, "extracted");

    // The next session is given what this one said.
    const asked = { session_id: "s-2", cwd: person.project, transcript_path: `${transcript}.2` };
    let given = "";
    while (!/zebra/.test(given) && Date.now() < until) {
      given = person.hook("UserPromptSubmit", {
        ...asked,
        session_id: `s-${Date.now()}`,
        hook_event_name: "UserPromptSubmit",
        prompt: "How did we decide to deploy billing with the zebra pipeline?",
      }).out;
    }
    assert.match(given, /zebra/);
  } finally {
    person.close();
  }
});
