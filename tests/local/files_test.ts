/**
 * Memory files, remembered notes, listings, and forgetting.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { openTestEngine, type TestEngine } from "../support/local_engine.ts";

const HOME = "viking://user/default";

function write(local: TestEngine, path: string, content: string, extra: object = {}) {
  return local.ask("POST", "/api/v1/content/write", {
    uri: `viking://~/${path}`,
    content,
    ...extra,
  });
}

function read(local: TestEngine, path: string, query = "") {
  return local.ask("GET", `/api/v1/content/read?uri=viking://~/${path}${query}`);
}

test("a remember session's commit writes one note per user message, word for word", async () => {
  using local = await openTestEngine();
  await local.ask("POST", "/api/v1/sessions/mcp-store-0123456789ab/messages/batch", {
    messages: [
      { role: "user", content: "The deploy key is in the *blue* vault." },
      { role: "assistant", content: "I will remember that." },
      { role: "user", content: "部署在周五。" },
    ],
  });
  const path = "/api/v1/sessions/mcp-store-0123456789ab/commit";
  const { task_id } = await local.ask("POST", path, {});
  const { result } = await local.ask("GET", `/api/v1/tasks/${task_id}`);
  assert.deepEqual(result.memories_extracted, { memory_write: 2 });
  const notes = await local.ask(
    "GET",
    "/api/v1/fs/ls?uri=viking://~/memories/entities&recursive=true",
  );
  const files = notes.filter((one: { isDir: boolean }) => !one.isDir);
  assert.deepEqual(files.map((one: { uri: string; abstract: string }) => [one.uri, one.abstract]), [
    [
      `${HOME}/memories/entities/remembered/2026-11-30-the-deploy-key-is-in-the-blue-vault.md`,
      "The deploy key is in the *blue* vault.",
    ],
    [`${HOME}/memories/entities/remembered/2026-11-30-部署在周五.md`, "部署在周五。"],
  ]);
  const { memories } = await local.ask("POST", "/api/v1/search/find", {
    query: "deploy key vault",
  });
  const shown = memories.filter((one: { abstract: string }) => one.abstract.includes("blue"));
  assert.equal(shown.length, 1, "the note and the message it came from are one result");
  const plain = await local.ask("POST", "/api/v1/sessions/other/messages", {
    role: "user",
    content: "Not a note.",
  });
  assert.equal(plain.message_count, 1);
  await local.ask("POST", "/api/v1/sessions/other/commit", {});
  const all = await local.ask("POST", "/api/v1/search/glob", {
    uri: "viking://~/memories",
    pattern: "**",
  });
  assert.equal(all.count, 2, "any other commit extracts nothing");
});

test("content/write creates, replaces and appends, and what it wrote is found", async () => {
  using local = await openTestEngine();
  await write(local, "memories/preferences/go.md", "Tabs in Go.\n");
  await write(local, "memories/preferences/go.md", "Spaces in YAML.\n", { mode: "append" });
  assert.equal(await read(local, "memories/preferences/go.md"), "Tabs in Go.\nSpaces in YAML.\n");
  assert.equal(
    await read(local, "memories/preferences/go.md", "&offset=1&limit=1"),
    "Spaces in YAML.",
  );
  const find = async (query: string) =>
    (await local.ask("POST", "/api/v1/search/find", { query })).memories
      .map((one: { uri: string; tags: string[] }) => [one.uri, ...one.tags]);
  const found = [[`${HOME}/memories/preferences/go.md`, "memory_type=preferences"]];
  assert.deepEqual(await find("spaces yaml"), found);
  await write(local, "memories/preferences/go.md", "Gofmt decides.");
  assert.deepEqual(await find("gofmt decides"), found);
  assert.deepEqual(await find("spaces yaml"), [], "the old words are gone");
});

test("content/write refuses places and names that hold no files of a client", async () => {
  using local = await openTestEngine();
  await write(local, "memories/notes/a.md", "x");
  const refused: readonly (readonly [uri: string, status: number, code: string])[] = [
    ["viking://~/sessions/s1/x.md", 400, "INVALID_ARGUMENT"],
    ["viking://~/skills/x.md", 400, "INVALID_ARGUMENT"],
    ["viking://~/memories", 400, "INVALID_ARGUMENT"],
    ["viking://~/memories/notes", 400, "INVALID_ARGUMENT"],
    ["viking://~/memories/run.exe", 400, "INVALID_ARGUMENT"],
    ["viking://~/memories/../../bob/x.md", 403, "PERMISSION_DENIED"],
    ["viking://user/bob/memories/x.md", 403, "PERMISSION_DENIED"],
    ["viking://resources/x.md", 400, "UNSUPPORTED_URI"],
    ["viking://temp/x.md", 400, "INVALID_URI"],
    ["http://example.test/x.md", 400, "INVALID_URI"],
  ];
  for (const [uri, status, code] of refused) {
    const answer = await local.send("POST", "/api/v1/content/write", { uri, content: "x" });
    assert.equal(answer.status, status, uri);
    assert.equal((answer.body as { error: { code: string } }).error.code, code, uri);
  }
});

test("fs/ls and tree show folders that files, sessions and mkdir make", async () => {
  using local = await openTestEngine();
  const names = async (path: string): Promise<string[]> =>
    (await local.ask("GET", path)).map((one: string) => one.slice("viking://".length));
  const base = "/api/v1/fs/ls?simple=true&uri=";
  assert.deepEqual(await names(`${base}viking://`), ["user"]);
  assert.deepEqual(await names(`${base}viking://user`), ["user/default"]);
  assert.deepEqual(await names(`${base}viking://~/memories`), []);
  assert.equal((await local.send("GET", `${base}viking://~/memories/none`)).status, 404);
  await write(local, "memories/notes/one.md", "1");
  await write(local, "memories/notes/deep/er/two.md", "2");
  await write(local, "memories/profile.md", "Alice");
  await local.ask("POST", "/api/v1/fs/mkdir", { uri: "viking://~/memories/empty" });
  assert.deepEqual(await names(`${base}viking://~/memories`), [
    "user/default/memories/empty",
    "user/default/memories/notes",
    "user/default/memories/profile.md",
  ]);
  const tree = await local.ask("GET", "/api/v1/fs/tree?uri=viking://~/memories&level_limit=4");
  assert.deepEqual(tree.map((one: { rel_path: string }) => one.rel_path), [
    "empty",
    "notes",
    "notes/deep",
    "notes/deep/er",
    "notes/deep/er/two.md",
    "notes/one.md",
    "profile.md",
  ]);
  await local.ask("POST", "/api/v1/sessions/s1/messages", { role: "user", content: "hello" });
  await local.ask("POST", "/api/v1/sessions/s1/commit", {});
  assert.deepEqual(await names(`${base}viking://~/sessions/s1/history/archive_001`), [
    "user/default/sessions/s1/history/archive_001/messages.jsonl",
  ]);
  const hidden = await names(
    `${base}viking://~/sessions/s1/history/archive_001&show_all_hidden=true`,
  );
  assert.ok(hidden.some((one) => one.endsWith(".overview.md")));
  const page = await local.send("GET", `${base}viking://~/memories&limit=1&offset=1`);
  assert.deepEqual(
    (page.body as { result: string[]; has_more: boolean }).has_more,
    true,
  );
});

test("grep searches messages and files line by line", async () => {
  using local = await openTestEngine();
  await write(local, "memories/a.md", "first\nsecond Badger line");
  await local.ask("POST", "/api/v1/sessions/s1/messages", {
    role: "user",
    content: "a badger\nno",
  });
  const grep = async (body: object) =>
    (await local.ask("POST", "/api/v1/search/grep", body)).matches
      .map((one: { uri: string; line: number }) => `${one.uri.slice(HOME.length + 1)}:${one.line}`);
  assert.deepEqual(await grep({ uri: "viking://~", pattern: "badger" }), [
    "sessions/s1/messages/1:1",
  ]);
  assert.deepEqual(await grep({ uri: "viking://~", pattern: "badger", case_insensitive: true }), [
    "memories/a.md:2",
    "sessions/s1/messages/1:1",
  ]);
  assert.deepEqual(
    await grep({ uri: "viking://~", pattern: "Badger", exclude_uri: "viking://~/memories" }),
    [],
  );
});

/** True when any file of the engine holds these bytes. */
function isOnDisk(local: TestEngine, words: string): boolean {
  const decoder = new TextDecoder("latin1");
  return ["", "-wal", "-shm"].some((suffix) => {
    try {
      return decoder.decode(Deno.readFileSync(local.path + suffix)).includes(words);
    } catch {
      return false;
    }
  });
}

