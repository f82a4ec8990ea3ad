/**
 * The runtime of plugins and commands on Node >= 22.16 and on Bun.
 *
 * @module
 */
import type { Database, DatabaseOptions, Runtime, StdinText } from "./types.ts";
import type { ReadInto } from "./_whole_json.ts";
import { FileError } from "./types.ts";
import { builtin, nodeHost, quietSqlite } from "./_node_builtins.ts";
import { nodeFiles, writeAll } from "./_node_files.ts";
import { nodeLock } from "./_node_lock.ts";
import { toDatabase } from "./_sqlite.ts";
import { readUntilWhole } from "./_whole_json.ts";

/** Reads what stdin has next; a descriptor that does not block is asked again. */
export const readFromStdin: ReadInto = (buffer) =>
  new Promise((resolve, reject) => {
    const ask = () => {
      builtin("node:fs").read(0, buffer, 0, buffer.length, null, (error, count) => {
        if (error === null) return resolve(count === 0 ? null : count);
        if (error.code === "EAGAIN") return setTimeout(ask, 5);
        if (error.code === "EOF") return resolve(null); // a closed pipe on Windows
        reject(error);
      });
    };
    ask();
  });

async function readStdin(
  limit: number,
  silenceMs: number,
  onSilence: () => void,
): Promise<StdinText> {
  const timer = setTimeout(onSilence, silenceMs);
  try {
    return await readUntilWhole(readFromStdin, limit);
  } finally {
    clearTimeout(timer);
  }
}

function openDatabase(path: string, options: DatabaseOptions = {}): Promise<Database> {
  try {
    if (options.create === false) {
      if (nodeFiles.stat(path) === undefined) throw new FileError("not-found", "open", path);
    } else {
      nodeFiles.createEmpty(path, 0o600);
    }
    const raw = new (quietSqlite().DatabaseSync)(path);
    raw.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs ?? 5000}`);
    if (options.journal !== "none") raw.exec("PRAGMA journal_mode = WAL");
    return Promise.resolve(toDatabase(raw));
  } catch (error) {
    return Promise.reject(error);
  }
}

function spawnDetached(
  command: readonly string[],
  environment?: Readonly<Record<string, string>>,
): void {
  const [program = "", ...args] = command;
  const child = builtin("node:child_process").spawn(program, args, {
    detached: true,
    stdio: "ignore",
    cwd: "/",
    windowsHide: true,
    ...(environment === undefined ? {} : { env: { ...nodeHost().env, ...environment } }),
  });
  // Without a listener a failed start would end this process later.
  child.on("error", () => {});
  if (child.pid === undefined) throw new FileError("not-found", "start", program);
  child.unref();
}

function runQuietly(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<boolean> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const child = builtin("node:child_process").spawn(program, args, {
      stdio: "ignore",
      cwd: "/",
      windowsHide: true,
      env: { ...nodeHost().env, ...environment },
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
  });
}

function platform(): Runtime["platform"] {
  const name = nodeHost().platform;
  return name === "darwin" ? "darwin" : name === "win32" ? "windows" : "linux";
}

/** The runtime of plugins under Node and Bun. */
export const nodeRuntime: Runtime = {
  name: "node",
  platform: platform(),
  files: nodeFiles,
  env: (name) => nodeHost().env[name],
  now: () => Date.now(),
  pid: nodeHost().pid,
  args: nodeHost().argv.slice(2),
  execPath: () => nodeHost().execPath,
  cwd: () => nodeHost().cwd(),
  randomId: () => crypto.randomUUID(),
  readStdin,
  writeStdout: (text) => writeAll(1, new TextEncoder().encode(text)),
  writeStderr: (text) => writeAll(2, new TextEncoder().encode(text)),
  spawnDetached,
  runQuietly,
  openDatabase,
  tryLock: nodeLock,
  exit: (code) => nodeHost().exit(code),
};
