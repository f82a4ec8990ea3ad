/**
 * Tables of one target's store. Only the worker and the queue commands open it.
 *
 * @module
 */

/** `PRAGMA user_version` of the tables below. */
export const STORE_VERSION = 1;

/**
 * - `targets`: one row per identity that the target's keys stood for; `target_keys` says which key
 *   belonged to which. A session belongs to one of them and is sent under no other.
 * - `sessions`: queue state of one session. `engine_session` is the id in use on the engine, which
 *   changes when a session there is broken. `open` is 1 while something waits to be sent, `doubt`
 *   after something happened in which the server may have lost messages, `verified` once it was seen
 *   what the engine already held of the session.
 * - `transcripts`: where reading stopped, per session and file.
 * - `messages`: the queue and, until their commit is extracted, what was acknowledged (`acked`: in the
 *   engine's live list; `archived`: by a commit).
 * - `captured`: native ids that are known, over all sessions of a host (forks repeat them).
 * - `commits`: requested, accepted, archived, extracted, skipped, failed, dropped. A commit waits for
 *   every message up to `after_seq`; those that it archived carry its id. `uncertain` is 1 after a try
 *   that the server may have carried out.
 * - `receipts`: spool files that were taken in and may still lie there.
 * - `waiting_events`: spool files that could not be taken in yet.
 *
 * Times are milliseconds since the epoch.
 */
export const STORE_SCHEMA = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE targets(
  generation INTEGER PRIMARY KEY,
  account TEXT NOT NULL DEFAULT '',
  user TEXT NOT NULL DEFAULT '',
  learned INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
CREATE TABLE target_keys(fingerprint TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions(
  id INTEGER PRIMARY KEY,
  target INTEGER NOT NULL,
  session TEXT NOT NULL,
  host TEXT NOT NULL,
  parent TEXT,
  peer TEXT,
  cwd TEXT NOT NULL DEFAULT '',
  settings TEXT NOT NULL,
  generation INTEGER NOT NULL DEFAULT 1,
  began_at INTEGER NOT NULL DEFAULT 0,
  engine_session TEXT NOT NULL,
  successors INTEGER NOT NULL DEFAULT 0,
  next_seq INTEGER NOT NULL DEFAULT 1,
  archives INTEGER NOT NULL DEFAULT 0,
  live_count INTEGER,
  pending_tokens INTEGER NOT NULL DEFAULT 0,
  inflight_at INTEGER,
  rest_until INTEGER NOT NULL DEFAULT 0,
  doubt INTEGER NOT NULL DEFAULT 0,
  verified INTEGER NOT NULL DEFAULT 0,
  batch_limit INTEGER NOT NULL DEFAULT 100,
  open INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_try_at INTEGER NOT NULL DEFAULT 0,
  status INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT '',
  served_at INTEGER NOT NULL DEFAULT 0,
  last_event_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE(target, session)
);
CREATE INDEX sessions_open ON sessions(target, open, served_at);
CREATE TABLE transcripts(
  session INTEGER NOT NULL,
  path TEXT NOT NULL,
  decoder TEXT NOT NULL,
  cursor TEXT,
  state TEXT NOT NULL DEFAULT 'null',
  problem TEXT NOT NULL DEFAULT '',
  read_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(session, path)
) WITHOUT ROWID;
CREATE TABLE messages(
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  source TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK(state IN ('pending','inflight','acked','archived','dead')),
  commit_id INTEGER,
  body TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  status INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT '',
  queued_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX messages_order ON messages(session, seq);
CREATE UNIQUE INDEX messages_source ON messages(session, source);
CREATE INDEX messages_waiting ON messages(session, seq) WHERE state IN ('pending','inflight');
CREATE INDEX messages_commit ON messages(commit_id) WHERE commit_id IS NOT NULL;
CREATE INDEX messages_dead ON messages(session, seq) WHERE state = 'dead';
CREATE TABLE captured(
  host TEXT NOT NULL,
  scope TEXT NOT NULL,
  native TEXT NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY(host, scope, native)
) WITHOUT ROWID;
CREATE TABLE commits(
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  reason TEXT NOT NULL,
  after_seq INTEGER NOT NULL,
  params TEXT NOT NULL,
  phase TEXT NOT NULL DEFAULT 'requested',
  task TEXT NOT NULL DEFAULT '',
  archive TEXT NOT NULL DEFAULT '',
  resends INTEGER NOT NULL DEFAULT 0,
  uncertain INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_try_at INTEGER NOT NULL DEFAULT 0,
  status INTEGER NOT NULL DEFAULT 0,
  detail TEXT NOT NULL DEFAULT '',
  requested_at INTEGER NOT NULL,
  accepted_at INTEGER,
  ended_at INTEGER
);
CREATE INDEX commits_session ON commits(session, phase);
CREATE INDEX commits_phase ON commits(phase, next_try_at);
CREATE TABLE receipts(name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE waiting_events(
  name TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_try_at INTEGER NOT NULL,
  reason TEXT NOT NULL,
  first_at INTEGER NOT NULL
) WITHOUT ROWID;
`;
