/**
 * The foreground's half of the queue: one small file per event, then a look for the worker.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import { FileError } from "../runtime/types.ts";
import type { SpoolRecord, Target } from "./types.ts";
import { OUTBOX_LAYOUT } from "./types.ts";
import { targetFolder, writeTargetFile } from "./target.ts";

/** What came of recording an event; `reason` is one line for `status`. */
export type SpoolResult =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly reason: string };

/** What the look for a worker found or did. `failed` loses nothing: the record is on disk. */
export interface DetachResult {
  readonly worker: "alive" | "started" | "failed";
  /** Why the start failed. */
  readonly detail?: string;
}

/**
 * Writes one event durably: temporary file, sync, rename, 0600 in 0700. The name orders events by
 * time and is the record's idempotency key. Never throws.
 *
 * @param sequence Orders records that one process writes within a millisecond.
 */
export function writeSpoolRecord(
  runtime: Runtime,
  agentHome: string,
  target: Target,
  record: SpoolRecord,
  sequence = "",
): SpoolResult {
  const folder = targetFolder(agentHome, target.id);
  const spool = `${folder}/${OUTBOX_LAYOUT.spool}`;
  // Unique by time, process and chance; a random UUID costs a hook more than the rest of the name.
  const chance = Math.random().toString(36).slice(2, 12);
  const name = `${
    String(runtime.now()).padStart(15, "0")
  }-${sequence}${runtime.pid}-${chance}.json`;
  const file = `${spool}/${name}`;
  const text = JSON.stringify(
    target.keyFingerprint === "" ? record : { ...record, keyFingerprint: target.keyFingerprint },
  );
  try {
    try {
      runtime.files.writeAtomic(file, text);
    } catch (error) {
      if (!(error instanceof FileError) || error.code !== "not-found") throw error;
      runtime.files.makeDir(spool, 0o700);
      writeTargetFile(runtime, agentHome, target);
      runtime.files.writeAtomic(file, text);
    }
    return { ok: true, file };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Starts the worker of a target unless one lives. Call it after the record is on disk: the worker
 * looks once more after it let its lock go, so that one of the two always sees the record.
 *
 * @param command Gives program and arguments of the worker; asked only when one must be started.
 */
export function maybeDetach(
  runtime: Runtime,
  agentHome: string,
  targetId: string,
  command: () => readonly string[],
  env?: Readonly<Record<string, string>>,
): DetachResult {
  try {
    const lock = runtime.tryLock(`${targetFolder(agentHome, targetId)}/${OUTBOX_LAYOUT.lock}`);
    if (lock === undefined) return { worker: "alive" };
    lock.release();
  } catch { /* the lock is a hint: without it a second worker finds the lease taken and ends */ }
  try {
    runtime.spawnDetached(command(), env);
    return { worker: "started" };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { worker: "failed", detail: `Cannot start the worker: ${why}` };
  }
}
