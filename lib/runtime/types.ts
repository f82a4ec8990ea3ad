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
  | "loop"
  | "other";

/** A failed file operation. `code` says why, `path` says where. */
export class FileError extends Error {
  /** Why it failed. */
  readonly code: FileErrorCode;
  /** The path that was asked for. */
  readonly path: string;
  /** `action` is a verb such as `read`; the message is `Cannot <action> <path>: <code>`. */
  constructor(code: FileErrorCode, action: string, path: string, cause?: unknown) {
    super(`Cannot ${action} ${path}: ${code}`, { cause });
    this.name = "FileError";
    this.code = code;
    this.path = path;
  }
}

/** What a path is. `inode` and `device` are 0 where the platform has none. */
export interface FileStat {
  /** What stands there. */
  readonly kind: "file" | "directory" | "symlink" | "other";
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** 0 where the platform has none. */
  readonly inode: number;
  /** 0 where the platform has none. */
  readonly device: number;
  /** Permission bits, for example 0o600; 0 on Windows. */
  readonly mode: number;
}

/** A file opened for reading at explicit offsets. */
export interface ReadHandle {
  /** Fills `buffer` from `offset`; returns the bytes read, 0 at the end of the file. */
  readAt(buffer: Uint8Array, offset: number): number;
  /** What the open file is now. */
  stat(): FileStat;
  /** Closes the file. */
  close(): void;
}

/** Synchronous file access: every process here is short or single-minded. All methods throw {@linkcode FileError}. */
export interface Files {
  /** The whole file as UTF-8. */
  readText(path: string): string;
  /** The whole file. */
  readBytes(path: string): Uint8Array;
  /** `undefined` when there is nothing at `path`; follows links. */
  stat(path: string): FileStat | undefined;
  /** Like `stat`, but does not follow a link. */
  lstat(path: string): FileStat | undefined;
  /** Names in a folder, unsorted; `[]` when the folder is absent. */
  list(path: string): string[];
  /** Opens a file for reading. */
  open(path: string): ReadHandle;
  /** Creates a folder and its parents; the new ones get `mode` (default 0o700). */
  makeDir(path: string, mode?: number): void;
  /**
   * Writes beside `path`, syncs unless `sync` is false, and renames over it, so that a reader sees
   * the old text or the new one. `mode` defaults to 0o600.
   */
  writeAtomic(path: string, data: string | Uint8Array, options?: WriteOptions): void;
  /**
   * Writes over what stands at `path` in one call, without sync or rename (creates it with `mode`,
   * default 0o600). Cheap, and not atomic: only for records whose loss is harmless.
   */
  overwrite(path: string, text: string, mode?: number): void;
  /** Appends one piece of text with a single write call. */
  append(path: string, text: string, mode?: number): void;
  /** Creates an empty file with `mode` if there is none; returns true when it was created. */
  createEmpty(path: string, mode: number): boolean;
  /** Removes a file; absent is fine. */
  remove(path: string): void;
  /** Removes a folder with all it holds; absent is fine. */
  removeTree(path: string): void;
  /** Renames, replacing a file at `to`. */
  rename(from: string, to: string): void;
  /** Hard link. */
  link(from: string, to: string): void;
  /** Copies a file with its mode. */
  copy(from: string, to: string): void;
  /** Sets the permission bits. */
  chmod(path: string, mode: number): void;
  /** Target of a symbolic link as written. */
  readLink(path: string): string;
  /** Absolute path without links; throws when `path` is absent. */
  realPath(path: string): string;
}

/** Options of {@linkcode Files.writeAtomic}. */
export interface WriteOptions {
  /** Permission bits of the file. @default 0o600 */
  readonly mode?: number;
  /** Whether the file is on disk before it takes its name. @default true */
  readonly sync?: boolean;
}

/** A value SQLite can store. */
export type SqlValue = null | number | bigint | string | Uint8Array;
/** One result row by column name. */
export type SqlRow = Record<string, SqlValue>;

/** A prepared statement. Parameters are positional. */
export interface Statement {
  /** Runs the statement for its effect. */
  run(...parameters: SqlValue[]): { readonly changes: number; readonly lastId: number };
  /** The first row, if any. */
  get(...parameters: SqlValue[]): SqlRow | undefined;
  /** Every row. */
  all(...parameters: SqlValue[]): SqlRow[];
}

/** An open SQLite database. */
export interface Database {
  /** Runs statements without parameters. */
  exec(sql: string): void;
  /** Prepares one statement. */
  prepare(sql: string): Statement;
  /** Runs `work` inside `BEGIN IMMEDIATE` ... `COMMIT`; rolls back and rethrows when it throws. */
  transaction<T>(work: () => T): T;
  /** Closes the database. */
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
  /** Lets the lock go. */
  release(): void;
}

/** What stdin gave. `truncated` means that `limit` was passed and the rest was not read. */
export interface StdinText {
  /** What was read. */
  readonly text: string;
  /** True when the limit was passed. */
  readonly truncated: boolean;
}

/** One line of stdin without its end. `truncated` means that it passed the limit and was dropped. */
export interface StdinLine {
  /** The line, "" when it was dropped. */
  readonly text: string;
  /** True when the limit was passed. */
  readonly truncated: boolean;
}

