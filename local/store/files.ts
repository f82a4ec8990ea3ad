/**
 * Memory files and folders: what was explicitly written or remembered.
 *
 * @module
 */
import type { SqlRow } from "../../lib/runtime/types.ts";
import type { Owner, Store } from "./store.ts";
import { removePassages, writeIndex } from "./index_writer.ts";

/** A stored file; `path` is below the user's root, `memories/notes/one.md`. */
export interface StoredFile {
  readonly id: number;
  readonly path: string;
  readonly text: string;
  /** Milliseconds. */
  readonly created: number;
  readonly updated: number;
  readonly passage: number | null;
}

/** Reads a row of `files`. */
export function toStoredFile(row: SqlRow): StoredFile {
  return {
    id: Number(row["id"]),
    path: String(row["path"]),
    text: String(row["text"]),
    created: Number(row["created"]),
    updated: Number(row["updated"]),
    passage: row["passage"] === null ? null : Number(row["passage"]),
  };
}

/** One file, `undefined` when there is none at `path`. */
export function readFile(store: Store, owner: number, path: string): StoredFile | undefined {
  const row = store.sql("SELECT * FROM files WHERE owner = ? AND path = ?").get(owner, path);
  return row === undefined ? undefined : toStoredFile(row);
}

/** Files below a folder (any depth), by path; "" is everything. */
export function filesBelow(store: Store, owner: number, folder: string): StoredFile[] {
  if (folder === "") {
    return store.sql("SELECT * FROM files WHERE owner = ? ORDER BY path").all(owner)
      .map(toStoredFile);
  }
  // "0" is the character after "/"
  return store.sql("SELECT * FROM files WHERE owner = ? AND path >= ? AND path < ? ORDER BY path")
    .all(owner, `${folder}/`, `${folder}0`).map(toStoredFile);
}

/** Folders made by hand below a folder (any depth), itself included. */
export function foldersBelow(store: Store, owner: number, folder: string): string[] {
  return store.sql("SELECT path FROM directories WHERE owner = ? ORDER BY path").all(owner)
    .map((row) => String(row["path"]))
    .filter((path) => folder === "" || path === folder || path.startsWith(`${folder}/`));
}

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
