/**
 * Sessions, messages and commits of the embedded engine.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { openTestEngine } from "../support/local_engine.ts";

const BATCH = "/api/v1/sessions/s1/messages/batch";

test("appending returns our own ids everywhere when source_message_ids were sent", async () => {
  using local = await openTestEngine();
  await local.ask("POST", BATCH, {
    messages: [
      { role: "user", content: "one", source_message_ids: ["b", "a"], turn_id: "t1" },
      { role: "assistant", content: "two", source_message_ids: ["c"] },
    ],
  });
  const context = await local.ask("GET", "/api/v1/sessions/s1/context");
  assert.deepEqual(
    context.messages.map((one: Record<string, unknown>) => one["source_message_ids"]),
    [["b", "a"], ["c"]],
  );
  assert.equal(context.messages[0].turn_id, "t1");
  assert.match(context.messages[0].id, /^msg_[0-9a-f]{32}$/);
  const lines = await local.ask(
    "GET",
    "/api/v1/content/read?uri=viking://~/sessions/s1/messages.jsonl",
  );
  assert.deepEqual(JSON.parse(lines.split("\n")[1]).source_message_ids, ["c"]);
  const { archive_uri } = await local.ask("POST", "/api/v1/sessions/s1/commit", {});
  const archived = await local.ask(
    "GET",
    `/api/v1/content/read?uri=${archive_uri}/messages.jsonl`,
  );
  assert.equal(archived, lines);
});

test("appending stores nothing twice when all source_message_ids are known", async () => {
  using local = await openTestEngine();
  const messages = [{ role: "user", content: "the pager code", source_message_ids: ["m1"] }];
  assert.equal((await local.ask("POST", BATCH, { messages })).added, 1);
  const again = await local.ask("POST", BATCH, {
    messages: [...messages, { role: "user", content: "more", source_message_ids: ["m2"] }],
  });
  assert.deepEqual([again.added, again.message_count], [1, 2]);
  await local.ask("POST", "/api/v1/sessions/s1/commit", {});
  const third = await local.ask("POST", BATCH, { messages });
  assert.deepEqual([third.added, third.message_count], [0, 0]);
  const other = await local.ask("POST", "/api/v1/sessions/s2/messages/batch", { messages });
  assert.equal(other.added, 1, "another session knows nothing of it");
  const partly = await local.ask("POST", BATCH, {
    messages: [{ role: "user", content: "joined", source_message_ids: ["m1", "m9"] }],
  });
  assert.equal(partly.added, 1, "an id that is new makes the message new");
});

test("appending splits a user message of tool parts and keeps one id on each piece", async () => {
  using local = await openTestEngine();
  const parts = ["a", "b"].map((id) => ({ type: "tool", tool_id: id, tool_output: "ok" }));
  const message = { role: "user", parts, source_message_ids: ["x"] };
  const first = await local.ask("POST", BATCH, { messages: [message] });
  assert.deepEqual([first.added, first.message_count], [2, 2]);
  const second = await local.ask("POST", BATCH, { messages: [message] });
  assert.deepEqual([second.added, second.message_count], [0, 2]);
});

const REFUSED: readonly (readonly [name: string, body: unknown, message: RegExp])[] = [
  ["text null", { role: "user", parts: [{ type: "text", text: null }] }, /parts\.0\.text/],
  ["text a number", { role: "user", parts: [{ type: "text", text: 5 }] }, /parts\.0\.text/],
  ["tool output an object", {
    role: "assistant",
    parts: [{ type: "tool", tool_output: { a: 1 } }],
  }, /tool_output/],
  [
    "tool input null",
    { role: "assistant", parts: [{ type: "tool", tool_input: null }] },
    /tool_input/,
  ],
  ["part a text", { role: "user", parts: ["hello"] }, /parts\.0: Input should be a valid dict/],
  ["role a number", { role: 5, content: "x" }, /body\.role/],
  ["half a pair", { role: "user", content: "bad \ud83d end" }, /surrogates not allowed/],
  ["half a pair in a tool's input", {
    role: "assistant",
    parts: [{ type: "tool", tool_input: { a: ["\udc00"] } }],
  }, /surrogates not allowed/],
  ["too long", { role: "user", content: "x".repeat(4_194_305) }, /text limit exceeded/],
];

test("appending refuses with 400 what the server would choke on, and makes no session", async () => {
  using local = await openTestEngine();
  for (const [name, body, message] of REFUSED) {
    const { status, body: answer } = await local.send("POST", "/api/v1/sessions/s1/messages", body);
    assert.equal(status, 400, name);
    const { error } = answer as { error: { code: string; message: string } };
    assert.equal(error.code, "INVALID_ARGUMENT", name);
    assert.match(error.message, message, name);
  }
  assert.equal((await local.send("GET", "/api/v1/sessions/s1")).status, 404);
});

test("appending gives every character back when texts are unusual", async () => {
  using local = await openTestEngine();
  const texts = [
    "NUL \0 inside",
    "🍵 ㄅ e\u0301 \u2028 שלום",
    "",
    "  spaces  ",
    "'; DROP TABLE x; --",
  ];
  for (const content of texts) {
    await local.ask("POST", "/api/v1/sessions/s1/messages", { role: "user", content });
  }
  const { messages } = await local.ask("GET", "/api/v1/sessions/s1/context");
  assert.deepEqual(messages.map((one: { parts: { text: string }[] }) => one.parts[0]?.text), texts);
});

test("created_at comes back as sent, whatever it was", async () => {
  using local = await openTestEngine();
  const times = ["2026-08-22T08:00:00Z", "2026-08-22T10:00:00.123456+02:00", "yesterday"];
  for (const created_at of times) {
    await local.ask("POST", "/api/v1/sessions/s1/messages", {
      role: "user",
      content: "x",
      created_at,
    });
  }
  const { messages } = await local.ask("GET", "/api/v1/sessions/s1/context");
  assert.deepEqual(messages.map((one: { created_at: string }) => one.created_at), times);
  const done = await local.ask("POST", "/api/v1/sessions/s1/commit", {});
  assert.equal(done.status, "accepted", "a date that is none does not sink the commit");
});

test("commit archives all but the kept messages, and its task is complete at once", async () => {
  using local = await openTestEngine();
  for (let at = 0; at < 6; at++) {
    const role = at % 2 === 0 ? "user" : "assistant";
    await local.ask("POST", "/api/v1/sessions/s1/messages", { role, content: `line ${at}` });
  }
  const done = await local.ask("POST", "/api/v1/sessions/s1/commit", { keep_recent_count: 2 });
  assert.equal(done.archive_uri, "viking://user/default/sessions/s1/history/archive_001");
  const task = await local.ask("GET", `/api/v1/tasks/${done.task_id}`);
  assert.equal(task.status, "completed");
  assert.deepEqual(task.result.memories_extracted, {});
  const session = await local.ask("GET", "/api/v1/sessions/s1");
  assert.deepEqual(
    [
      session.message_count,
      session.total_message_count,
      session.commit_count,
      session.pending_tokens,
    ],
    [2, 6, 1, 0],
  );
  const archive = await local.ask("GET", "/api/v1/sessions/s1/archives/archive_001");
  assert.equal(archive.messages.length, 4);
  const again = await local.ask("POST", "/api/v1/sessions/s1/commit", { keep_recent_count: 2 });
  assert.deepEqual([again.status, again.reason], ["skipped", "all_within_keep_window"]);
  await local.ask("POST", "/api/v1/sessions/s1/commit", {});
  const empty = await local.ask("POST", "/api/v1/sessions/s1/commit", {});
  assert.deepEqual([empty.status, empty.reason], ["skipped", "no_messages"]);
});

test("context shows a labelled excerpt of the newest archive when it fits the budget", async () => {
  using local = await openTestEngine();
  const say = (role: string, content: string) =>
    local.ask("POST", "/api/v1/sessions/s1/messages", { role, content });
  await say("user", "Please move the invoices to the new bucket.");
  await say("assistant", "Moved them.");
  await say("user", "And now rename the old one.");
  await say("assistant", `Renamed it. ${"More words. ".repeat(300)}`);
  await local.ask("POST", "/api/v1/sessions/s1/commit", {});
  const { latest_archive_overview: overview, messages } = await local.ask(
    "GET",
    "/api/v1/sessions/s1/context",
  );
  assert.deepEqual(messages, []);
  assert.match(overview, /^# Excerpt of an archived conversation \(made mechanically/);
  assert.match(overview, /First request: Please move the invoices/);
  assert.match(overview, /Last request: And now rename/);
  assert.match(overview, /Last answer: Renamed it\..*\[\.\.\.\]/);
  assert.ok(overview.length <= 1700);
  const tight = await local.ask("GET", "/api/v1/sessions/s1/context?token_budget=20");
  assert.equal(tight.latest_archive_overview, "");
  await say("user", "A last word.");
  await local.ask("POST", "/api/v1/sessions/s1/commit", { enable_working_memory: false });
  const older = await local.ask("GET", "/api/v1/sessions/s1/context");
  assert.match(older.latest_archive_overview, /rename/, "an archive without one does not hide it");
  await say("user", "Start anew.");
  await local.ask("POST", "/api/v1/sessions/s1/commit", { reset_context: true });
  const reset = await local.ask("GET", "/api/v1/sessions/s1/context");
  assert.equal(reset.latest_archive_overview, "");
});

test("an automatic commit happens after the answer when the session's policy asks for it", async () => {
  using local = await openTestEngine();
  await local.ask("POST", "/api/v1/sessions", {
    session_id: "s1",
    auto_commit_policy: { message_count_threshold: 3, keep_recent_count: 1 },
  });
  const counts: number[] = [];
  for (let at = 0; at < 5; at++) {
    const done = await local.ask("POST", "/api/v1/sessions/s1/messages", {
      role: "user",
      content: `line ${at}`,
    });
    counts.push(done.message_count);
  }
  assert.deepEqual(counts, [1, 2, 3, 4, 2]);
  assert.equal((await local.ask("GET", "/api/v1/tasks?resource_id=s1")).length, 1);
});

test("owners see nothing of each other when account or user differ", async () => {
  using local = await openTestEngine();
  const alice = { "x-openviking-user": "alice" };
  const bob = { "x-openviking-user": "bob" };
  await local.ask("POST", "/api/v1/sessions/own/messages", {
    role: "user",
    content: "the vault code of alice",
  }, alice);
  assert.equal((await local.send("GET", "/api/v1/sessions/own", undefined, bob)).status, 404);
  assert.deepEqual(await local.ask("GET", "/api/v1/sessions", undefined, bob), []);
  const found = await local.ask("POST", "/api/v1/search/find", { query: "vault code" }, bob);
  assert.equal(found.total, 0);
  const foreign = await local.send(
    "GET",
    "/api/v1/content/read?uri=viking://user/alice/sessions/own/messages/1",
    undefined,
    bob,
  );
  assert.equal(foreign.status, 403);
  const mine = await local.ask("POST", "/api/v1/search/find", { query: "vault code" }, alice);
  assert.equal(mine.total, 1);
});
