/**
 * Adapts a `node:sqlite` database, which Deno, Node and Bun share, to {@linkcode Database}.
 *
 * @module
 */
import type { Database, SqlRow, SqlValue } from "./types.ts";

/** Wraps a `node:sqlite` database. */
export function toDatabase(
  raw: {
    exec(sql: string): void;
    prepare(sql: string): unknown;
    close(): void;
  },
): Database {
  const db: Database = {
    exec: (sql) => raw.exec(sql),
    prepare(sql) {
      const statement = raw.prepare(sql) as {
        run(...p: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
        get(...p: SqlValue[]): SqlRow | undefined;
        all(...p: SqlValue[]): SqlRow[];
      };
      return {
        run(...parameters) {
          const done = statement.run(...parameters);
          return { changes: Number(done.changes), lastId: Number(done.lastInsertRowid) };
        },
        get: (...parameters) => statement.get(...parameters),
        all: (...parameters) => statement.all(...parameters),
      };
    },
    transaction(work) {
      raw.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        raw.exec("COMMIT");
        return result;
      } catch (error) {
        try {
          raw.exec("ROLLBACK");
        } catch { /* already rolled back by SQLite */ }
        throw error;
      }
    },
    close: () => raw.close(),
  };
  return db;
}
