/**
 * Sends the next messages of a session.
 *
 * @module
 */
import type { CapturedMessage } from "../../capture/model.ts";
import type { OvFailure, OvResult } from "../../http/types.ts";
import type { JsonObject } from "../../runtime/types.ts";
import type { DeliveryContext, Step } from "./delivery.ts";
import { describeFailure, moveToSuccessor, postponeSession, stepAfter } from "./delivery.ts";
import { enqueueCommit } from "../store/enqueue.ts";
import type { SessionRow } from "../store/sessions.ts";
import { refreshOpen } from "../store/sessions.ts";
import { num, text } from "../store/store.ts";
import { type AppendResult, sessionPath, wireMessage } from "./_wire.ts";

/** Messages per request that every server takes. */
const MAX_BATCH = 100;
/** Bytes per request; one message alone may be larger. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

interface Batch {
  readonly from: number;
  readonly to: number;
  readonly messages: readonly JsonObject[];
  readonly bytes: number;
}

/** The next messages in order, up to the first commit that waits. */
function nextBatch(context: DeliveryContext, session: SessionRow): Batch | undefined {
  const { store, capabilities } = context;
  const due = store.get(
    "SELECT min(after_seq) AS seq FROM commits WHERE session = ? AND phase = 'requested'",
    session.id,
  );
  const upTo = due?.["seq"] === null || due === undefined
    ? Number.MAX_SAFE_INTEGER
    : num(due, "seq");
  const limit = capabilities.batch ? Math.min(MAX_BATCH, session.batchLimit) : 1;
  const rows = store.all(
    `SELECT seq, body, bytes FROM messages WHERE session = ? AND state = 'pending' AND seq <= ?
     ORDER BY seq LIMIT ?`,
    session.id,
    upTo,
    limit,
  );
  let bytes = 0;
  const taken = rows.filter((row, index) => {
    bytes += num(row, "bytes");
    return index === 0 || bytes <= MAX_BATCH_BYTES;
  });
  const [first] = taken;
  const last = taken.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return {
    from: num(first, "seq"),
    to: num(last, "seq"),
    bytes: taken.reduce((sum, row) => sum + num(row, "bytes"), 0),
    messages: taken.map((row) =>
      wireMessage(JSON.parse(text(row, "body")) as CapturedMessage, session.peer)
    ),
  };
}

function setState(
  context: DeliveryContext,
  session: SessionRow,
  { from, to }: Batch,
  state: string,
): void {
  context.store.run(
    `UPDATE messages SET state = ?, changed_at = ? WHERE session = ? AND seq BETWEEN ? AND ?
       AND state IN ('pending','inflight')`,
    state,
    context.now(),
    session.id,
    from,
    to,
  );
}

/** Time for a request: what the server may wait for its own lock is not in it; a read-back settles that. */
function timeoutFor(bytes: number): number {
  return Math.round(15_000 + bytes / 100);
}

function post(
  context: DeliveryContext,
  session: SessionRow,
  batch: Batch,
): Promise<OvResult<AppendResult>> {
  const { http, capabilities } = context;
  const path = `${sessionPath(session.engineSession)}/messages`;
  const timeoutMs = timeoutFor(batch.bytes);
  return capabilities.batch
    ? http.request("POST", `${path}/batch`, { body: { messages: batch.messages }, timeoutMs })
    : http.request("POST", path, { body: batch.messages[0], timeoutMs });
}

/**
 * Sends one batch, or `undefined` when nothing is to be sent. What is in flight is on disk before its
 * first byte leaves.
 */
export async function sendNext(
  context: DeliveryContext,
  session: SessionRow,
): Promise<Step | undefined> {
  const { store } = context;
  const batch = nextBatch(context, session);
  if (batch === undefined) return undefined;
  const sentAt = context.now();
  store.transaction(() => {
    setState(context, session, batch, "inflight");
    store.run(
      `UPDATE messages SET attempts = attempts + 1 WHERE session = ? AND seq BETWEEN ? AND ?
         AND state = 'inflight'`,
      session.id,
      batch.from,
      batch.to,
    );
    store.run(
      "UPDATE sessions SET inflight_at = ?, rest_until = ?, next_try_at = ? WHERE id = ?",
      sentAt,
      sentAt + context.settleMs,
      sentAt + context.settleMs,
      session.id,
    );
  });
  context.checkpoint("before-send");
  const answer = await post(context, session, batch);
  context.checkpoint("after-send");
  if (answer.ok) {
    acknowledge(context, session, batch, answer.result);
    return { kind: "done" };
  }
  if (answer.ambiguous) return restAfter(context, session, batch, answer, sentAt);
  store.transaction(() => {
    setState(context, session, batch, "pending");
    store.run(
      "UPDATE sessions SET inflight_at = NULL, rest_until = 0, next_try_at = 0 WHERE id = ?",
      session.id,
    );
  });
  return await afterRefusal(context, session, batch, answer);
}

