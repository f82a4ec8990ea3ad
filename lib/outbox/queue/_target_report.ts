/**
 * The report on one target's queue.
 *
 * @module
 */
import type { Runtime, SqlRow } from "../../runtime/types.ts";
import type { CommitEntry, DeadEntry, PendingEntry, QueueReport } from "./queue_entries.ts";
import { spoolNames } from "../ingest/ingest.ts";
import { limitWarnings, type QueueLimits } from "../store/limits.ts";
import { parseSpoolRecord } from "../ingest/spool_record.ts";
import { readTargetState, type TargetState } from "../store/target_state.ts";
import { num, type Store, text } from "../store/store.ts";
import { OUTBOX_LAYOUT } from "../types.ts";
import { targetFolder } from "../target.ts";
import { readWorkerProblem } from "../worker/worker_problem.ts";
import { withStore } from "./_target_stores.ts";

const iso = (ms: number): string => (ms > 0 ? new Date(ms).toISOString() : "");
const seconds = (now: number, since: number): number =>
  since > 0 ? Math.max(0, Math.round((now - since) / 1000)) : 0;

/** State and pause of a session's entry, its own or its target's. */
function stateOf(
  row: SqlRow,
  target: TargetState,
  now: number,
): Pick<PendingEntry, "state" | "next_try_at" | "reason"> {
  if (target.state === "held") {
    return { state: "held", next_try_at: iso(target.nextTryAt), reason: target.reason };
  }
  const at = Math.max(num(row, "next_try_at"), target.nextTryAt);
  const reason = text(row, "reason") || target.reason;
  if (num(row, "inflight_at") > 0) return { state: "ambiguous", next_try_at: iso(at), reason };
  return { state: at > now ? "waiting" : "ready", next_try_at: at > now ? iso(at) : "", reason };
}

function waitingMessages(
  store: Store,
  id: string,
  target: TargetState,
  now: number,
): PendingEntry[] {
  return store.all(
    `SELECT s.id, s.session, s.next_try_at, s.reason, s.inflight_at, count(*) AS n,
       max(m.attempts) AS attempts, min(m.queued_at) AS since
     FROM messages m JOIN sessions s ON s.id = m.session
     WHERE m.state IN ('pending','inflight') GROUP BY s.id ORDER BY since`,
  ).map((row) => ({
    id: `${id}/m${num(row, "id")}`,
    target: id,
    session: text(row, "session"),
    kind: "message",
    messages: num(row, "n"),
    attempts: num(row, "attempts"),
    age_seconds: seconds(now, num(row, "since")),
    phase: "queued",
    ...stateOf(row, target, now),
  }));
}

function waitingCommits(
  store: Store,
  id: string,
  target: TargetState,
  now: number,
): PendingEntry[] {
  return store.all(
    `SELECT c.id, s.session, s.next_try_at, c.detail AS reason, NULL AS inflight_at, c.attempts,
       c.requested_at AS since, c.phase
     FROM commits c JOIN sessions s ON s.id = c.session WHERE c.phase = 'requested' ORDER BY c.id`,
  ).map((row) => ({
    id: `${id}/c${num(row, "id")}`,
    target: id,
    session: text(row, "session"),
    kind: "commit",
    messages: 0,
    attempts: num(row, "attempts"),
    age_seconds: seconds(now, num(row, "since")),
    phase: text(row, "phase"),
    ...stateOf(row, target, now),
  }));
}

function waitingEvents(
  runtime: Runtime,
  agentHome: string,
  id: string,
  store?: Store,
): PendingEntry[] {
  const folder = targetFolder(agentHome, id);
  const now = runtime.now();
  return spoolNames({ runtime, folder }).map((name) => {
    const row = store?.get("SELECT * FROM waiting_events WHERE name = ?", name);
    const since = Number(/^\d+/.exec(name)?.[0] ?? 0);
    const at = num(row, "next_try_at");
    let session = text(row, "session");
    try {
      session ||=
        parseSpoolRecord(runtime.files.readText(`${folder}/${OUTBOX_LAYOUT.spool}/${name}`))
          ?.session ?? "";
    } catch { /* taken in meanwhile, or unreadable, which `reason` says */ }
    return {
      id: `${id}/e${name}`,
      target: id,
      session,
      kind: "event",
      messages: 0,
      attempts: num(row, "attempts"),
      age_seconds: seconds(now, since),
      state: at > now ? "waiting" : "ready",
      phase: "recorded",
      next_try_at: at > now ? iso(at) : "",
      reason: text(row, "reason"),
    };
  });
}

function deadLetters(store: Store, id: string): DeadEntry[] {
  return store.all(
    `SELECT s.session, m.session AS sid, m.seq, m.reason, m.changed_at
     FROM messages m JOIN sessions s ON s.id = m.session WHERE m.state = 'dead' ORDER BY m.changed_at`,
  ).map((row) => ({
    id: `${id}/d${num(row, "sid")}.${num(row, "seq")}`,
    target: id,
    session: text(row, "session"),
    reason: text(row, "reason"),
    since: iso(num(row, "changed_at")),
  }));
}

function recentCommits(store: Store, id: string): CommitEntry[] {
  return store.all(
    `SELECT c.*, s.session AS name FROM commits c JOIN sessions s ON s.id = c.session
     ORDER BY c.id DESC LIMIT 50`,
  ).map((row) => ({
    target: id,
    session: text(row, "name"),
    reason: text(row, "reason"),
    phase: text(row, "phase"),
    at: iso(num(row, "requested_at")),
    detail: text(row, "detail"),
  }));
}

function knownProblems(store: Store, now: number): string[] {
  const transcripts = store.all(
    `SELECT t.path, t.problem FROM transcripts t WHERE t.problem NOT IN ('', 'missing') LIMIT 20`,
  ).map((row) => `${text(row, "path")}: ${text(row, "problem")}`);
  const broken = store.all(
    "SELECT reason FROM sessions WHERE successors > 0 AND reason <> '' LIMIT 20",
  ).map((row) => text(row, "reason"));
  const limits = text(store.get("SELECT value FROM meta WHERE key = 'limits'"), "value");
  const aside = text(store.get("SELECT value FROM meta WHERE key = 'set-aside'"), "value");
  return [
    ...transcripts,
    ...broken,
    ...(limits === "" ? [] : limitWarnings(store, JSON.parse(limits) as QueueLimits, now)),
    ...(aside === "" ? [] : [`A damaged queue was set aside as ${aside}`]),
  ];
}

/** The report on one target; throws when its store cannot be opened. */
export async function reportTarget(
  runtime: Runtime,
  agentHome: string,
  id: string,
): Promise<QueueReport> {
  const now = runtime.now();
  const ended = readWorkerProblem(runtime, targetFolder(agentHome, id));
  const problems = ended === "" ? [] : [`The worker of ${id} stopped: ${ended}`];
  const report = await withStore(runtime, agentHome, id, (store): QueueReport => {
    const target = readTargetState(store);
    return {
      pending: [
        ...waitingMessages(store, id, target, now),
        ...waitingCommits(store, id, target, now),
        ...waitingEvents(runtime, agentHome, id, store),
      ],
      dead: deadLetters(store, id),
      commits: recentCommits(store, id),
      problems: [...problems, ...knownProblems(store, now)],
    };
  });
  return report ??
    { pending: waitingEvents(runtime, agentHome, id), dead: [], commits: [], problems };
}
