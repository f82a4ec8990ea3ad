/**
 * Moves spool files from one target's folder to another's.
 *
 * @module
 */
import type { Runtime } from "../../runtime/types.ts";
import { OUTBOX_LAYOUT } from "../types.ts";
import { spoolNames } from "./ingest.ts";

/** Moves what waits in one spool to another; a rename each, so that no instant loses a file. */
export function takeOverSpool(runtime: Runtime, from: string, to: string): void {
  for (const name of spoolNames({ runtime, folder: from })) {
    try {
      runtime.files.rename(
        `${from}/${OUTBOX_LAYOUT.spool}/${name}`,
        `${to}/${OUTBOX_LAYOUT.spool}/${name}`,
      );
    } catch { /* another worker was faster */ }
  }
}
