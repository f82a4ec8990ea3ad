/**
 * The hook-safe runtime on Deno: Deno APIs only, SQLite loaded when a database is opened.
 *
 * @module
 */
import type {
  Database,
  DatabaseOptions,
  FileLock,
  Files,
  FileStat,
  ReadHandle,
  Runtime,
  StdinText,
  WriteOptions,
} from "./types.ts";
import { FileError } from "./types.ts";
import { attempt, attemptCopy, fileErrorCode, unlessAbsent } from "./_file_code.ts";
import { toDatabase } from "./_sqlite.ts";
import { readUntilWhole } from "./_whole_json.ts";

function toStat(info: Deno.FileInfo): FileStat {
  return {
    kind: info.isFile
      ? "file"
      : info.isDirectory
      ? "directory"
      : info.isSymlink
      ? "symlink"
      : "other",
    size: info.size,
    mtimeMs: info.mtime?.getTime() ?? 0,
    inode: info.ino ?? 0,
    device: info.dev,
    mode: (info.mode ?? 0) & 0o7777,
  };
}

function toHandle(file: Deno.FsFile, path: string): ReadHandle {
  return {
    readAt(buffer, offset) {
      return attempt("read", path, () => {
        file.seekSync(offset, Deno.SeekMode.Start);
        let filled = 0;
        while (filled < buffer.length) {
          const read = file.readSync(buffer.subarray(filled));
          if (read === null || read === 0) break;
          filled += read;
        }
        return filled;
      });
    },
    stat: () => attempt("stat", path, () => toStat(file.statSync())),
    close: () => file.close(),
  };
}

function writeWhole(path: string, data: string | Uint8Array, options: WriteOptions): void {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const slash = path.lastIndexOf("/");
  const temporary = `${path.slice(0, slash + 1)}.${path.slice(slash + 1)}.${Deno.pid}.${
    crypto.randomUUID().slice(0, 8)
  }.tmp`;
  const file = Deno.openSync(temporary, {
    write: true,
    createNew: true,
    mode: options.mode ?? 0o600,
  });
  try {
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    if (options.sync !== false) file.syncSync();
    file.close();
    Deno.renameSync(temporary, path);
  } catch (error) {
    try {
      Deno.removeSync(temporary);
    } catch { /* the first error matters */ }
    throw error;
  }
}

/** File access through Deno's synchronous calls. */
export const denoFiles: Files = {
  readText: (path) => attempt("read", path, () => Deno.readTextFileSync(path)),
  readBytes: (path) => attempt("read", path, () => Deno.readFileSync(path)),
  stat: (path) => unlessAbsent("stat", path, undefined, () => toStat(Deno.statSync(path))),
  lstat: (path) => unlessAbsent("stat", path, undefined, () => toStat(Deno.lstatSync(path))),
  list: (path) =>
    unlessAbsent("list", path, [], () => Array.from(Deno.readDirSync(path), (entry) => entry.name)),
  open: (path) => attempt("open", path, () => toHandle(Deno.openSync(path, { read: true }), path)),
  makeDir: (path, mode = 0o700) =>
    attempt("create", path, () => Deno.mkdirSync(path, { recursive: true, mode })),
  writeAtomic: (path, data, options = {}) =>
    attempt("write", path, () => writeWhole(path, data, options)),
  overwrite: (path, text, mode = 0o600) =>
    attempt("write", path, () => {
      // Not truncated first: ext4 would flush the file at once.
      const file = Deno.openSync(path, { write: true, create: true, mode });
      try {
        const bytes = new TextEncoder().encode(text);
        file.writeSync(bytes);
        file.truncateSync(bytes.length);
      } finally {
        file.close();
      }
    }),
  append: (path, text, mode = 0o600) =>
    attempt("append to", path, () => Deno.writeTextFileSync(path, text, { append: true, mode })),
  createEmpty: (path, mode) => {
    try {
      Deno.openSync(path, { write: true, createNew: true, mode }).close();
      return true;
    } catch (error) {
      if (fileErrorCode(error) === "exists") return false;
      throw new FileError(fileErrorCode(error), "create", path, error);
    }
  },
  remove: (path) => unlessAbsent("remove", path, undefined, () => Deno.removeSync(path)),
  removeTree: (path) =>
    unlessAbsent("remove", path, undefined, () => Deno.removeSync(path, { recursive: true })),
  rename: (from, to) => attempt("rename", from, () => Deno.renameSync(from, to)),
  link: (from, to) => attempt("link", to, () => Deno.linkSync(from, to)),
  copy: (from, to) => attemptCopy(from, to, denoFiles.open, () => Deno.copyFileSync(from, to)),
  chmod: (path, mode) => attempt("change the mode of", path, () => Deno.chmodSync(path, mode)),
  readLink: (path) => attempt("read the link", path, () => Deno.readLinkSync(path)),
  realPath: (path) => attempt("resolve", path, () => Deno.realPathSync(path)),
};

