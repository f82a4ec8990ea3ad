/**
 * The answer of `mode=context`: the entries that fit a budget, rendered.
 *
 * @module
 */
import type { Call, Owner } from "../store/store.ts";
import type { Item } from "./assemble.ts";
import type { Cooled } from "./cooldown.ts";
import { findOwner } from "../store/store.ts";
import { fillBlock } from "./assemble.ts";
import { lookUp } from "./look_up.ts";
import { QUICK, type SearchScope } from "./retrieve.ts";
import { holdsQuestion } from "../../lib/recall/question.ts";

/** How a context is asked for. */
export interface ContextOptions {
  readonly query: string;
  readonly maxTokens: number;
  readonly threshold: number | undefined;
  readonly actorOnly: boolean;
  readonly excludeUris: readonly string[];
  /** Session whose live messages are left out. */
  readonly session: string | undefined;
}

/** Leaves out what was shown of late; see `cooldown.ts`. */
export type Cool = (items: Iterable<Item>) => Cooled;

/** Tokens of one entry at most. */
const ENTRY_TOKENS = 300;
/** Sources considered for a block. */
export const BLOCK_SOURCES = 60;

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

/**
 * Result of `mode=context`. A query that asks nothing ("ok, go on") gets nothing: automatic recall is
 * not to answer an acknowledgement; `stats.skipped` says so.
 *
 * @param scopeFor Where to look; called when something was ever stored.
 */
export function contextResult(
  call: Call,
  options: ContextOptions,
  scopeFor: (owner: Owner) => SearchScope,
  cool?: Cool,
): {
  result: Record<string, unknown> & { stats: Record<string, unknown> };
  shown: readonly Item[];
} {
  const { store, identity } = call;
  const entryTokens = Math.min(ENTRY_TOKENS, options.maxTokens);
  const owner = findOwner(store, identity);
  const asks = holdsQuestion(options.query);
  const scope = owner === undefined ? undefined : scopeFor(owner);
  const found = owner === undefined || scope === undefined || !asks
    ? []
    : lookUp(store, identity, owner, options.query, scope, {
      tokens: entryTokens,
      depth: QUICK,
      threshold: options.threshold,
    });
  const allowed = without(found, new Set(options.excludeUris));
  const cooled = cool?.(allowed);
  const block = fillBlock(cooled?.items ?? allowed, options.maxTokens, BLOCK_SOURCES);
  const peer = scope?.peer;
  const origins = { actor_peer: 0, self: 0, other_peer: 0 };
  for (const item of block.items) origins[originOf(item, peer)]++;
  const result = {
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
      quotas: null,
      max_tokens: options.maxTokens,
      used_tokens: block.usedTokens,
      per_entry_cap: entryTokens,
      returned: block.items.length,
      dropped: block.considered - block.items.length,
      deduped: 0,
      detail: null,
      tier_counts: block.items.length === 0 ? {} : { full: block.items.length },
      fill: {
        floor_tokens: block.usedTokens,
        overview_upgrades: 0,
        full_upgrades: 0,
        spare_upgrades: 0,
      },
      purpose: null,
      query_expansion: "off",
      planned_queries: [options.query],
      score_threshold: options.threshold ?? null,
      other_peer_penalties: OTHER_PEER_PENALTIES,
      rewrite: "off",
      rewrite_usage: null,
      dedup: {
        turns: cooled?.turns ?? 0,
        status: cooled?.status ?? "off",
        cooled: cooled?.cooled ?? 0,
        turn: cooled?.turn ?? null,
      },
      ...(asks ? {} : { skipped: "acknowledgement" }),
    },
  };
  return { result, shown: block.items };
}
