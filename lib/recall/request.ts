/**
 * Asks an engine for memories: context search, or the older route a server has.
 *
 * Sources: `POST /api/v1/search/{search,recall,find}` of the server, 0.4.8 to 0.5.2.
 *
 * @module
 */
import type { OvFailure, OvHttp } from "../http/types.ts";
import type { FaceMemory, FaceRecord, RecallFace } from "./face_memory.ts";
import type { RecallEntry, RecallSettings } from "./types.ts";
import { fieldsOf } from "../http/classify.ts";
import { entriesOf } from "./_entries.ts";
import { NEWEST_FACE } from "./face_memory.ts";

/** What to ask, and for whom. */
export interface RecallRequest {
  readonly http: OvHttp;
  /** Non-empty, redacted. */
  readonly query: string;
  /** Session id on the engine. */
  readonly session?: string;
  /** False when asking must not create the session on the server (capture is off). */
  readonly mayCreateSession: boolean;
  /** The asking project, "" or absent when there is none. */
  readonly peer?: string;
  readonly settings: RecallSettings;
  /** Addresses that are not wanted. */
  readonly excludeUris?: readonly string[];
  /** What this server can do; absent: nothing is remembered (the embedded engine). */
  readonly faces?: FaceMemory;
}

/** Memories in the engine's order, or why there are none. */
export type RecallAnswer =
  | {
    readonly ok: true;
    readonly entries: readonly RecallEntry[];
    readonly face: RecallFace;
    readonly traceId?: string;
  }
  | { readonly ok: false; readonly failure: OvFailure };

const ROUTES: Readonly<Record<RecallFace, string>> = {
  context: "/api/v1/search/search",
  recall: "/api/v1/search/recall",
  find: "/api/v1/search/find",
};
const OLDER: Readonly<Record<RecallFace, RecallFace | undefined>> = {
  context: "recall",
  recall: "find",
  find: undefined,
};
/** Requests of one recall at most; the deadline of the client ends it earlier. */
const ATTEMPTS = 6;

function contextBody(request: RecallRequest): Record<string, unknown> {
  const { settings: { send, queryExpansion, peerScope }, session, mayCreateSession } = request;
  const body: Record<string, unknown> = { query: request.query, mode: "context" };
  if (send.limit !== undefined) body.limit = send.limit;
  if (send.maxTokens !== undefined) body.max_tokens = send.maxTokens;
  if (send.scoreThreshold !== undefined) body.score_threshold = send.scoreThreshold;
  if (peerScope === "actor") body.peer_scope = "actor";
  if (request.excludeUris?.length) body.exclude_uris = request.excludeUris;
  if (session === undefined || session === "") return body;
  // With expansion or a cool-down the server makes the session when it is not there yet.
  body.session_id = session;
  body.query_expansion = mayCreateSession ? queryExpansion : "off";
  if (mayCreateSession && send.dedupTurns !== undefined) body.dedup_turns = send.dedupTurns;
  return body;
}

function bodyFor(face: RecallFace, request: RecallRequest): Record<string, unknown> {
  if (face === "context") return contextBody(request);
  const { query, settings } = request;
  const { send } = settings;
  if (face === "recall") {
    const body: Record<string, unknown> = {
      query,
      max_chars: Math.max(settings.maxContentChars * settings.limit, 1000),
      render: true,
    };
    if (send.scoreThreshold !== undefined) body.min_score = send.scoreThreshold;
    if (settings.peerScope === "actor") body.peer_scope = "actor";
    return body;
  }
  // Twice as many: the folders' summaries among them are dropped.
  const body: Record<string, unknown> = {
    query,
    context_type: "memory",
    level: 2,
    limit: settings.limit * 2,
  };
  if (send.scoreThreshold !== undefined) body.score_threshold = send.scoreThreshold;
  return body;
}

