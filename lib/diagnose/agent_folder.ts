/**
 * Whether hooks can keep what they must keep: the agent home and its folders can be written.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import { FileError } from "../runtime/types.ts";
import { AGENT_LAYOUT } from "../config/paths.ts";
import { OUTCOME_FOLDER } from "../hook/outcome.ts";
import type { Check } from "./types.ts";
import { check } from "./types.ts";

/** Folders in which every hook writes, as far as they are there. */
const WRITTEN = ["", `/${AGENT_LAYOUT.state}`, `/${OUTCOME_FOLDER}`, `/${AGENT_LAYOUT.outbox}`];

/** Why nothing can be kept in `folder`; `undefined` when it can, or when it is not there yet. */
function faultOf({ files, randomId }: Runtime, folder: string): string | undefined {
  try {
    const stat = files.stat(folder);
    if (stat === undefined) return undefined;
    if (stat.kind !== "directory") return "it is not a folder";
    const trial = `${folder}/.trial-${randomId().slice(0, 8)}`;
    files.createEmpty(trial, 0o600);
    files.remove(trial);
    return undefined;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return error.code;
  }
}

/** One check: fails with the first folder that cannot be written. */
export function checkAgentFolder(runtime: Runtime, agentHome: string): Check {
  for (const below of WRITTEN) {
    const folder = `${agentHome}${below}`;
    const fault = faultOf(runtime, folder);
    if (fault === undefined) continue;
    return check(
      "agent-folder",
      "fail",
      `Cannot write ${folder}: ${fault}; hooks and the queue keep nothing there`,
      fault === "full"
        ? "Free space on its disk"
        : `Make ${folder} a folder that you can write, or name another place with OPENVIKING_AGENT_HOME and install again`,
    );
  }
  return check("agent-folder", "ok", "Our folder can be written");
}
