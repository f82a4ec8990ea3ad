/**
 * Memory files and folders: what was explicitly written or remembered.
 *
 * @module
 */
import type { SqlRow } from "../../lib/runtime/types.ts";
import type { Store } from "../store/store.ts";

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