async function readStdin(
  limit: number,
  silenceMs: number,
  onSilence: () => void,
): Promise<StdinText> {
  let waiting = true;
  const reading = readUntilWhole((buffer) => Deno.stdin.read(buffer), limit)
    .finally(() => waiting = false);
  // As a rule the host has written by now: the watchdog is set when one turn of the loop brought nothing.
  await Deno.lstat("/").catch(() => {});
  if (waiting) {
    AbortSignal.timeout(silenceMs).onabort = () => {
      if (waiting) onSilence();
    };
  }
  return await reading;
}

async function openDatabase(path: string, options: DatabaseOptions = {}): Promise<Database> {
  if (options.create === false) {
    if (denoFiles.stat(path) === undefined) throw new FileError("not-found", "open", path);
  } else {
    denoFiles.createEmpty(path, 0o600);
  }
  const { DatabaseSync } = await import("node:sqlite");
  const raw = new DatabaseSync(path);
  raw.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs ?? 5000}`);
  if (options.journal !== "none") raw.exec("PRAGMA journal_mode = WAL");
  return toDatabase(raw);
}

function tryLock(path: string, content?: string): FileLock | undefined {
  return attempt("lock", path, () => {
    const file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
    if (!file.tryLockSync(true)) {
      file.close();
      return undefined;
    }
    if (content !== undefined) {
      // Written first, cut after: ext4 flushes a file that is emptied and written again.
      const bytes = new TextEncoder().encode(content);
      file.writeSync(bytes);
      file.truncateSync(bytes.length);
    }
    return { release: () => file.close() };
  });
}

function env(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined; // not permitted, or a name no environment can hold
  }
}

async function runQuietly(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<boolean> {
  const [program, ...args] = command;
  const child = new Deno.Command(program ?? "", {
    args,
    env: environment,
    stdin: "null",
    stdout: "null",
    stderr: "null",
    cwd: "/",
    signal: AbortSignal.timeout(timeoutMs),
  }).spawn();
  return (await child.status).success;
}

/** The runtime of hooks under Deno. */
export const denoRuntime: Runtime = {
  name: "deno",
  platform: Deno.build.os === "darwin"
    ? "darwin"
    : Deno.build.os === "windows"
    ? "windows"
    : "linux",
  files: denoFiles,
  env,
  now: () => Date.now(),
  pid: Deno.pid,
  args: Deno.args,
  execPath: () => Deno.execPath(),
  cwd: () => Deno.cwd(),
  randomId: () => crypto.randomUUID(),
  readStdin,
  writeStdout(text) {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  },
  writeStderr(text) {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += Deno.stderr.writeSync(bytes.subarray(at));
  },
  spawnDetached(command, environment) {
    const [program, ...args] = command;
    new Deno.Command(program ?? "", {
      args,
      ...(environment === undefined ? {} : { env: environment }),
      stdin: "null",
      stdout: "null",
      stderr: "null",
      detached: true,
      cwd: "/",
    }).spawn().unref();
  },
  runQuietly,
  openDatabase,
  tryLock,
  exit: (code) => Deno.exit(code),
};
