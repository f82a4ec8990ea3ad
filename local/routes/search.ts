/**
 * `/api/v1/search/find`, `/search` and `/recall`.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { SearchFilters } from "../search/request.ts";
import type { Item } from "../search/assemble.ts";
import { findOwner } from "../store/store.ts";
import { readFile } from "../store/files.ts";
import { lookUp } from "../search/look_up.ts";
import { THOROUGH } from "../search/retrieve.ts";
import { contextResult } from "../search/context_answer.ts";
import { readFind, readRecall, readSearch } from "../search/request.ts";
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
async function listAnswer(call: Call, filters: SearchFilters): Promise<WireResponse> {
  const items: Item[] = [];
  const found = await lookUp(call, filters, {
    actorOnly: call.identity.actorPeer !== undefined,
    session: undefined,
    tokens: LIST_TOKENS,
    depth: THOROUGH,
  });
  for (const item of found) {
    items.push(item);
    if (items.length === filters.limit) break;
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

async function recallAnswer(call: Call, body: unknown): Promise<WireResponse> {
  const { filters, context, aliases } = readRecall(objectBody(body));
  const result = await contextResult(call, filters, context);
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
export async function searchRoutes(call: Call): Promise<WireResponse> {
  const [, , , name, ...rest] = call.segments;
  if (rest.length > 0 || (name !== "find" && name !== "search" && name !== "recall")) {
    throw routeMissing();
  }
  if (call.method !== "POST") throw methodNotAllowed("POST");
  if (name === "recall") return await recallAnswer(call, call.body);
  const body = objectBody(call.body);
  if (name === "find") return await listAnswer(call, readFind(body));
  const { filters, context } = readSearch(body);
  return context === undefined
    ? await listAnswer(call, filters)
    : leanAnswer(await contextResult(call, filters, context));
}
