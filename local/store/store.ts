/**
 * The open memory file with its prepared statements, and who owns what in it.
 *
 * @module
 */
import type { Database, Runtime, Statement } from "../../lib/runtime/types.ts";
import type { WireRequest } from "../../lib/http/types.ts";
import type { Identity } from "../identity.ts";

/** An open memory file. */
export interface Store {
  readonly db: Database;
  readonly path: string;
  readonly now: () => number;
  readonly randomId: () => string;
  /** Prepares once per text. */
  sql(text: string): Statement;
  close(): void;
}

/** One request, read. */
export interface Call {
  readonly store: Store;
  readonly method: WireRequest["method"];
  /** Decoded path segments, `["api", "v1", ...]`. */
  readonly segments: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  readonly body: unknown;
  readonly identity: Identity;
}

/** One account and user, with what its index needs to know. */
export interface Owner {
  readonly id: number;
  readonly account: string;
  readonly user: string;
  readonly hasChinese: boolean;
}

/** Opens the file; `prepare` checks or makes its tables. */
export async function openMemoryFile(
  runtime: Runtime,
  path: string,
  create: boolean,
  prepare: (db: Database) => void,
): Promise<Store> {
  const db = await runtime.openDatabase(path, { create });
  try {
    prepare(db);
  } catch (error) {
    db.close();
    throw error;
  }
  const statements = new Map<string, Statement>();
  return {
    db,
    path,
    now: () => runtime.now(),
    randomId: () => runtime.randomId(),
    sql(text) {
      let statement = statements.get(text);
      if (statement === undefined) statements.set(text, statement = db.prepare(text));
      return statement;
    },
    close: () => db.close(),
  };
}

/** The owner of a request, or `undefined` when nothing was ever stored for it. */
export function findOwner(store: Store, identity: Identity): Owner | undefined {
  const row = store.sql("SELECT id, has_chinese FROM owners WHERE account = ? AND user = ?")
    .get(identity.account, identity.user);
  if (row === undefined) return undefined;
  return {
    id: Number(row["id"]),
    account: identity.account,
    user: identity.user,
    hasChinese: row["has_chinese"] === 1,
  };
}

/** Row id of a peer's name, `undefined` when no message of it was ever stored. */
export function findPeer(store: Store, owner: number, name: string): number | undefined {
  const row = store.sql("SELECT id FROM peers WHERE owner = ? AND name = ?").get(owner, name);
  return row === undefined ? undefined : Number(row["id"]);
}
