/**
 * File access through Node's synchronous calls.
 *
 * @module
 */
import type { BigIntStats, Stats } from "node:fs";
import type { Files, FileStat, ReadHandle, WriteOptions } from "./types.ts";
import { FileError } from "./types.ts";
import { attempt, attemptCopy, fileErrorCode, unlessAbsent } from "./_file_code.ts";
import { builtin, nodeHost } from "./_node_builtins.ts";

function toStat(info: Stats | BigIntStats): FileStat {
  return {
    kind: info.isFile()
      ? "file"
      : info.isDirectory()
      ? "directory"
      : info.isSymbolicLink()
      ? "symlink"
      : "other",
    size: Number(info.size),
    mtimeMs: Math.floor(Number(info.mtimeMs)),
    inode: Number(info.ino),
    device: Number(info.dev),
    mode: Number(info.mode) & 0o7777,
  };
}

function toHandle(descriptor: number, path: string): ReadHandle {
  const fs = builtin("node:fs");
  return {
    readAt(buffer, offset) {
      return attempt("read", path, () => {
        let filled = 0;
        while (filled < buffer.length) {
          const rest = buffer.length - filled;
          const read = fs.readSync(descriptor, buffer, filled, rest, offset + filled);
          if (read === 0) break;
          filled += read;
        }
        return filled;
      });
    },
    stat: () => attempt("stat", path, () => toStat(fs.fstatSync(descriptor))),
    close: () => fs.closeSync(descriptor),
  };
}

/** Writes all of `bytes`; a pipe that does not block is waited for. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  const fs = builtin("node:fs");
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(descriptor, bytes, at);
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

function writeWhole(path: string, data: string | Uint8Array, options: WriteOptions): void {
  const fs = builtin("node:fs");
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const slash = path.lastIndexOf("/");
  const unique = `${nodeHost().pid}.${crypto.randomUUID().slice(0, 8)}`;
  const temporary = `${path.slice(0, slash + 1)}.${path.slice(slash + 1)}.${unique}.tmp`;
  const descriptor = fs.openSync(temporary, "wx", options.mode ?? 0o600);
  let open = true;
  try {
    writeAll(descriptor, bytes);
    if (options.sync !== false) fs.fsyncSync(descriptor);
    fs.closeSync(descriptor);
    open = false;
    fs.renameSync(temporary, path);
  } catch (error) {
    if (open) fs.closeSync(descriptor);
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

function createEmpty(path: string, mode: number): boolean {
  const fs = builtin("node:fs");
  try {
    fs.closeSync(fs.openSync(path, "wx", mode));
    return true;
  } catch (error) {
    if (fileErrorCode(error) === "exists") return false;
    throw new FileError(fileErrorCode(error), "create", path, error);
  }
}

/** File access of Node and Bun. */
export const nodeFiles: Files = {
  readText: (path) => attempt("read", path, () => builtin("node:fs").readFileSync(path, "utf8")),
  readBytes: (path) =>
    attempt("read", path, () => new Uint8Array(builtin("node:fs").readFileSync(path))),
  stat: (path) =>
    unlessAbsent("stat", path, undefined, () => toStat(builtin("node:fs").statSync(path))),
  lstat: (path) =>
    unlessAbsent("stat", path, undefined, () => toStat(builtin("node:fs").lstatSync(path))),
  list: (path) => unlessAbsent("list", path, [], () => builtin("node:fs").readdirSync(path)),
  open: (path) =>
    attempt("open", path, () => toHandle(builtin("node:fs").openSync(path, "r"), path)),
  makeDir: (path, mode = 0o700) =>
    attempt("create", path, () => {
      builtin("node:fs").mkdirSync(path, { recursive: true, mode });
    }),
  writeAtomic: (path, data, options = {}) =>
    attempt("write", path, () => writeWhole(path, data, options)),
  overwrite: (path, text, mode = 0o600) =>
    attempt("write", path, () => {
      const fs = builtin("node:fs");
      const file = fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_CREAT, mode);
      try {
        const bytes = new TextEncoder().encode(text);
        fs.writeSync(file, bytes, 0, bytes.length, 0);
        fs.ftruncateSync(file, bytes.length);
      } finally {
        fs.closeSync(file);
      }
    }),
  append: (path, text, mode = 0o600) =>
    attempt("append to", path, () => builtin("node:fs").appendFileSync(path, text, { mode })),
  createEmpty,
  remove: (path) =>
    unlessAbsent("remove", path, undefined, () => builtin("node:fs").unlinkSync(path)),
  removeTree: (path) =>
    unlessAbsent("remove", path, undefined, () => {
      builtin("node:fs").rmSync(path, { recursive: true, force: true });
    }),
  rename: (from, to) => attempt("rename", from, () => builtin("node:fs").renameSync(from, to)),
  link: (from, to) => attempt("link", to, () => builtin("node:fs").linkSync(from, to)),
  copy: (from, to) =>
    attemptCopy(from, to, nodeFiles.open, () => builtin("node:fs").copyFileSync(from, to)),
  chmod: (path, mode) =>
    attempt("change the mode of", path, () => builtin("node:fs").chmodSync(path, mode)),
  readLink: (path) => attempt("read the link", path, () => builtin("node:fs").readlinkSync(path)),
  realPath: (path) => attempt("resolve", path, () => builtin("node:fs").realpathSync.native(path)),
};
