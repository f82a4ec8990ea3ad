/**
 * Reads the messages and files that ranked best.
 *
 * @module
 */
import type { Store } from "../store/store.ts";
import type { StoredMessage } from "../messages/message_row.ts";
import type { StoredFile } from "../files/files.ts";
import { SESSION_SPAN } from "../store/layout.ts";
import { toStoredMessage } from "../messages/message_row.ts";
import { toStoredFile } from "../files/files.ts";

/** Texts of ranked messages and files. */
export interface Sources {
  readonly messages: ReadonlyMap<number, StoredMessage>;
  /** By minus their id. */
  readonly files: ReadonlyMap<number, StoredFile>;
  /** Session names by row id. */
  readonly sessions: ReadonlyMap<number, string>;
}

/** Reads sources by id. Those that are gone, or never were, are absent. */
export function readSources(store: Store, ids: readonly number[]): Sources {
  const messages = new Map<number, StoredMessage>();
  const files = new Map<number, StoredFile>();
  const sessions = new Map<number, string>();
  const wanted = ids.filter((id) => id > 0);
  if (wanted.length > 0) {
    const rows = store.sql(
      `SELECT m.*, s.id AS session, s.name AS session_name FROM json_each(?) j
        CROSS JOIN messages m ON m.id = j.value
        CROSS JOIN sessions s ON s.id = m.id / ${SESSION_SPAN}`,
    ).all(JSON.stringify(wanted));
    for (const row of rows) {
      messages.set(Number(row["id"]), toStoredMessage(row));
      sessions.set(Number(row["session"]), String(row["session_name"]));
    }
  }
  const fileIds = ids.filter((id) => id < 0).map((id) => -id);
  if (fileIds.length > 0) {
    const rows = store.sql(
      "SELECT f.* FROM json_each(?) j CROSS JOIN files f ON f.id = j.value",
    ).all(JSON.stringify(fileIds));
    for (const row of rows) files.set(-Number(row["id"]), toStoredFile(row));
  }
  return { messages, files, sessions };
}
