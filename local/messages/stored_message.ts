/**
 * Reads messages, and gives them back as the server does.
 *
 * @module
 */
import type { Store } from "../store/store.ts";
import { type StoredMessage, toStoredMessage } from "./message_row.ts";
import { SESSION_SPAN } from "../store/layout.ts";

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
      ...(message.peer === 0 ? {} : {
        peer_id: store.sql("SELECT name FROM peers WHERE id = ?").get(message.peer)?.["name"],
      }),
      ...(message.turnId === undefined ? {} : { turn_id: message.turnId }),
      ...(message.kind === undefined ? {} : { message_kind: message.kind }),
      ...(ids === undefined ? {} : { source_message_ids: ids }),
    };
  });
}
