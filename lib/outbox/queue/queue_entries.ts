/**
 * Shapes of the report on the queues; `pending` and `dead` are those of `queue list --json`.
 *
 * @module
 */

/** One thing that waits, in the shape of `queue list --json`. */
export interface PendingEntry {
  readonly id: string;
  readonly target: string;
  readonly session: string;
  readonly kind: "message" | "commit" | "event";
  readonly messages: number;
  readonly attempts: number;
  readonly age_seconds: number;
  readonly state: "ready" | "waiting" | "held" | "ambiguous";
  readonly phase: string;
  /** ISO 8601, "" when it may go at once. */
  readonly next_try_at: string;
  readonly reason: string;
}

/** One thing that was given up. */
export interface DeadEntry {
  readonly id: string;
  readonly target: string;
  readonly session: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly since: string;
}

/** One commit with how far it came: requested, accepted, archived, extracted, skipped, failed or dropped. */
export interface CommitEntry {
  readonly target: string;
  readonly session: string;
  readonly reason: string;
  readonly phase: string;
  /** ISO 8601, when it was asked for. */
  readonly at: string;
  readonly detail: string;
}

/** All queues. `problems` names what could not be read. */
export interface QueueReport {
  readonly pending: readonly PendingEntry[];
  readonly dead: readonly DeadEntry[];
  /** The newest commits, at most fifty per target. */
  readonly commits: readonly CommitEntry[];
  readonly problems: readonly string[];
}
