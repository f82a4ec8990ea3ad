/**
 * The answer of `mode=context`: the entries that fit a budget, rendered.
 *
 * @module
 */
import type { Call } from "../store/store.ts";
import type { ContextOptions, SearchFilters } from "./request.ts";
import type { Item } from "./assemble.ts";
import type { Cooled } from "./cooldown.ts";
import { peerId } from "../store/store.ts";
import { findOwner } from "../store/store.ts";
import { fillBlock } from "./assemble.ts";
import { lookUp } from "./look_up.ts";
import { QUICK } from "./retrieve.ts";
import { holdsQuestion } from "../../lib/recall/question.ts";

/** Tokens of one entry at most. */
const ENTRY_TOKENS = 300;
/** Sources considered for a block. */
const BLOCK_SOURCES = 60;

const OTHER_PEER_PENALTIES = {
  events: 0.1,
  entities: 0.1,
  preferences: 0.1,
  experiences: 0.1,
  resources: 0.1,
  skills: 0.1,
  memories: 0.1,
};

type Origin = "self" | "actor_peer" | "other_peer";

function originOf(item: Item, peer: number | undefined): Origin {
  if (item.peer === 0) return "self";
  return item.peer === peer ? "actor_peer" : "other_peer";
}

function* without(items: Iterable<Item>, uris: ReadonlySet<string>): Generator<Item> {
  for (const item of items) if (!uris.has(item.uri)) yield item;
}

async function coolOff(
  call: Call,
  options: ContextOptions,
  items: Iterable<Item>,
): Promise<Cooled | undefined> {
  if (options.dedupTurns === 0 || options.session === undefined) return undefined;
  const { coolDown } = await import("./cooldown.ts");
  return coolDown(call, options.session, options.dedupTurns, [...items].slice(0, BLOCK_SOURCES));
}

/**
 * Result of `mode=context`. A query that asks nothing ("ok, go on") gets nothing: automatic recall is
 * not to answer an acknowledgement; `stats.skipped` says so.
 */
export async function contextResult(
  call: Call,
  filters: SearchFilters,
  options: ContextOptions,
): Promise<Record<string, unknown> & { stats: Record<string, unknown> }> {
  const entryTokens = Math.min(ENTRY_TOKENS, options.maxTokens);
  const asks = holdsQuestion(filters.query);
  const found = asks
    ? await lookUp(call, filters, {
      actorOnly: options.actorOnly,
      session: options.session,
      tokens: entryTokens,
      depth: QUICK,
    })
    : [];
  const allowed = without(found, new Set(options.excludeUris));
  const cooled = await coolOff(call, options, allowed);
  const block = fillBlock(cooled?.items ?? allowed, options.maxTokens, BLOCK_SOURCES);
  if (cooled !== undefined && options.session !== undefined && block.items.length > 0) {
    const { noteShown } = await import("./cooldown.ts");
    noteShown(call, options.session, cooled.turn, block.items);
  }
  const owner = findOwner(call.store, call.identity);
  const { actorPeer } = call.identity;
  const peer = owner === undefined || actorPeer === undefined
    ? undefined
    : peerId(call.store, owner.id, actorPeer, false);
  const origins = { actor_peer: 0, self: 0, other_peer: 0 };
  for (const item of block.items) origins[originOf(item, peer)]++;
  return {
    entries: block.items.map((item) => ({
      uri: item.uri,
      category: item.category,
      score: item.score,
      detail: "full",
      text: item.text,
      origin: originOf(item, peer),
      created_at: item.createdAt,
      ...(item.session === "" ? {} : { role: item.role, session: item.session }),
    })),
    rendered: block.rendered,
    digest: "",
    stats: {
      searched: { all: block.considered + (cooled?.cooled ?? 0) },
      candidates: block.considered,
      excluded: cooled?.cooled ?? 0,
      origins,
      peer_scope: options.actorOnly ? "actor" : "all",
      quotas: options.quotas,
      max_tokens: options.maxTokens,
      used_tokens: block.usedTokens,
      per_entry_cap: entryTokens,
      returned: block.items.length,
      dropped: block.considered - block.items.length,
      deduped: 0,
      detail: options.detail,
      tier_counts: block.items.length === 0 ? {} : { full: block.items.length },
      fill: {
        floor_tokens: block.usedTokens,
        overview_upgrades: 0,
        full_upgrades: 0,
        spare_upgrades: 0,
      },
      purpose: options.purpose ?? null,
      query_expansion: "off",
      planned_queries: [filters.query],
      score_threshold: filters.threshold ?? null,
      other_peer_penalties: OTHER_PEER_PENALTIES,
      rewrite: "off",
      rewrite_usage: null,
      dedup: {
        turns: options.dedupTurns,
        status: cooled?.status ?? "off",
        cooled: cooled?.cooled ?? 0,
        turn: cooled?.turn ?? null,
      },
      ...(asks ? {} : { skipped: "acknowledgement" }),
    },
  };
}
