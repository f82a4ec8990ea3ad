/**
 * Puts messages and commits into a session's queue.
 *
 * @module
 */
import type { CapturedMessage } from "../../capture/model.ts";
import type { BoundaryReason } from "../types.ts";
import type { SessionRow } from "./sessions.ts";
import { refreshOpen } from "./sessions.ts";
import { num, type Store } from "./store.ts";

/** True when a message's id is known for this host and scope already. */
export function isCaptured(store: Store, host: string, scope: string, native: string): boolean {
  return store.get(
    "SELECT 1 FROM captured WHERE host = ? AND scope = ? AND native = ?",
    host,
    scope,
    native,
  ) !== undefined;
}

/**
 * Appends messages that are clean already, in order, and remembers their ids; what is known is passed
 * over. Call it in a transaction. Returns how many were new.
 *
 * @param scope "" when ids are unique over all sessions of the host, else the session.
 */
export function enqueueMessages(
  store: Store,
  session: SessionRow,
  scope: string,
  messages: readonly CapturedMessage[],
  now: number,
): number {
  let seq = num(store.get("SELECT next_seq FROM sessions WHERE id = ?", session.id), "next_seq");
  const first = seq;
  for (const message of messages) {
    const isNew = store.run(
      "INSERT OR IGNORE INTO captured(host, scope, native, session) VALUES (?,?,?,?)",
      session.host,
      scope,
      message.id,
      session.id,
    );
    if (isNew === 0) continue;
    const body = JSON.stringify(message);
    store.run(
      `INSERT INTO messages(session, seq, source, body, bytes, queued_at, changed_at)
       VALUES (?,?,?,?,?,?,?)`,
      session.id,
      seq++,
      message.id,
      body,
      body.length,
      now,
      now,
    );
  }
  if (seq > first) {
    store.run("UPDATE sessions SET next_seq = ?, open = 1 WHERE id = ?", seq, session.id);
  }
  return seq - first;
}

/** What a commit is asked to do. */
export interface CommitRequest {
  readonly reason: BoundaryReason;
  readonly keepRecentCount: number;
}

/**
 * Asks for a commit of everything queued so far. Call it in the transaction that stored the messages.
 * A commit that waits already for the same messages, with the same meaning, is enough.
 *
 * @param upTo Last message that the commit waits for. @default the last one queued
 */
export function enqueueCommit(
  store: Store,
  session: SessionRow,
  request: CommitRequest,
  now: number,
  upTo?: number,
): boolean {
  const params = JSON.stringify({ keep_recent_count: request.keepRecentCount });
  const afterSeq = upTo ??
    num(store.get("SELECT next_seq FROM sessions WHERE id = ?", session.id), "next_seq") - 1;
  const waits = store.get(
    `SELECT 1 FROM commits WHERE session = ? AND phase = 'requested' AND after_seq = ?
       AND params = ? AND generation = ? AND reason = ?`,
    session.id,
    afterSeq,
    params,
    session.generation,
    request.reason,
  );
  if (waits !== undefined) return false;
  store.run(
    `INSERT INTO commits(session, generation, reason, after_seq, params, requested_at)
     VALUES (?,?,?,?,?,?)`,
    session.id,
    session.generation,
    request.reason,
    afterSeq,
    params,
    now,
  );
  refreshOpen(store, session.id);
  return true;
}
