/**
 * `/api/v1/search/find`, `/search` and `/recall`.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { ContextFields, SearchFilters } from "../search/request.ts";
import type { Item } from "../search/assemble.ts";
import { findOwner } from "../store/store.ts";
import { readFile } from "../files/files.ts";
import { BLOCK_SOURCES, contextResult } from "../search/context_answer.ts";
import { coolDown, noteShown } from "../search/cooldown.ts";
import { narrow } from "../search/filters.ts";
import { lookUp } from "../search/look_up.ts";
import { readFind, readRecall, readSearch } from "../search/request.ts";
import { THOROUGH } from "../search/retrieve.ts";
import { scopeOf } from "../search/scope.ts";
import { objectBody } from "../validate.ts";
import { leanAnswer, methodNotAllowed, routeMissing } from "../wire.ts";
import { homeUri } from "../uri.ts";

/** Tokens of an item that is listed; the whole is one `content/read` away. */
const LIST_TOKENS = 200;

function wholeContent(call: Call, item: Item): string {
  const owner = findOwner(call.store, call.identity);
  if (item.session !== "" || owner === undefined) return item.text;
  const path = item.uri.slice(homeUri(call.identity).length + 1);
  return readFile(call.store, owner.id, path)?.text ?? item.text;
}

/** An explicit search never refuses: whoever asked judges what came. */
function listAnswer(call: Call, filters: SearchFilters): WireResponse {
  const { store, identity } = call;
  const owner = findOwner(store, identity);
  const items: Item[] = [];
  if (owner !== undefined) {
    const open = scopeOf(store, identity, owner, identity.actorPeer !== undefined, undefined);
    const scope = narrow(call, owner, open, filters);
    const found = lookUp(store, identity, owner, filters.query, scope, {
      tokens: LIST_TOKENS,
      depth: THOROUGH,
      threshold: filters.threshold,
    });
    for (const item of found) {
      items.push(item);
      if (items.length === filters.limit) break;
    }
  }
  const described = items.map((item) => ({
    context_type: item.contextType,
    uri: item.uri,
    level: 2,
    score: item.score,
    abstract: item.text,
    tags: item.session === "" && item.contextType === "memory"
      ? [`memory_type=${item.category}`]
      : [],
    created_at: item.createdAt,
    ...(item.session === "" ? {} : { session_id: item.session, role: item.role }),
    ...(filters.readContent ? { content: wholeContent(call, item) } : {}),
  }));
  return leanAnswer({
    memories: described.filter((item) => item.context_type === "memory"),
    resources: described.filter((item) => item.context_type === "resource"),
    skills: [],
    total: described.length,
  });
}

/** `mode=context`: cool-down when asked for, and what it notes. */
function contextAnswer(
  call: Call,
  filters: SearchFilters,
  fields: ContextFields,
): Record<string, unknown> & { stats: Record<string, unknown> } {
  const { session, dedupTurns } = fields;
  let turn = 0;
  const cools = dedupTurns > 0 && session !== undefined;
  const { result, shown } = contextResult(
    call,
    { ...fields, query: filters.query, threshold: filters.threshold },
    (owner) =>
      narrow(
        call,
        owner,
        scopeOf(call.store, call.identity, owner, fields.actorOnly, session),
        filters,
      ),
    cools
      ? (items) => {
        const cooled = coolDown(call, session, dedupTurns, [...items].slice(0, BLOCK_SOURCES));
        turn = cooled.turn;
        return cooled;
      }
      : undefined,
  );
  if (cools && shown.length > 0) noteShown(call, session, turn, shown);
  const { quotas, detail, purpose } = fields;
  return { ...result, stats: { ...result.stats, quotas, detail, purpose: purpose ?? null } };
}

function recallAnswer(call: Call, body: unknown): WireResponse {
  const { filters, context, aliases } = readRecall(objectBody(body));
  const result = contextAnswer(call, filters, context);
  const deprecated = {
    endpoint: "/api/v1/search/recall",
    successor: "/api/v1/search/search",
    successor_body: { mode: "context" },
    aliases_used: aliases,
  };
  return leanAnswer({ ...result, stats: { ...result.stats, deprecated } }, {
    deprecation: "true",
    link: '</api/v1/search/search>; rel="successor-version"',
  });
}

/** Routes a search request. */
export function searchRoutes(call: Call): WireResponse {
  const [, , , name, ...rest] = call.segments;
  if (rest.length > 0 || (name !== "find" && name !== "search" && name !== "recall")) {
    throw routeMissing();
  }
  if (call.method !== "POST") throw methodNotAllowed("POST");
  if (name === "recall") return recallAnswer(call, call.body);
  const body = objectBody(call.body);
  if (name === "find") return listAnswer(call, readFind(body));
  const { filters, context } = readSearch(body);
  return context === undefined
    ? listAnswer(call, filters)
    : leanAnswer(contextAnswer(call, filters, context));
}
