/**
 * What a session was given of late is not given again, on the embedded engine: one small file per
 * session that is written in place, and only by a prompt that showed something.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import { fileNameOf } from "./_file_name.ts";

/** Folder of the files below the agent's home. */
export const SHOWN_FOLDER = "state/shown";

/** What one session was given. */
export interface CoolDown {
  /** Addresses that were given in the last turns. */
  readonly recent: readonly string[];
  /** Notes what was given now. Never throws: without the note something comes twice. */
  note(uris: readonly string[]): void;
}

function pathOf(agentHome: string, session: string): string {
  return `${agentHome}/${SHOWN_FOLDER}/${fileNameOf(session)}.json`;
}

/** The cool-down of a session over its last `turns` prompts that showed something. */
export function openCoolDown(
  runtime: Runtime,
  agentHome: string,
  session: string,
  turns: number,
): CoolDown {
  const path = pathOf(agentHome, session);
  let shown: string[][] = [];
  try {
    const value: unknown = JSON.parse(runtime.files.readText(path));
    if (Array.isArray(value)) shown = value.filter(Array.isArray).slice(-turns);
  } catch { /* nothing was shown yet */ }
  return {
    recent: shown.flat().filter((uri) => typeof uri === "string"),
    note(uris) {
      const text = JSON.stringify([...shown, uris].slice(-turns));
      try {
        runtime.files.overwrite(path, text);
      } catch {
        try {
          runtime.files.makeDir(`${agentHome}/${SHOWN_FOLDER}`);
          runtime.files.overwrite(path, text);
        } catch { /* a full or read-only disk */ }
      }
    },
  };
}

/** A compacted or cleared session has lost what it was given. */
export function endCoolDown(runtime: Runtime, agentHome: string, session: string): void {
  try {
    runtime.files.remove(pathOf(agentHome, session));
  } catch { /* there was none */ }
}
