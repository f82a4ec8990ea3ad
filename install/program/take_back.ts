/**
 * Takes back what a failed run added to an agent home. What stood there before stays.
 *
 * @module
 */
import type { Files } from "../../lib/runtime/types.ts";
import { removeEmptyFolders } from "../state/current_file.ts";
import { LOCK_NAME } from "../state/places.ts";
import { RECORD_NAME } from "../state/record.ts";
import { launcherPath, PROGRAM_NAMES } from "./deploy.ts";

/** Folders in which a run adds entries beside older ones. */
const SHARED = ["versions", "runtime"] as const;

/** What stands in an agent home before a run. */
export interface Earlier {
  readonly agent: string;
  /** Folders above and with the agent home that the run makes, outermost first. */
  readonly folders: readonly string[];
  /** Paths of ours that were there. */
  readonly paths: ReadonlySet<string>;
  /** Text and mode of the files that a run writes over. */
  readonly texts: ReadonlyMap<string, { readonly text: string; readonly mode: number }>;
}

function pathsOf(files: Files, agent: string): string[] {
  return [
    ...SHARED.flatMap((folder) =>
      files.list(`${agent}/${folder}`).map((name) => `${agent}/${folder}/${name}`)
    ),
    launcherPath(agent),
    ...[...PROGRAM_NAMES, RECORD_NAME, LOCK_NAME].map((name) => `${agent}/${name}`),
  ].filter((path) => files.lstat(path) !== undefined);
}

/** Looks under the lock, before anything else is written. */
export function lookEarlier(
  files: Files,
  agent: string,
  before: { readonly folders: readonly string[]; readonly hadLock: boolean },
): Earlier {
  const texts = new Map<string, { text: string; mode: number }>();
  for (const path of [launcherPath(agent), `${agent}/current`, `${agent}/${RECORD_NAME}`]) {
    const stat = files.stat(path);
    if (stat?.kind === "file") texts.set(path, { text: files.readText(path), mode: stat.mode });
  }
  const paths = new Set(pathsOf(files, agent));
  if (!before.hadLock) paths.delete(`${agent}/${LOCK_NAME}`);
  return { agent, folders: before.folders, paths, texts };
}

/** Takes back what was added since; returns the paths that cannot be taken back. */
export function takeBack(files: Files, earlier: Earlier): string[] {
  const { agent } = earlier;
  const stuck: string[] = [];
  const attempt = (path: string, work: () => void) => {
    try {
      work();
    } catch {
      stuck.push(path);
    }
  };
  // Record and pointer go first: nothing names then what is removed.
  for (const [path, { text, mode }] of [...earlier.texts].reverse()) {
    attempt(path, () => {
      if (files.readText(path) !== text) files.writeAtomic(path, text, { mode });
    });
  }
  let added: string[] = [];
  attempt(agent, () => {
    added = pathsOf(files, agent).filter((path) => !earlier.paths.has(path));
  });
  for (const path of added) attempt(path, () => files.removeTree(path));
  attempt(agent, () => removeEmptyFolders(files, earlier.folders));
  return stuck;
}
