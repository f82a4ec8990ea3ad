/**
 * Checks of the write path: what waits, what was refused, what the hooks came to.
 *
 * @module
 */
import type { OutcomeRecord } from "../hook/types.ts";
import type { QueueReport } from "../outbox/queue/queue_entries.ts";
import type { Check, DoctorReport } from "./types.ts";
import { check } from "./types.ts";

/** Seconds after which a waiting entry is worth a warning. */
const OLD_SECONDS = 3600;

function distinctReasons(queue: QueueReport): string[] {
  return [...new Set(queue.pending.map((entry) => entry.reason).filter((reason) => reason !== ""))];
}

/** Counts for the report. */
export function summariseQueue(queue: QueueReport): DoctorReport["queue"] {
  const held = queue.pending.filter((entry) => entry.state === "held").length;
  return {
    pending: queue.pending.length - held,
    held,
    dead: queue.dead.length,
    oldest_seconds: Math.max(0, ...queue.pending.map((entry) => entry.age_seconds)),
    reasons: distinctReasons(queue),
  };
}

/** Sessions with something open, and how far their last commit came. */
export function summariseSessions(queue: QueueReport): DoctorReport["sessions"] {
  const sessions = new Map<string, { session: string; pending: number; commit: string }>();
  const entryOf = (session: string) => {
    const entry = sessions.get(session) ?? { session, pending: 0, commit: "" };
    sessions.set(session, entry);
    return entry;
  };
  for (const { session, messages } of queue.pending) entryOf(session).pending += messages;
  for (const { session, phase } of queue.commits) entryOf(session).commit = phase;
  return [...sessions.values()];
}

/** What waits too long, is held or was refused. */
export function checkQueue(queue: QueueReport): Check[] {
  const checks: Check[] = queue.problems.map((problem) => check("queue", "fail", problem));
  const { pending, held, dead, oldest_seconds, reasons } = summariseQueue(queue);
  const why = reasons.length === 0 ? "" : `: ${reasons.join("; ")}`;
  if (held > 0) {
    checks.push(check(
      "queue",
      "warn",
      `${held} entries are held${why}`,
      "Correct the credentials, then run `openviking-agent queue drain`",
    ));
  }
  if (dead > 0) {
    checks.push(check(
      "queue",
      "warn",
      `${dead} messages were refused by the server`,
      "See `openviking-agent queue list`",
    ));
  }
  if (pending > 0 && oldest_seconds > OLD_SECONDS) {
    checks.push(check(
      "queue",
      "warn",
      `${pending} entries wait, the oldest for ${Math.round(oldest_seconds / 3600)} h${why}`,
      "Run `openviking-agent queue drain`",
    ));
  }
  if (checks.length === 0) checks.push(check("queue", "ok", `${pending} entries wait`));
  return checks;
}

/** The last failure of each host's stages. */
export function checkOutcomes(outcomes: readonly OutcomeRecord[]): Check[] {
  const seen = new Set<string>();
  const checks: Check[] = [];
  for (const { host, stage, outcome, at, detail, trace_id } of outcomes) {
    // Records come newest first: only the last outcome of a stage says how things are now.
    if (seen.has(`${host} ${stage}`)) continue;
    seen.add(`${host} ${stage}`);
    if (["ok", "empty", "queued", "disabled", "bypassed"].includes(outcome)) continue;
    const trace = trace_id === "" ? "" : ` (trace ${trace_id})`;
    checks.push(
      check("hooks", "warn", `${stage} at ${at}: ${outcome}, ${detail}${trace}`, "", host),
    );
  }
  return checks.length > 0 ? checks : [check("hooks", "ok", "No hook failed")];
}
