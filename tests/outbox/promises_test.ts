/**
 * Promises of the write path that are about the whole of it: what the texts say, where decisions are
 * made, and what an outcome means.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { HOSTS } from "../../hosts/mod.ts";
import { SETTINGS as SCHEMA } from "../../lib/config/schema.ts";
import { createOvHttp } from "../../lib/http/client.ts";
import { queueReport } from "../../lib/outbox/queue/queue_report.ts";
import { takeLease } from "../../lib/outbox/worker/lease.ts";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { openTestEngine } from "../support/local_engine.ts";
import { OutboxFixture, SETTINGS } from "../support/outbox_fixture.ts";
import { makePerson, type Person } from "../support/person.ts";
import { projectRoot } from "../support/project.ts";

function filesBelow(path: string): string[] {
  const full = join(projectRoot, path);
  return statSync(full).isDirectory()
    ? readdirSync(full).flatMap((name) => filesBelow(`${path}/${name}`))
    : [path];
}
const read = (path: string): string => readFileSync(join(projectRoot, path), "utf8");

test("no text of the product claims exactly-once delivery, and the pages tell the guarantee and its limits [CUR-10]", () => {
  const product = [
    "README.md",
    "README_CN.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "mod.ts",
    "cli.ts",
  ]
    .concat(
      ["docs", "skills", "lib", "cli", "local", "mcp", "hosts", "install"].flatMap(filesBelow),
    )
    .filter((path) => /\.(md|ts)$/.test(path));
  const claims = product.filter((path) =>
    /exactly[- ]once|once and only once|恰好一次|仅一次|有且仅有一次/i.test(read(path))
  );
  assert.deepEqual(claims, []);
  assert.match(read("docs/en/delivery.md"), /At least once\.[^]*## Limits[^]*cannot be told apart/);
  assert.match(read("docs/zh/delivery.md"), /至少一次[^]*## 限制/);
});

test("only the shared table judges a status, and only the queue makes batches [RTY-06]", () => {
  const guilty = filesBelow("hosts").filter((path) => path.endsWith(".ts")).filter((path) =>
    /messages\/batch|\bstatus\s*(?:===|!==|>=|<)\s*[2-5]\d\d|\b(?:408|429|50[0-4])\b/.test(
      read(path),
    )
  );
  assert.deepEqual(guilty, []);
  const batching = ["lib", "cli", "hosts", "mcp"].flatMap(filesBelow).filter((path) =>
    /"POST",\s*[`"][^`"]*\/batch[`"]/.test(read(path))
  );
  assert.deepEqual(batching, ["lib/outbox/deliver/_send.ts"]);
});

test("runWorker() tells what it took in from what was delivered, and what is between is durable [CUR-04] [CUR-02]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  for (const text of ["a", "b", "c"]) t.user(text);
  f.engine.fault = ({ method }) =>
    method === "POST" ? { kind: "status", status: 409, details: { retryable: true } } : undefined;
  f.spool("cc-1", { path: t.path });
  const first = await f.work(5);
  assert.deepEqual([first.messages, first.delivered], [3, 0]);
  const { pending } = await queueReport(f.runtime, f.agentHome);
  assert.deepEqual(pending.map(({ kind, messages }) => [kind, messages]), [["message", 3]]);
  f.engine.fault = () => undefined;
  t.rewrite([]); // the queue owns them: the transcript is not needed any more
  const second = await f.work();
  assert.deepEqual([second.messages, second.delivered], [0, 3]);
  assert.deepEqual(f.engine.texts(), ["a", "b", "c"]);
});

test("commit points stay ours where the engine commits by itself, and nothing is doubled [CMT-07]", async () => {
  using local = await openTestEngine();
  await local.ask("POST", "/api/v1/sessions", {
    session_id: "cc-1",
    auto_commit_policy: { message_count_threshold: 3, keep_recent_count: 1 },
  });
  const f = new OutboxFixture();
  const http = createOvHttp({ transport: local.engine.handle, headers: {}, timeoutMs: 1000 });
  const over = { connect: () => Promise.resolve({ http, keyFingerprint: "k1" }) };
  const t = f.transcript();
  const texts: string[] = [];
  for (let turn = 0; turn < 5; turn++) {
    for (const text of [`q${turn}`, `r${turn}`]) texts.push(text);
    t.user(`q${turn}`);
    t.assistant(`r${turn}`);
    f.spool("cc-1", { path: t.path, settings: { ...SETTINGS, commitTokenThreshold: 0 } });
    await f.work(60, over);
  }
  f.end("cc-1", t.path);
  await f.work(60, over);
  const meta = await local.ask("GET", "/api/v1/sessions/cc-1");
  assert.ok(meta.commit_count >= 2, "the engine committed by itself, and we did");
  assert.equal(meta.message_count, 0, "the end's commit left nothing behind");
  const stored: string[] = [];
  for (let n = 1; n <= meta.commit_count; n++) {
    const name = `archive_${String(n).padStart(3, "0")}`;
    const { messages } = await local.ask("GET", `/api/v1/sessions/cc-1/archives/${name}`);
    for (const { parts } of messages) stored.push(parts[0].text);
  }
  assert.deepEqual(stored, texts);
  assert.deepEqual((await queueReport(f.runtime, f.agentHome)).pending, []);
});

test("what a stage may take at the end of a session fits the limit that is written for it [EXIT-01]", () => {
  for (const host of Object.values(HOSTS)) {
    const { written, unit, sessionEndDefaultMs } = host.record.limits;
    const scale = unit.value === "milliseconds" ? 1 : 1000;
    assert.notEqual(sessionEndDefaultMs.evidence, "unknown");
    const longest = Math.max(
      SCHEMA.captureTimeoutMs.max ?? Infinity,
      SCHEMA.drainWaitMs.max ?? Infinity,
    );
    for (const [event, limit] of Object.entries(written)) {
      const isWrite = /^(SessionEnd|Stop|PreCompact|SubagentStop)$/.test(event);
      if (isWrite) assert.ok(longest + 2000 <= limit * scale, `${host.record.id} ${event}`);
    }
  }
});

test("each host's record tells whether a worker outlives it, and what recovers if not [EXIT-08]", () => {
  for (const { record } of Object.values(HOSTS)) {
    for (
      const { value, evidence, version } of [
        record.processes.detached,
        record.recovery.abnormalEnd,
      ]
    ) {
      assert.ok(evidence === "unknown" || (value ?? "") !== "", record.id);
      assert.notEqual(version, "");
    }
    assert.equal(record.processes.detached.evidence, "verified", record.id);
  }
});

function stop(person: Person): { session_id: string; transcript_path: string; cwd: string } {
  const transcript = person.write(
    ".claude/projects/p/s-1.jsonl",
    JSON.stringify({
      type: "user",
      uuid: "u-1",
      sessionId: "s-1",
      isSidechain: false,
      timestamp: "2026-11-30T10:00:01.000Z",
      promptId: "p",
      message: { role: "user", content: "The walrus telescope is broken." },
    }) + "\n",
  );
  return { session_id: "s-1", transcript_path: transcript, cwd: person.project };
}

test("hook says `queued` and never that something was written, whatever becomes of the worker [EXIT-07] [RTY-10] [HOOK-10]", async () => {
  const person = await makePerson();
  try {
    const server = { url: "http://127.0.0.1:9", api_key: "k", account: "acme", user: "alice" };
    person.write(".openviking/ovcli.conf", server);
    const end = person.hook("Stop", { ...stop(person), hook_event_name: "Stop" });
    assert.deepEqual([end.code, end.out, end.err], [0, "", ""]);
    assert.equal(person.run(["queue", "drain", "--wait", "1"]).code, 3);
    const { outcomes, queue } = JSON.parse(person.run(["status", "--json"]).out);
    const turn = outcomes.find((o: { stage: string }) => o.stage === "turn-end");
    assert.equal(turn.outcome, "queued");
    assert.ok(queue.pending > 0);
  } finally {
    person.close();
  }
});

test("hook stores what came on stdin before a worker acts on it, which reads none [EXIT-05] [EXIT-02]", async () => {
  const person = await makePerson();
  try {
    const folder = join(person.home, ".openviking/agent/outbox/local");
    denoRuntime.files.makeDir(folder, 0o700);
    // A worker that lives and does nothing: what the hook leaves is all there is.
    const lease = await takeLease(denoRuntime, folder);
    assert.ok(lease !== undefined);
    const payload = stop(person);
    person.hook("SessionEnd", { ...payload, reason: "other", hook_event_name: "SessionEnd" });
    const [name = ""] = readdirSync(join(folder, "spool"));
    const record = JSON.parse(readFileSync(join(folder, "spool", name), "utf8"));
    assert.deepEqual(
      [record.session, record.transcript.path, record.boundary.reason],
      ["cc-s-1", payload.transcript_path, "session-end"],
    );
    lease.release();
    assert.equal(person.run(["queue", "drain", "--wait", "10"]).code, 0);
    const found = JSON.parse(person.run(["search", "walrus telescope", "--json"]).out);
    assert.equal(found.results.length, 1);
  } finally {
    person.close();
  }
});
