/**
 * Appends messages: stored once, indexed in the same transaction.
 *
 * @module
 */
import type { Owner, Store } from "../store/store.ts";
import type { Session } from "../sessions/session_row.ts";
import type { NewMessage } from "./new_message.ts";
import { requirePeer } from "../store/owners.ts";
import { createSession, pendingTokens } from "../sessions/sessions.ts";
import { findSession, messageId } from "../sessions/session_row.ts";
import { ROLES } from "./message_row.ts";
import { partsTokens } from "./parts.ts";
import { piecesOfParts } from "./pieces.ts";
import { writeIndex } from "../passages/index_writer.ts";
import { invalidArgument, RouteError } from "../wire.ts";
import { SESSION_SPAN } from "../store/layout.ts";

/** Characters of one request that the server takes. */
const LONGEST_REQUEST = 16_777_216;

/** A user message of several tool parts becomes one message per part, as on the server. */
function splitToolMessage(message: NewMessage): readonly NewMessage[] {
  const all = message.role === "user" && message.parts.length > 0 &&
    message.parts.every((part) => part.type === "tool");
  if (!all) return [message];
  return message.parts.map((part) => ({ ...message, parts: [part], kind: "tool_transport" }));
}

/** What an append answers. */
export interface Appended {
  readonly session: Session;
  /** Messages stored now; what the session already had counts nothing. */
  readonly added: number;
  readonly pendingTokens: number;
}

/** True when every id of the message was stored in the session before. */
function isKnown(store: Store, session: Session, message: NewMessage): boolean {
  if (message.sourceIds.length === 0) return false;
  const find = store.sql("SELECT 1 FROM message_sources WHERE session = ? AND source = ? LIMIT 1");
  return message.sourceIds.every((id) => find.get(session.id, id) !== undefined);
}

/** `created` in milliseconds and, where its ISO form is not what was sent, the text. */
function readCreated(text: string | undefined, now: number): [number, string | null] {
  if (text === undefined) return [now, null];
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return [now, text];
  return [ms, new Date(ms).toISOString() === text ? null : text];
}

function checkRequestSize(messages: readonly NewMessage[]): void {
  let size = 0;
  for (const { parts } of messages) {
    for (const part of parts) {
      if (typeof part["text"] === "string") size += part["text"].length;
      if (typeof part["tool_output"] === "string") size += part["tool_output"].length;
    }
  }
  if (size > LONGEST_REQUEST) throw invalidArgument("Session privacy text limit exceeded");
}

/**
 * Stores messages and their passages in one transaction and makes the session when it is new.
 * A message whose `source_message_ids` the session already knows is not stored again.
 */
export function appendMessages(
  store: Store,
  owner: Owner,
  sessionName: string,
  messages: readonly NewMessage[],
): Appended {
  checkRequestSize(messages);
  const session = findSession(store, owner, sessionName) ??
    createSession(store, owner, sessionName);
  const insert = store.sql(
    "INSERT INTO messages (id, role, peer, created, tokens, passage, created_text, extra, text, parts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const insertSource = store.sql(
    "INSERT OR IGNORE INTO message_sources (session, source, message, position) VALUES (?, ?, ?, ?)",
  );
  const index = writeIndex(store, owner);
  const now = store.now();
  let { nextSeq: seq, liveTokens } = session;
  for (const whole of messages) {
    if (isKnown(store, session, whole)) continue;
    for (const message of splitToolMessage(whole)) {
      if (seq >= SESSION_SPAN) throw invalidArgument("Session message limit exceeded");
      const id = messageId(session.id, seq);
      const peer = message.peer === undefined ? 0 : requirePeer(store, owner.id, message.peer);
      const [created, createdText] = readCreated(message.createdAt, now);
      const [first] = message.parts;
      const plain = message.parts.length === 1 && first?.type === "text" &&
          !String(first["text"]).includes("\0")
        ? String(first["text"])
        : undefined;
      const role = ROLES.indexOf(message.role);
      const tokens = partsTokens(message.parts);
      const extra = message.turnId === undefined && message.kind === undefined
        ? null
        : JSON.stringify({ turn_id: message.turnId, message_kind: message.kind });
      insert.run(
        id,
        role < 0 ? message.role : role,
        peer === 0 ? null : peer,
        created,
        tokens,
        index.add({ id, created, peer }, piecesOfParts(message.parts)),
        createdText,
        extra,
        plain ?? null,
        plain === undefined ? JSON.stringify(message.parts) : null,
      );
      message.sourceIds.forEach((source, at) => insertSource.run(session.id, source, id, at));
      liveTokens += tokens;
      seq++;
    }
  }
  index.finish();
  const added = seq - session.nextSeq;
  if (added > 0) {
    store.sql(
      "UPDATE sessions SET updated = ?, last_message = ?, next_seq = ?, live_count = live_count + ?, live_tokens = ?, total_count = total_count + ? WHERE id = ?",
    ).run(now, now, seq, added, liveTokens, added, session.id);
  }
  const after = findSession(store, owner, sessionName);
  if (after === undefined) throw new RouteError(500, "INTERNAL", "Internal server error");
  return { session: after, added, pendingTokens: pendingTokens(store, after) };
}
