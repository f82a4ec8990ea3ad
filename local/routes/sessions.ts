/**
 * `/api/v1/sessions`: sessions, commits, archives.
 *
 * @module
 */
import type { WireRequest, WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { SessionSettings } from "../sessions/session_row.ts";
import { findOwner } from "../store/store.ts";
import { requireOwner } from "../store/owners.ts";
import {
  createSession,
  describeSession,
  extractionConfig,
  freshSessionName,
  isoTime,
  listSessions,
  sessionUri,
} from "../sessions/sessions.ts";
import { findSession } from "../sessions/session_row.ts";
import { describeMessages, readMessages } from "../messages/stored_message.ts";
import { archiveName, archiveOverview, archiveUri, listArchives } from "../sessions/archives.ts";
import { commitSession, wantsOverview } from "../sessions/commit.ts";
import { appendToSession } from "./session_messages.ts";
import { requireSession, sessionContext } from "./session_context.ts";
import { readAutoCommitPolicy, readMemoryPolicy } from "../sessions/session_policy.ts";
import { deleteSession } from "../store/deletion.ts";
import {
  forbidExtra,
  objectBody,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  optionalObject,
  optionalText,
  textList,
} from "../validate.ts";
import {
  answer,
  leanAnswer,
  methodNotAllowed,
  RouteError,
  routeMissing,
  validationError,
} from "../wire.ts";

function readSettings(body: Record<string, unknown>): SessionSettings {
  const policy = body["auto_commit_policy"];
  const events = optionalObject(optionalObject(body, "memory_extraction_config") ?? {}, "events");
  return {
    ...(body["memory_policy"] === undefined || body["memory_policy"] === null
      ? {}
      : { memory_policy: readMemoryPolicy(body["memory_policy"]) }),
    ...(policy === undefined ? {} : { auto_commit_policy: readAutoCommitPolicy(policy) }),
    ...(events === undefined ? {} : { tags: textList(events, "tags") }),
  };
}

function create(call: Call): WireResponse {
  const { store, identity } = call;
  const body = objectBody(call.body ?? undefined, true);
  const name = optionalText(body, "session_id") ?? freshSessionName(store);
  const settings = readSettings(body);
  const session = store.db.transaction(() => {
    const owner = requireOwner(store, identity);
    if (findSession(store, owner, name) !== undefined) {
      const what = `Session '${name}' already exists`;
      throw new RouteError(409, "ALREADY_EXISTS", `Resource already exists: ${what}`, {
        details: { resource: what, type: "resource" },
      });
    }
    return createSession(store, owner, name, settings);
  });
  return answer({
    session_id: name,
    uri: sessionUri(identity, name),
    user: { account_id: identity.account, user_id: identity.user },
    auto_commit_policy: session.settings.auto_commit_policy ?? null,
    memory_extraction_config: extractionConfig(session.settings),
  });
}

function list(call: Call): WireResponse {
  const { store, identity } = call;
  return answer(
    listSessions(store, findOwner(store, identity)).map((session) => ({
      session_id: session.name,
      uri: sessionUri(identity, session.name),
      is_dir: true,
      mod_time: isoTime(session.updated).replace(/\.\d+/, ""),
    })),
  );
}

function show(call: Call, name: string): WireResponse {
  const { store, identity } = call;
  let session = findSession(store, findOwner(store, identity), name);
  if (session === undefined) {
    if (call.query.get("auto_create") !== "true") {
      throw new RouteError(404, "NOT_FOUND", `Session ${name} not found`, { lean: true });
    }
    session = store.db.transaction(() => {
      const owner = requireOwner(store, identity);
      return findSession(store, owner, name) ?? createSession(store, owner, name);
    });
  }
  return answer(describeSession(store, identity, session));
}

function remove(call: Call, name: string): WireResponse {
  const { owner, session } = requireSession(call, name);
  deleteSession(call.store, owner, session);
  return answer({ session_id: name });
}

function configure(call: Call, name: string): WireResponse {
  const { store } = call;
  const body = objectBody(call.body);
  forbidExtra(body, new Set(["memory_extraction_config", "auto_commit_policy", "telemetry"]));
  const changed = readSettings(body);
  const { session } = requireSession(call, name);
  const settings = { ...session.settings, ...changed };
  store.sql("UPDATE sessions SET settings = ? WHERE id = ?")
    .run(JSON.stringify(settings), session.id);
  return leanAnswer({
    session_id: name,
    auto_commit_policy: settings.auto_commit_policy ?? null,
    memory_extraction_config: extractionConfig(settings),
  });
}

function commit(call: Call, name: string): WireResponse {
  const { store, identity } = call;
  const body = objectBody(call.body ?? undefined, true);
  const keepRecent = optionalInteger(body, "keep_recent_count", 0, 10_000) ?? 0;
  const mode = optionalChoice(body, "retention_mode", ["turn_budget"]);
  const turnFields = [
    optionalInteger(body, "keep_recent_turn_count", 0, 10_000),
    optionalInteger(body, "retained_message_token_budget", 1),
    optionalInteger(body, "min_raw_tail_steps", 0, 10_000),
  ];
  if (mode === undefined && turnFields.some((field) => field !== undefined)) {
    throw validationError(
      ["body"],
      "Value error, retention_mode='turn_budget' is required when Turn retention fields are set",
      "value_error",
    );
  }
  const asked = body["enable_working_memory"] === undefined
    ? undefined
    : optionalFlag(body, "enable_working_memory");
  const resetContext = optionalFlag(body, "reset_context");
  return store.db.transaction(() => {
    const { owner, session } = requireSession(call, name);
    const overview = wantsOverview(session, asked);
    const done = commitSession(store, owner, session, {
      keepRecent,
      overview,
      resetContext,
      automatic: false,
    });
    if ("reason" in done) {
      return leanAnswer({
        session_id: name,
        status: "skipped",
        task_id: null,
        archive_uri: null,
        archived: false,
        effective_enable_working_memory: overview,
        reason: done.reason,
        trace_id: "",
        ...(done.reason === "no_messages"
          ? {}
          : { estimated_active_tokens: 0, budget_exceeded: false }),
      });
    }
    return leanAnswer({
      session_id: name,
      status: "accepted",
      task_id: done.taskId,
      archive_uri: archiveUri(identity, name, done.archive),
      archived: true,
      effective_enable_working_memory: overview,
      trace_id: "",
      estimated_active_tokens: 0,
      budget_exceeded: false,
    });
  });
}

function archive(call: Call, name: string, id: string): WireResponse {
  const { store } = call;
  const { session } = requireSession(call, name);
  const found = listArchives(store, session.id).find((one) => archiveName(one.number) === id);
  if (found === undefined) {
    throw new RouteError(404, "NOT_FOUND", `Archive ${id} not found`, { lean: true });
  }
  const overview = found.overview ? archiveOverview(store, session, found) : "";
  return answer({
    archive_id: id,
    abstract: overview.split("\n")[0] ?? "",
    overview,
    messages: describeMessages(
      store,
      readMessages(store, session.id, found.fromSeq, found.toSeq),
    ),
  });
}

type Handler = (call: Call, name: string) => WireResponse;
type Methods = Partial<Record<WireRequest["method"], Handler>>;

/** Handlers by what follows the session's name. */
const SESSION_ROUTES: Readonly<Record<string, Methods>> = {
  "": { GET: show, DELETE: remove },
  "config": { PATCH: configure },
  "context": { GET: sessionContext },
  "messages": { POST: (call, name) => appendToSession(call, name, false) },
  "messages/batch": { POST: (call, name) => appendToSession(call, name, true) },
  "commit": { POST: commit },
};

/** Routes a session request. */
export function sessionRoutes(call: Call): WireResponse {
  const [, , , name, ...rest] = call.segments;
  if (name === undefined) {
    if (call.method === "GET") return list(call);
    if (call.method === "POST") return create(call);
    throw methodNotAllowed("GET, POST");
  }
  if (rest[0] === "archives" && rest.length === 2) {
    if (call.method !== "GET") throw methodNotAllowed("GET");
    return archive(call, name, rest[1] ?? "");
  }
  const methods = SESSION_ROUTES[rest.join("/")];
  if (methods === undefined) throw routeMissing();
  const handler = methods[call.method];
  if (handler === undefined) throw methodNotAllowed(Object.keys(methods)[0] ?? "GET");
  return handler(call, name);
}
