/**
 * Messages as they are stored and given back.
 *
 * @module
 */
import type { SqlRow } from "../../lib/runtime/types.ts";
import type { Store } from "./store.ts";
import { peerName } from "./store.ts";
import { SESSION_SPAN } from "../schema.ts";

/** Roles that are stored as a number, by that number. */
export const ROLES: readonly string[] = ["user", "assistant", "system", "tool"];

/** A stored part, as it is given back. */
export type StoredPart = Readonly<Record<string, unknown>> & { readonly type: string };

/** A stored message. */
export interface StoredMessage {
  readonly id: number;
  readonly seq: number;
  readonly role: string;
  readonly peer: number;
  /** Milliseconds. */
  readonly created: number;
  /** As sent, or ISO. */
  readonly createdAt: string;
  readonly tokens: number;
  readonly passage: number | null;
  readonly turnId?: string;
  readonly kind?: string;
  readonly parts: readonly StoredPart[];
}

/** Reads a row of `messages` with all its columns. */
export function toStoredMessage(row: SqlRow): StoredMessage {
  const id = Number(row["id"]);
  const extra = row["extra"] === null
    ? {}
    : JSON.parse(String(row["extra"])) as { turn_id?: string; message_kind?: string };
  const created = Number(row["created"]);
  return {
    id,
    seq: id % SESSION_SPAN,
    role: typeof row["role"] === "number" ? ROLES[row["role"]] ?? "user" : String(row["role"]),
    peer: Number(row["peer"] ?? 0),
    created,
    createdAt: row["created_text"] === null
      ? new Date(created).toISOString()
      : String(row["created_text"]),
    tokens: Number(row["tokens"]),
    passage: row["passage"] === null ? null : Number(row["passage"]),
    ...(extra.turn_id === undefined ? {} : { turnId: extra.turn_id }),
    ...(extra.message_kind === undefined ? {} : { kind: extra.message_kind }),
    parts: row["parts"] === null
      ? [{ type: "text", text: String(row["text"]) }]
      : JSON.parse(String(row["parts"])) as StoredPart[],
  };
}

/** Messages of a session with sequence numbers in `[from, to)`, in order. */
export function readMessages(
  store: Store,
  session: number,
  from: number,
  to: number,
): StoredMessage[] {
  return store.sql("SELECT * FROM messages WHERE id >= ? AND id < ? ORDER BY id")
    .all(session * SESSION_SPAN + from, session * SESSION_SPAN + to).map(toStoredMessage);
}

/** One message, `undefined` when it is not there (any more). */
export function readMessageAt(
  store: Store,
  session: number,
  seq: number,
): StoredMessage | undefined {
  if (!Number.isInteger(seq) || seq < 1 || seq >= SESSION_SPAN) return undefined;
  const row = store.sql("SELECT * FROM messages WHERE id = ?").get(session * SESSION_SPAN + seq);
  return row === undefined ? undefined : toStoredMessage(row);
}

/** `msg_` and 32 hex digits, the same for one message for ever. */
function publicId(salt: string, id: number): string {
  return `msg_${salt.slice(0, 18)}${id.toString(16).padStart(14, "0")}`;
}

/** Messages as the server returns them, `source_message_ids` included. */
export function describeMessages(
  store: Store,
  messages: readonly StoredMessage[],
): Record<string, unknown>[] {
  const [head] = messages;
  if (head === undefined) return [];
  const salt = String(store.sql("SELECT value FROM meta WHERE key = 'salt'").get()?.["value"]);
  const sources = new Map<number, string[]>();
  const session = Math.floor(head.id / SESSION_SPAN);
  const rows = store.sql(
    "SELECT source, message FROM message_sources WHERE session = ? ORDER BY message, position",
  ).all(session);
  for (const row of rows) {
    const known = sources.get(Number(row["message"]));
    if (known === undefined) sources.set(Number(row["message"]), [String(row["source"])]);
    else known.push(String(row["source"]));
  }
  return messages.map((message) => {
    const ids = sources.get(message.id);
    return {
      id: publicId(salt, message.id),
      role: message.role,
      parts: message.parts,
      created_at: message.createdAt,
      ...(message.peer === 0 ? {} : { peer_id: peerName(store, message.peer) }),
      ...(message.turnId === undefined ? {} : { turn_id: message.turnId }),
      ...(message.kind === undefined ? {} : { message_kind: message.kind }),
      ...(ids === undefined ? {} : { source_message_ids: ids }),
    };
  });
}
