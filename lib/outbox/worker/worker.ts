/**
 * The background process of one target: takes events in, delivers them, lingers, ends.
 *
 * @module
 */
import type { WorkerOptions } from "./worker_options.ts";
import { OUTBOX_LAYOUT } from "../types.ts";
import { createTurns, type Turns } from "./_turns.ts";
import { spoolNames } from "../ingest/ingest.ts";
import { type Lease, takeLease } from "./lease.ts";
import { noteWorkerProblem } from "./worker_problem.ts";
import { noteSound, openQueueStore } from "../store/store.ts";
import { targetFolder } from "../target.ts";

/** Why a worker ended, and what it did. */
export interface WorkerResult {
  readonly ended: "idle" | "stopped" | "busy" | "failed";
  /** Messages taken in, and messages that the engine acknowledged. */
  readonly messages: number;
  readonly delivered: number;
  readonly detail?: string;
}

/** A worker that waits for a server ends after this time without an event. */
const WAIT_FOR_SERVER_MS = 3_600_000;
/** Time for the request under way when the worker is asked to stop; read-back settles what is cut. */
const STOP_GRACE_MS = 2000;

interface Round {
  readonly messages: number;
  readonly delivered: number;
  /** Spool files that were looked at and have to wait. */
  readonly waiting: readonly string[];
}

/**
 * Runs the worker of a target until nothing came for `lingerMs`, or it is asked to stop. Ends at once
 * with `busy` when another one lives. After it has let the lease go it looks once more: a hook
 * records first and looks then, so one of the two sees the record.
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerResult> {
  const { runtime, agentHome, targetId } = options;
  const folder = targetFolder(agentHome, targetId);
  let stopped = options.signal?.aborted ?? false;
  const stop = (): void => {
    stopped = true;
  };
  options.signal?.addEventListener("abort", stop, { once: true });
  if (options.signal === undefined) runtime.onTerminate(stop);
  let messages = 0;
  let delivered = 0;
  try {
    runtime.files.makeDir(`${folder}/${OUTBOX_LAYOUT.spool}`, 0o700);
    for (;;) {
      const lease = await takeLease(runtime, folder);
      if (lease === undefined) return { ended: "busy", messages, delivered };
      let round: Round;
      try {
        round = await workRound(options, folder, lease, () => stopped);
      } finally {
        lease.release();
      }
      noteWorkerProblem(runtime, folder, "");
      messages += round.messages;
      delivered += round.delivered;
      options.checkpoint?.("after-release");
      if (stopped) return { ended: "stopped", messages, delivered };
      const seen = new Set(round.waiting);
      if (spoolNames({ runtime, folder }).every((name) => seen.has(name))) {
        return { ended: "idle", messages, delivered };
      }
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    noteWorkerProblem(runtime, folder, detail);
    return { ended: "failed", messages, delivered, detail };
  } finally {
    options.signal?.removeEventListener("abort", stop);
  }
}

/** True when a worker has nothing more to wait for. */
function mayEnd(options: WorkerOptions, turns: Turns, lastWork: number): boolean {
  const now = options.runtime.now();
  const dueAt = turns.nextDueAt();
  const until = options.untilDelivered;
  if (until !== undefined && now >= until) return true;
  if (turns.isBusy() || (dueAt <= now && !turns.isHeld())) return false;
  if (until !== undefined) return dueAt > until || turns.isHeld();
  const waitsForServer = options.lingerMs > 0 && dueAt < Infinity && !turns.isHeld();
  const patience = waitsForServer
    ? Math.max(options.lingerMs, WAIT_FOR_SERVER_MS)
    : options.lingerMs;
  return now - lastWork >= patience;
}

/** Works until there is no reason to go on. Events are taken in while an answer is awaited. */
async function workRound(
  options: WorkerOptions,
  folder: string,
  lease: Lease,
  isStopped: () => boolean,
): Promise<Round> {
  const { runtime, pollMs = 150 } = options;
  const { store } = await openQueueStore(runtime, folder);
  const turns = createTurns(options, folder, store, isStopped);
  let ending = false;
  let failure: { readonly error: unknown } | undefined;
  let lastWork = runtime.now();
  let isDone = false;

  async function deliverAll(): Promise<void> {
    while (!ending && !isStopped()) {
      if (await turns.deliver()) lastWork = runtime.now();
      else await runtime.sleep(pollMs);
    }
  }

  try {
    await turns.takeIn();
    const delivery = deliverAll().catch((error: unknown) => {
      failure = { error };
    });
    for (let hintAt = runtime.now(); !isStopped() && failure === undefined;) {
      if (runtime.now() - hintAt >= 1000) {
        lease.refreshHint();
        hintAt = runtime.now();
      }
      if (await turns.takeIn() > 0) lastWork = runtime.now();
      else if (mayEnd(options, turns, lastWork)) break;
      await runtime.sleep(pollMs);
    }
    ending = true;
    const isCut = isStopped() || runtime.now() >= (options.untilDelivered ?? Infinity);
    await Promise.race([delivery, ...(isCut ? [runtime.sleep(STOP_GRACE_MS)] : [])]);
    if (failure !== undefined) throw failure.error;
    isDone = true;
    return {
      messages: turns.messages(),
      delivered: turns.delivered(),
      waiting: turns.waitingNames(),
    };
  } finally {
    ending = true;
    store.close();
    if (isDone) noteSound(runtime, folder);
  }
}
