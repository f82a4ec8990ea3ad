/**
 * Follows the task that a commit started, without holding anything up: extraction complete, failed,
 * or never heard of again are facts of their own.
 *
 * @module
 */
import type { SqlRow } from "../../runtime/types.ts";
import type { DeliveryContext, Step } from "./delivery.ts";
import type { TaskResult } from "./_wire.ts";
import { describeFailure, pauseMs } from "./delivery.ts";
import { refreshOpen } from "../store/sessions.ts";
import { num, type Store, text } from "../store/store.ts";

/** How often what an extraction lost is sent again, and after which pauses. */
const RESEND_AFTER_MS = [15 * 60_000, 2 * 3_600_000];
/** A task that has not ended by then is not asked for any more. */
const FOLLOW_MS = 24 * 3_600_000;

/** True when a task is due to be asked for. */
export function hasTaskDue(store: Store, now: number): boolean {
  return store.get(
    `SELECT 1 FROM commits WHERE phase IN ('accepted','archived') AND next_try_at <= ?
       AND task <> '' AND ended_at IS NULL LIMIT 1`,
    now,
  ) !== undefined;
}

/** Asks for one task that is due. Returns false when none was. */
export async function followTask(context: DeliveryContext, target: number): Promise<Step | false> {
  const { store } = context;
  const now = context.now();
  const commit = store.get(
    `SELECT c.* FROM commits c JOIN sessions s ON s.id = c.session
     WHERE c.phase IN ('accepted','archived') AND c.task <> '' AND c.ended_at IS NULL
       AND c.next_try_at <= ? AND s.target = ? ORDER BY c.next_try_at LIMIT 1`,
    now,
    target,
  );
  if (commit === undefined) return false;
  const answer = await context.http.request<TaskResult | null>(
    "GET",
    `/api/v1/tasks/${encodeURIComponent(text(commit, "task"))}`,
    { timeoutMs: 10_000 },
  );
  if (!answer.ok && answer.action === "hold") return { kind: "hold", failure: answer };
  const status = answer.ok ? answer.result?.status ?? "" : "";
  if (status === "completed") extracted(context, commit);
  else if (status === "failed" || status === "cancelled") {
    extractionFailed(context, commit, JSON.stringify(answer.ok ? answer.result?.error ?? "" : ""));
  } else if (!answer.ok && answer.action !== "retry") {
    stopFollowing(context, commit, describeFailure(answer));
  } else if (now - num(commit, "accepted_at") > FOLLOW_MS) {
    stopFollowing(context, commit, "The task did not end within a day");
  } else {
    const attempts = num(commit, "attempts") + 1;
    store.run(
      "UPDATE commits SET attempts = ?, next_try_at = ? WHERE id = ?",
      attempts,
      now + Math.max(1000, pauseMs(attempts, context.random())),
      num(commit, "id"),
    );
  }
  return { kind: "done" };
}

/** Extraction is complete: the local copies of what it archived are not needed any more. */
function extracted({ store, now }: DeliveryContext, commit: SqlRow): void {
  store.transaction(() => {
    store.run(
      "UPDATE commits SET phase = 'extracted', detail = '', ended_at = ? WHERE id = ?",
      now(),
      num(commit, "id"),
    );
    store.run(
      "DELETE FROM messages WHERE commit_id = ? AND state = 'archived'",
      num(commit, "id"),
    );
  });
}

/**
 * The archive is lost from view when its extraction fails, and nobody tries it again. Its messages
 * are still here: they are sent and committed again, a bounded number of times.
 */
function extractionFailed({ store, now }: DeliveryContext, commit: SqlRow, error: string): void {
  const pause = RESEND_AFTER_MS[num(commit, "resends")];
  store.run(
    "UPDATE commits SET phase = 'failed', detail = ?, ended_at = ?, next_try_at = ? WHERE id = ?",
    `The server could not extract it: ${error}`.slice(0, 500),
    now(),
    pause === undefined ? 0 : now() + pause,
    num(commit, "id"),
  );
}

function stopFollowing({ store, now }: DeliveryContext, commit: SqlRow, why: string): void {
  store.run(
    "UPDATE commits SET detail = ?, ended_at = ? WHERE id = ?",
    why.slice(0, 500),
    now(),
    num(commit, "id"),
  );
}

/** Queues again what failed extractions lost and is due. Returns how many commits that were. */
export function resendFailed(context: DeliveryContext, target: number): number {
  const { store } = context;
  const now = context.now();
  const due = store.all(
    `SELECT c.* FROM commits c JOIN sessions s ON s.id = c.session
     WHERE c.phase = 'failed' AND c.next_try_at > 0 AND c.next_try_at <= ? AND s.target = ?`,
    now,
    target,
  );
  for (const commit of due) {
    store.transaction(() => {
      const session = num(commit, "session");
      store.run("UPDATE commits SET next_try_at = 0 WHERE id = ?", num(commit, "id"));
      const last = store.get(
        "SELECT max(seq) AS seq FROM messages WHERE commit_id = ? AND state = 'archived'",
        num(commit, "id"),
      );
      if (num(last, "seq") === 0) return;
      store.run(
        `UPDATE messages SET state = 'pending', commit_id = NULL, changed_at = ?
         WHERE commit_id = ? AND state = 'archived'`,
        now,
        num(commit, "id"),
      );
      store.run(
        `INSERT INTO commits(session, generation, reason, after_seq, params, resends, requested_at)
         VALUES (?,?,?,?,?,?,?)`,
        session,
        num(commit, "generation"),
        text(commit, "reason"),
        num(last, "seq"),
        text(commit, "params"),
        num(commit, "resends") + 1,
        now,
      );
      refreshOpen(store, session);
    });
  }
  return due.length;
}
