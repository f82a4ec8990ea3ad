/**
 * A session keeps the peer it began with: a `cd` within it moves nothing.
 *
 * @module
 */
import type { Peer, PeerOptions } from "./peer.ts";
import { shortHash } from "./_hash.ts";
import { isPeerId, resolvePeer } from "./peer.ts";

/** Folder of remembered peers below the agent's home. */
export const SESSION_PEER_FOLDER = "state/peers";

/** What {@linkcode resolveSessionPeer} looks at. */
export interface SessionPeerOptions extends PeerOptions {
  readonly agentHome: string;
  /** Session id on the engine. */
  readonly session: string;
}

const SOURCES: readonly string[] = ["marker", "git-remote", "git-local", "none"];

function remembered(options: SessionPeerOptions, path: string): Peer | undefined {
  try {
    const { id, source } = JSON.parse(options.runtime.files.readText(path)) as Peer;
    if (!SOURCES.includes(source)) return undefined;
    if (source === "none") return { id: "", source };
    return typeof id === "string" && isPeerId(id) ? { id, source } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Like {@linkcode resolvePeer}, but the first answer of a session (no answer included) is kept under
 * `agent/state/peers/` and stays. An explicit peer and a peer that could not be resolved are never
 * kept. Never throws: where nothing can be written the directory decides each time.
 */
export function resolveSessionPeer(options: SessionPeerOptions): Peer {
  const { agentHome, session, runtime: { files } } = options;
  if ((options.explicitPeer?.trim() ?? "") !== "" || !options.workspacePeer) {
    return resolvePeer(options);
  }
  const name = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(session) ? session : shortHash(session);
  const path = `${agentHome}/${SESSION_PEER_FOLDER}/${name}.json`;
  const known = remembered(options, path);
  if (known !== undefined) return known;
  const peer = resolvePeer(options);
  if (peer.problem !== undefined) return peer;
  const write = () =>
    files.writeAtomic(path, JSON.stringify({ id: peer.id, source: peer.source }), { sync: false });
  try {
    write();
  } catch {
    try {
      files.makeDir(`${agentHome}/${SESSION_PEER_FOLDER}`);
      write();
    } catch { /* a full or read-only disk */ }
  }
  return peer;
}
