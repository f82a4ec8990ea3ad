/**
 * Removes small state files of sessions that ended long ago, so that costs follow what is new.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import { SESSION_PEER_FOLDER } from "../identity/session_peer.ts";
import { SHOWN_FOLDER } from "./cool_down.ts";
import { prunePauses } from "../outbox/pauses.ts";
import { OUTCOME_FOLDER } from "./outcome.ts";

const DAY_MS = 24 * 3600 * 1000;
/** Files untouched for this long concern no session that still runs. */
const KEPT_MS = 30 * DAY_MS;
/** Touched at each pruning: once a day is enough. */
const MARK = "state/pruned";
const FOLDERS = [
  OUTCOME_FOLDER,
  SESSION_PEER_FOLDER,
  "state/prompts",
  "state/notices",
  SHOWN_FOLDER,
] as const;

function pruneFolder(runtime: Runtime, folder: string, before: number): number {
  const { files } = runtime;
  let removed = 0;
  for (const name of files.list(folder)) {
    const path = `${folder}/${name}`;
    const stat = files.lstat(path);
    if (stat?.kind === "directory") {
      removed += pruneFolder(runtime, path, before);
      if (stat.mtimeMs < before && files.list(path).length === 0) files.removeTree(path);
    } else if (stat?.kind === "file" && stat.mtimeMs < before) {
      files.remove(path);
      removed++;
    }
  }
  return removed;
}

/** Prunes at most once a day; returns how many files went. Never throws. */
export function pruneState(runtime: Runtime, agentHome: string): number {
  const { files } = runtime;
  const mark = `${agentHome}/${MARK}`;
  try {
    const last = files.stat(mark)?.mtimeMs ?? 0;
    if (runtime.now() - last < DAY_MS) return 0;
    files.writeAtomic(mark, "", { sync: false });
    const before = runtime.now() - KEPT_MS;
    return FOLDERS.reduce(
      (sum, name) => sum + pruneFolder(runtime, `${agentHome}/${name}`, before),
      prunePauses(runtime, agentHome, before),
    );
  } catch {
    return 0;
  }
}
