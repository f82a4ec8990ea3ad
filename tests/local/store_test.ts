/**
 * The memory file: creation, versions, other processes, indexing anew.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openTestEngine } from "../support/local_engine.ts";
import { openLocalEngine } from "../../local/engine.ts";
import { openLocalReader } from "../../local/reader.ts";
import { openRecallReader } from "../../local/recall_reader.ts";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { nodeRuntime } from "../../lib/runtime/node.ts";
import { FileError } from "../../lib/runtime/types.ts";

test("openLocalEngine() makes a private file and its folder when there is none", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const path = `${folder}/new/memory.db`;
    await assert.rejects(
      openLocalEngine(denoRuntime, path, { create: false }),
      (error) => error instanceof FileError && error.code === "not-found",
    );
    const engine = await openLocalEngine(denoRuntime, path);
    await engine.handle({
      method: "POST",
      path: "/api/v1/sessions/s1/messages",
      headers: {},
      body: { role: "user", content: "x" },
    });
    for (const suffix of ["", "-wal"]) {
      const { mode } = Deno.statSync(path + suffix);
      assert.equal((mode ?? 0) & 0o777, 0o600, suffix);
    }
    engine.close();
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

test("openLocalEngine() refuses a file of a newer version in words", async () => {
  using local = await openTestEngine();
  const raw = new DatabaseSync(local.path);
  raw.exec("PRAGMA user_version = 999");
  raw.close();
  await assert.rejects(openLocalEngine(denoRuntime, local.path), /newer version.*upgrade/);
  await assert.rejects(openRecallReader(denoRuntime, local.path), /newer version/);
});

test("a reader finds nothing in a file whose tables are being made, and refuses another version's", async () => {
  const path = Deno.makeTempFileSync();
  for (const open of [openLocalReader, openRecallReader]) {
    await assert.rejects(
      open(denoRuntime, path),
      (error) => error instanceof FileError && error.code === "not-found",
    );
  }
  const raw = new DatabaseSync(path);
  raw.exec("PRAGMA user_version = -1");
  raw.close();
  await assert.rejects(openLocalReader(denoRuntime, path), /not brought up to date/);
  Deno.removeSync(path);
});

test("openLocalReader() answers a hook's routes like the engine and knows no other", async () => {
  using local = await openTestEngine();
  await local.ask("POST", "/api/v1/content/write", {
    uri: "viking://~/memories/preferences/go.md",
    content: "Tabs in Go, always.",
  });
  await local.ask("POST", "/api/v1/sessions/s1/messages", {
    role: "user",
    content: "The staging port is 7443.",
    peer_id: "shop",
  });
  await local.ask("POST", "/api/v1/sessions/s1/commit", {});
  const requests = [
    ["POST", "/api/v1/search/search", {
      query: "which staging port",
      mode: "context",
      max_tokens: 400,
      peer_scope: "actor",
      session_id: "s2",
      exclude_uris: [],
    }],
    ["GET", "/api/v1/sessions/s1/context", undefined],
    ["GET", "/api/v1/sessions/none/context", undefined],
    ["GET", "/api/v1/content/read?uri=viking://~/memories/preferences/go.md", undefined],
    ["GET", "/api/v1/content/read?uri=viking://~/memories/profile.md", undefined],
    ["GET", "/api/v1/fs/ls?uri=viking://~/memories&recursive=true&abs_limit=512", undefined],
    ["GET", "/api/v1/system/status", undefined],
  ] as const;
  const headers = { "x-openviking-actor-peer": "shop" };
  const handle = await openLocalReader(denoRuntime, local.path);
  for (const [method, path, body] of requests) {
    const request = { method, path, headers, ...(body === undefined ? {} : { body }) };
    assert.deepEqual(await handle(request), await local.engine.handle(request), path);
  }
  const recall = await openRecallReader(denoRuntime, local.path);
  for (const transport of [handle, recall]) {
    const answer = await transport({
      method: "POST",
      path: "/api/v1/sessions/s1/messages",
      headers,
      body: { role: "user", content: "x" },
    });
    assert.equal(answer.status, 404);
    assert.equal((answer.body as { error: { message: string } }).error.message, "Not Found");
  }
});

test("two processes see each other's messages at once", async () => {
  using first = await openTestEngine();
  const second = await openLocalEngine(nodeRuntime, first.path);
  try {
    for (let at = 0; at < 10; at++) {
      const from = at % 2 === 0 ? first.engine : second;
      const { status } = await from.handle({
        method: "POST",
        path: "/api/v1/sessions/s1/messages",
        headers: {},
        body: { role: "user", content: `otterword ${at}` },
      });
      assert.equal(status, 200);
    }
    const { total_message_count } = await first.ask("GET", "/api/v1/sessions/s1");
    assert.equal(total_message_count, 10);
    const found = await first.ask("POST", "/api/v1/search/find", { query: "otterword", limit: 20 });
    assert.equal(found.total, 10);
  } finally {
    second.close();
  }
});

test("a file that cannot be written answers 503 and can still be read", async () => {
  using local = await openTestEngine();
  await local.ask("POST", "/api/v1/sessions/s1/messages", { role: "user", content: "heron" });
  const store = new DatabaseSync(local.path);
  const pages = Number(store.prepare("PRAGMA page_count").get()?.["page_count"]);
  store.close();
  const full = await openLocalEngine({
    ...denoRuntime,
    async openDatabase(path, options) {
      const db = await denoRuntime.openDatabase(path, options);
      db.exec(`PRAGMA max_page_count = ${pages}`);
      return db;
    },
  }, local.path);
  const { status, body } = await full.handle({
    method: "POST",
    path: "/api/v1/sessions/s1/messages",
    headers: {},
    body: { role: "user", content: "words ".repeat(200_000) },
  });
  assert.equal(status, 503);
  assert.equal((body as { error: { code: string } }).error.code, "UNAVAILABLE");
  const read = await full.handle({
    method: "POST",
    path: "/api/v1/search/find",
    headers: {},
    body: { query: "heron" },
  });
  assert.equal((read.body as { result: { total: number } }).result.total, 1);
  full.close();
});

test("a locked file answers 409 that may be retried", async () => {
  using local = await openTestEngine();
  const hasty = await openLocalEngine({
    ...denoRuntime,
    openDatabase: (path, options) =>
      denoRuntime.openDatabase(path, { ...options, busyTimeoutMs: 1 }),
  }, local.path);
  const raw = new DatabaseSync(local.path);
  raw.exec("BEGIN IMMEDIATE");
  const { status, body } = await hasty.handle({
    method: "POST",
    path: "/api/v1/sessions/s1/messages",
    headers: {},
    body: { role: "user", content: "x" },
  });
  raw.exec("ROLLBACK");
  raw.close();
  hasty.close();
  assert.equal(status, 409);
  const { error } = body as { error: { code: string; details: { retryable: boolean } } };
  assert.deepEqual([error.code, error.details.retryable], ["CONFLICT", true]);
});

test("maintain() indexes anew in slices that survive an interruption", async () => {
  using local = await openTestEngine();
  for (let at = 0; at < 25; at++) {
    await local.ask("POST", `/api/v1/sessions/s${at % 3}/messages`, {
      role: "user",
      content: `message number ${at} about the lighthouse`,
    });
  }
  await local.ask("POST", "/api/v1/content/write", {
    uri: "viking://~/memories/a.md",
    content: "A note about the lighthouse.",
  });
  const before = await local.ask("POST", "/api/v1/search/find", { query: "lighthouse", limit: 50 });
  assert.equal(before.total, 26);
  const raw = new DatabaseSync(local.path);
  raw.exec("UPDATE owners SET index_version = 0");
  raw.close();
  assert.equal(local.engine.maintain(10).remaining, 15);
  const other = await openLocalEngine(denoRuntime, local.path);
  assert.equal(other.maintain(10).remaining, 5);
  assert.equal(other.maintain(100).remaining, 0);
  assert.equal(other.maintain(100).remaining, 0);
  other.close();
  const after = await local.ask("POST", "/api/v1/search/find", { query: "lighthouse", limit: 50 });
  assert.deepEqual(
    after.memories.map((one: { uri: string }) => one.uri).sort(),
    before.memories.map((one: { uri: string }) => one.uri).sort(),
  );
  await local.ask("DELETE", "/api/v1/sessions/s1");
  const rest = await local.ask("POST", "/api/v1/search/find", { query: "lighthouse", limit: 50 });
  assert.equal(rest.total, 18, "passages written anew are removed with their messages");
});
