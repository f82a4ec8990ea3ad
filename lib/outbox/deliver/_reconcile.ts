/**
 * After an outcome that nobody knows: what arrived is acknowledged, what did not is queued again.
 *
 * @module
 */
import type { DeliveryContext, Step } from "./delivery.ts";
import { moveToSuccessor, stepAfter } from "./delivery.ts";
import { sessionPath } from "./_wire.ts";
import { type ReadBack, readBack } from "./_read_back.ts";
import type { SessionRow } from "../store/sessions.ts";
import { refreshOpen } from "../store/sessions.ts";
import { num, text } from "../store/store.ts";

interface Row {
  readonly seq: number;
  readonly source: string;
  readonly state: "pending" | "inflight" | "acked";
  readonly attempts: number;
  readonly status: number;
}

/** Where a message was found. */
type Found = "acked" | "archived" | undefined;

/** Tries after which a payload that alone makes the server fail is taken for the cause. */
const SPLIT_AFTER = 4;
const DEAD_AFTER = 6;

/** Rows to look for: what is in flight, and what a doubt or an unknown history puts in question. */
function rowsInQuestion({ store }: DeliveryContext, session: SessionRow): Row[] {
  return store.all(
    `SELECT seq, source, state, attempts, status FROM messages
     WHERE session = ? AND (state = 'inflight' OR (? = 1 AND state = 'acked')
       OR (? = 0 AND state = 'pending')) ORDER BY seq`,
    session.id,
    session.doubt ? 1 : 0,
    session.verified ? 1 : 0,
  ).map((row) => ({
    seq: num(row, "seq"),
    source: text(row, "source"),
    state: text(row, "state") as Row["state"],
    attempts: num(row, "attempts"),
    status: num(row, "status"),
  }));
}

/** Looks for a row by our id or, on a server that does not return it, judges by the count. */
function finder(rows: readonly Row[], back: ReadBack, session: SessionRow): (row: Row) => Found {
  if (back.idsReturned) {
    return ({ source }) =>
      back.live.has(source) ? "acked" : back.archived.has(source) ? "archived" : undefined;
  }
  const inflight = rows.filter(({ state }) => state === "inflight").length;
  const grown = back.liveCount - Math.max(0, session.liveCount);
  return ({ state }) =>
    state === "acked" || (state === "inflight" && grown >= inflight) ? "acked" : undefined;
}

/**
 * Asks whether the engine knows a session at all: most new ones it does not, and then nothing that
 * waits, however much it is, has to be looked for. `undefined` when it does.
 */
async function lookForSession(
  context: DeliveryContext,
  session: SessionRow,
): Promise<Step | undefined> {
  const meta = await context.http.request("GET", sessionPath(session.engineSession), {
    timeoutMs: 15_000,
  });
  if (meta.ok || meta.category !== "not-found") return undefined;
  context.store.run(
    "UPDATE sessions SET verified = 1, live_count = 0, next_try_at = 0 WHERE id = ?",
    session.id,
  );
  return { kind: "done" };
}

/**
 * Compares what we believe with what the engine holds: what was in flight, after a possible crash of
 * the server also what it had acknowledged, and before the first send of a session whatever another
 * queue of ours may have sent already.
 */
export async function reconcile(context: DeliveryContext, session: SessionRow): Promise<Step> {
  const { store } = context;
  const isFirstLook = session.inflightAt === 0 && !session.doubt;
  if (isFirstLook) {
    const step = await lookForSession(context, session);
    if (step !== undefined) return step;
  }
  const rows = rowsInQuestion(context, session);
  const back = await readBack(context, session, rows.map(({ source }) => source));
  if (!back.ok) {
    if (back.category === "broken-session") {
      moveToSuccessor(context, session, back.message);
      return { kind: "done" };
    }
    return stepAfter(context, session, back);
  }
  context.checkpoint("before-reconcile");
  const find = finder(rows, back, session);
  let arrived = 0;
  store.transaction(() => {
    const now = context.now();
    for (const row of rows) {
      const found = find(row);
      const state = found ?? "pending";
      if (state === row.state) continue;
      if (found !== undefined && row.state !== "acked") arrived++;
      store.run(
        "UPDATE messages SET state = ?, changed_at = ? WHERE session = ? AND seq = ?",
        state,
        now,
        session.id,
        row.seq,
      );
      if (row.state === "acked" && found === undefined) noteRefill(context, session, row.seq);
    }
    store.run(
      `UPDATE sessions SET inflight_at = NULL, rest_until = 0, doubt = 0, verified = 1,
         live_count = ?, archives = ?, next_try_at = 0 WHERE id = ?`,
      back.liveCount,
      // What a commit of ours made whose answer was lost is counted when that commit is settled.
      session.verified ? session.archives : Math.max(session.archives, back.commitCount),
      session.id,
    );
    const absent = rows.filter((row) => row.state === "inflight" && find(row) === undefined);
    blamePayload(context, session, absent);
    refreshOpen(store, session.id);
  });
  context.onAcknowledged(arrived);
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
