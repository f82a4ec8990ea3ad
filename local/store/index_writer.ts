/**
 * Writes and removes passages with their place in the full-text table. Inside a transaction only.
 *
 * @module
 */
import type { Owner, Store } from "./store.ts";
import type { Piece } from "./indexable.ts";
import { passagesOf } from "./indexable.ts";
import { indexName } from "../schema.ts";
import { packTokens, tokenise } from "../text/tokenise.ts";

/** Kinds of sources, as the index's `scope` column spells them. */
export const SCOPE = { message: "\u00a7m", memory: "\u00a7f", resource: "\u00a7r" } as const;

/** The word of a peer in the `scope` column; 0 is "no peer". */
export function peerScope(peer: number): string {
  return `\u00a7p${peer}`;
}

/** Adds passages within one transaction. */
export interface IndexWriter {
  /** Indexes a source and returns the id of its first passage, or null when it has none. */
  add(source: number, scope: string, pieces: readonly Piece[]): number | null;
  /** Notes what the owner's index learned (Chinese seen for the first time). Call last. */
  finish(): void;
}

const CHINESE = /[\u4e00-\u9fff]/;

/** Starts writing passages for `owner`. */
export function writeIndex(store: Store, owner: Owner): IndexWriter {
  const insertPassage = store.sql(
    "INSERT INTO passages (id, source, part, start, stop, tokens) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const insertIndex = store.sql(
    `INSERT INTO ${indexName(owner.id)} (rowid, body, scope) VALUES (?, ?, ?)`,
  );
  let next = 1 + Number(store.sql("SELECT max(id) AS top FROM passages").get()?.["top"] ?? 0);
  let sawChinese = owner.hasChinese;
  return {
    add(source, scope, pieces) {
      const first = next;
      for (const piece of pieces) {
        for (const { start, end } of passagesOf(piece)) {
          const tokens = tokenise(piece.text.slice(start, end));
          if (tokens.length === 0) continue;
          insertPassage.run(next, source, piece.part, start, end, packTokens(tokens));
          insertIndex.run(next, tokens.join(" "), scope);
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
