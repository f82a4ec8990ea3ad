import { after, test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { nodeProcessRuntime } from "../../lib/runtime/node_process.ts";
import { requirePlatform } from "../support/requirements.ts";
import { FileError } from "../../lib/runtime/types.ts";

const CHILD = fileURLToPath(new URL("./_child.ts", import.meta.url));
const dir = denoProcessRuntime.makeTempDir("ov-process-");
after(() => denoProcessRuntime.files.removeTree(dir));

function command(...args: string[]): string[] {
  return [denoProcessRuntime.execPath(), "run", "-A", "--no-check", CHILD, ...args];
}

function start(...args: string[]) {
  const [program = "", ...rest] = command(...args);
  return spawn(program, rest, { stdio: ["pipe", "pipe", "inherit"] });
}

async function output(stdin: string | undefined, ...args: string[]): Promise<string> {
  const child = start(...args);
  if (stdin !== undefined) child.stdin.end(stdin);
  let text = "";
  child.stdout.on("data", (piece) => text += piece);
  await once(child, "close");
  return text;
}

for (const runtime of [denoProcessRuntime, nodeProcessRuntime]) {
  const { name, files } = runtime;

  test(`readStdin() of ${name} ends at one whole document although stdin stays open`, async () => {
    const child = start(name, "stdin");
    child.stdin.write('{"a":\n[1]}\n');
    const [piece] = await once(child.stdout, "data");
    assert.deepEqual(JSON.parse(String(piece)), { text: '{"a":\n[1]}\n', truncated: false });
    child.stdin.end();
    await once(child, "close");
  });

  test(`readStdin() of ${name} gives what came when stdin ends, and stops at its limit`, async () => {
    assert.deepEqual(JSON.parse(await output('{"é":', name, "stdin")), {
      text: '{"é":',
      truncated: false,
    });
    assert.equal(JSON.parse(await output("x".repeat(101), name, "stdin")).truncated, true);
  });

  test(`readStdin() of ${name} calls back when nothing comes`, async () => {
    assert.equal(await output(undefined, name, "silence"), '"silent"\n');
  });

  test(`readStdinLines() of ${name} splits lines and drops those past the limit`, async () => {
    const lines = await output("a\n\nté\n0123456789x\nlast", name, "lines");
    assert.deepEqual(lines.trim().split("\n").map((line) => JSON.parse(line)), [
      { text: "a", truncated: false },
      { text: "", truncated: false },
      { text: "té", truncated: false },
      { text: "", truncated: true },
      { text: "last", truncated: false },
    ]);
  });

  test(`tryLock() of ${name} is held against another process until that one is killed`, async () => {
    const path = `${dir}/${name}.lock`;
    const child = start(name, "lock", path);
    const [piece] = await once(child.stdout, "data");
    assert.equal(String(piece), "mine\n");
    assert.equal(runtime.tryLock(path), undefined);
    child.kill("SIGKILL");
    await once(child, "close");
    const lock = runtime.tryLock(path);
    assert.ok(lock !== undefined);
    lock.release();
    const again = runtime.tryLock(path);
    assert.ok(again !== undefined);
    again.release();
    assert.equal(files.stat(path)?.mode, 0o600);
  });

  test(`spawnDetached() of ${name} starts a process that outlives its starter`, async () => {
    const path = `${dir}/${name} mark`;
    await output(undefined, name, "detach", path);
    while (files.stat(path) === undefined) await runtime.sleep(5);
    assert.equal(files.readText(path), "here\n");
    assert.throws(() => runtime.spawnDetached([`${dir}/no-such-program`]));
  });

  test(`run() of ${name} gives code and output, passes stdin and environment`, async () => {
    const script = 'cat; echo "$A"; echo err >&2; exit 3';
    assert.deepEqual(await runtime.run(["sh", "-c", script], { stdin: "in\n", env: { A: "é" } }), {
      code: 3,
      stdout: "in\né\n",
      stderr: "err\n",
      timedOut: false,
    });
    const { stdout } = await runtime.run(["/bin/sh", "-c", 'echo "${HOME-none}"; pwd'], {
      clearEnv: true,
      cwd: "/",
    });
    assert.equal(stdout, "none\n/\n");
  });

  test(`run() of ${name} ends a child at its time limit and rejects when there is no program`, async () => {
    const result = await runtime.run(["sh", "-c", "exec sleep 60"], { timeoutMs: 30 });
    assert.deepEqual([result.code, result.timedOut], [null, true]);
    await assert.rejects(runtime.run([`${dir}/no-such-program`]));
  });

  test(`openDatabase() of ${name} keeps a transaction whole and the file private`, async () => {
    const path = `${dir}/${name}.db`;
    await assert.rejects(
      runtime.openDatabase(path, { create: false }),
      (error) => error instanceof FileError && error.code === "not-found",
    );
    const db = await runtime.openDatabase(path);
    db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, bytes BLOB)");
    const insert = db.prepare("INSERT INTO t (name, bytes) VALUES (?, ?)");
    assert.deepEqual({ ...insert.run("one", new Uint8Array([1, 2])) }, { changes: 1, lastId: 1 });
    assert.throws(() =>
      db.transaction(() => {
        insert.run("two", null);
        throw new Error("no");
      })
    );
    assert.equal(db.transaction(() => insert.run("three", null).lastId), 2);
    const rows = db.prepare("SELECT name FROM t WHERE id >= ? ORDER BY id").all(1);
    assert.deepEqual(rows.map((row) => row["name"]), ["one", "three"]);
    assert.equal(db.prepare("SELECT name FROM t WHERE id = ?").get(9), undefined);
    db.close();
    assert.equal(files.stat(path)?.mode, 0o600);
  });

  test(`sleep() of ${name} ends early when its signal is aborted`, async () => {
    const controller = new AbortController();
    const slept = runtime.sleep(600_000, controller.signal);
    controller.abort();
    await slept;
    await runtime.sleep(600_000, AbortSignal.abort());
  });

  test(`kill() of ${name} tells whether the process was there`, async () => {
    const child = start(name, "stdin");
    assert.equal(runtime.kill(child.pid ?? 0, "SIGKILL"), true);
    await once(child, "close");
    assert.equal(runtime.kill(child.pid ?? 0), false);
  });
}

