/**
 * The durable queue of one target: opening, setting a damaged one aside, and typed access to rows.
 *
 * @module
 */
import type { Database, Runtime, SqlRow, SqlValue, Statement } from "../../runtime/types.ts";
import { STORE_SCHEMA, STORE_VERSION } from "./_schema.ts";
import { rescueInto } from "./_rescue.ts";
import { OUTBOX_LAYOUT } from "../types.ts";

/** An open store. Statements are prepared once. */
export interface Store {
  readonly db: Database;
  run(sql: string, ...parameters: SqlValue[]): number;
  get(sql: string, ...parameters: SqlValue[]): SqlRow | undefined;
  all(sql: string, ...parameters: SqlValue[]): SqlRow[];
  /** One transaction; synchronous, so that nothing else of this process comes between. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** Reads a number column; NULL is 0. */
export function num(row: SqlRow | undefined, column: string): number {
  return Number(row?.[column] ?? 0);
}

/** Reads a text column; NULL is "". */
export function text(row: SqlRow | undefined, column: string): string {
  const value = row?.[column];
  return typeof value === "string" ? value : "";
}

function toStore(db: Database): Store {
  const prepared = new Map<string, Statement>();
  const statement = (sql: string): Statement => {
    let known = prepared.get(sql);
    if (known === undefined) prepared.set(sql, known = db.prepare(sql));
    return known;
  };
  return {
    db,
    run: (sql, ...parameters) => statement(sql).run(...parameters).changes,
    get: (sql, ...parameters) => statement(sql).get(...parameters),
    all: (sql, ...parameters) => statement(sql).all(...parameters),
    transaction: (work) => db.transaction(work),
    close: () => db.close(),
  };
}

function migrate(db: Database): void {
  const version = num(db.prepare("PRAGMA user_version").get(), "user_version");
  if (version > STORE_VERSION) {
    throw new Error(
      `Cannot use the queue: version ${version} was written by a newer release; upgrade this one`,
    );
  }
  if (version === STORE_VERSION) return;
  db.transaction(() => {
    if (num(db.prepare("PRAGMA user_version").get(), "user_version") !== 0) return;
    db.exec(STORE_SCHEMA);
    db.exec(`PRAGMA user_version = ${STORE_VERSION}`);
  });
}

/** Opens a store that is there already, for reading a report or changing an entry; throws when it cannot. */
export async function openExistingStore(runtime: Runtime, folder: string): Promise<Store> {
  const db = await runtime.openDatabase(`${folder}/${OUTBOX_LAYOUT.store}`, { create: false });
  try {
    migrate(db);
    return toStore(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A store to work with. `setAside` names the damaged file that it replaces. */
export interface OpenedStore {
  readonly store: Store;
  readonly setAside?: string;
}

function isDamaged(error: unknown): boolean {
  return /malformed|not a database|corrupt|disk image|SQLITE_(?:CORRUPT|NOTADB)/i.test(
    String(error),
  );
}

/** What the store's file looks like when nobody has it open; `undefined` when somebody may. */
function stampOf({ files }: Runtime, path: string): string | undefined {
  if (files.stat(`${path}-wal`) !== undefined) return undefined;
  const stat = files.stat(path);
  return stat === undefined ? undefined : `${stat.inode} ${stat.size} ${stat.mtimeMs}`;
}

/** Notes that a worker left its store in order: the next one need not look through all of it. */
export function noteSound(runtime: Runtime, folder: string): void {
  const stamp = stampOf(runtime, `${folder}/${OUTBOX_LAYOUT.store}`);
  if (stamp === undefined) return;
  try {
    runtime.files.writeAtomic(`${folder}/${OUTBOX_LAYOUT.sound}`, stamp, { sync: false });
  } catch { /* the next one looks */ }
}

function isNotedSound(runtime: Runtime, folder: string, path: string): boolean {
  const stamp = stampOf(runtime, path);
  try {
    return stamp !== undefined &&
      runtime.files.readText(`${folder}/${OUTBOX_LAYOUT.sound}`) === stamp;
  } catch {
    return false;
  }
}

async function openSound(runtime: Runtime, folder: string, path: string): Promise<Store> {
  const isSound = isNotedSound(runtime, folder, path);
  const db = await runtime.openDatabase(path);
  try {
    migrate(db);
    // Looking costs what has piled up, so only when something else than a worker's end came last.
    const check = isSound ? undefined : db.prepare("PRAGMA quick_check(1)").get();
    if (!isSound && check?.["quick_check"] !== "ok") {
      throw new Error("database disk image is malformed");
    }
    return toStore(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens or makes the store of a target. A damaged one is renamed, its messages are rescued as far as
 * they can be read, and a new one takes its place: transcripts are read again, so most of what it
 * held comes back.
 */
export async function openQueueStore(runtime: Runtime, folder: string): Promise<OpenedStore> {
  const path = `${folder}/${OUTBOX_LAYOUT.store}`;
  try {
    return { store: await openSound(runtime, folder, path) };
  } catch (error) {
    if (!isDamaged(error)) throw error;
  }
  const setAside = `${path}.damaged-${runtime.now()}`;
  runtime.files.rename(path, setAside);
  for (const side of ["-wal", "-shm"]) {
    if (runtime.files.stat(path + side) !== undefined) {
      runtime.files.rename(path + side, setAside + side);
    }
  }
  const store = await openSound(runtime, folder, path);
  store.run("INSERT OR REPLACE INTO meta(key, value) VALUES ('set-aside', ?)", setAside);
  try {
    const damaged = await runtime.openDatabase(setAside, { create: false, journal: "none" });
    try {
      store.transaction(() => rescueInto(store.db, damaged));
    } finally {
      damaged.close();
    }
  } catch { /* nothing of it can be read */ }
  return { store, setAside };
}
