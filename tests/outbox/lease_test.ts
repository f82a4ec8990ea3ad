import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { takeLease } from "../../lib/outbox/worker/lease.ts";
import { runWorker } from "../../lib/outbox/worker/worker.ts";
import { OutboxFixture } from "../support/outbox_fixture.ts";

test("takeLease() lets one process in and the next after its release [CUR-08]", async () => {
  const f = new OutboxFixture();
  mkdirSync(f.folder, { recursive: true });
  const lease = await takeLease(f.runtime, f.folder);
  assert.ok(lease !== undefined);
  assert.equal(await takeLease(f.runtime, f.folder), undefined);
  assert.equal(f.runtime.tryLock(`${f.folder}/worker.lock`), undefined);
  assert.equal(readFileSync(`${f.folder}/worker.lock`, "utf8"), String(f.runtime.pid));
  lease.release();
  const next = await takeLease(f.runtime, f.folder);
  assert.ok(next !== undefined);
  next.release();
});

test("takeLease() is freed by the kernel when its holder is killed [CUR-08]", async () => {
  const f = new OutboxFixture();
  mkdirSync(f.folder, { recursive: true });
  const lease = new URL("../../lib/outbox/worker/lease.ts", import.meta.url).href;
  const runtime = new URL("../../lib/runtime/deno_process.ts", import.meta.url).href;
  const holder = new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      "--ext=ts",
      `const { takeLease } = await import(${JSON.stringify(lease)});
       const { denoProcessRuntime } = await import(${JSON.stringify(runtime)});
       globalThis.held = await takeLease(denoProcessRuntime, ${JSON.stringify(f.folder)});
       console.log("held"); setInterval(() => {}, 1000);`,
    ],
    stdout: "piped",
  }).spawn();
  const reader = holder.stdout.getReader();
  await reader.read();
  assert.equal(await takeLease(f.runtime, f.folder), undefined);
  holder.kill("SIGKILL");
  await holder.status;
  await reader.cancel();
  const next = await takeLease(f.runtime, f.folder);
  assert.ok(next !== undefined);
  next.release();
});

test("runWorker() ends with `busy` beside another worker and leaves the work to it", async () => {
  const f = new OutboxFixture();
  f.spool("cc-1");
  const lease = await takeLease(f.runtime, f.folder);
  assert.equal((await f.work()).ended, "busy");
  lease?.release();
  assert.equal((await f.work()).ended, "idle");
});

test("runWorker() looks once more after its release [EXIT-06]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1");
  let recorded = false;
  const result = await runWorker(f.options({
    checkpoint: (name) => {
      if (name !== "after-release" || recorded) return;
      recorded = true; // a hook that looked while the lock was still held
      f.spool("cc-1", { path: t.path });
    },
  }));
  assert.equal(result.ended, "idle");
  assert.deepEqual(f.engine.texts(), ["a"]);
});

test("runWorker() lingers for the next event and then ends", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  f.spool("cc-1");
  let polls = 0;
  const runtime = {
    ...f.runtime,
    sleep: (ms: number) => {
      if (++polls === 20) {
        t.user("a");
        f.spool("cc-1", { path: t.path });
      }
      return f.runtime.sleep(ms);
    },
  };
  const before = f.clock.now;
  const result = await runWorker(f.options({ runtime, lingerMs: 60_000 }));
  assert.equal(result.ended, "idle");
  assert.deepEqual(f.engine.texts(), ["a"]);
  assert.ok(f.clock.now - before >= 60_000);
});

test("runWorker() stops soon when it is asked to", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1", { path: t.path });
  const stop = new AbortController();
  f.engine.fault = () => {
    stop.abort();
    return undefined;
  };
  const result = await runWorker(f.options({ lingerMs: 3_600_000, signal: stop.signal }));
  assert.equal(result.ended, "stopped");
});

test("runWorker() is not held up by a server that hangs: events are taken in meanwhile [EXIT-10]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("a");
  f.spool("cc-1", { path: t.path });
  const options = f.options();
  let answer: (() => void) | undefined;
  const result = runWorker({
    ...options,
    connect: () =>
      Promise.resolve({
        http: {
          request: async (method, path, call) => {
            if (method === "POST" && answer === undefined) {
              f.spool("cc-2", { path: t.path, begins: "start" });
              await new Promise<void>((resolve) => {
                answer = resolve;
              });
            }
            return await f.http().request(method, path, call);
          },
        },
        keyFingerprint: "k1",
      }),
    runtime: {
      ...f.runtime,
      sleep: (ms) => {
        if (answer !== undefined && f.runtime.files.list(`${f.folder}/spool`).length === 0) {
          answer();
        }
        return f.runtime.sleep(ms);
      },
    },
  });
  assert.equal((await result).ended, "idle");
  assert.deepEqual(f.engine.texts(), ["a"]);
});