/** Names of the body's fields that a validation error complains about. */
function rejectedFields(failure: OvFailure): string[] {
  if (failure.status !== 400 && failure.status !== 422) return [];
  const { validation_errors: errors } = fieldsOf(failure.details);
  if (Array.isArray(errors)) {
    return errors.map((error) => fieldsOf(error).loc).filter(Array.isArray)
      .map((loc) => loc[1]).filter((name) => typeof name === "string");
  }
  const named = /\bbody\.([a-z_]+):/.exec(failure.message)?.[1];
  return named === undefined ? [] : [named];
}

/** What to try after a refusal; `undefined` when the refusal teaches nothing. */
function learn(
  known: FaceRecord,
  failure: OvFailure,
  sent: Readonly<Record<string, unknown>>,
): FaceRecord | undefined {
  const rejected = rejectedFields(failure);
  const older = OLDER[known.face];
  if (
    failure.category === "missing-route" || (known.face === "context" && rejected.includes("mode"))
  ) {
    return older === undefined ? undefined : { ...known, face: older };
  }
  const fields = rejected.filter((name) => name in sent && name !== "query" && name !== "mode");
  return fields.length === 0 ? undefined : { ...known, without: [...known.without, ...fields] };
}

/** On servers without context search: whole contents when wanted, and none longer than configured. */
async function withContents(
  request: RecallRequest,
  entries: readonly RecallEntry[],
): Promise<RecallEntry[]> {
  const { http, settings, peer } = request;
  const read = async (entry: RecallEntry): Promise<RecallEntry> => {
    if (settings.preferAbstract || entry.uri === "") return entry;
    const path = `/api/v1/content/read?uri=${encodeURIComponent(entry.uri)}`;
    const content = await http.request<string>("GET", path, peer ? { actorPeer: peer } : {});
    return content.ok && typeof content.result === "string"
      ? { ...entry, text: content.result }
      : entry;
  };
  return (await Promise.all(entries.map(read))).map((entry) =>
    entry.text.length <= settings.maxContentChars
      ? entry
      : { ...entry, text: `${entry.text.slice(0, settings.maxContentChars).toWellFormed()}…` }
  );
}

/** A search that the server answered although its model failed: not the same as nothing found. */
function modelFailure(result: unknown, traceId: string | undefined): OvFailure | undefined {
  const errors = fieldsOf(fieldsOf(result).stats).retrieval_errors;
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  return {
    ok: false,
    status: 200,
    action: "retry",
    category: "upstream",
    ambiguous: false,
    code: "",
    message: `The server could not search: ${String(errors[0]).slice(0, 200)}`,
    ...(traceId === undefined ? {} : { traceId }),
  };
}

/**
 * Asks for the memories that a query is about. A server that refuses a route or a field is asked in
 * the older way, and that is remembered. Never throws; the client's deadline bounds the whole chain.
 */
export async function recall(request: RecallRequest): Promise<RecallAnswer> {
  const { http, faces, settings, peer = "" } = request;
  const first = faces?.read() ?? NEWEST_FACE;
  let known = first;
  for (let attempt = 1;; attempt++) {
    const body = bodyFor(known.face, request);
    for (const name of known.without) delete body[name];
    const answer = await http.request("POST", ROUTES[known.face], {
      body,
      ...(peer === "" ? {} : { actorPeer: peer }),
    });
    if (!answer.ok) {
      const next = learn(known, answer, body);
      if (next === undefined || attempt === ATTEMPTS) return { ok: false, failure: answer };
      known = next;
      continue;
    }
    if (known !== first) faces?.write(known);
    const { traceId } = answer;
    const usable = entriesOf(answer.result, peer)
      .filter((entry) => settings.peerScope === "all" || !entry.otherPeer)
      .slice(0, settings.limit);
    const failure = usable.length === 0 ? modelFailure(answer.result, traceId) : undefined;
    if (failure !== undefined) return { ok: false, failure };
    return {
      ok: true,
      entries: known.face === "context" ? usable : await withContents(request, usable),
      face: known.face,
      ...(traceId === undefined ? {} : { traceId }),
    };
  }
}
