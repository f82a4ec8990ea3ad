/**
 * A file lock for runtimes without `flock`.
 *
 * @module
 */
import type { FileLock } from "./types.ts";
import { attempt } from "./_file_code.ts";
import { nodeHost, quietSqlite } from "./_node_builtins.ts";
import { nodeFiles } from "./_node_files.ts";

/**
 * True when a Deno process holds `path` with `flock`: Linux lists such locks with the inode. The
 * device is not compared, because layered file systems show another one than `stat`.
 */
function isFlocked(path: string): boolean {
  try {
    const { inode } = nodeFiles.stat(path) ?? {};
    return nodeFiles.readText("/proc/locks").split("\n").some((line) =>
      line.includes(" FLOCK ") && line.includes(`:${inode} `)
    );
  } catch {
    return false; // no such list here
  }
}

function isAlive(pid: number): boolean {
  try {
    nodeHost().kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/** Without SQLite: a file with the holder's id, void when that process is gone. */
function lockByPid(path: string): FileLock | undefined {
  if (!nodeFiles.createEmpty(path, 0o600)) {
    const holder = Number(nodeFiles.readText(path));
    if (Number.isInteger(holder) && holder > 0 && isAlive(holder)) return undefined;
  }
  nodeFiles.writeAtomic(path, String(nodeHost().pid), { sync: false });
  return { release: () => nodeFiles.remove(path) };
}

function lockBySqlite(path: string): FileLock | undefined {
  nodeFiles.createEmpty(path, 0o600);
  const database = new (quietSqlite().DatabaseSync)(path);
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (/database is locked/.test((error as Error).message)) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}

/**
 * Locks `path` against other processes of this runtime with `BEGIN EXCLUSIVE` on `<path>.db` beside
 * it (freed by the kernel at death), or with a file that holds the process id where there is no
 * SQLite. A lock that Deno holds on `path` itself is seen on Linux; Deno does not see this one. That
 * is enough for a hint: who must be alone holds the lease.
 */
export function nodeLock(path: string, content?: string): FileLock | undefined {
  return attempt("lock", path, () => {
    nodeFiles.createEmpty(path, 0o600);
    if (isFlocked(path)) return undefined;
    const lock = hasSqlite() ? lockBySqlite(`${path}.db`) : lockByPid(`${path}.pid`);
    if (lock !== undefined && content !== undefined) {
      nodeFiles.writeAtomic(path, content, { sync: false });
    }
    return lock;
  });
}

function hasSqlite(): boolean {
  try {
    return quietSqlite() !== undefined;
  } catch {
    return false;
  }
}
