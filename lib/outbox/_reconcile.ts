/**
 * After an outcome that nobody knows: what arrived is acknowledged, what did not is queued again.
 *
 * @module
 */
import type { DeliveryContext, Step } from "./_delivery.ts";
import { moveToSuccessor, stepAfter } from "./_delivery.ts";
import { type ReadBack, readBack } from "./_read_back.ts";
import type { SessionRow } from "./_sessions.ts";
import { refreshOpen } from "./_sessions.ts";
import { num, text } from "./store.ts";

interface Row {
  readonly seq: number;
  readonly source: string;
  readonly inflight: boolean;
  readonly attempts: number;
  readonly status: number;
}

/** Tries after which a payload that alone makes the server fail is taken for the cause. */
const SPLIT_AFTER = 4;
const DEAD_AFTER = 6;

/** What of the rows is on the engine, by our ids or, on an old server, by the count. */
function presentRows(rows: readonly Row[], back: ReadBack, session: SessionRow): Set<number> {
  if (back.idsReturned) {
    return new Set(rows.filter(({ source }) => back.ids.has(source)).map(({ seq }) => seq));
  }
  const inflight = rows.filter((row) => row.inflight);
  const grown = back.liveCount - Math.max(0, session.liveCount);
  const settled = rows.filter((row) => !row.inflight);
  const present = grown >= inflight.length && inflight.length > 0 ? rows : settled;
  return new Set(present.map(({ seq }) => seq));
}

/**
 * Compares what was in flight, and after a possible crash of the server also what it had
 * acknowledged, with what it holds.
 */
export async function reconcile(context: DeliveryContext, session: SessionRow): Promise<Step> {
  const { store } = context;
  const rows: Row[] = store.all(
    `SELECT seq, source, state, attempts, status FROM messages
     WHERE session = ? AND (state = 'inflight' OR (? = 1 AND state = 'acked')) ORDER BY seq`,
    session.id,
    session.doubt ? 1 : 0,
  ).map((row) => ({
    seq: num(row, "seq"),
    source: text(row, "source"),
    inflight: text(row, "state") === "inflight",
    attempts: num(row, "attempts"),
    status: num(row, "status"),
  }));
  const back = await readBack(context, session, rows.map(({ source }) => source));
  if (!back.ok) {
    if (back.category === "broken-session") {
      moveToSuccessor(context, session, back.message);
      return { kind: "done" };
    }
    return stepAfter(context, session, back);
  }
  context.checkpoint("before-reconcile");
  const present = presentRows(rows, back, session);
  const absent = rows.filter(({ seq }) => !present.has(seq));
  store.transaction(() => {
    const now = context.now();
    for (const { seq, inflight } of rows) {
      const isThere = present.has(seq);
      if (isThere !== inflight) continue; // acknowledged and there, or neither
      store.run(
        "UPDATE messages SET state = ?, changed_at = ? WHERE session = ? AND seq = ?",
        isThere ? "acked" : "pending",
        now,
        session.id,
        seq,
      );
    }
    for (const { seq, inflight } of absent) {
      store.run(
        "UPDATE messages SET state = 'pending', changed_at = ? WHERE session = ? AND seq = ?",
        now,
        session.id,
        seq,
      );
      if (!inflight) noteRefill(context, session, seq);
    }
    store.run(
      `UPDATE sessions SET inflight_at = NULL, rest_until = 0, doubt = 0, live_count = ?,
         next_try_at = 0 WHERE id = ?`,
      back.liveCount,
      session.id,
    );
    blamePayload(context, session, absent.filter(({ inflight }) => inflight));
    refreshOpen(store, session.id);
  });
  context.onAcknowledged(rows.filter(({ seq, inflight }) => inflight && present.has(seq)).length);
  return { kind: "done" };
}

function noteRefill(context: DeliveryContext, session: SessionRow, seq: number): void {
  context.store.run(
    "UPDATE messages SET reason = ? WHERE session = ? AND seq = ?",
    "The server had lost it after it was acknowledged",
    session.id,
    seq,
  );
}

/**
 * A server that fails with 500 on one payload, again and again, while it answers everything else,
 * refuses that payload in its own way: the batch gets smaller, and a message that stays alone with
 * the failure becomes a dead letter.
 */
function blamePayload(context: DeliveryContext, session: SessionRow, rows: readonly Row[]): void {
  const { store } = context;
  const [first] = rows;
  if (first === undefined || !rows.every(({ status }) => status === 500)) return;
  const attempts = Math.min(...rows.map((row) => row.attempts));
  if (rows.length > 1) {
    if (attempts < SPLIT_AFTER) return;
    store.run(
      "UPDATE sessions SET batch_limit = ? WHERE id = ?",
      Math.ceil(rows.length / 2),
      session.id,
    );
    for (const { seq } of rows) {
      store.run("UPDATE messages SET attempts = 2 WHERE session = ? AND seq = ?", session.id, seq);
    }
  } else if (attempts >= DEAD_AFTER) {
    store.run(
      `UPDATE messages SET state = 'dead', reason = ?, changed_at = ? WHERE session = ? AND seq = ?`,
      "500 server: the server failed on this message every time and answered everything else",
      context.now(),
      session.id,
      first.seq,
    );
  }
}
