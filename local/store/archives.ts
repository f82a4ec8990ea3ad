/**
 * Commits: archives are ranges of messages; nothing is moved or rewritten.
 *
 * @module
 */
import type { Identity } from "../identity.ts";
import type { Owner, Store } from "./store.ts";
import type { Session } from "./sessions.ts";
import type { StoredMessage } from "./stored_message.ts";
import { readMessages } from "./stored_message.ts";
import { messageId, sessionUri } from "./sessions.ts";
import { cutAtTokens } from "../text/tokens.ts";
import { rememberSession } from "./remembered.ts";
import { recordTask } from "./tasks.ts";

/** One archive. */
export interface Archive {
  readonly number: number;
  readonly fromSeq: number;
  /** First sequence number after it. */
  readonly toSeq: number;
  readonly created: number;
  /** Whether it has an overview. */
  readonly overview: boolean;
}

/** `archive_007` */
export function archiveName(number: number): string {
  return `archive_${String(number).padStart(3, "0")}`;
}

/** Archives of a session, oldest first. */
export function listArchives(store: Store, session: number): Archive[] {
  return store.sql("SELECT * FROM archives WHERE session = ? ORDER BY number").all(session).map(
    (row) => ({
      number: Number(row["number"]),
      fromSeq: Number(row["from_seq"]),
      toSeq: Number(row["to_seq"]),
      created: Number(row["created"]),
      overview: row["overview"] === 1,
    }),
  );
}

/** What a commit was asked to do. */
export interface CommitRequest {
  readonly keepRecent: number;
  readonly overview: boolean;
  readonly resetContext: boolean;
  readonly automatic: boolean;
}

/** What came of it; `reason` says why nothing was archived. */
export type Committed =
  | { readonly reason: "no_messages" | "all_within_keep_window" }
  | { readonly archive: number; readonly taskId: string };

/** Sequence number from which messages stay live when the newest `keep` are kept. */
function keepFrom(store: Store, session: Session, keep: number): number {
  if (keep === 0) return session.nextSeq;
  const row = store.sql(
    "SELECT min(id) AS first FROM (SELECT id FROM messages WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?)",
  ).get(messageId(session.id, session.liveFrom), messageId(session.id, session.nextSeq), keep);
  return Number(row?.["first"] ?? 0) - messageId(session.id, 0);
}

/** Archives the live messages but the newest kept ones. Inside a transaction. */
export function commitSession(
  store: Store,
  owner: Owner,
  session: Session,
  request: CommitRequest,
): Committed {
  if (session.liveCount === 0) {
    if (request.resetContext) resetContext(store, session, session.commitCount + 1);
    return { reason: "no_messages" };
  }
  if (session.liveCount <= request.keepRecent) return { reason: "all_within_keep_window" };
  const now = store.now();
  const from = session.liveFrom;
  const to = keepFrom(store, session, request.keepRecent);
  const number = 1 + Number(
    store.sql("SELECT max(number) AS top FROM archives WHERE session = ?").get(session.id)
      ?.["top"] ?? 0,
  );
  store.sql(
    "INSERT INTO archives (session, number, from_seq, to_seq, created, overview) VALUES (?, ?, ?, ?, ?, ?)",
  ).run(session.id, number, from, to, now, request.overview ? 1 : 0);
  const kept = store.sql(
    "SELECT count(*) AS count, sum(tokens) AS tokens FROM messages WHERE id >= ? AND id < ?",
  ).get(messageId(session.id, to), messageId(session.id, session.nextSeq));
  const written = rememberSession(store, owner, session, readMessages(store, session.id, from, to));
  store.sql(
    "UPDATE sessions SET live_from = ?, live_count = ?, live_tokens = ?, commit_count = commit_count + 1, last_commit = ?, last_auto_commit = coalesce(?, last_auto_commit), keep_recent = ?, memories_written = memories_written + ?, updated = ? WHERE id = ?",
  ).run(
    to,
    Number(kept?.["count"] ?? 0),
    Number(kept?.["tokens"] ?? 0),
    now,
    request.automatic ? now : null,
    request.keepRecent,
    written,
    now,
    session.id,
  );
  if (request.resetContext) resetContext(store, session, number + 1);
  const taskId = recordTask(store, owner.id, "session_commit", session.name, {
    session_id: session.name,
    archive_uri: archiveUri(owner, session.name, number),
    memories_extracted: written === 0 ? {} : { memory_write: written },
    session_skills_extracted: 0,
    session_skill_uris: [],
    memory_extraction: { skipped: 0, skipped_operations: [] },
    usage_events_extracted: 0,
    effective_memory_types: [],
    agent_evolution_enabled: false,
    agent_memory_skip_reason: "agent_evolution_disabled",
    token_usage: {
      llm: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      embedding: { total_tokens: 0 },
      total: { total_tokens: 0 },
    },
  });
  return { archive: number, taskId };
}