test("tryLock() of node sees a lock that Deno holds", (t) => {
  const isLinux = denoProcessRuntime.platform === "linux";
  if (requirePlatform(t, "Linux, which lists such locks", isLinux) === undefined) return;
  const path = `${dir}/shared.lock`;
  const lock = denoProcessRuntime.tryLock(path);
  assert.ok(lock !== undefined);
  assert.equal(nodeProcessRuntime.tryLock(path), undefined);
  lock.release();
  const free = nodeProcessRuntime.tryLock(path);
  assert.ok(free !== undefined);
  free.release();
});

test("nodeProcessRuntime agrees with denoProcessRuntime about the process", () => {
  assert.equal(nodeProcessRuntime.platform, denoProcessRuntime.platform);
  assert.equal(nodeProcessRuntime.pid, denoProcessRuntime.pid);
  assert.equal(nodeProcessRuntime.cwd(), denoProcessRuntime.cwd());
  assert.equal(nodeProcessRuntime.execPath(), denoProcessRuntime.execPath());
  assert.equal(nodeProcessRuntime.parentPid(), denoProcessRuntime.parentPid());
  assert.equal(nodeProcessRuntime.env("PATH"), denoProcessRuntime.env("PATH"));
  assert.equal(nodeProcessRuntime.env("OPENVIKING_NOT_SET"), undefined);
  assert.deepEqual(
    Object.keys(nodeProcessRuntime.envAll()).sort(),
    Object.keys(denoProcessRuntime.envAll()).sort(),
  );
});

for (const { name, makeTempDir } of [denoProcessRuntime, nodeProcessRuntime]) {
  test(`makeTempDir() of ${name} gives an absolute path whatever TMPDIR is, and names one that is absent`, () => {
    const { TMPDIR: before } = process.env;
    const here = process.cwd();
    const inside = denoProcessRuntime.makeTempDir("ov-tmpdir-");
    try {
      process.chdir(inside);
      for (const value of [inside, ".", ""]) {
        process.env.TMPDIR = value;
        const made = makeTempDir("ov-made-");
        assert.match(made, /^\/.*ov-made-/, JSON.stringify(value));
        assert.equal(denoProcessRuntime.files.stat(made)?.kind, "directory");
        denoProcessRuntime.files.removeTree(made);
      }
      process.env.TMPDIR = `${inside}/no`;
      assert.throws(() => makeTempDir("ov-made-"), {
        message: `Cannot make a folder in ${inside}/no: not-found`,
      });
    } finally {
      process.chdir(here);
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      denoProcessRuntime.files.removeTree(inside);
    }
  });
}
