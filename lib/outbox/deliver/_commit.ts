/**
 * Commits a session once everything before the commit has left.
 *
 * @module
 */
import type { OvFailure } from "../../http/types.ts";
import type { SqlRow } from "../../runtime/types.ts";
import type { DeliveryContext, Step } from "./delivery.ts";
import { describeFailure, moveToSuccessor, stepAfter } from "./delivery.ts";
import type { SessionRow } from "../store/sessions.ts";
import { refreshOpen } from "../store/sessions.ts";
import { num, text } from "../store/store.ts";
import { type CommitResult, type SessionMeta, sessionPath } from "./_wire.ts";

const TIMEOUT_MS = 60_000;
/** A commit that the server refuses this often is given up; its messages stay. */
const REFUSALS = 3;

/** Sends the first commit that waits, or `undefined` when none may go. */
export async function commitNext(
  context: DeliveryContext,
  session: SessionRow,
): Promise<Step | undefined> {
  const { store, capabilities } = context;
  const commit = store.get(
    `SELECT * FROM commits WHERE session = ? AND phase = 'requested' ORDER BY after_seq, id LIMIT 1`,
    session.id,
  );
  if (commit === undefined) return undefined;
  const keep = keepCount(commit);
  if (liveMessages(context, session) <= keep) {
    endCommit(context, session, commit, "skipped", "nothing to commit");
    return { kind: "done" };
  }
  if (num(commit, "uncertain") === 1) {
    const step = await confirmArchived(context, session, commit);
    if (step !== undefined) return step;
  }
  context.checkpoint("before-commit");
  store.run("UPDATE commits SET uncertain = 1 WHERE id = ?", num(commit, "id"));
  const answer = await context.http.request<CommitResult | null>(
    "POST",
    `${sessionPath(session.engineSession)}/commit`,
    {
      body: {
        ...JSON.parse(text(commit, "params")),
        ...(capabilities.workingMemory ? { enable_working_memory: true } : {}),
      },
      timeoutMs: TIMEOUT_MS,
    },
  );
  context.checkpoint("after-commit");
  if (!answer.ok) return await afterFailure(context, session, commit, answer);
  const result = answer.result ?? {};
  if (result.status === "skipped") return afterSkip(context, session, commit, result);
  accept(context, session, commit, result);
  return { kind: "done" };
}

function keepCount(commit: SqlRow): number {
  const params = JSON.parse(text(commit, "params")) as { keep_recent_count?: number };
  return params.keep_recent_count ?? 0;
}

/** Messages in the engine's live list. */
function liveMessages({ store }: DeliveryContext, session: SessionRow): number {
  return num(
    store.get(
      "SELECT count(*) AS n FROM messages WHERE session = ? AND state = 'acked'",
      session.id,
    ),
    "n",
  );
}