test("forgetting a message removes it from lists, search and disk, and it does not come back", async () => {
  using local = await openTestEngine();
  const secret = { role: "user", content: "zanzibarcode is 99", source_message_ids: ["m2"] };
  const batch = "/api/v1/sessions/s1/messages/batch";
  await local.ask("POST", batch, {
    messages: [{ role: "user", content: "before" }, secret, { role: "user", content: "after" }],
  });
  assert.ok(isOnDisk(local, "zanzibarcode"));
  const uri = "viking://~/sessions/s1/messages/2";
  const gone = await local.ask("DELETE", `/api/v1/fs?uri=${uri}`);
  assert.equal(gone.estimated_deleted_count, 1);
  assert.equal((await local.send("GET", `/api/v1/content/read?uri=${uri}`)).status, 404);
  const found = await local.ask("POST", "/api/v1/search/find", { query: "zanzibarcode" });
  assert.equal(found.total, 0);
  assert.equal(isOnDisk(local, "zanzibarcode"), false);
  const again = await local.ask("POST", batch, { messages: [secret] });
  assert.deepEqual([again.added, again.message_count], [0, 2]);
});

test("forgetting a session removes all of it; forgetting it again is 404", async () => {
  using local = await openTestEngine();
  for (const session of ["keep", "drop"]) {
    for (let at = 0; at < 3; at++) {
      await local.ask("POST", `/api/v1/sessions/${session}/messages`, {
        role: "user",
        content: `yonderword ${session} ${at}`,
      });
    }
  }
  await local.ask("POST", "/api/v1/sessions/drop/commit", { keep_recent_count: 1 });
  await local.ask("DELETE", "/api/v1/sessions/drop");
  assert.equal((await local.send("DELETE", "/api/v1/sessions/drop")).status, 404);
  const found = await local.ask("POST", "/api/v1/search/find", { query: "yonderword" });
  assert.equal(found.total, 3);
  assert.equal(isOnDisk(local, "yonderword drop"), false);
  await local.ask("POST", "/api/v1/sessions/drop/messages", {
    role: "user",
    content: "a new life",
  });
  const session = await local.ask("GET", "/api/v1/sessions/drop");
  assert.deepEqual([session.total_message_count, session.commit_count], [1, 0]);
});

