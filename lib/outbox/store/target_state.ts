/**
 * Whether a target may be tried now: refused credentials and an unreachable server concern every
 * session alike.
 *
 * @module
 */
import type { OvFailure } from "../../http/types.ts";
import { describeFailure, pauseMs } from "../deliver/delivery.ts";
import { type Store, text } from "./store.ts";

/** State of a target, kept in the store so that the next worker goes on with it. */
export interface TargetState {
  readonly state: "open" | "held" | "down";
  readonly reason: string;
  readonly status: number;
  readonly attempts: number;
  readonly nextTryAt: number;
  /** Key in use when it was held; another one ends the pause. */
  readonly keyFingerprint: string;
}

/** Nothing is wrong. */
export const OPEN_TARGET: TargetState = {
  state: "open",
  reason: "",
  status: 0,
  attempts: 0,
  nextTryAt: 0,
  keyFingerprint: "",
};

/** First and longest pause of a held target. */
const HOLD_FIRST_MS = 60_000;
const HOLD_MAX_MS = 3_600_000;

/** Reads the state of the target that a store belongs to. */
export function readTargetState(store: Store): TargetState {
  const row = store.get("SELECT value FROM meta WHERE key = 'target-state'");
  if (row === undefined) return OPEN_TARGET;
  return { ...OPEN_TARGET, ...JSON.parse(text(row, "value")) as Partial<TargetState> };
}

/** Stores the state of the target. */
export function writeTargetState(store: Store, state: TargetState): void {
  store.run(
    `INSERT INTO meta(key, value) VALUES ('target-state', ?)
     ON CONFLICT(key) DO UPDATE SET value = excluded.value`,
    JSON.stringify(state),
  );
}

/** The state after the credentials were refused, or there was no usable connection. */
export function heldState(
  before: TargetState,
  reason: string,
  status: number,
  keyFingerprint: string,
  now: number,
): TargetState {
  const attempts = before.state === "held" ? before.attempts + 1 : 1;
  const pause = Math.min(HOLD_MAX_MS, HOLD_FIRST_MS * 2 ** (attempts - 1));
  return { state: "held", reason, status, attempts, nextTryAt: now + pause, keyFingerprint };
}

/** The state after the server could not be used by anybody. */
export function downState(
  before: TargetState,
  failure: OvFailure,
  now: number,
  random: number,
): TargetState {
  const attempts = before.state === "down" ? before.attempts + 1 : 1;
  return {
    state: "down",
    reason: describeFailure(failure),
    status: failure.status,
    attempts,
    nextTryAt: now + (failure.retryAfterMs ?? pauseMs(attempts, random)),
    keyFingerprint: "",
  };
}
