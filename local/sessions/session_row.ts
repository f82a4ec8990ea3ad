/**
 * Sessions as rows.
 *
 * @module
 */
import type { SqlRow } from "../../lib/runtime/types.ts";
import type { Owner, Store } from "../store/store.ts";
import { SESSION_SPAN } from "../store/layout.ts";

/** A session's row. Times are milliseconds, 0 when unset; `liveFrom` is the first unarchived sequence number. */
export interface Session {
  readonly id: number;
  readonly owner: number;
  readonly name: string;
  readonly created: number;
  readonly updated: number;
  readonly lastMessage: number;
  readonly nextSeq: number;
  readonly liveFrom: number;
  readonly liveCount: number;
  readonly liveTokens: number;
  readonly totalCount: number;
  readonly commitCount: number;
  readonly lastCommit: number;
  readonly lastAutoCommit: number;
  readonly keepRecent: number;
  readonly memoriesWritten: number;
  /** First archive whose overview may be shown; raised by `reset_context`. */
  readonly overviewFrom: number;
  readonly settings: SessionSettings;
}

/** Thresholds of automatic commits, as the server returns them. */
export interface AutoCommitPolicy {
  readonly pending_token_threshold: number;
  readonly message_count_threshold: number;
  readonly idle_timeout_seconds: number;
  readonly keep_recent_count: number;
  readonly min_commit_interval_seconds: number;
}

/** What a client set on a session. */
export interface SessionSettings {
  readonly memory_policy?: unknown;
  readonly auto_commit_policy?: AutoCommitPolicy | null;
  readonly tags?: readonly string[];
}

/** Reads a row of `sessions`. */
export function sessionOfRow(row: SqlRow): Session {
  const number = (key: string): number => Number(row[key] ?? 0);
  return {
    id: number("id"),
    owner: number("owner"),
    name: String(row["name"]),
    created: number("created"),
    updated: number("updated"),
    lastMessage: number("last_message"),
    nextSeq: number("next_seq"),
    liveFrom: number("live_from"),
    liveCount: number("live_count"),
    liveTokens: number("live_tokens"),
    totalCount: number("total_count"),
    commitCount: number("commit_count"),
    lastCommit: number("last_commit"),
    lastAutoCommit: number("last_auto_commit"),
    keepRecent: number("keep_recent"),
    memoriesWritten: number("memories_written"),
    overviewFrom: number("overview_from"),
    settings: JSON.parse(String(row["settings"])) as SessionSettings,
  };
}

/** A session by name, `undefined` when the owner has none. */
export function findSession(
  store: Store,
  owner: Owner | undefined,
  name: string,
): Session | undefined {
  if (owner === undefined) return undefined;
  const row = store.sql("SELECT * FROM sessions WHERE owner = ? AND name = ?").get(owner.id, name);
  return row === undefined ? undefined : sessionOfRow(row);
}

/** Id of the message with sequence number `seq`. */
export function messageId(session: number, seq: number): number {
  return session * SESSION_SPAN + seq;
}
