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
import { readFile } from "../files/files.ts";
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

/** Writes the notes of a remember session's messages; returns how many. Inside a transaction. */
export function rememberMessages(
  store: Store,
  owner: Owner,
  messages: readonly StoredMessage[],
): number {
  let written = 0;
  for (const message of messages) {
    if (message.role !== "user") continue;
    const text = message.parts.filter((part) => part.type === "text")
      .map((part) => String(part["text"])).join("\n").trim();
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
