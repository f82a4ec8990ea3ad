/**
 * The open memory file with its prepared statements, and who owns what in it.
 *
 * @module
 */
import type { Database, Runtime, Statement } from "../../lib/runtime/types.ts";
import type { WireRequest } from "../../lib/http/types.ts";
import type { Identity } from "../identity.ts";
import { createIndex, INDEX_VERSION, prepareSchema } from "../schema.ts";

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

/** Opens the file and brings its tables up to date. */
export async function openStore(runtime: Runtime, path: string, create: boolean): Promise<Store> {
  const db = await runtime.openDatabase(path, { create });
  try {
    prepareSchema(db, path, () => runtime.randomId().replaceAll("-", ""));
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

/** The owner of a request, made when new. Call inside a transaction. */
export function requireOwner(store: Store, identity: Identity): Owner {
  const known = findOwner(store, identity);
  if (known !== undefined) return known;
  const { lastId } = store.sql("INSERT INTO owners (account, user, index_version) VALUES (?, ?, ?)")
    .run(identity.account, identity.user, INDEX_VERSION);
  createIndex(store.db, lastId);
  return { id: lastId, account: identity.account, user: identity.user, hasChinese: false };
}

/** Row id of a peer's name; made when `create`. 0 stands for no peer, -1 for an unknown one. */
export function peerId(store: Store, owner: number, name: string, create: boolean): number {
  const row = store.sql("SELECT id FROM peers WHERE owner = ? AND name = ?").get(owner, name);
  if (row !== undefined) return Number(row["id"]);
  if (!create) return -1;
  return store.sql("INSERT INTO peers (owner, name) VALUES (?, ?)").run(owner, name).lastId;
}

/** Name of a peer by its row id. */
export function peerName(store: Store, id: number): string {
  return String(store.sql("SELECT name FROM peers WHERE id = ?").get(id)?.["name"] ?? "");
}