/**
 * What every stage may use, a hook included: nothing here loads Node's layer under Deno, and
 * SQLite is loaded when a database is opened.
 */
export interface Runtime {
  /** Which implementation this is. */
  readonly name: "deno" | "node";
  /** The operating system. */
  readonly platform: "linux" | "darwin" | "windows";
  /** File access. */
  readonly files: Files;
  /** An environment variable; `undefined` when unset or not readable. */
  env(name: string): string | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Id of this process. */
  readonly pid: number;
  /** Arguments of the program, without the program itself. */
  readonly args: readonly string[];
  /** Absolute path of the runtime's executable. */
  execPath(): string;
  /** Working directory of this process. */
  cwd(): string;
  /** A random UUID. */
  randomId(): string;
  /**
   * Reads stdin until it ends, `limit` bytes are passed, or the text read so far is one whole JSON
   * document. Calls `onSilence` when nothing was complete after `silenceMs`.
   */
  readStdin(limit: number, silenceMs: number, onSilence: () => void): Promise<StdinText>;
  /** Writes all of `text` to stdout. */
  writeStdout(text: string): void;
  /** Writes all of `text` to stderr. */
  writeStderr(text: string): void;
  /** Starts a process in a session of its own with all its streams closed, and does not wait for it. */
  spawnDetached(command: readonly string[], env?: Readonly<Record<string, string>>): void;
  /**
   * Runs a process with all its streams closed until it ends or `timeoutMs` is over (it is killed
   * then). True when it ended with code 0.
   */
  runQuietly(
    command: readonly string[],
    env: Readonly<Record<string, string>>,
    timeoutMs: number,
  ): Promise<boolean>;
  /** Opens an SQLite database. */
  openDatabase(path: string, options?: DatabaseOptions): Promise<Database>;
  /**
   * Takes an exclusive lock on `path` (created 0o600) at once, or returns `undefined` when another
   * process holds it. `content` replaces what the file says, in place.
   */
  tryLock(path: string, content?: string): FileLock | undefined;
  /** Ends the process. */
  exit(code: number): never;
}

/** What a finished child process left. `code` is `null` when a signal or the time limit ended it. */
export interface ProcessResult {
  /** Exit code, `null` when a signal or the time limit ended it. */
  readonly code: number | null;
  /** Everything it wrote to stdout. */
  readonly stdout: string;
  /** Everything it wrote to stderr. */
  readonly stderr: string;
  /** True when the time limit ended it. */
  readonly timedOut: boolean;
}

/** How {@linkcode ProcessRuntime.run} starts a child. */
export interface RunOptions {
  /** Working directory. @default this process's */
  readonly cwd?: string;
  /** Added to the environment, or all of it when `clearEnv` is true. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether `env` is the whole environment. @default false */
  readonly clearEnv?: boolean;
  /** Text for its stdin. @default nothing */
  readonly stdin?: string;
  /** Milliseconds after which it is killed. @default no limit */
  readonly timeoutMs?: number;
}

/** Where {@linkcode ProcessRuntime.serveHttp} listens and who answers. */
export interface ServeOptions {
  /** Address to listen on. @default "127.0.0.1" */
  readonly hostname?: string;
  /** Port; 0 takes a free one. */
  readonly port: number;
  /** Answers each request; a rejection becomes an empty 500. */
  readonly handler: (request: Request) => Promise<Response>;
}

/** A listening server. */
export interface HttpServer {
  /** For example `http://127.0.0.1:40123`, without trailing slash. */
  readonly url: string;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** What commands and the worker use beside {@linkcode Runtime}; never part of a hook's closure. */
export interface ProcessRuntime extends Runtime {
  /** Waits `ms` milliseconds, or until `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs a program to its end. */
  run(command: readonly string[], options?: RunOptions): Promise<ProcessResult>;
  /** Calls `handler` on SIGTERM, SIGINT and SIGHUP. */
  onTerminate(handler: () => void): void;
  /** Sends SIGTERM (or `signal`) to a process; false when it is gone. */
  kill(pid: number, signal?: "SIGTERM" | "SIGKILL"): boolean;
  /** Whether a stream is a terminal. */
  isTerminal(stream: "stdin" | "stdout" | "stderr"): boolean;
  /** Every environment variable that may be read. */
  envAll(): Record<string, string>;
  /** Listens for HTTP requests; rejects when the port is taken or not allowed. */
  serveHttp(options: ServeOptions): Promise<HttpServer>;
  /** Lines of stdin until it ends; a line of more than `limit` bytes comes as `truncated`. */
  readStdinLines(limit: number): AsyncIterable<StdinLine>;
  /**
   * Writes all of `text` to stdout without holding up the process; rejects when nobody reads any
   * more. Calls must not overlap.
   */
  sendStdout(text: string): Promise<void>;
  /** Id of the parent process; it changes when the parent dies. */
  parentPid(): number;
  /**
   * Absolute path of a fresh folder (0o700) in the system's temporary folder; throws
   * {@linkcode FileError} with the path of that one.
   */
  makeTempDir(prefix: string): string;
}
