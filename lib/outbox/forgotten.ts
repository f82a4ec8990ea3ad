/**
 * Sessions that a person had forgotten: what their transcripts said before is not taken in again,
 * into whatever queue. Holds ids and times, no words.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";

/** Below the agent's home; never pruned. */
const FILE = "state/forgotten.json";

function readMarks(runtime: Runtime, agentHome: string): Record<string, number> {
  try {
    const value = JSON.parse(runtime.files.readText(`${agentHome}/${FILE}`)) as unknown;
    return typeof value === "object" && value !== null ? value as Record<string, number> : {};
  } catch {
    return {};
  }
}

/** Milliseconds since the epoch up to which a session is forgotten; 0 when it is not. */
export function forgottenUntil(runtime: Runtime, agentHome: string, session: string): number {
  const marks = readMarks(runtime, agentHome);
  const until = Object.hasOwn(marks, session) ? marks[session] : 0;
  return typeof until === "number" ? until : 0;
}

/** Notes that sessions are forgotten up to now. Throws when that cannot be written. */
export function markForgotten(
  runtime: Runtime,
  agentHome: string,
  sessions: Iterable<string>,
): void {
  const marks = new Map(Object.entries(readMarks(runtime, agentHome)));
  for (const session of sessions) marks.set(session, runtime.now());
  runtime.files.makeDir(`${agentHome}/state`, 0o700);
  runtime.files.writeAtomic(`${agentHome}/${FILE}`, JSON.stringify(Object.fromEntries(marks)));
}
