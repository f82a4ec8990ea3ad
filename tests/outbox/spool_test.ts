import { test } from "node:test";
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { SpoolRecord } from "../../lib/outbox/types.ts";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { FileError } from "../../lib/runtime/types.ts";
import { maybeDetach, writeSpoolRecord } from "../../lib/outbox/spool.ts";
import { readTargetFile, targetFor } from "../../lib/outbox/target.ts";
import { SETTINGS, TARGET } from "../support/outbox_fixture.ts";
import { tempFolder } from "../support/temp_folder.ts";

const runtime = denoProcessRuntime;
const RECORD: SpoolRecord = {
  version: 1,
  host: "claude-code",
  event: "Stop",
  at: "2026-11-30T10:00:00.000Z",
  session: "cc-1",
  cwd: "/project",
  settings: SETTINGS,
};
const mode = (path: string): number => statSync(path).mode & 0o777;

test("writeSpoolRecord() writes whole records 0600 in 0700 under distinct names", () => {
  const home = tempFolder();
  const made = Array.from({ length: 20 }, () => writeSpoolRecord(runtime, home, TARGET, RECORD));
  const spool = `${home}/outbox/${TARGET.id}/spool`;
  const names = readdirSync(spool);
  assert.equal(names.length, 20);
  for (const result of made) {
    assert.ok(result.ok);
    assert.deepEqual(JSON.parse(readFileSync(result.file, "utf8")), {
      ...RECORD,
      keyFingerprint: "k1",
    });
    assert.equal(mode(result.file), 0o600);
  }
  for (const folder of [`${home}/outbox`, `${home}/outbox/${TARGET.id}`, spool]) {
    assert.equal(mode(folder), 0o700);
  }
  assert.deepEqual(readTargetFile(runtime, home, TARGET.id), TARGET);
});

test("writeSpoolRecord() says why when nothing can be written [RTY-10]", () => {
  const home = tempFolder();
  writeFileSync(`${home}/outbox`, "in the way");
  const blocked = writeSpoolRecord(runtime, home, TARGET, RECORD);
  assert.ok(!blocked.ok && blocked.reason.includes("outbox"), JSON.stringify(blocked));
  const full = writeSpoolRecord(
    {
      ...runtime,
      files: {
        ...runtime.files,
        writeAtomic: (path) => {
          throw new FileError("full", "write", path);
        },
      },
    },
    tempFolder(),
    TARGET,
    RECORD,
  );
  assert.ok(!full.ok && full.reason.endsWith(": full"));
  if (runtime.env("USER") !== undefined && Deno.uid() !== 0) {
    const folder = tempFolder();
    chmodSync(folder, 0o500);
    assert.ok(!writeSpoolRecord(runtime, folder, TARGET, RECORD).ok);
  }
});

test("maybeDetach() starts a worker only when none holds the lock [EXIT-02] [EXIT-06]", () => {
  const home = tempFolder();
  const started: (readonly string[])[] = [];
  const host = {
    ...runtime,
    spawnDetached: (command: readonly string[]) => {
      started.push(command);
    },
  };
  const look = () => maybeDetach(host, home, TARGET.id, () => ["worker", TARGET.id]);
  mkdirSync(`${home}/outbox/${TARGET.id}`, { recursive: true });
  assert.deepEqual(look(), { worker: "started" });
  assert.deepEqual(started, [["worker", TARGET.id]]);
  const path = `${home}/outbox/${TARGET.id}/worker.lock`;
  const lock = runtime.tryLock(path, "4711");
  assert.ok(lock !== undefined);
  assert.deepEqual(look(), { worker: "alive" });
  assert.equal(readFileSync(path, "utf8"), "4711");
  lock.release();
  assert.deepEqual(look(), { worker: "started" });
  const failing = {
    ...runtime,
    spawnDetached: () => {
      throw new Error("no such program");
    },
  };
  assert.deepEqual(maybeDetach(failing, home, TARGET.id, () => ["x"]), {
    worker: "failed",
    detail: "Cannot start the worker: no such program",
  });
});

const CONNECTION = {
  engine: "server",
  baseUrl: "https://memory.example.com:8443",
  account: "acme",
  user: "alice",
  apiKey: "first",
} as const;

test("targetFor() depends on URL, account and user, and never holds the key", async () => {
  const target = await targetFor(CONNECTION);
  assert.match(target.id, /^memory\.example\.com-8443-[0-9a-f]{10}$/);
  const again = await targetFor({ ...CONNECTION, apiKey: "second" });
  assert.equal(again.id, target.id);
  assert.notEqual(again.keyFingerprint, target.keyFingerprint);
  assert.ok(!JSON.stringify(target).includes("first"));
  const others = await Promise.all([
    targetFor({ ...CONNECTION, user: "bob" }),
    targetFor({ ...CONNECTION, account: "other" }),
    targetFor({ ...CONNECTION, baseUrl: "https://memory.example.com" }),
    targetFor({ ...CONNECTION, account: "acm", user: "ealice" }),
    targetFor({ ...CONNECTION, engine: "local" }),
  ]);
  assert.equal(new Set([target.id, ...others.map(({ id }) => id)]).size, 6);
  assert.equal(others[4]?.id, "local");
});

test("targetFor() makes a safe folder name of any URL", async () => {
  for (
    const baseUrl of [
      "http://u:p@h/x/../y",
      "http://..",
      "http://[::1]:80",
      "weird",
      "http://" + "a".repeat(300),
    ]
  ) {
    const { id } = await targetFor({ ...CONNECTION, baseUrl });
    assert.match(id, /^[a-z0-9][a-z0-9.-]{0,60}$/);
  }
});