/** Marks what a commit archived: all live messages but the newest `keep`. */
function markArchived(context: DeliveryContext, session: SessionRow, commit: SqlRow): void {
  context.store.run(
    `UPDATE messages SET state = 'archived', commit_id = ?, changed_at = ?
     WHERE session = ? AND state = 'acked' AND seq <= (
       SELECT seq FROM messages WHERE session = ? AND state = 'acked'
       ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
    num(commit, "id"),
    context.now(),
    session.id,
    session.id,
    keepCount(commit),
  );
}

function endCommit(
  context: DeliveryContext,
  session: SessionRow,
  commit: SqlRow,
  phase: "skipped" | "failed",
  detail: string,
): void {
  const { store } = context;
  store.transaction(() => {
    store.run(
      "UPDATE commits SET phase = ?, detail = ?, ended_at = ? WHERE id = ?",
      phase,
      detail.slice(0, 500),
      context.now(),
      num(commit, "id"),
    );
    store.run("UPDATE sessions SET attempts = 0, next_try_at = 0 WHERE id = ?", session.id);
    refreshOpen(store, session.id);
  });
}

/** A commit was taken: accepted or, when the answer says so, archived. Extraction is another matter. */
function accept(
  context: DeliveryContext,
  session: SessionRow,
  commit: SqlRow,
  result: CommitResult,
): void {
  const { store } = context;
  const now = context.now();
  const keep = keepCount(commit);
  const archive = result.archive_uri ?? "";
  const number = Number(/archive_(\d+)$/.exec(archive)?.[1] ?? session.archives + 1);
  const task = result.task_id ?? "";
  store.transaction(() => {
    store.run(
      `UPDATE commits SET phase = ?, task = ?, archive = ?, attempts = 0, status = 200,
         accepted_at = ?, next_try_at = ?, ended_at = ?, detail = '' WHERE id = ?`,
      result.archived === true ? "archived" : "accepted",
      task,
      archive,
      now,
      now + 1000,
      task === "" ? now : null,
      num(commit, "id"),
    );
    store.run(
      `UPDATE sessions SET archives = ?, live_count = ?, pending_tokens = 0, attempts = 0,
         next_try_at = 0, reason = CASE WHEN successors > 0 THEN reason ELSE '' END
       WHERE id = ?`,
      Math.max(session.archives, number),
      session.liveCount < 0 ? null : Math.min(session.liveCount, keep),
      session.id,
    );
    markArchived(context, session, commit);
    refreshOpen(store, session.id);
  });
}

/**
 * "Nothing to commit" although messages were acknowledged: an earlier try was applied, the server
 * committed by itself, or it lost them. Reading back tells; only then is the commit done.
 */
function afterSkip(
  context: DeliveryContext,
  session: SessionRow,
  commit: SqlRow,
  result: CommitResult,
): Step {
  const { store } = context;
  if (text(commit, "detail") !== VERIFIED && result.reason !== "all_within_keep_window") {
    store.transaction(() => {
      store.run("UPDATE commits SET detail = ? WHERE id = ?", VERIFIED, num(commit, "id"));
      store.run("UPDATE sessions SET doubt = 1, next_try_at = 0 WHERE id = ?", session.id);
    });
    return { kind: "done" };
  }
  archivedElsewhere(context, session, commit, session.archives);
  return { kind: "done" };
}

/**
 * Before a commit is repeated whose answer was lost: when the engine has a new archive and nothing
 * left to commit, it was carried out.
 */
async function confirmArchived(
  context: DeliveryContext,
  session: SessionRow,
  commit: SqlRow,
): Promise<Step | undefined> {
  const meta = await context.http.request<SessionMeta>("GET", sessionPath(session.engineSession), {
    timeoutMs: 15_000,
  });
  if (!meta.ok) {
    return meta.category === "not-found" ? undefined : stepAfter(context, session, meta);
  }
  const { commit_count: archives = 0, message_count: live = 0 } = meta.result;
  if (archives <= session.archives || live > keepCount(commit)) return undefined;
  archivedElsewhere(context, session, commit, archives);
  return { kind: "done" };
}

/** A commit turned out to be carried out already; which task follows it is not known. */
function archivedElsewhere(
  context: DeliveryContext,
  session: SessionRow,
  commit: SqlRow,
  archives: number,
): void {
  const { store } = context;
  store.transaction(() => {
    store.run(
      `UPDATE commits SET phase = 'archived', accepted_at = ?, ended_at = ?, detail = ? WHERE id = ?`,
      context.now(),
      context.now(),
      "The server had archived it before its answer arrived",
      num(commit, "id"),
    );
    markArchived(context, session, commit);
    store.run(
      "UPDATE sessions SET archives = ?, attempts = 0, next_try_at = 0 WHERE id = ?",
      archives,
      session.id,
    );
    refreshOpen(store, session.id);
  });
}

const VERIFIED = "read back after an answer of nothing to commit";

async function afterFailure(
  context: DeliveryContext,
  session: SessionRow,
  commit: SqlRow,
  failure: OvFailure,
): Promise<Step> {
  const { store, capabilities } = context;
  const attempts = num(commit, "attempts") + 1;
  store.run(
    "UPDATE commits SET attempts = ?, status = ?, uncertain = ?, detail = ? WHERE id = ?",
    attempts,
    failure.status,
    failure.ambiguous ? 1 : 0,
    text(commit, "detail") === VERIFIED ? VERIFIED : describeFailure(failure),
    num(commit, "id"),
  );
  if (failure.category === "missing-route") {
    endCommit(context, session, commit, "failed", describeFailure(failure));
    return { kind: "done" };
  }
  if (failure.category === "not-found") {
    // Acknowledged messages and no session: the server lost it. Reading back queues them again.
    if (attempts > REFUSALS) {
      endCommit(context, session, commit, "failed", describeFailure(failure));
    } else store.run("UPDATE sessions SET doubt = 1, next_try_at = 0 WHERE id = ?", session.id);
    return { kind: "done" };
  }
  if (failure.action !== "refuse" && failure.action !== "split") {
    if (failure.ambiguous && failure.code === "") {
      store.run("UPDATE sessions SET doubt = 1 WHERE id = ?", session.id);
    }
    return stepAfter(context, session, failure);
  }
  if (capabilities.workingMemory && failure.category === "refused" && attempts === 1) {
    capabilities.workingMemory = false; // a server that refuses fields it does not know
    return { kind: "done" };
  }
  const meta = await context.http.request("GET", sessionPath(session.engineSession), {
    timeoutMs: 15_000,
  });
  if (!meta.ok && meta.category === "broken-session") {
    moveToSuccessor(context, session, meta.message);
    return { kind: "done" };
  }
  if (attempts <= REFUSALS) return stepAfter(context, session, failure);
  endCommit(context, session, commit, "failed", describeFailure(failure));
  return { kind: "done" };
}
