/**
 * Sessions as the server describes them, and how they are made.
 *
 * @module
 */
import type { Owner, Store } from "../store/store.ts";
import type { Identity } from "../identity.ts";
import {
  findSession,
  messageId,
  type Session,
  sessionOfRow,
  type SessionSettings,
} from "./session_row.ts";
import { checkSegments, homeUri } from "../uri.ts";
import { RouteError } from "../wire.ts";

/** Every session of an owner, newest first. */
export function listSessions(store: Store, owner: Owner | undefined): Session[] {
  if (owner === undefined) return [];
  return store.sql("SELECT * FROM sessions WHERE owner = ? ORDER BY updated DESC, id DESC")
    .all(owner.id).map(sessionOfRow);
}

/** Makes a session. Inside a transaction. */
export function createSession(
  store: Store,
  owner: Owner,
  name: string,
  settings: SessionSettings = {},
): Session {
  checkSessionName(owner, name);
  const now = store.now();
  store.sql("INSERT INTO sessions (owner, name, created, updated, settings) VALUES (?, ?, ?, ?, ?)")
    .run(owner.id, name, now, now, JSON.stringify(settings));
  const made = findSession(store, owner, name);
  if (made === undefined) throw new RouteError(500, "INTERNAL", "Internal server error");
  return made;
}

/** Refuses the names that the server refuses (0.5.2: `..`, backslashes, a drive letter). */
export function checkSessionName(identity: Identity, name: string): void {
  checkSegments(`${homeUri(identity)}/sessions/${name}`, name.split("/"));
  if (name === "") throw new RouteError(404, "NOT_FOUND", "Not Found", { lean: true });
}

/** A name for a session whose client gave none: UTC time and 16 hex digits. */
export function freshSessionName(store: Store): string {
  const time = new Date(store.now()).toISOString().replace(/[-:]/g, "").replace("T", "-");
  return `${time.slice(0, 15)}-${store.randomId().replaceAll("-", "").slice(0, 16)}`;
}

/** ISO text of a time, "" when unset. */
export function isoTime(ms: number): string {
  return ms === 0 ? "" : new Date(ms).toISOString();
}

/** Tokens of the live messages outside the remembered keep window. */
export function pendingTokens(store: Store, session: Session): number {
  if (session.keepRecent === 0) return session.liveTokens;
  const kept = store.sql(
    "SELECT sum(tokens) AS kept FROM (SELECT tokens FROM messages WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?)",
  ).get(
    messageId(session.id, session.liveFrom),
    messageId(session.id, session.nextSeq),
    session.keepRecent,
  );
  return session.liveTokens - Number(kept?.["kept"] ?? 0);
}

/** A session as `GET /sessions/{id}` answers it (server 0.5.2). */
export function describeSession(
  store: Store,
  identity: Identity,
  session: Session,
): Record<string, unknown> {
  return {
    session_id: session.name,
    created_at: isoTime(session.created),
    updated_at: isoTime(session.updated),
    created_by_account_id: identity.account,
    created_by_user_id: identity.user,
    message_count: session.liveCount,
    commit_count: session.commitCount,
    memories_extracted: { total: session.memoriesWritten },
    last_commit_at: isoTime(session.lastCommit),
    llm_token_usage: {
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      cached_tokens: 0,
      reasoning_tokens: 0,
    },
    embedding_token_usage: { total_tokens: 0 },
    pending_tokens: pendingTokens(store, session),
    keep_recent_count: session.keepRecent,
    retention_mode: "",
    keep_recent_turn_count: 0,
    retained_message_token_budget: 0,
    min_raw_tail_steps: 1,
    memory_policy: session.settings.memory_policy ?? null,
    auto_commit_policy: session.settings.auto_commit_policy ?? null,
    last_message_at: isoTime(session.lastMessage),
    last_auto_commit_at: isoTime(session.lastAutoCommit),
    last_idle_commit_accepted_at: "",
    total_message_count: session.totalCount,
    uri: sessionUri(identity, session.name),
    user: { account_id: identity.account, user_id: identity.user },
    memory_extraction_config: extractionConfig(session.settings),
  };
}

/** Root of a session's tree. */
export function sessionUri(identity: Identity, name: string): string {
  return `${homeUri(identity)}/sessions/${name}`;
}

/** `memory_extraction_config` as the server returns it: kept, and without effect here. */
export function extractionConfig(settings: SessionSettings): Record<string, unknown> {
  return { events: { tags: settings.tags ?? [] } };
}