test("DELETE fs removes files and folders, and sessions only whole", async () => {
  using local = await openTestEngine();
  await write(local, "memories/notes/a.md", "1");
  await write(local, "memories/notes/b/c.md", "2");
  await local.ask("POST", "/api/v1/sessions/s1/messages", { role: "user", content: "x" });
  const remove = (uri: string) => local.send("DELETE", `/api/v1/fs?uri=viking://~/${uri}`);
  assert.equal((await remove("memories/notes")).status, 400);
  assert.equal((await remove("sessions/s1/messages.jsonl")).status, 400);
  assert.equal((await remove("sessions&recursive=true")).status, 400);
  assert.equal((await remove("&recursive=true")).status, 400);
  assert.equal((await remove("memories/notes&recursive=true")).status, 200);
  assert.equal(
    (await local.send("GET", "/api/v1/fs/ls?uri=viking://~/memories/notes")).status,
    404,
  );
  assert.equal((await remove("sessions/s1&recursive=true")).status, 200);
  assert.equal((await local.send("GET", "/api/v1/sessions/s1")).status, 404);
});

test("a remembered note and its message are forgotten together", async () => {
  for (const which of ["note", "message"]) {
    using local = await openTestEngine();
    const session = "/api/v1/sessions/mcp-store-0123456789ab";
    await local.ask("POST", `${session}/messages/batch`, {
      messages: [
        { role: "user", content: "The deploy key is in the blue vault." },
        { role: "user", content: "The gate opens at noon." },
      ],
    });
    await local.ask("POST", `${session}/commit`, {});
    const find = async (query: string): Promise<number> =>
      (await local.ask("POST", "/api/v1/search/find", { query })).memories.length;
    assert.ok(await find("deploy vault") > 0);
    const listed = await local.ask(
      "GET",
      "/api/v1/fs/ls?uri=viking://~/memories/entities/remembered",
    );
    const note = listed.find(({ uri }: { uri: string }) => uri.includes("deploy")).uri;
    const uri = which === "note" ? note : `${HOME}/sessions/mcp-store-0123456789ab/messages/1`;
    await local.ask("DELETE", `/api/v1/fs?uri=${encodeURIComponent(uri)}`);
    assert.equal(await find("deploy vault"), 0, which);
    assert.ok(await find("gate noon") > 0, "the other stays");
  }
});
