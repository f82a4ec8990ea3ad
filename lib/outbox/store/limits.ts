/**
 * Bounds of what may wait: age and bytes. What exceeds them is exported, then given up.
 *
 * @module
 */
import type { Runtime, SqlRow } from "../../runtime/types.ts";
import { OUTBOX_LAYOUT } from "../types.ts";
import { refreshOpen } from "./sessions.ts";
import { num, type Store, text } from "./store.ts";

/** Limits; 0 is none. */
export interface QueueLimits {
  readonly maxAgeDays: number;
  readonly maxBytes: number;
}

const DAY_MS = 24 * 3_600_000;
/** Messages exported in one go. */
const PIECE = 500;
const EXPORT_FILE = OUTBOX_LAYOUT.expired;

function exportLine(row: SqlRow, why: string): string {
  return JSON.stringify({
    session: text(row, "name"),
    host: text(row, "host"),
    peer: text(row, "peer"),
    state: "expired",
    reason: why,
    message: JSON.parse(text(row, "body")),
  }) + "\n";
}

/** Exports the rows to a file beside the store and removes them; a repeat after a kill exports twice. */
function giveUp(runtime: Runtime, folder: string, store: Store, rows: SqlRow[], why: string): void {
  if (rows.length === 0) return;
  const file = `${folder}/${EXPORT_FILE}`;
  runtime.files.append(file, rows.map((row) => exportLine(row, why)).join(""), 0o600);
  store.transaction(() => {
    for (const row of rows) {
      store.run(
        "DELETE FROM messages WHERE session = ? AND seq = ? AND state = 'pending'",
        num(row, "session"),
        num(row, "seq"),
      );
    }
    for (const session of new Set(rows.map((row) => num(row, "session")))) {
      refreshOpen(store, session);
    }
    const before = num(store.get("SELECT value FROM meta WHERE key = 'expired'"), "value");
    store.run(
      "INSERT OR REPLACE INTO meta(key, value) VALUES ('expired', ?)",
      String(before + rows.length),
    );
  });
}

const WAITING = `SELECT m.session, m.seq, m.body, m.bytes, s.session AS name, s.host, s.peer
  FROM messages m JOIN sessions s ON s.id = m.session WHERE m.state = 'pending'`;

/** Bytes that wait. */
function waitingBytes(store: Store): number {
  return num(
    store.get(
      "SELECT coalesce(sum(bytes), 0) AS n FROM messages WHERE state IN ('pending','inflight')",
    ),
    "n",
  );
}

/** Holds the queue to its limits. Returns how many messages were given up. */
export function enforceLimits(
  runtime: Runtime,
  folder: string,
  store: Store,
  limits: QueueLimits,
): number {
  let gone = 0;
  const pieces = (next: () => SqlRow[], why: string): void => {
    for (let rows = next(); rows.length > 0; rows = next()) {
      giveUp(runtime, folder, store, rows, why);
      gone += rows.length;
    }
  };
  if (limits.maxAgeDays > 0) {
    const before = runtime.now() - limits.maxAgeDays * DAY_MS;
    pieces(
      () => store.all(`${WAITING} AND m.queued_at < ? ORDER BY m.queued_at LIMIT ?`, before, PIECE),
      `It had waited for more than ${limits.maxAgeDays} days`,
    );
  }
  if (limits.maxBytes > 0) {
    let excess = waitingBytes(store) - limits.maxBytes;
    pieces(() => {
      if (excess <= 0) return [];
      const rows = store.all(`${WAITING} ORDER BY m.queued_at, m.seq LIMIT ?`, PIECE);
      const taken = rows.filter((row) => {
        if (excess <= 0) return false;
        excess -= num(row, "bytes");
        return true;
      });
      return taken;
    }, `More than ${limits.maxBytes} bytes waited`);
  }
  return gone;
}

/** Lines for a person about limits that are half used or were passed. */
export function limitWarnings(store: Store, limits: QueueLimits, now: number): string[] {
  const lines: string[] = [];
  const expired = num(store.get("SELECT value FROM meta WHERE key = 'expired'"), "value");
  if (expired > 0) {
    lines.push(`${expired} messages passed the queue's limits; they are in ${EXPORT_FILE}`);
  }
  const bytes = waitingBytes(store);
  if (limits.maxBytes > 0 && bytes > limits.maxBytes / 2) {
    lines.push(`${bytes} of ${limits.maxBytes} bytes that may wait are used`);
  }
  const oldest = num(
    store.get("SELECT min(queued_at) AS at FROM messages WHERE state IN ('pending','inflight')"),
    "at",
  );
  const days = Math.floor((now - oldest) / DAY_MS);
  if (limits.maxAgeDays > 0 && oldest > 0 && days > limits.maxAgeDays / 2) {
    lines.push(`The oldest message waits for ${days} of ${limits.maxAgeDays} days`);
  }
  return lines;
}