function acknowledge(
  context: DeliveryContext,
  session: SessionRow,
  batch: Batch,
  result: AppendResult | null,
): void {
  const { store } = context;
  const liveCount = result?.message_count ?? -1;
  const tokens = result?.pending_tokens ?? 0;
  const expected = session.liveCount < 0 ? -1 : session.liveCount + batch.messages.length;
  store.transaction(() => {
    setState(context, session, batch, "acked");
    // Fewer than there must be: the server committed by itself, or it lost what it had acknowledged.
    const isShort = liveCount >= 0 && expected >= 0 && liveCount < expected;
    store.run(
      `UPDATE sessions SET inflight_at = NULL, rest_until = 0, next_try_at = 0, attempts = 0,
         status = 0, reason = CASE WHEN successors > 0 THEN reason ELSE '' END, live_count = ?,
         pending_tokens = ?, doubt = max(doubt, ?), batch_limit = min(?, batch_limit * 2)
       WHERE id = ?`,
      liveCount < 0 ? null : liveCount,
      tokens,
      isShort ? 1 : 0,
      MAX_BATCH,
      session.id,
    );
    const { commitTokenThreshold, commitKeepRecentCount } = session.settings;
    if (commitTokenThreshold > 0 && tokens >= commitTokenThreshold) {
      requestThresholdCommit(context, session, batch.to, commitKeepRecentCount);
    }
    refreshOpen(store, session.id);
  });
  context.onAcknowledged(batch.messages.length);
  context.checkpoint("after-ack");
}

/** A commit of what is acknowledged, unless one waits already. */
function requestThresholdCommit(
  context: DeliveryContext,
  session: SessionRow,
  upTo: number,
  keepRecentCount: number,
): void {
  const { store } = context;
  const waits = store.get(
    "SELECT 1 FROM commits WHERE session = ? AND phase = 'requested'",
    session.id,
  );
  if (waits !== undefined) return;
  enqueueCommit(store, session, { reason: "threshold", keepRecentCount }, context.now(), upTo);
}

/** The server may have stored the batch: the session rests, then it is read back. */
function restAfter(
  context: DeliveryContext,
  session: SessionRow,
  { from, to }: Batch,
  failure: OvFailure,
  sentAt: number,
): Step {
  const { store, settleMs } = context;
  // An error in the server's own words ends the request there: nothing is applied any later.
  const isOver = failure.code !== "" && failure.status !== 504 && failure.status !== 408;
  const restUntil = isOver
    ? context.now() + Math.min(settleMs, 2000)
    : Math.max(sentAt + settleMs, context.now());
  store.transaction(() => {
    store.run(
      "UPDATE messages SET status = ?, reason = ? WHERE session = ? AND seq BETWEEN ? AND ?",
      failure.status,
      describeFailure(failure),
      session.id,
      from,
      to,
    );
    store.run(
      "UPDATE sessions SET rest_until = ?, doubt = max(doubt, ?) WHERE id = ?",
      restUntil,
      isOver ? 0 : 1,
      session.id,
    );
    postponeSession(context, session, failure, restUntil);
  });
  return failure.category === "unreachable" || failure.category === "timeout"
    ? { kind: "target", failure }
    : { kind: "waits" };
}

async function afterRefusal(
  context: DeliveryContext,
  session: SessionRow,
  batch: Batch,
  failure: OvFailure,
): Promise<Step> {
  const { store, capabilities } = context;
  if (failure.category === "missing-route" && capabilities.batch) {
    capabilities.batch = false;
    return { kind: "done" };
  }
  if (failure.category === "not-found") {
    const made = await context.http.request("POST", "/api/v1/sessions", {
      body: { session_id: session.engineSession },
      timeoutMs: 15_000,
    });
    return stepAfter(context, session, made.ok || made.status === 409 ? failure : made);
  }
  if (failure.action !== "refuse" && failure.action !== "split") {
    return stepAfter(context, session, failure);
  }
  const meta = await context.http.request("GET", sessionPath(session.engineSession), {
    timeoutMs: 15_000,
  });
  if (!meta.ok && meta.category === "broken-session") {
    moveToSuccessor(context, session, meta.message);
    return { kind: "done" };
  }
  if (!meta.ok && meta.category !== "not-found") return stepAfter(context, session, meta);
  const n = batch.messages.length;
  store.transaction(() => {
    if (n > 1) {
      store.run("UPDATE sessions SET batch_limit = ? WHERE id = ?", Math.ceil(n / 2), session.id);
      return;
    }
    store.run(
      `UPDATE messages SET state = 'dead', status = ?, reason = ?, changed_at = ?
       WHERE session = ? AND seq = ?`,
      failure.status,
      describeFailure(failure),
      context.now(),
      session.id,
      batch.from,
    );
    refreshOpen(store, session.id);
  });
  return { kind: "done" };
}
