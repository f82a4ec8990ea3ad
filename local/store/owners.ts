/**
 * Makes owners and peers. Inside a transaction only.
 *
 * @module
 */
import type { Identity } from "../identity.ts";
import type { Owner, Store } from "./store.ts";
import { findOwner, findPeer } from "./store.ts";
import { createIndex, INDEX_VERSION } from "./schema.ts";

/** The owner of a request, made when new. */
export function requireOwner(store: Store, identity: Identity): Owner {
  const known = findOwner(store, identity);
  if (known !== undefined) return known;
  const { lastId } = store.sql("INSERT INTO owners (account, user, index_version) VALUES (?, ?, ?)")
    .run(identity.account, identity.user, INDEX_VERSION);
  createIndex(store.db, lastId);
  return { id: lastId, account: identity.account, user: identity.user, hasChinese: false };
}

/** Row id of a peer's name, made when new. */
export function requirePeer(store: Store, owner: number, name: string): number {
  return findPeer(store, owner, name) ??
    store.sql("INSERT INTO peers (owner, name) VALUES (?, ?)").run(owner, name).lastId;
}
