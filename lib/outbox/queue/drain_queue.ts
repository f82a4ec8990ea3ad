/**
 * The workers' job in the foreground: `queue drain`.
 *
 * @module
 */
import type { QueueReport } from "./queue_entries.ts";
import { targetIds } from "./_target_stores.ts";
import { queueReport } from "./queue_report.ts";
import { UNRESOLVED_TARGET } from "../target.ts";
import type { WorkerOptions } from "../worker/worker_options.ts";
import { runWorker } from "../worker/worker.ts";

/** What is left after a drain. `left` counts what waits; 0 is exit code 0, else 3. */
export interface DrainReport {
  readonly left: number;
  /** Messages that this process delivered; a worker that lived beside it is not counted. */
  readonly delivered: number;
  readonly dead: number;
  /** One line per cause, for a person. */
  readonly reasons: readonly string[];
}

/** How to drain: the worker's options but for the target, which is every folder there is. */
export interface DrainOptions extends Omit<WorkerOptions, "targetId" | "lingerMs" | "connect"> {
  /** Makes the connector of one target, see {@linkcode WorkerOptions.connect}. */
  readonly connect: (targetId: string) => WorkerOptions["connect"];
  /** Targets to drain although they may have no folder yet, beside those that have one. */
  readonly targetIds?: readonly string[];
  /** Milliseconds to go on while something waits. */
  readonly waitMs: number;
}

function summarise(report: QueueReport, delivered: number): DrainReport {
  const { pending, dead, problems } = report;
  const reasons = new Set<string>();
  for (const { target, state, reason, kind } of pending) {
    reasons.add(`${target}: ${kind} ${state}${reason === "" ? "" : ` (${reason})`}`);
  }
  const unreadable = problems.filter((problem) => problem.startsWith("Cannot read the queue"));
  return {
    left: pending.length + unreadable.length,
    delivered,
    dead: dead.length,
    reasons: [...reasons, ...problems],
  };
}

/** Drains one target: by a worker of our own, or beside one that lives, until the time is over. */
async function drainTarget(
  options: DrainOptions,
  targetId: string,
  until: number,
): Promise<number> {
  const { runtime, agentHome } = options;
  let delivered = 0;
  for (;;) {
    const result = await runWorker({
      ...options,
      targetId,
      connect: options.connect(targetId),
      lingerMs: 0,
      untilDelivered: until,
      signal: options.signal ?? new AbortController().signal,
    });
    delivered += result.delivered;
    if (result.ended !== "busy" || runtime.now() >= until) return delivered;
    const report = await queueReport(runtime, agentHome);
    if (!report.pending.some(({ target }) => target === targetId)) return delivered;
    await runtime.sleep(200);
  }
}

/**
 * Delivers what every target's queue holds, within `waitMs`. Pauses are honoured as far as they end
 * in that time.
 */
export async function drainQueue(options: DrainOptions): Promise<DrainReport> {
  const { runtime, agentHome } = options;
  const until = runtime.now() + options.waitMs;
  const ids = new Set([...(options.targetIds ?? []), ...targetIds(runtime, agentHome)]);
  ids.delete(UNRESOLVED_TARGET.id);
  const delivered = await Promise.all([...ids].map((id) => drainTarget(options, id, until)));
  return summarise(await queueReport(runtime, agentHome), delivered.reduce((a, b) => a + b, 0));
}
