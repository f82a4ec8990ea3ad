/**
 * Outcome records: what the last run of each stage of each session came to, one small file each.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type { OutcomeRecord } from "./types.ts";
import { fileNameOf } from "./_file_name.ts";

/** Folder of outcome records below the agent's home. */
export const OUTCOME_FOLDER = "state/outcomes";

/**
 * Keeps the record under `agent/state/outcomes/<host>/<session>/<stage>.json`. Never throws: a
 * record that cannot be written is lost, the hook's answer is not.
 */
export function writeOutcome(runtime: Runtime, agentHome: string, record: OutcomeRecord): void {
  const folder = `${agentHome}/${OUTCOME_FOLDER}/${fileNameOf(record.host)}/${
    fileNameOf(record.session)
  }`;
  const write = () =>
    runtime.files.overwrite(
      `${folder}/${fileNameOf(record.stage)}.json`,
      `${JSON.stringify(record)}\n`,
    );
  try {
    write();
  } catch {
    try {
      runtime.files.makeDir(folder);
      write();
    } catch { /* a full or read-only disk */ }
  }
}

/** Every readable record, newest first; unreadable files are passed over. */
export function readOutcomes(runtime: Runtime, agentHome: string): OutcomeRecord[] {
  const { files } = runtime;
  const root = `${agentHome}/${OUTCOME_FOLDER}`;
  const records: OutcomeRecord[] = [];
  for (const host of files.list(root)) {
    for (const session of files.list(`${root}/${host}`)) {
      for (const name of files.list(`${root}/${host}/${session}`)) {
        if (!name.endsWith(".json") || name.startsWith(".")) continue;
        try {
          records.push(JSON.parse(files.readText(`${root}/${host}/${session}/${name}`)));
        } catch { /* half removed or foreign */ }
      }
    }
  }
  return records.sort((a, b) => b.at < a.at ? -1 : b.at > a.at ? 1 : 0);
}
