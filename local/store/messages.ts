/**
 * Messages: reading what a client sends, storing it once, giving it back.
 *
 * @module
 */
import type { SqlRow } from "../../lib/runtime/types.ts";
import type { Identity } from "../identity.ts";
import type { Owner, Store } from "./store.ts";
import type { Session } from "./sessions.ts";
import type { StoredPart } from "./parts.ts";
import type { Fields } from "../validate.ts";
import { peerId, peerName } from "./store.ts";
import { createSession, findSession, messageId, pendingTokens } from "./sessions.ts";
import { partsTokens, readPart, soundText } from "./parts.ts";
import { piecesOfParts } from "./indexable.ts";
import { peerScope, SCOPE, writeIndex } from "./index_writer.ts";
import { optionalChoice, optionalText, requiredText, textList } from "../validate.ts";
import { invalidArgument, RouteError, validationError } from "../wire.ts";
import { SESSION_SPAN } from "../schema.ts";

/** A message ready to be stored. */
export interface NewMessage {
  readonly role: string;
  readonly parts: readonly StoredPart[];
  readonly peer?: string;
  readonly createdAt?: string;
  readonly turnId?: string;
  readonly kind?: string;
  readonly sourceIds: readonly string[];
}

/** Characters of one request that the server takes. */
const LONGEST_REQUEST = 16_777_216;
const KINDS = ["user_query", "assistant_step", "tool_transport", "checkpoint"] as const;
const ROLES = ["user", "assistant", "system", "tool"];

function readPeer(body: Fields, loc: readonly string[]): string | undefined {
  const peer = optionalText(body, "peer_id", [...loc, "peer_id"])?.trim();
  if (peer === undefined || peer === "") return undefined;
  if (
    !/^[A-Za-z0-9_.@-]+$/.test(peer) || peer.split("@").length > 2 || peer === "." || peer === ".."
  ) {
    throw validationError(
      [...loc, "peer_id"],
      "Value error, Invalid peer_id: peer_id must be alpha_numeric string.",
      "value_error",
    );
  }
  return peer;
}

/** Reads one `AddMessageRequest`; unknown fields are ignored, as on the server. */
export function readMessage(
  body: Fields,
  loc: readonly string[],
  identity: Identity,
): NewMessage {
  const role = requiredText(body, "role", [...loc, "role"]);
  const content = optionalText(body, "content", [...loc, "content"]);
  const parts = body["parts"] ?? undefined;
  if (parts !== undefined && !Array.isArray(parts)) {
    throw validationError([...loc, "parts"], "Input should be a valid list", "list_type");
  }
  if (content === undefined && parts === undefined) {
    throw validationError(
      loc,
      "Value error, Either 'content' or 'parts' must be provided",
      "value_error",
    );
  }
  const peer = readPeer(body, loc);
  const createdAt = optionalText(body, "created_at", [...loc, "created_at"]);
  const turnId = optionalText(body, "turn_id", [...loc, "turn_id"]);
  const kind = optionalChoice(body, "message_kind", KINDS, [...loc, "message_kind"]);
  return {
    role,
    parts: parts === undefined
      ? [{ type: "text", text: soundText(content ?? "") }]
      : parts.map((part, at) => readPart(part, [...loc, "parts", String(at)], identity)),
    ...(peer === undefined ? {} : { peer }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(turnId === undefined ? {} : { turnId }),
    ...(kind === undefined ? {} : { kind }),
    sourceIds: textList(body, "source_message_ids"),
  };
}

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
      const peer = message.peer === undefined ? 0 : peerId(store, owner.id, message.peer, true);
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
        index.add(id, `${peerScope(peer)} ${SCOPE.message}`, piecesOfParts(message.parts)),
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
    .all(messageId(session, from), messageId(session, to)).map(toStoredMessage);
}

/** One message, `undefined` when it is not there (any more). */
export function readMessageAt(
  store: Store,
  session: number,
  seq: number,
): StoredMessage | undefined {
  if (!Number.isInteger(seq) || seq < 1 || seq >= SESSION_SPAN) return undefined;
  const row = store.sql("SELECT * FROM messages WHERE id = ?").get(messageId(session, seq));
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
