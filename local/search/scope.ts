/**
 * Where every search may look: peers, and not at what the model has before its eyes.
 *
 * @module
 */
import type { Identity } from "../identity.ts";
import type { Owner, Store } from "../store/store.ts";
import type { SearchScope } from "./retrieve.ts";
import { findPeer } from "../store/store.ts";
import { findSession, messageId } from "../sessions/session_row.ts";

/**
 * Makes the scope of a search.
 *
 * @param actorOnly Only the acting peer's passages and those of no peer.
 * @param sessionName Whose live messages are left out.
 */
export function scopeOf(
  store: Store,
  identity: Identity,
  owner: Owner,
  actorOnly: boolean,
  sessionName: string | undefined,
): SearchScope {
  const conditions: string[] = [];
  const values: number[] = [];
  const peer = identity.actorPeer === undefined
    ? undefined
    : findPeer(store, owner.id, identity.actorPeer);
  if (actorOnly) {
    conditions.push("coalesce(p.peer, 0) IN (0, ?)");
    values.push(peer ?? 0);
  }
  const session = sessionName === undefined ? undefined : findSession(store, owner, sessionName);
  if (session !== undefined && session.liveCount > 0) {
    conditions.push("NOT (p.source >= ? AND p.source < ?)");
    values.push(messageId(session.id, session.liveFrom), messageId(session.id, session.nextSeq));
  }
  return { conditions, values, peer: identity.actorPeer === undefined ? undefined : peer ?? -1 };
}
