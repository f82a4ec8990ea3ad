/**
 * Commits: live messages become an archive; nothing is moved or rewritten.
 *
 * @module
 */
import type { Owner, Store } from "../store/store.ts";
import type { Session } from "./session_row.ts";
import { archiveUri } from "./archives.ts";
import { readMessages } from "../messages/stored_message.ts";
import { messageId } from "./session_row.ts";
import { isRemembering, rememberMessages } from "./remembered.ts";
import { recordTask } from "../store/tasks.ts";

/** What a commit was asked to do. */
export interface CommitRequest {
  readonly keepRecent: number;
  readonly overview: boolean;
  readonly resetContext: boolean;
  readonly automatic: boolean;
}

/** What came of it; `reason` says why nothing was archived. */
export type Committed =
  | { readonly reason: "no_messages" | "all_within_keep_window" }
  | { readonly archive: number; readonly taskId: string };

/** Sequence number from which messages stay live when the newest `keep` are kept. */
function keepFrom(store: Store, session: Session, keep: number): number {
  if (keep === 0) return session.nextSeq;
  const row = store.sql(
    "SELECT min(id) AS first FROM (SELECT id FROM messages WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?)",
  ).get(messageId(session.id, session.liveFrom), messageId(session.id, session.nextSeq), keep);
  return Number(row?.["first"] ?? 0) - messageId(session.id, 0);
}

/** Archives the live messages but the newest kept ones. Inside a transaction. */
export function commitSession(
  store: Store,
  owner: Owner,
  session: Session,
  request: CommitRequest,
): Committed {
  if (session.liveCount === 0) {
    if (request.resetContext) resetContext(store, session, session.commitCount + 1);
    return { reason: "no_messages" };
  }
  if (session.liveCount <= request.keepRecent) return { reason: "all_within_keep_window" };
  const now = store.now();
  const from = session.liveFrom;
  const to = keepFrom(store, session, request.keepRecent);
  const number = 1 + Number(
    store.sql("SELECT max(number) AS top FROM archives WHERE session = ?").get(session.id)
      ?.["top"] ?? 0,
  );
  store.sql(
    "INSERT INTO archives (session, number, from_seq, to_seq, created, overview) VALUES (?, ?, ?, ?, ?, ?)",
  ).run(session.id, number, from, to, now, request.overview ? 1 : 0);
  const kept = store.sql(
    "SELECT count(*) AS count, sum(tokens) AS tokens FROM messages WHERE id >= ? AND id < ?",
  ).get(messageId(session.id, to), messageId(session.id, session.nextSeq));
  const written = isRemembering(session.name)
    ? rememberMessages(store, owner, readMessages(store, session.id, from, to))
    : 0;
  store.sql(
    "UPDATE sessions SET live_from = ?, live_count = ?, live_tokens = ?, commit_count = commit_count + 1, last_commit = ?, last_auto_commit = coalesce(?, last_auto_commit), keep_recent = ?, memories_written = memories_written + ?, updated = ? WHERE id = ?",
  ).run(
    to,
    Number(kept?.["count"] ?? 0),
    Number(kept?.["tokens"] ?? 0),
    now,
    request.automatic ? now : null,
    request.keepRecent,
    written,
    now,
    session.id,
  );
  if (request.resetContext) resetContext(store, session, number + 1);
  const taskId = recordTask(store, owner.id, "session_commit", session.name, {
    session_id: session.name,
    archive_uri: archiveUri(owner, session.name, number),
    memories_extracted: written === 0 ? {} : { memory_write: written },
    session_skills_extracted: 0,
    session_skill_uris: [],
    memory_extraction: { skipped: 0, skipped_operations: [] },
    usage_events_extracted: 0,
    effective_memory_types: [],
    agent_evolution_enabled: false,
    agent_memory_skip_reason: "agent_evolution_disabled",
    token_usage: {
      llm: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      embedding: { total_tokens: 0 },
      total: { total_tokens: 0 },
    },
  });
  return { archive: number, taskId };
}

function resetContext(store: Store, session: Session, from: number): void {
  store.sql("UPDATE sessions SET overview_from = ? WHERE id = ?").run(from, session.id);
}

/** An overview costs nothing here: it is made unless the request or the session's policy says no. */
export function wantsOverview(session: Session, asked: boolean | undefined): boolean {
  if (asked !== undefined) return asked;
  const policy = session.settings.memory_policy as
    | { working_memory?: { enabled?: boolean } }
    | undefined;
  return policy?.working_memory?.enabled ?? true;
}
