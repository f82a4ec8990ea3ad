/**
 * Writes and removes passages with their place in the full-text table. Inside a transaction only.
 *
 * @module
 */
import type { Owner, Store } from "../store/store.ts";
import type { Piece } from "../messages/pieces.ts";
import { passagesOf } from "./indexable.ts";
import { indexName } from "../store/layout.ts";
import { tokenise } from "../text/tokenise.ts";

/** What passages come from. */
export interface Source {
  readonly id: number;
  readonly created: number;
  readonly peer: number;
}

/** Adds passages within one transaction. */
export interface IndexWriter {
  /**
   * Indexes a source (message id, or minus a file id; its time in milliseconds; its peer, 0 for none)
   * and returns the id of its first passage, or null when it has none.
   */
  add(source: Source, pieces: readonly Piece[]): number | null;
  /** Notes what the owner's index learned (Chinese seen for the first time). Call last. */
  finish(): void;
}

const CHINESE = /[\u4e00-\u9fff]/;

/** Starts writing passages for `owner`. */
export function writeIndex(store: Store, owner: Owner): IndexWriter {
  const insertPassage = store.sql(
    "INSERT INTO passages (id, source, part, start, stop, length, created, peer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const insertIndex = store.sql(
    `INSERT INTO ${indexName(owner.id)} (rowid, body) VALUES (?, ?)`,
  );
  let next = 1 + Number(store.sql("SELECT max(id) AS top FROM passages").get()?.["top"] ?? 0);
  let sawChinese = owner.hasChinese;
  return {
    add(source, pieces) {
      const first = next;
      for (const piece of pieces) {
        for (const { start, end } of passagesOf(piece)) {
          const tokens = tokenise(piece.text.slice(start, end));
          if (tokens.length === 0) continue;
          insertPassage.run(
            next,
            source.id,
            piece.part,
            start,
            end,
            tokens.length,
            source.created,
            source.peer === 0 ? null : source.peer,
          );
          insertIndex.run(next, tokens.join(" "));
          next++;
        }
        if (!sawChinese) sawChinese = CHINESE.test(piece.text);
      }
      return next > first ? first : null;
    },
    finish() {
      if (sawChinese && !owner.hasChinese) {
        store.sql("UPDATE owners SET has_chinese = 1 WHERE id = ?").run(owner.id);
      }
    },
  };
}

/** Removes the passages of one source; `first` is the id it remembers. */
export function removePassages(
  store: Store,
  owner: number,
  source: number,
  first: number | null,
): void {
  if (first === null) return;
  const sourceOf = store.sql("SELECT source FROM passages WHERE id = ?");
  for (let id = first; Number(sourceOf.get(id)?.["source"] ?? 0) === source; id++) {
    store.sql(`DELETE FROM ${indexName(owner)} WHERE rowid = ?`).run(id);
    store.sql("DELETE FROM passages WHERE id = ?").run(id);
  }
}

/**
 * Makes removed words leave the file too: merges the full-text segments and truncates the log.
 * After a deletion a person asked for; costs time in proportion to the index.
 */
export function purgeRemoved(store: Store, owner: number): void {
  store.db.exec(`INSERT INTO ${indexName(owner)} (${indexName(owner)}) VALUES ('optimize')`);
  store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}
