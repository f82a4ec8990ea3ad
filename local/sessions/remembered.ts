/**
 * The one thing a commit extracts: what a model was told to remember.
 *
 * MCP `remember` appends to a session of its own, `mcp-store-<hex>`, and commits it. Each user message
 * of such a session becomes one file, `memories/entities/remembered/<date>-<words>.md`, word for word.
 *
 * @module
 */
import type { Owner, Store } from "../store/store.ts";
import type { Session } from "./session_row.ts";
import type { StoredMessage } from "../messages/message_row.ts";
import { readFile } from "../files/files.ts";
import { writeFile } from "../files/file_writer.ts";

/** Prefix of the sessions that MCP `remember` makes (server 0.5.2). */
export const REMEMBER_PREFIX = "mcp-store-";
/** Folder of remembered notes, below the user's root. */
export const REMEMBERED_FOLDER = "memories/entities/remembered";

/** First words of a text as a file name; letters of any script stay. */
function slugOf(text: string): string {
  const slug = text.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  const cut = [...slug].slice(0, 48).join("");
  return (cut.length < slug.length ? cut.replace(/-[^-]*$/, "") || cut : cut) || "note";
}

/** Writes the notes of a remember session; returns how many. Inside a transaction. */
export function rememberSession(
  store: Store,
  owner: Owner,
  session: Session,
  messages: readonly StoredMessage[],
): number {
  if (!session.name.startsWith(REMEMBER_PREFIX)) return 0;
  let written = 0;
  for (const message of messages) {
    if (message.role !== "user") continue;
    const text = message.parts.filter((part) => part.type === "text")
      .map((part) => String(part["text"])).join("\n").trim();
    if (text === "") continue;
    const day = new Date(message.created).toISOString().slice(0, 10);
    const base = `${REMEMBERED_FOLDER}/${day}-${slugOf(text)}`;
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
