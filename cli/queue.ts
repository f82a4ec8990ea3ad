/**
 * `queue`: what waits in the outbox, and delivering it in the foreground.
 *
 * @module
 */
import type { CommandContext } from "./context.ts";
import { agentHome } from "../lib/config/paths.ts";
import {
  dropEntry,
  exportQueue,
  type QueueChange,
  retryQueue,
} from "../lib/outbox/queue/change_queue.ts";
import { drainQueue } from "../lib/outbox/queue/drain_queue.ts";
import { queueReport } from "../lib/outbox/queue/queue_report.ts";
import { CommandError, EXIT, forTerminal } from "./output.ts";
import { wireWorkers } from "./worker_options.ts";

function age(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** `queue list`: everything that waits, is held or was given up. */
export async function list({ runtime, output }: CommandContext): Promise<number> {
  const report = await queueReport(runtime, agentHome(runtime));
  if (output.json) {
    output.document({
      pending: report.pending,
      dead: report.dead,
      commits: report.commits,
      problems: report.problems,
    });
    return EXIT.done;
  }
  if (report.pending.length === 0 && report.dead.length === 0) output.line("Nothing waits.");
  for (const entry of report.pending) {
    const { kind, messages, session, state, age_seconds, attempts, reason, target } = entry;
    const what = kind === "message" ? `${messages} message(s)` : kind;
    output.line(
      `${state.padEnd(9)} ${what} of ${session} for ${target}, ${age(age_seconds)} old, ` +
        `${attempts} attempt(s)${reason === "" ? "" : `: ${forTerminal(reason)}`}`,
    );
  }
  for (const entry of report.dead) {
    output.line(`dead      ${entry.id} of ${entry.session}: ${forTerminal(entry.reason)}`);
  }
  report.problems.forEach((problem) => output.note(problem));
  return EXIT.done;
}

/** `queue drain`: 0 when nothing is left, 3 when something remains, with the reasons. */
export async function drain(context: CommandContext, waitSeconds: number): Promise<number> {
  const { runtime, output } = context;
  const wiring = wireWorkers(runtime);
  try {
    const current = await wiring.currentTarget();
    const report = await drainQueue({
      ...wiring.options,
      connect: () => wiring.connector(),
      targetIds: current === undefined ? [] : [current.id],
      waitMs: waitSeconds * 1000,
    });
    if (output.json) output.document(report);
    else {
      output.line(
        report.left === 0 ? "Nothing is left." : `${report.left} remain.`,
      );
      report.reasons.forEach((reason) => output.note(forTerminal(reason)));
    }
    return report.left === 0 ? EXIT.done : EXIT.remains;
  } finally {
    wiring.close();
  }
}

function reportChange({ output }: CommandContext, change: QueueChange, done: string): number {
  const [problem] = change.problems;
  if (problem !== undefined) {
    throw new CommandError("queue", problem, "See `openviking-agent queue list`");
  }
  if (output.json) output.document(change);
  else output.line(done);
  return EXIT.done;
}

/** `queue retry [ID]`: what waits is due now; a dead letter gets another try. */
export async function retry(context: CommandContext, id: string | undefined): Promise<number> {
  const { runtime } = context;
  const change = await retryQueue(runtime, agentHome(runtime), id);
  return reportChange(context, change, `${change.changed} will be tried again.`);
}

/** `queue drop ID`: forgets one entry for good. */
export async function drop(context: CommandContext, id: string): Promise<number> {
  const { runtime } = context;
  return reportChange(context, await dropEntry(runtime, agentHome(runtime), id), `Dropped ${id}.`);
}

/** `queue export FILE`: what waits and what is dead, as JSON lines. */
export async function exportTo(context: CommandContext, file: string): Promise<number> {
  const { runtime } = context;
  const path = /^(\/|[A-Za-z]:)/.test(file) ? file : `${runtime.cwd()}/${file}`;
  const change = await exportQueue(runtime, agentHome(runtime), path);
  return reportChange(context, change, `Wrote ${change.changed} entries to ${path}.`);
}
