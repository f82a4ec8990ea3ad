/**
 * Remembers which session a project was in last, for the start of the next one.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";

/** What `agent/state/last-session/<peer>.json` holds. */
export interface LastSession {
  readonly session: string;
  /** ISO 8601. */
  readonly at: string;
}

function pathOf(agentHome: string, peer: string): string | undefined {
  if (!/^[\w.@-]{1,200}$/.test(peer) || /^\.+$/.test(peer)) return undefined;
  return `${agentHome}/state/last-session/${peer}.json`;
}

/** The last session of a project; `undefined` when none is known. */
export function readLastSession(
  runtime: Runtime,
  agentHome: string,
  peer: string,
): LastSession | undefined {
  const path = pathOf(agentHome, peer);
  if (path === undefined) return undefined;
  try {
    const { session, at } = JSON.parse(runtime.files.readText(path)) as Partial<LastSession>;
    return typeof session === "string" && typeof at === "string" ? { session, at } : undefined;
  } catch {
    return undefined;
  }
}

/** Writes it unless a later one is there. A failure is no harm: the start of a session says less. */
export function writeLastSession(
  runtime: Runtime,
  agentHome: string,
  peer: string,
  session: string,
  at: string,
): void {
  const path = pathOf(agentHome, peer);
  if (path === undefined) return;
  const known = readLastSession(runtime, agentHome, peer);
  if (known !== undefined && Date.parse(known.at) > Date.parse(at)) return;
  try {
    runtime.files.makeDir(path.slice(0, path.lastIndexOf("/")), 0o700);
    runtime.files.writeAtomic(path, JSON.stringify({ session, at }), { sync: false });
  } catch { /* see above */ }
}

/** Removes what points to forgotten sessions. */
export function dropLastSessions(
  runtime: Runtime,
  agentHome: string,
  sessions: ReadonlySet<string>,
): void {
  for (const name of runtime.files.list(`${agentHome}/state/last-session`)) {
    const peer = name.replace(/\.json$/, "");
    const path = pathOf(agentHome, peer);
    const known = readLastSession(runtime, agentHome, peer);
    if (path !== undefined && known !== undefined && sessions.has(known.session)) {
      runtime.files.remove(path);
    }
  }
}