function resetContext(store: Store, session: Session, from: number): void {
  store.sql("UPDATE sessions SET overview_from = ? WHERE id = ?").run(from, session.id);
}

/** Address of an archive's folder. */
export function archiveUri(identity: Identity, session: string, number: number): string {
  return `${sessionUri(identity, session)}/history/${archiveName(number)}`;
}

/** Text of a message without its tool parts. */
export function plainText(message: StoredMessage): string {
  return message.parts.filter((part) => part.type === "text").map((part) => String(part["text"]))
    .join("\n").trim();
}

/** Tokens of each of the three excerpts of an overview. */
const EXCERPT_TOKENS = 120;

function excerpt(text: string): string {
  const plain = text.replace(/\s+/g, " ").trim();
  const end = cutAtTokens(plain, EXCERPT_TOKENS);
  return end < plain.length ? `${plain.slice(0, end).trimEnd()} [...]` : plain;
}

/** First (or last) message with words from `role` among ids `[from, to)`. */
function findSpoken(
  store: Store,
  from: number,
  to: number,
  role: "user" | "assistant",
  last: boolean,
): string {
  const direction = last ? "DESC" : "ASC";
  const rows = store.sql(
    `SELECT text, parts FROM messages WHERE id >= ? AND id < ? AND role = ? ORDER BY id ${direction} LIMIT 8`,
  ).all(from, to, role === "user" ? 0 : 1);
  for (const row of rows) {
    const text = row["parts"] === null
      ? String(row["text"])
      : (JSON.parse(String(row["parts"])) as { type: string; text?: string }[])
        .filter((part) => part.type === "text").map((part) => part.text ?? "").join("\n");
    if (text.trim() !== "") return text;
  }
  return "";
}

/**
 * What an archive shows without a model: the session's first request, the archive's last request and
 * last answer, each cut short, under a heading that says so.
 */
export function archiveOverview(store: Store, session: Session, archive: Archive): string {
  const start = messageId(session.id, 1);
  const from = messageId(session.id, archive.fromSeq);
  const to = messageId(session.id, archive.toSeq);
  const first = findSpoken(store, start, to, "user", false);
  const last = findSpoken(store, from, to, "user", true);
  const reply = findSpoken(store, from, to, "assistant", true);
  const lines = [
    first === "" ? "" : `First request: ${excerpt(first)}`,
    last === "" || last === first ? "" : `Last request: ${excerpt(last)}`,
    reply === "" ? "" : `Last answer: ${excerpt(reply)}`,
  ].filter((line) => line !== "");
  if (lines.length === 0) return "";
  const count = archive.toSeq - archive.fromSeq;
  const day = new Date(archive.created).toISOString().slice(0, 10);
  return `# Excerpt of an archived conversation (made mechanically, not a summary; ${count} messages, archived ${day})\n\n${
    lines.join("\n")
  }`;
}

/** Overview of the newest archive that may be shown, "" when there is none. */
export function latestOverview(store: Store, session: Session): string {
  const archive = listArchives(store, session.id).findLast((one) =>
    one.overview && one.number >= session.overviewFrom
  );
  return archive === undefined ? "" : archiveOverview(store, session, archive);
}
