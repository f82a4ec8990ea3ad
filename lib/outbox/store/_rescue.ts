/**
 * Takes what can still be read out of a damaged store into a new one.
 *
 * Delivered messages need no rescue: before the first send of a session the engine is asked what it
 * holds. What waited without a transcript behind it is only here.
 *
 * @module
 */
import type { Database, SqlRow, SqlValue } from "../../runtime/types.ts";

/** Tables in the order in which they may be filled, with the rows that matter. */
const TABLES: readonly (readonly [table: string, where: string])[] = [
  ["targets", ""],
  ["target_keys", ""],
  ["sessions", ""],
  ["messages", "WHERE state IN ('pending','inflight','dead')"],
  ["captured", ""],
  ["commits", "WHERE phase = 'requested'"],
  ["receipts", ""],
];

/** Rows of a table up to the first one that cannot be read. */
function readable(db: Database, table: string, where: string): SqlRow[] {
  const rows: SqlRow[] = [];
  const page = 200;
  try {
    for (let offset = 0;; offset += page) {
      const more = db.prepare(`SELECT * FROM ${table} ${where} LIMIT ${page} OFFSET ${offset}`)
        .all();
      rows.push(...more);
      if (more.length < page) return rows;
    }
  } catch {
    return rows;
  }
}

/** Copies what is readable; returns how many rows that were. */
export function rescueInto(fresh: Database, damaged: Database): number {
  let rescued = 0;
  for (const [table, where] of TABLES) {
    for (const row of readable(damaged, table, where)) {
      const columns = Object.keys(row);
      try {
        rescued += fresh.prepare(
          `INSERT OR IGNORE INTO ${table}(${columns.join(",")})
           VALUES (${columns.map(() => "?").join(",")})`,
        ).run(...columns.map((column): SqlValue => row[column] ?? null)).changes;
      } catch { /* a row of rubbish */ }
    }
  }
  // Nothing is known for certain any more: every session is read back before it goes on.
  fresh.exec("UPDATE sessions SET verified = 0, doubt = 1, open = 1, next_try_at = rest_until");
  return rescued;
}
