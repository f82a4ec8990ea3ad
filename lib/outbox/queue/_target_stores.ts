/**
 * The stores of all targets, for commands.
 *
 * @module
 */
import type { Runtime } from "../../runtime/types.ts";
import { openExistingStore, type Store } from "../store/store.ts";
import { outboxFolder, targetFolder } from "../target.ts";
import { OUTBOX_LAYOUT } from "../types.ts";

/** Names of the targets that have a folder. */
export function targetIds(runtime: Runtime, agentHome: string): string[] {
  return runtime.files.list(outboxFolder(agentHome))
    .filter((name) => runtime.files.stat(targetFolder(agentHome, name))?.kind === "directory")
    .sort();
}

/** Opens the store of a target for `work`; `undefined` when it has none. */
export async function withStore<T>(
  runtime: Runtime,
  agentHome: string,
  targetId: string,
  work: (store: Store) => T,
): Promise<T | undefined> {
  const folder = targetFolder(agentHome, targetId);
  if (runtime.files.stat(`${folder}/${OUTBOX_LAYOUT.store}`) === undefined) return undefined;
  const store = await openExistingStore(runtime, folder);
  try {
    return work(store);
  } finally {
    store.close();
  }
}
