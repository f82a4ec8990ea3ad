/**
 * Moves spool files from one target's folder to another's.
 *
 * @module
 */
import type { Runtime } from "../../runtime/types.ts";
import { OUTBOX_LAYOUT } from "../types.ts";
import { targetFolder } from "../target.ts";

/** Moves what waits in `from`'s spool to `folder`'s; a rename, so that no instant loses a file. */
export function takeOverSpool(
  runtime: Runtime,
  agentHome: string,
  from: string,
  folder: string,
): number {
  const spool = `${targetFolder(agentHome, from)}/${OUTBOX_LAYOUT.spool}`;
  if (spool.startsWith(`${folder}/`)) return 0;
  let moved = 0;
  for (const name of runtime.files.list(spool)) {
    if (!name.endsWith(".json")) continue;
    try {
      runtime.files.rename(`${spool}/${name}`, `${folder}/${OUTBOX_LAYOUT.spool}/${name}`);
      moved++;
    } catch { /* another worker was faster */ }
  }
  return moved;
}
