/**
 * What the steps of a delivery share: their context, pauses and the words for a failure.
 *
 * @module
 */
import type { OvFailure, OvHttp } from "../../http/types.ts";
import type { SessionRow } from "../store/sessions.ts";
import { refreshOpen } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";

/** What this server was seen not to know; asked again by the next worker. */
export interface Capabilities {
  batch: boolean;
  workingMemory: boolean;
}

/** What the steps of a delivery work with. */
export interface DeliveryContext {
  readonly store: Store;
  readonly http: OvHttp;
  readonly capabilities: Capabilities;
  /** How long a session rests when the server may still be applying what was sent. */
  readonly settleMs: number;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly checkpoint: (name: string) => void;
  readonly onAcknowledged: (count: number) => void;
}

/**
 * How a step ended. `target` means that the trouble is not this session's: nothing else should be
 * tried before `retryAt`; `hold` that the credentials were refused.
 */
export type Step =
  | { readonly kind: "done" }
  | { readonly kind: "waits" }
  | { readonly kind: "target"; readonly failure: OvFailure }
  | { readonly kind: "hold"; readonly failure: OvFailure };

/** One line about a failure: status and category, then the server's words. */
export function describeFailure({ status, category, message }: OvFailure): string {
  return `${status} ${category}: ${message}`.slice(0, 500);
}

/** Longest pause between two tries of the same thing, in milliseconds. */
const MAX_PAUSE_MS = 30_000;

/** Pause before try number `attempts` + 1: doubling from half a second, with a quarter of jitter. */
export function pauseMs(attempts: number, random: number): number {
  const pause = Math.min(MAX_PAUSE_MS, 500 * 2 ** Math.min(attempts, 10));
  return Math.round(pause * (0.75 + random * 0.5));
}

/** Notes a failed try of a session and when to try again. */
export function postponeSession(
  context: DeliveryContext,
  session: SessionRow,
  failure: OvFailure,
  notBefore = 0,
): void {
  const now = context.now();
  const attempts = session.attempts + 1;
  const pause = failure.retryAfterMs ?? pauseMs(attempts, context.random());
  context.store.run(
    `UPDATE sessions SET attempts = ?, next_try_at = ?, status = ?, reason = ? WHERE id = ?`,
    attempts,
    Math.max(notBefore, now + pause),
    failure.status,
    describeFailure(failure),
    session.id,
  );
}

/** True when no session of this target would fare better now. */
function isTargetTrouble(failure: OvFailure): boolean {
  return failure.category === "unreachable" || failure.category === "timeout" ||
    failure.category === "protocol" || failure.status === 429;
}

/** Ends a step after a failure that leaves the session's queue as it is. */
export function stepAfter(
  context: DeliveryContext,
  session: SessionRow,
  failure: OvFailure,
  notBefore = 0,
): Step {
  if (failure.action === "hold") return { kind: "hold", failure };
  postponeSession(context, session, failure, notBefore);
  return isTargetTrouble(failure) ? { kind: "target", failure } : { kind: "waits" };
}

/**
 * Leaves a session that is broken on the engine: what was not extracted goes to a successor. Nothing
 * becomes a dead letter, the old id stays on record.
 */
export function moveToSuccessor(context: DeliveryContext, session: SessionRow, why: string): void {
  const { store } = context;
  const successors = session.successors + 1;
  const next = `${session.session}-r${successors}`;
  store.transaction(() => {
    store.run(
      `UPDATE messages SET state = 'pending', changed_at = ? WHERE session = ?
         AND state IN ('inflight', 'acked')`,
      context.now(),
      session.id,
    );
    store.run(
      `UPDATE sessions SET engine_session = ?, successors = ?, live_count = NULL, archives = 0,
         inflight_at = NULL, rest_until = 0, doubt = 0, verified = 0, attempts = 0, next_try_at = 0, reason = ?
       WHERE id = ?`,
      next,
      successors,
      `Session ${session.engineSession} is broken on the server (${why}); it goes on as ${next}`
        .slice(0, 500),
      session.id,
    );
    refreshOpen(store, session.id);
  });
}
