/**
 * `GET /api/v1/sessions/{id}/context`
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call, Owner, Store } from "../store/store.ts";
import type { Session } from "../sessions/session_row.ts";
import { findOwner } from "../store/store.ts";
import { findSession, messageId } from "../sessions/session_row.ts";
import { describeMessages, readMessages } from "../messages/stored_message.ts";
import { latestOverview, listArchives } from "../sessions/archives.ts";
import { estimateTokens } from "../../lib/recall/tokens.ts";
import { answer, RouteError, sessionNotFound, validationError } from "../wire.ts";

/** The session of a request, or 404 in the words of the routes that act on one. */
export function requireSession(call: Call, name: string): { owner: Owner; session: Session } {
  const owner = findOwner(call.store, call.identity);
  const session = findSession(call.store, owner, name);
  if (owner === undefined || session === undefined) throw sessionNotFound(name);
  return { owner, session };
}

/** Sequence number of the oldest live message that fits when the newest go first. */
function firstWithin(store: Store, session: Session, budget: number): number {
  const row = store.sql(
    `SELECT min(id) AS first FROM (
      SELECT id, sum(tokens) OVER (ORDER BY id DESC) AS total FROM messages WHERE id >= ? AND id < ?
    ) WHERE total <= ?`,
  ).get(messageId(session.id, session.liveFrom), messageId(session.id, session.nextSeq), budget);
  return row?.["first"] === null || row === undefined
    ? session.nextSeq
    : Number(row["first"]) - messageId(session.id, 0);
}

/** Live messages within `token_budget`, and the overview of the newest archive if it still fits. */
export function sessionContext(call: Call, name: string): WireResponse {
  const { store } = call;
  const budget = Number(call.query.get("token_budget") ?? 128_000);
  if (!Number.isInteger(budget)) {
    throw validationError(
      ["query", "token_budget"],
      "Input should be a valid integer, unable to parse string as an integer",
      "int_parsing",
    );
  }
  if (budget < 0) {
    throw new RouteError(
      400,
      "INVALID_ARGUMENT",
      "token_budget must be greater than or equal to 0",
      { lean: true, details: { field: "token_budget", value: budget } },
    );
  }
  const { session } = requireSession(call, name);
  const from = firstWithin(store, session, budget);
  const shown = readMessages(store, session.id, from, session.nextSeq);
  const activeTokens = shown.reduce((sum, message) => sum + message.tokens, 0);
  const whole = latestOverview(store, session);
  const overviewTokens = estimateTokens(whole);
  const fits = overviewTokens <= budget - activeTokens;
  const archives = listArchives(store, session.id).length;
  return answer({
    latest_archive_overview: fits ? whole : "",
    pre_archive_abstracts: [],
    messages: describeMessages(store, shown),
    estimatedTokens: activeTokens + (fits ? overviewTokens : 0),
    stats: {
      totalArchives: archives,
      includedArchives: 0,
      droppedArchives: archives,
      failedArchives: 0,
      activeTokens,
      archiveTokens: fits ? overviewTokens : 0,
    },
  });
}
