/**
 * A message as its row holds it.
 *
 * @module
 */
import type { SqlRow } from "../../lib/runtime/types.ts";
import { SESSION_SPAN } from "../store/layout.ts";

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
