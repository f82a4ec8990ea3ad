/**
 * One worker per target: the authority is a database lock that the kernel frees at the holder's
 * death, the hint is a file lock that a hook can look at for nothing.
 *
 * @module
 */
import type { Database, FileLock, Runtime } from "../../runtime/types.ts";
import { OUTBOX_LAYOUT } from "../types.ts";

/** A held lease. */
export interface Lease {
  /** Takes the hint if it is free: a hook that looks holds it for an instant. */
  refreshHint(): void;
  release(): void;
}

/** Keeps the holder referenced: in Bun a collected database object gives its lock up. */
const held = new Set<Database>();

/** Takes the lease of a target's folder, or gives `undefined` when another process has it. */
export async function takeLease(runtime: Runtime, folder: string): Promise<Lease | undefined> {
  const db = await runtime.openDatabase(`${folder}/${OUTBOX_LAYOUT.lease}`, {
    busyTimeoutMs: 0,
    journal: "none",
  });
  try {
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (/locked|busy/i.test(String(error))) return undefined;
    throw error;
  }
  held.add(db);
  let hint: FileLock | undefined;
  const refreshHint = (): void => {
    if (hint !== undefined) return;
    try {
      hint = runtime.tryLock(`${folder}/${OUTBOX_LAYOUT.lock}`, String(runtime.pid));
    } catch { /* only a hint */ }
  };
  refreshHint();
  return {
    refreshHint,
    release() {
      hint?.release();
      hint = undefined;
      held.delete(db);
      db.close();
    },
  };
}
