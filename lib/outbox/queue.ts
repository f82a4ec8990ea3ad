/**
 * What a person can see of the queues and do with them. Local files only, beside workers that live.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import { OUTBOX_LAYOUT } from "./types.ts";
import { reportTarget } from "./_queue_report.ts";
import { openExistingStore, type Store } from "./store.ts";
import { outboxFolder, targetFolder } from "./target.ts";

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

/** Names of the targets that have a folder. */
export function targetIds(runtime: Runtime, agentHome: string): string[] {
  return runtime.files.list(outboxFolder(agentHome))
    .filter((name) => runtime.files.stat(targetFolder(agentHome, name))?.kind === "directory")
    .sort();
}

/** Opens the store of a target for `work`; `undefined` when it has none. */
export async function withStore<T>(
  runtime: Runtime,
  agentHome: string,
  targetId: string,
  work: (store: Store) => T,
): Promise<T | undefined> {
  const folder = targetFolder(agentHome, targetId);
  if (runtime.files.stat(`${folder}/${OUTBOX_LAYOUT.store}`) === undefined) return undefined;
  const store = await openExistingStore(runtime, folder);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

/** Reads every queue under `agentHome`, also while workers live. */
export async function queueReport(runtime: Runtime, agentHome: string): Promise<QueueReport> {
  const pending: PendingEntry[] = [];
  const dead: DeadEntry[] = [];
  const commits: CommitEntry[] = [];
  const problems: string[] = [];
  for (const id of targetIds(runtime, agentHome)) {
    try {
      const report = await reportTarget(runtime, agentHome, id);
      pending.push(...report.pending);
      dead.push(...report.dead);
      commits.push(...report.commits);
      problems.push(...report.problems);
    } catch (error) {
      problems.push(
        `Cannot read the queue of ${id}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return { pending, dead, commits, problems };
}
