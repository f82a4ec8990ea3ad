/**
 * Delivers what a store holds: one step of one session at a time, sessions in turn.
 *
 * @module
 */
import type { DeliveryContext, Step } from "./delivery.ts";
import { commitNext } from "./_commit.ts";
import { reconcile } from "./_reconcile.ts";
import { sendNext } from "./_send.ts";
import { refreshOpen, type SessionRow, toSessionRow } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";

/** The session whose turn it is: due, and served longest ago. */
function nextSession(store: Store, target: number, now: number): SessionRow | undefined {
  const row = store.get(
    `SELECT * FROM sessions WHERE target = ? AND open = 1 AND next_try_at <= ?
     ORDER BY served_at LIMIT 1`,
    target,
    now,
  );
  return row === undefined ? undefined : toSessionRow(row);
}

/**
 * Serves one session that is due. `undefined` when none is.
 *
 * Order within a session: what is in flight or in doubt is settled first, then messages leave in order up to the
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
  if (session.inflightAt > 0 || session.doubt || !session.verified) {
    return await reconcile(context, session);
  }
  const step = await sendNext(context, session) ?? await commitNext(context, session);
  if (step !== undefined) return step;
  refreshOpen(store, session.id);
  return { kind: "done" };
}
