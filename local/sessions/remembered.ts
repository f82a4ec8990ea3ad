/**
 * The one thing a commit extracts: what a model was told to remember.
 *
 * MCP `remember` appends to a session of its own, `mcp-store-<hex>`, and commits it. Each user message
 * of such a session becomes one file, `memories/entities/remembered/<date>-<words>.md`, word for word.
 *
 * @module
 */
import type { Owner, Store } from "../store/store.ts";
import type { StoredMessage } from "../messages/message_row.ts";
import type { StoredFile } from "../files/files.ts";
import type { Session } from "./session_row.ts";
import { filesBelow, readFile } from "../files/files.ts";
import { readMessages } from "../messages/stored_message.ts";
import { listSessions } from "./sessions.ts";
import { writeFile } from "../files/file_writer.ts";

/** Folder of remembered notes, below the user's root. */
const FOLDER = "memories/entities/remembered";

/** True for the sessions that MCP `remember` makes (server 0.5.2). */
export function isRemembering(sessionName: string): boolean {
  return sessionName.startsWith("mcp-store-");
}

/** First words of a text as a file name; letters of any script stay. */
function slugOf(text: string): string {
  const slug = text.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  const cut = [...slug].slice(0, 48).join("");
  return (cut.length < slug.length ? cut.replace(/-[^-]*$/, "") || cut : cut) || "note";
}

/** What a message says, as a note of it does. */
function noteOf(message: StoredMessage): string {
  return message.parts.filter((part) => part.type === "text")
    .map((part) => String(part["text"])).join("\n").trim();
}

/** Notes that say what a message of a remember session says: to forget one is to forget the other. */
export function notesOf(store: Store, owner: Owner, message: StoredMessage): StoredFile[] {
  const said = noteOf(message);
  return filesBelow(store, owner.id, FOLDER).filter(({ text }) => text === said);
}

/** Messages of remember sessions that say what these notes say. */
export function sourcesOf(
  store: Store,
  owner: Owner,
  files: readonly StoredFile[],
): [session: Session, message: StoredMessage][] {
  const said = new Set(
    files.filter(({ path }) => path.startsWith(`${FOLDER}/`)).map(({ text }) => text),
  );
  if (said.size === 0) return [];
  return listSessions(store, owner).filter(({ name }) => isRemembering(name)).flatMap((session) =>
    readMessages(store, session.id, 1, session.nextSeq)
      .filter((message) => said.has(noteOf(message)))
      .map((message): [Session, StoredMessage] => [session, message])
  );
}

/** Writes the notes of a remember session's messages; returns how many. Inside a transaction. */
export function rememberMessages(
  store: Store,
  owner: Owner,
  messages: readonly StoredMessage[],
): number {
  let written = 0;
  for (const message of messages) {
    if (message.role !== "user") continue;
    const text = noteOf(message);
    if (text === "") continue;
    const day = new Date(message.created).toISOString().slice(0, 10);
    const base = `${FOLDER}/${day}-${slugOf(text)}`;
    let path = `${base}.md`;
    for (let n = 2;; n++) {
      const there = readFile(store, owner.id, path);
      if (there === undefined || there.text === text) break;
      path = `${base}-${n}.md`;
    }
    writeFile(store, owner, path, text);
    written++;
  }
  return written;
}
