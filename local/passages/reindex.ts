/**
 * Indexes anew what an older tokeniser wrote, slice by slice.
 *
 * @module
 */
import type { SqlRow } from "../../lib/runtime/types.ts";
import type { Owner, Store } from "../store/store.ts";
import { INDEX_VERSION } from "../store/schema.ts";
import { SESSION_SPAN } from "../store/layout.ts";
import { removePassages, writeIndex } from "./index_writer.ts";
import { piecesOfParts } from "../messages/pieces.ts";
import { toStoredMessage } from "../messages/message_row.ts";
import { toStoredFile } from "../files/files.ts";
import { indexFile } from "../files/file_writer.ts";

function toOwner(row: SqlRow): Owner {
  return {
    id: Number(row["id"]),
    account: String(row["account"]),
    user: String(row["user"]),
    hasChinese: row["has_chinese"] === 1,
  };
}

/** Messages of an owner with ids above `from`; one more than asked tells whether more follow. */
function messagesAfter(store: Store, owner: number, from: number, limit: number): SqlRow[] {
  return store.sql(
    `SELECT m.* FROM messages m WHERE m.id > ? AND EXISTS (
      SELECT 1 FROM sessions s WHERE s.id = m.id / ${SESSION_SPAN} AND s.owner = ?
    ) ORDER BY m.id LIMIT ?`,
  ).all(from, owner, limit);
}

function reindexFiles(store: Store, owner: Owner): void {
  const rows = store.sql("SELECT * FROM files WHERE owner = ?").all(owner.id);
  for (const file of rows.map(toStoredFile)) {
    removePassages(store, owner.id, -file.id, file.passage);
    indexFile(store, owner, file.id, file.updated, file.text);
  }
}

/** One slice of one owner in one transaction; returns how many messages it took. */
function reindexOwner(store: Store, row: SqlRow, limit: number): number {
  const owner = toOwner(row);
  return store.db.transaction(() => {
    const rows = messagesAfter(store, owner.id, Number(row["reindexed_to"]), limit);
    const index = writeIndex(store, owner);
    let last = Number(row["reindexed_to"]);
    for (const message of rows.map(toStoredMessage)) {
      removePassages(store, owner.id, message.id, message.passage);
      const first = index.add(message, piecesOfParts(message.parts));
      store.sql("UPDATE messages SET passage = ? WHERE id = ?").run(first, message.id);
      last = message.id;
    }
    index.finish();
    store.sql("UPDATE owners SET reindexed_to = ? WHERE id = ?").run(last, owner.id);
    if (rows.length < limit) {
      reindexFiles(store, owner);
      store.sql("UPDATE owners SET index_version = ?, reindexed_to = 0 WHERE id = ?")
        .run(INDEX_VERSION, owner.id);
    }
    return rows.length;
  });
}

function countRemaining(store: Store): number {
  const row = store.sql(
    `SELECT count(*) AS remaining FROM owners o
      JOIN sessions s ON s.owner = o.id
      JOIN messages m ON m.id > s.id * ${SESSION_SPAN} AND m.id < (s.id + 1) * ${SESSION_SPAN}
      WHERE o.index_version < ${INDEX_VERSION} AND m.id > o.reindexed_to`,
  ).get();
  return Number(row?.["remaining"] ?? 0);
}

/**
 * Takes up to `messages` messages whose passages are of an older version. What was done is noted in
 * the same transaction, so a process that dies in between loses nothing and repeats nothing.
 */
export function reindexSlice(store: Store, messages: number): { readonly remaining: number } {
  let left = messages;
  while (left > 0) {
    const row = store.sql("SELECT * FROM owners WHERE index_version < ? ORDER BY id LIMIT 1")
      .get(INDEX_VERSION);
    if (row === undefined) return { remaining: 0 };
    left -= Math.max(reindexOwner(store, row, left), 1);
  }
  return { remaining: countRemaining(store) };
}
