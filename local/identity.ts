/**
 * Whose memory a request is about, from its headers.
 *
 * @module
 */
import { invalidArgument } from "./wire.ts";

/** Account, user and view of one request. */
export interface Identity {
  readonly account: string;
  readonly user: string;
  /** `X-OpenViking-Actor-Peer`; absent when blank. Session routes ignore it, as on the server. */
  readonly actorPeer?: string;
}

const ID = /^[A-Za-z0-9_.@-]+$/;

function readId(value: string | undefined, fallback: string, field: string): string {
  const id = value?.trim() || fallback;
  if (!ID.test(id) || id === "." || id === "..") {
    throw invalidArgument(`${field} must be alpha_numeric string.`);
  }
  return id;
}

/** Reads the identity headers; what is not said comes from `defaults`. */
export function readIdentity(
  headers: Readonly<Record<string, string>>,
  defaults: { readonly account?: string; readonly user?: string },
): Identity {
  const peer = headers["x-openviking-actor-peer"]?.trim() ?? "";
  if (/[/\\]/.test(peer)) {
    throw invalidArgument("actor_peer_id must not contain path separators.");
  }
  return {
    account: readId(headers["x-openviking-account"], defaults.account ?? "default", "account_id"),
    user: readId(headers["x-openviking-user"], defaults.user ?? "default", "user_id"),
    ...(peer === "" ? {} : { actorPeer: peer }),
  };
}
