/**
 * What a person can see of the queues. Local files only, beside workers that live.
 *
 * @module
 */
import type { Runtime } from "../../runtime/types.ts";
import type { CommitEntry, DeadEntry, PendingEntry, QueueReport } from "./queue_entries.ts";
import { reportTarget } from "./_target_report.ts";
import { targetIds } from "./_target_stores.ts";

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
