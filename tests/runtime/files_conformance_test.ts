import { after, test } from "node:test";
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import type { FileErrorCode, ProcessRuntime } from "../../lib/runtime/types.ts";
import { FileError } from "../../lib/runtime/types.ts";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { nodeProcessRuntime } from "../../lib/runtime/node_process.ts";

/** One expectation of the file interface; `dir` is a fresh folder. */
interface FileCase {
  readonly name: string;
  run(runtime: ProcessRuntime, dir: string): void;
}

function fails(code: FileErrorCode, path: string, work: () => unknown): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof FileError);
    assert.equal(error.code, code);
    assert.equal(error.path, path);
    return true;
  });
}

const text = (runtime: ProcessRuntime, path: string) => runtime.files.readText(path);

const CASES: readonly FileCase[] = [
  {
    name: "writeAtomic() replaces a file with mode 0600 and leaves nothing beside it",
    run({ files }, dir) {
      files.writeAtomic(`${dir}/a`, "old");
      files.writeAtomic(`${dir}/a`, new TextEncoder().encode("née"));
      assert.equal(files.readText(`${dir}/a`), "née");
      assert.equal(files.stat(`${dir}/a`)?.mode, 0o600);
      assert.equal(files.stat(`${dir}/a`)?.size, 4);
      assert.deepEqual(files.list(dir), ["a"]);
      files.writeAtomic(`${dir}/b`, "", { mode: 0o700, sync: false });
      assert.equal(files.stat(`${dir}/b`)?.mode, 0o700);
    },
  },
  {
    name:
      "writeAtomic() leaves the old file and no temporary one when the place cannot hold a file",
    run({ files }, dir) {
      files.makeDir(`${dir}/folder/inside`);
      assert.throws(() => files.writeAtomic(`${dir}/folder`, "x"), FileError);
      assert.deepEqual(files.list(dir), ["folder"]);
      fails("not-found", `${dir}/no/a`, () => files.writeAtomic(`${dir}/no/a`, "x"));
    },
  },
  {
    name: "reading what is absent throws not-found, looking at it gives undefined",
    run({ files }, dir) {
      const path = `${dir}/no`;
      fails("not-found", path, () => files.readText(path));
      fails("not-found", path, () => files.readBytes(path));
      fails("not-found", path, () => files.open(path));
      fails("not-found", path, () => files.realPath(path));
      assert.equal(files.stat(path), undefined);
      assert.equal(files.lstat(path), undefined);
      assert.deepEqual(files.list(path), []);
      files.remove(path);
      files.removeTree(path);
    },
  },
  {
    name: "a path below a file, or with a zero byte, is absent",
    run({ files }, dir) {
      files.writeAtomic(`${dir}/a`, "x");
      assert.equal(files.stat(`${dir}/a/b`), undefined);
      assert.deepEqual(files.list(`${dir}/a/b`), []);
      assert.equal(files.stat(`${dir}/\0`), undefined);
    },
  },
  {
    name: "readText() of a folder throws is-directory",
    run: ({ files }, dir) => fails("is-directory", dir, () => files.readText(dir)),
  },
  {
    name: "stat() follows a link and lstat() does not",
    run({ files }, dir) {
      files.writeAtomic(`${dir}/a`, "abc");
      symlinkSync(`${dir}/a`, `${dir}/l`);
      assert.equal(files.stat(`${dir}/l`)?.kind, "file");
      assert.equal(files.lstat(`${dir}/l`)?.kind, "symlink");
      assert.equal(files.readLink(`${dir}/l`), `${dir}/a`);
      assert.equal(files.realPath(`${dir}/l`), files.realPath(`${dir}/a`));
      assert.equal(files.stat(dir)?.kind, "directory");
      assert.equal(files.stat("/dev/null")?.kind, "other");
    },
  },
  {
    name: "stat() tells inode and time of the same file alike",
    run({ files }, dir) {
      files.writeAtomic(`${dir}/a`, "abc");
      const stat = files.stat(`${dir}/a`);
      assert.equal(stat?.inode, denoProcessRuntime.files.stat(`${dir}/a`)?.inode);
      assert.equal(stat?.device, denoProcessRuntime.files.stat(`${dir}/a`)?.device);
      assert.equal(stat?.mtimeMs, denoProcessRuntime.files.stat(`${dir}/a`)?.mtimeMs);
    },
  },
  {
    name: "readAt() reads from an offset, short at the end, nothing beyond",
    run({ files }, dir) {
      files.writeAtomic(`${dir}/a`, "0123456789");
      const handle = files.open(`${dir}/a`);
      const buffer = new Uint8Array(4);
      assert.equal(handle.readAt(buffer, 3), 4);
      assert.equal(new TextDecoder().decode(buffer), "3456");
      assert.equal(handle.readAt(buffer, 8), 2);
      assert.equal(handle.readAt(buffer, 20), 0);
      assert.equal(handle.stat().size, 10);
      handle.close();
    },
  },
  {
    name: "makeDir() makes parents 0700 and accepts what is there",
    run({ files }, dir) {
      files.makeDir(`${dir}/x/y`);
      files.makeDir(`${dir}/x/y`);
      assert.equal(files.stat(`${dir}/x`)?.mode, 0o700);
      files.writeAtomic(`${dir}/f`, "");
      assert.throws(() => files.makeDir(`${dir}/f`), FileError);
    },
  },
  {
    name: "overwrite() leaves only the new text and creates 0600",
    run(runtime, dir) {
      runtime.files.overwrite(`${dir}/record`, "a long first text");
      runtime.files.overwrite(`${dir}/record`, "short");
      assert.equal(runtime.files.readText(`${dir}/record`), "short");
      assert.equal(runtime.files.stat(`${dir}/record`)?.mode, 0o600);
    },
  },
  {
    name: "append() adds to a file that it creates 0600",
    run(runtime, dir) {
      runtime.files.append(`${dir}/log`, "a\n");
      runtime.files.append(`${dir}/log`, "b\n");
      assert.equal(text(runtime, `${dir}/log`), "a\nb\n");
      assert.equal(runtime.files.stat(`${dir}/log`)?.mode, 0o600);
    },
  },
  {
    name: "createEmpty() creates once and never empties a file",
    run(runtime, dir) {
      assert.equal(runtime.files.createEmpty(`${dir}/a`, 0o600), true);
      runtime.files.append(`${dir}/a`, "x");
      assert.equal(runtime.files.createEmpty(`${dir}/a`, 0o600), false);
      assert.equal(text(runtime, `${dir}/a`), "x");
      fails("not-found", `${dir}/no/a`, () => runtime.files.createEmpty(`${dir}/no/a`, 0o600));
    },
  },
  {
    name: "rename(), link(), copy(), chmod(), remove() and removeTree() do what they say",
    run(runtime, dir) {
      const { files } = runtime;
      files.writeAtomic(`${dir}/a`, "x");
      files.rename(`${dir}/a`, `${dir}/b`);
      files.link(`${dir}/b`, `${dir}/c`);
      assert.equal(files.stat(`${dir}/b`)?.inode, files.stat(`${dir}/c`)?.inode);
      fails("exists", `${dir}/c`, () => files.link(`${dir}/b`, `${dir}/c`));
      files.copy(`${dir}/b`, `${dir}/d`);
      files.chmod(`${dir}/d`, 0o400);
      assert.equal(files.stat(`${dir}/d`)?.mode, 0o400);
      files.remove(`${dir}/b`);
      assert.deepEqual(files.list(dir).sort(), ["c", "d"]);
      fails("not-found", `${dir}/b`, () => files.rename(`${dir}/b`, `${dir}/z`));
      files.makeDir(`${dir}/t/u`);
      files.removeTree(`${dir}/t`);
      assert.equal(files.stat(`${dir}/t`), undefined);
    },
  },
  {
    name: "copy() names the source when that cannot be read, else the place that cannot be written",
    run({ files }, dir) {
      files.writeAtomic(`${dir}/a`, "x");
      fails("not-found", `${dir}/no/b`, () => files.copy(`${dir}/a`, `${dir}/no/b`));
      fails("not-found", `${dir}/z`, () => files.copy(`${dir}/z`, `${dir}/b`));
      assert.throws(
        () => files.copy(`${dir}/a`, `${dir}/no/b`),
        { message: `Cannot copy ${dir}/a to ${dir}/no/b: not-found` },
      );
    },
  },
  {
    name: "a link that leads to itself is a loop",
    run({ files }, dir) {
      symlinkSync("l", `${dir}/l`);
      fails("loop", `${dir}/l`, () => files.stat(`${dir}/l`));
      fails("loop", `${dir}/l`, () => files.readText(`${dir}/l`));
      assert.equal(files.lstat(`${dir}/l`)?.kind, "symlink");
    },
  },
];

for (const runtime of [denoProcessRuntime, nodeProcessRuntime]) {
  const root = runtime.makeTempDir("ov-files-");
  after(() => runtime.files.removeTree(root));
  for (const [index, { name, run }] of CASES.entries()) {
    test(`files of ${runtime.name}: ${name}`, () => {
      const dir = `${root}/${index}`;
      runtime.files.makeDir(dir);
      run(runtime, dir);
    });
  }
}
