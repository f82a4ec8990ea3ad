/**
 * `POST /api/v1/sessions/{id}/messages` and `/messages/batch`, with the commit that a session's own
 * policy asks for.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { AutoCommitPolicy, Session } from "../sessions/session_row.ts";
import { requireOwner } from "../store/owners.ts";
import { readMessage } from "../messages/new_message.ts";
import { appendMessages } from "../messages/append.ts";
import { commitSession, wantsOverview } from "../sessions/commit.ts";
import { objectBody } from "../validate.ts";
import { answer, validationError } from "../wire.ts";

/** True when the session's own policy asks for a commit now; each threshold is exceeded, not met. */
function isAutoCommitDue(
  policy: AutoCommitPolicy,
  session: Session,
  pending: number,
  now: number,
): boolean {
  if (now - session.lastAutoCommit < policy.min_commit_interval_seconds * 1000) return false;
  return session.liveCount > policy.message_count_threshold ||
    pending > policy.pending_token_threshold;
}

/** Appends one message or a batch of at most 100: all of them or none. */
export function appendToSession(call: Call, name: string, batch: boolean): WireResponse {
  const { store, identity } = call;
  const body = objectBody(call.body);
  const items = batch ? body["messages"] : [body];
  if (items === undefined) {
    throw validationError(["body", "messages"], "Field required", "missing");
  }
  if (!Array.isArray(items)) {
    throw validationError(["body", "messages"], "Input should be a valid list", "list_type");
  }
  if (items.length > 100) {
    throw validationError(
      ["body", "messages"],
      `List should have at most 100 items after validation, not ${items.length}`,
      "too_long",
    );
  }
  const messages = items.map((item, at) => {
    const loc = batch ? ["body", "messages", String(at)] : ["body"];
    if (typeof item !== "object" || item === null || Array.isArray(item)) {
      throw validationError(
        loc,
        "Input should be a valid dictionary or object to extract fields from",
        "model_attributes_type",
      );
    }
    return readMessage(item as Record<string, unknown>, loc, identity);
  });
  return store.db.transaction(() => {
    const owner = requireOwner(store, identity);
    const done = appendMessages(store, owner, name, messages);
    const result = {
      session_id: name,
      message_count: done.session.liveCount,
      ...(batch ? { added: done.added } : {}),
      pending_tokens: done.pendingTokens,
    };
    const policy = done.session.settings.auto_commit_policy;
    if (
      policy !== undefined && policy !== null &&
      isAutoCommitDue(policy, done.session, done.pendingTokens, store.now())
    ) {
      commitSession(store, owner, done.session, {
        keepRecent: policy.keep_recent_count,
        overview: wantsOverview(done.session, undefined),
        resetContext: false,
        automatic: true,
      });
    }
    return answer(result);
  });
}
