/**
 * Forgetting: sessions, single messages, files; their words leave the file as well.
 *
 * @module
 */
import type { Owner, Store } from "./store.ts";
import type { Session } from "../sessions/session_row.ts";
import type { StoredMessage } from "../messages/message_row.ts";
import type { StoredFile } from "../files/files.ts";
import { messageId } from "../sessions/session_row.ts";
import { purgeRemoved, removePassages } from "../passages/index_writer.ts";
import { deleteFile } from "../files/file_writer.ts";

/** Runs `work` in a transaction whose removed pages are overwritten, then purges the index. */
function erasing(store: Store, owner: number, work: () => void): void {
  store.db.exec("PRAGMA secure_delete = ON");
  store.db.transaction(work);
  purgeRemoved(store, owner);
}

/** Deletes a session with all that was said in it. Notes remembered from it stay. */
export function deleteSession(store: Store, owner: Owner, session: Session): void {
  erasing(store, owner.id, () => {
    const from = messageId(session.id, 0);
    const to = messageId(session.id + 1, 0);
    const rows = store.sql("SELECT id, passage FROM messages WHERE id >= ? AND id < ?")
      .all(from, to);
    for (const row of rows) {
      removePassages(
        store,
        owner.id,
        Number(row["id"]),
        row["passage"] === null ? null : Number(row["passage"]),
      );
    }
    store.sql("DELETE FROM messages WHERE id >= ? AND id < ?").run(from, to);
    store.sql("DELETE FROM message_sources WHERE session = ?").run(session.id);
    store.sql("DELETE FROM archives WHERE session = ?").run(session.id);
    store.sql("DELETE FROM shown WHERE session = ?").run(session.id);
    store.sql("DELETE FROM sessions WHERE id = ?").run(session.id);
  });
}

/** Deletes one message; its source ids stay known, so that it is not taken in again. */
export function deleteMessage(
  store: Store,
  owner: Owner,
  session: Session,
  message: StoredMessage,
): void {
  erasing(store, owner.id, () => {
    removePassages(store, owner.id, message.id, message.passage);
    store.sql("DELETE FROM messages WHERE id = ?").run(message.id);
    const live = message.seq >= session.liveFrom ? 1 : 0;
    store.sql(
      "UPDATE sessions SET live_count = live_count - ?, live_tokens = live_tokens - ?, total_count = total_count - 1, updated = ? WHERE id = ?",
    ).run(live, live * message.tokens, store.now(), session.id);
  });
}

/** Deletes files, and folders made by hand. */
export function deleteFiles(
  store: Store,
  owner: Owner,
  files: readonly StoredFile[],
  folders: readonly string[],
): void {
  erasing(store, owner.id, () => {
    for (const file of files) deleteFile(store, owner.id, file);
    for (const folder of folders) {
      store.sql("DELETE FROM directories WHERE owner = ? AND path = ?").run(owner.id, folder);
    }
  });
}
