/**
 * The one interface between the toolkit and the machine it runs on.
 *
 * Only files in this folder name `Deno`, `process`, `Bun` or a `node:` module. An entry script picks
 * an implementation and hands it down; nothing detects the runtime while it runs.
 *
 * @module
 */

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Why a file operation failed, the same words on every runtime. */
export type FileErrorCode =
  | "not-found"
  | "permission"
  | "exists"
  | "is-directory"
  | "not-directory"
  | "read-only"
  | "full"
  | "other";

/** A failed file operation. `code` says why, `path` says where. */
export class FileError extends Error {
  readonly code: FileErrorCode;
  readonly path: string;
  constructor(code: FileErrorCode, action: string, path: string, cause?: unknown) {
    super(`Cannot ${action} ${path}: ${code}`, { cause });
    this.name = "FileError";
    this.code = code;
    this.path = path;
  }
}

/** What a path is. `inode` and `device` are 0 where the platform has none. */
export interface FileStat {
  readonly kind: "file" | "directory" | "symlink" | "other";
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
  readonly inode: number;
  readonly device: number;
  /** Permission bits, for example 0o600; 0 on Windows. */
  readonly mode: number;
}

/** A file opened for reading at explicit offsets. */
export interface ReadHandle {
  /** Fills `buffer` from `offset`; returns the bytes read, 0 at the end of the file. */
  readAt(buffer: Uint8Array, offset: number): number;
  stat(): FileStat;
  close(): void;
}

/** Synchronous file access: every process here is short or single-minded. All methods throw {@linkcode FileError}. */
export interface Files {
  readText(path: string): string;
  readBytes(path: string): Uint8Array;
  /** `undefined` when there is nothing at `path`; follows links. */
  stat(path: string): FileStat | undefined;
  /** Like `stat`, but does not follow a link. */
  lstat(path: string): FileStat | undefined;
  /** Names in a folder, unsorted; `[]` when the folder is absent. */
  list(path: string): string[];
  open(path: string): ReadHandle;
  /** Creates a folder and its parents; the new ones get `mode` (default 0o700). */
  makeDir(path: string, mode?: number): void;
  /**
   * Writes beside `path`, syncs unless `sync` is false, and renames over it, so that a reader sees
   * the old text or the new one. `mode` defaults to 0o600.
   */
  writeAtomic(path: string, data: string | Uint8Array, options?: WriteOptions): void;
  /** Appends one piece of text with a single write call. */
  append(path: string, text: string, mode?: number): void;
  /** Creates an empty file with `mode` if there is none; returns true when it was created. */
  createEmpty(path: string, mode: number): boolean;
  /** Removes a file; absent is fine. */
  remove(path: string): void;
  /** Removes a folder with all it holds; absent is fine. */
  removeTree(path: string): void;
  rename(from: string, to: string): void;
  /** Hard link. */
  link(from: string, to: string): void;
  copy(from: string, to: string): void;
  chmod(path: string, mode: number): void;
  /** Target of a symbolic link as written. */
  readLink(path: string): string;
  /** Absolute path without links; throws when `path` is absent. */
  realPath(path: string): string;
}

/** Options of {@linkcode Files.writeAtomic}. */
export interface WriteOptions {
  readonly mode?: number;
  /** @default true */
  readonly sync?: boolean;
}

/** A value SQLite can store. */
export type SqlValue = null | number | bigint | string | Uint8Array;
/** One result row by column name. */
export type SqlRow = Record<string, SqlValue>;

/** A prepared statement. Parameters are positional. */
export interface Statement {
  run(...parameters: SqlValue[]): { readonly changes: number; readonly lastId: number };
  get(...parameters: SqlValue[]): SqlRow | undefined;
  all(...parameters: SqlValue[]): SqlRow[];
}

/** An open SQLite database. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Runs `work` inside `BEGIN IMMEDIATE` ... `COMMIT`; rolls back and rethrows when it throws. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** How {@linkcode Runtime.openDatabase} opens a file. */
export interface DatabaseOptions {
  /** Create the file (0o600) when absent; otherwise a missing file throws `not-found`. @default true */
  readonly create?: boolean;
  /** Milliseconds to wait for another writer. @default 5000 */
  readonly busyTimeoutMs?: number;
  /** `wal` for shared files, `none` leaves the journal alone (lock files). @default "wal" */
  readonly journal?: "wal" | "none";
}

/** A lock held on a file; freed by the kernel when the process dies. */
export interface FileLock {
  release(): void;
}

/** What stdin gave. `truncated` means that `limit` was passed and the rest was not read. */
export interface StdinText {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * What every stage may use, a hook included: nothing here loads Node's layer under Deno, and
 * SQLite is loaded when a database is opened.
 */
export interface Runtime {
  readonly name: "deno" | "node";
  readonly platform: "linux" | "darwin" | "windows";
  readonly files: Files;
  /** An environment variable; `undefined` when unset or not readable. */
  env(name: string): string | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly pid: number;
  /** Absolute path of the runtime's executable. */
  execPath(): string;
  cwd(): string;
  randomId(): string;
  /**
   * Reads stdin until it ends, `limit` bytes are passed, or the text read so far is one whole JSON
   * document. Calls `onSilence` when nothing was complete after `silenceMs`.
   */
  readStdin(limit: number, silenceMs: number, onSilence: () => void): Promise<StdinText>;
  writeStdout(text: string): void;
  writeStderr(text: string): void;
  /** Starts a process in a session of its own with all its streams closed, and does not wait for it. */
  spawnDetached(command: readonly string[], env?: Readonly<Record<string, string>>): void;
  openDatabase(path: string, options?: DatabaseOptions): Promise<Database>;
  /** Takes an exclusive lock on `path` (created 0o600) at once, or returns `undefined` when another process holds it. */
  tryLock(path: string): FileLock | undefined;
  exit(code: number): never;
}

/** What a finished child process left. `code` is `null` when a signal or the time limit ended it. */
export interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** How {@linkcode ProcessRuntime.run} starts a child. */
export interface RunOptions {
  readonly cwd?: string;
  /** Added to the environment, or all of it when `clearEnv` is true. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clearEnv?: boolean;
  readonly stdin?: string;
  readonly timeoutMs?: number;
}

/** What commands and the worker use beside {@linkcode Runtime}; never part of a hook's closure. */
export interface ProcessRuntime extends Runtime {
  readonly args: readonly string[];
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  run(command: readonly string[], options?: RunOptions): Promise<ProcessResult>;
  /** Calls `handler` on SIGTERM, SIGINT and SIGHUP. */
  onTerminate(handler: () => void): void;
  /** Sends SIGTERM (or `signal`) to a process; false when it is gone. */
  kill(pid: number, signal?: "SIGTERM" | "SIGKILL"): boolean;
  isTerminal(stream: "stdin" | "stdout" | "stderr"): boolean;
  /** Every environment variable that may be read. */
  envAll(): Record<string, string>;
  /** Path of a fresh folder (0o700) in the system's temporary folder. */
  makeTempDir(prefix: string): string;
}
