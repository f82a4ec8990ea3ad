/**
 * Writes and removes memory files with their passages. Inside a transaction only.
 *
 * @module
 */
import type { Owner, Store } from "../store/store.ts";
import { readFile, type StoredFile } from "./files.ts";
import { removePassages, writeIndex } from "../passages/index_writer.ts";

/** Writes a file with its passages; returns the id. Inside a transaction. */
export function writeFile(store: Store, owner: Owner, path: string, text: string): number {
  const now = store.now();
  const before = readFile(store, owner.id, path);
  let id: number;
  if (before === undefined) {
    id = store.sql(
      "INSERT INTO files (owner, path, created, updated, text) VALUES (?, ?, ?, ?, ?)",
    ).run(owner.id, path, now, now, text).lastId;
  } else {
    id = before.id;
    removePassages(store, owner.id, -id, before.passage);
    store.sql("UPDATE files SET updated = ?, text = ? WHERE id = ?").run(now, text, id);
  }
  indexFile(store, owner, id, now, text);
  return id;
}

/** Indexes a file's text and notes its first passage. */
export function indexFile(
  store: Store,
  owner: Owner,
  id: number,
  updated: number,
  text: string,
): void {
  const index = writeIndex(store, owner);
  const first = index.add({ id: -id, created: updated, peer: 0 }, [{ part: 0, text }]);
  index.finish();
  store.sql("UPDATE files SET passage = ? WHERE id = ?").run(first, id);
}

/** Removes a file with its passages. Inside a transaction. */
export function deleteFile(store: Store, owner: number, file: StoredFile): void {
  removePassages(store, owner, -file.id, file.passage);
  store.sql("DELETE FROM files WHERE id = ?").run(file.id);
}
