/**
 * Delivers what a store holds: one step of one session at a time, sessions in turn.
 *
 * @module
 */
import type { DeliveryContext, Step } from "./_delivery.ts";
import { commitNext, followTask } from "./_commit.ts";
import { reconcile } from "./_reconcile.ts";
import { sendNext } from "./_send.ts";
import { refreshOpen, type SessionRow, toSession } from "./_sessions.ts";
import { num, type Store, text } from "./store.ts";

/** The session whose turn it is: due, and served longest ago. */
function nextSession(store: Store, target: number, now: number): SessionRow | undefined {
  const row = store.get(
    `SELECT * FROM sessions WHERE target = ? AND open = 1 AND next_try_at <= ?
     ORDER BY served_at LIMIT 1`,
    target,
    now,
  );
  return row === undefined ? undefined : toSession(row);
}

/**
 * Serves one session that is due. `undefined` when none is.
 *
 * Order within a session: what is in flight is settled first, then messages leave in order up to the
 * next commit, then that commit.
 */
export async function serveNextSession(
  context: DeliveryContext,
  target: number,
): Promise<Step | undefined> {
  const { store } = context;
  const session = nextSession(store, target, context.now());
  if (session === undefined) return undefined;
  store.run(
    "UPDATE sessions SET served_at = (SELECT max(served_at) + 1 FROM sessions) WHERE id = ?",
    session.id,
  );
  if (session.inflightAt > 0 || session.doubt) return await reconcile(context, session);
  const step = await sendNext(context, session) ?? await commitNext(context, session);
  if (step !== undefined) return step;
  refreshOpen(store, session.id);
  return { kind: "done" };
}

/** True when a task is due to be asked for. */
export function hasTaskDue(store: Store, now: number): boolean {
  return store.get(
    `SELECT 1 FROM commits WHERE phase IN ('accepted','archived') AND next_try_at <= ?
       AND task <> '' AND ended_at IS NULL LIMIT 1`,
    now,
  ) !== undefined;
}

/** Follows one task that is due; false when none is. */
export function serveNextTask(context: DeliveryContext, target: number): Promise<Step | false> {
  return followTask(context, target);
}

/** What a store still has to deliver. */
export interface Backlog {
  readonly messages: number;
  readonly commits: number;
  /** Milliseconds since the epoch at which the next thing is due; `Infinity` when nothing waits. */
  readonly nextDueAt: number;
  /** Reasons of sessions that wait after a failure, at most ten. */
  readonly reasons: readonly string[];
}

/** Counts what waits, over all identities of the target or for one. */
export function readBacklog(store: Store, target?: number): Backlog {
  const any = target === undefined ? 1 : 0;
  const id = target ?? 0;
  const messages = store.get(
    `SELECT count(*) AS n FROM messages m JOIN sessions s ON s.id = m.session
     WHERE m.state IN ('pending','inflight') AND (? = 1 OR s.target = ?)`,
    any,
    id,
  );
  const commits = store.get(
    `SELECT count(*) AS n FROM commits c JOIN sessions s ON s.id = c.session
     WHERE c.phase = 'requested' AND (? = 1 OR s.target = ?)`,
    any,
    id,
  );
  const due = store.get(
    "SELECT min(next_try_at) AS at FROM sessions WHERE open = 1 AND (? = 1 OR target = ?)",
    any,
    id,
  );
  const reasons = store.all(
    `SELECT DISTINCT reason FROM sessions WHERE open = 1 AND reason <> '' AND (? = 1 OR target = ?)
     LIMIT 10`,
    any,
    id,
  );
  return {
    messages: num(messages, "n"),
    commits: num(commits, "n"),
    nextDueAt: due === undefined || due["at"] === null ? Infinity : num(due, "at"),
    reasons: reasons.map((row) => text(row, "reason")),
  };
}
