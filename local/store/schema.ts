/**
 * Tables of the embedded engine, and how an older file becomes a newer one.
 *
 * @module
 */
import type { Database } from "../../lib/runtime/types.ts";
import { indexName, SCHEMA_VERSION, vocabularyName } from "./layout.ts";

/**
 * Version of tokeniser and passages. An owner whose `index_version` is lower is indexed anew by the
 * worker, slice by slice (`passages/reindex.ts`); until then its old passages answer.
 */
export const INDEX_VERSION = 1;

/*
 * `messages.text` holds the text of a message that is one text part (nearly all are), `parts` the JSON
 * of any other. `created` is milliseconds, `created_text` the sent form where it differs.
 * `passage` is the id of its first passage; passages of one source have consecutive ids.
 * `passages.source` is a message id, or minus a file id. `part` numbers the piece of the source, see
 * `messages/pieces.ts`. `length` counts tokens; `created` and `peer`
 * are the source's, so that ranking reads one small table.
 * `message_sources` outlives deleted messages: what was forgotten is not taken in again.
 */
const TABLES = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE glossary (word TEXT PRIMARY KEY, others TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE owners (
  id INTEGER PRIMARY KEY, account TEXT NOT NULL, user TEXT NOT NULL,
  has_chinese INTEGER NOT NULL DEFAULT 0,
  index_version INTEGER NOT NULL, reindexed_to INTEGER NOT NULL DEFAULT 0,
  UNIQUE (account, user)
);
CREATE TABLE peers (
  id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE (owner, name)
);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, name TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, last_message INTEGER,
  next_seq INTEGER NOT NULL DEFAULT 1, live_from INTEGER NOT NULL DEFAULT 1,
  live_count INTEGER NOT NULL DEFAULT 0, live_tokens INTEGER NOT NULL DEFAULT 0,
  total_count INTEGER NOT NULL DEFAULT 0, commit_count INTEGER NOT NULL DEFAULT 0,
  last_commit INTEGER, last_auto_commit INTEGER, keep_recent INTEGER NOT NULL DEFAULT 0,
  memories_written INTEGER NOT NULL DEFAULT 0, overview_from INTEGER NOT NULL DEFAULT 1,
  settings TEXT NOT NULL DEFAULT '{}',
  UNIQUE (owner, name)
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, role NOT NULL, peer INTEGER, created INTEGER NOT NULL,
  tokens INTEGER NOT NULL, passage INTEGER, created_text TEXT, extra TEXT, text TEXT, parts TEXT
);
CREATE TABLE message_sources (
  session INTEGER NOT NULL, source TEXT NOT NULL, message INTEGER NOT NULL, position INTEGER NOT NULL,
  PRIMARY KEY (session, source, message)
) WITHOUT ROWID;
CREATE TABLE archives (
  session INTEGER NOT NULL, number INTEGER NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL,
  created INTEGER NOT NULL, overview INTEGER NOT NULL, PRIMARY KEY (session, number)
) WITHOUT ROWID;
CREATE TABLE tasks (
  id TEXT PRIMARY KEY, owner INTEGER NOT NULL, type TEXT NOT NULL, resource TEXT NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, result TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX tasks_by_time ON tasks (owner, created);
CREATE TABLE shown (
  session INTEGER NOT NULL, uri TEXT NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (session, uri)
) WITHOUT ROWID;
CREATE TABLE files (
  id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, path TEXT NOT NULL, created INTEGER NOT NULL,
  updated INTEGER NOT NULL, passage INTEGER, text TEXT NOT NULL, UNIQUE (owner, path)
);
CREATE TABLE directories (
  owner INTEGER NOT NULL, path TEXT NOT NULL, created INTEGER NOT NULL, PRIMARY KEY (owner, path)
) WITHOUT ROWID;
CREATE TABLE passages (
  id INTEGER PRIMARY KEY, source INTEGER NOT NULL, part INTEGER NOT NULL,
  start INTEGER NOT NULL, stop INTEGER NOT NULL, length INTEGER NOT NULL,
  created INTEGER NOT NULL, peer INTEGER
);
`;

/** Steps from version n to n + 1, at index n - 1. */
const MIGRATIONS: readonly ((db: Database) => void)[] = [];

/**
 * Creates an owner's full-text table: which passages hold a token, nothing else (`detail=none`).
 * Contentless: the text is stored once, with its message.
 */
export function createIndex(db: Database, owner: number): void {
  db.exec(`
    CREATE VIRTUAL TABLE ${indexName(owner)} USING fts5(
      body, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '.'"
    );
    CREATE VIRTUAL TABLE ${vocabularyName(owner)} USING fts5vocab(${indexName(owner)}, 'row');
  `);
}

/**
 * Brings a file to {@linkcode SCHEMA_VERSION}; one statement when it already is.
 *
 * @throws {Error} when a newer version of the product wrote it.
 */
export function prepareSchema(db: Database, path: string, salt: () => string): void {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `Cannot open ${path}: written by a newer version (format ${version}, this one knows ${SCHEMA_VERSION}); upgrade openviking-agent`,
    );
  }
  db.transaction(() => {
    // Another process may have been first.
    const now = Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
    if (now >= SCHEMA_VERSION) return;
    if (now === 0) {
      db.exec(TABLES);
      db.prepare("INSERT INTO meta (key, value) VALUES ('salt', ?)").run(salt());
    }
    for (let step = Math.max(now, 1); step < SCHEMA_VERSION; step++) MIGRATIONS[step - 1]?.(db);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}
