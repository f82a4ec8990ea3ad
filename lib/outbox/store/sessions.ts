/**
 * Session rows: making them, and what follows from a change of their queue.
 *
 * @module
 */
import type { SqlRow } from "../../runtime/types.ts";
import type { BoundaryReason, CaptureSettings, SpoolRecord } from "../types.ts";
import { num, type Store, text } from "./store.ts";

/** A session's queue state. */
export interface SessionRow {
  readonly id: number;
  readonly target: number;
  readonly session: string;
  readonly host: string;
  readonly peer: string;
  readonly parent: string;
  readonly generation: number;
  /** When the present generation began; an end that happened before it is void. */
  readonly beganAt: number;
  readonly engineSession: string;
  readonly successors: number;
  readonly nextSeq: number;
  readonly archives: number;
  /** Live messages on the engine after the last answer; -1 when unknown. */
  readonly liveCount: number;
  /** When the batch under way was sent; 0 when none is. */
  readonly inflightAt: number;
  readonly restUntil: number;
  readonly doubt: boolean;
  readonly verified: boolean;
  readonly batchLimit: number;
  readonly attempts: number;
  readonly settings: CaptureSettings;
}

/** Reads a session from its row. */
export function toSessionRow(row: SqlRow): SessionRow {
  return {
    id: num(row, "id"),
    target: num(row, "target"),
    session: text(row, "session"),
    host: text(row, "host"),
    peer: text(row, "peer"),
    parent: text(row, "parent"),
    generation: num(row, "generation"),
    beganAt: num(row, "began_at"),
    engineSession: text(row, "engine_session"),
    successors: num(row, "successors"),
    nextSeq: num(row, "next_seq"),
    archives: num(row, "archives"),
    liveCount: row["live_count"] === null ? -1 : num(row, "live_count"),
    inflightAt: num(row, "inflight_at"),
    restUntil: num(row, "rest_until"),
    doubt: num(row, "doubt") === 1,
    verified: num(row, "verified") === 1,
    batchLimit: num(row, "batch_limit"),
    attempts: num(row, "attempts"),
    settings: JSON.parse(text(row, "settings")) as CaptureSettings,
  };
}

/**
 * The session that a record speaks of, made when it is new. Keeps the first peer: a change of
 * directory does not move a session. `begins` raises the generation, which voids what an earlier end
 * asked for and has not happened yet.
 */
export function touchSession(
  store: Store,
  target: number,
  record: SpoolRecord,
  now: number,
): SessionRow {
  const at = Date.parse(record.at) || now;
  const settings = JSON.stringify(record.settings);
  store.run(
    `INSERT INTO sessions(target, session, host, parent, peer, cwd, settings, engine_session,
       last_event_at, created_at) VALUES (?,?,?,?,?,?,?,?,?,?)
     ON CONFLICT(target, session) DO UPDATE SET settings = excluded.settings,
       peer = coalesce(peer, excluded.peer), parent = coalesce(parent, excluded.parent),
       last_event_at = max(last_event_at, excluded.last_event_at)`,
    target,
    record.session,
    record.host,
    record.parentSession ?? null,
    record.peer ?? null,
    record.cwd,
    settings,
    record.session,
    at,
    now,
  );
  const row = store.get(
    "SELECT * FROM sessions WHERE target = ? AND session = ?",
    target,
    record.session,
  );
  if (row === undefined) throw new Error(`Cannot store session ${record.session}: no row`);
  if (record.begins === undefined) return toSessionRow(row);
  const id = num(row, "id");
  const generation = num(row, "generation") + 1;
  const beganAt = Math.max(at, num(row, "began_at"));
  store.run(
    "UPDATE sessions SET generation = ?, began_at = ? WHERE id = ?",
    generation,
    beganAt,
    id,
  );
  store.run(
    `UPDATE commits SET phase = 'dropped', detail = ?, ended_at = ?
     WHERE session = ? AND phase = 'requested' AND reason IN ('session-end', 'clear', 'subagent-end', 'idle')
       AND generation < ?`,
    `The session went on (${record.begins}) before this commit was sent`,
    now,
    id,
    generation,
  );
  return { ...toSessionRow(row), generation, beganAt };
}

/** True when a commit speaks of an end that a later start of the session has undone. */
export function isVoidEnd(session: SessionRow, reason: BoundaryReason, at: number): boolean {
  return at < session.beganAt && reason !== "pre-compact" && reason !== "turn-end" &&
    reason !== "threshold";
}

/** Brings `open` in line with what waits. Call it in the transaction that changed the queue. */
export function refreshOpen(store: Store, session: number): void {
  store.run(
    `UPDATE sessions SET open =
       EXISTS(SELECT 1 FROM messages WHERE session = sessions.id AND state IN ('pending','inflight'))
       OR EXISTS(SELECT 1 FROM commits WHERE session = sessions.id AND phase = 'requested')
     WHERE id = ?`,
    session,
  );
}
