/**
 * Archives: ranges of messages that were committed, and what they show without a model.
 *
 * @module
 */
import type { Identity } from "../identity.ts";
import type { Store } from "../store/store.ts";
import type { Session } from "./session_row.ts";
import { messageId } from "./session_row.ts";
import { sessionUri } from "./sessions.ts";
import { cutAtTokens } from "../text/tokens.ts";

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

/** Address of an archive's folder. */
export function archiveUri(identity: Identity, session: string, number: number): string {
  return `${sessionUri(identity, session)}/history/${archiveName(number)}`;
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
