/**
 * From ranked sources to what an answer shows, and the rendered block of `mode=context`.
 *
 * @module
 */
import type { Identity } from "../identity.ts";
import type { Store } from "../store/store.ts";
import type { Found } from "./retrieve.ts";
import { readSources } from "./retrieve.ts";
import { bestFileWindow, bestWindow } from "./window.ts";
import { homeUri, messageUri } from "../uri.ts";
import { SESSION_SPAN } from "../schema.ts";
import { estimateTokens } from "../../lib/recall/tokens.ts";

/** One thing found, ready to be shown. */
export interface Item {
  readonly uri: string;
  readonly contextType: "memory" | "resource";
  /** First folder below `memories/` for files; `memories` for messages. */
  readonly category: string;
  readonly score: number;
  readonly text: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** "" for files. */
  readonly role: string;
  readonly session: string;
  readonly peer: number;
}

/** Largest raw score: both lists, both sides, session, coverage, nearness, recency. */
const SCORE_SCALE = 3.5;

function toScore(raw: number): number {
  return Math.round(Math.min(1, raw / SCORE_SCALE) * 10_000) / 10_000;
}

/**
 * Shows at most `limit` sources in rank order, each by its best window of `tokens`; texts that were
 * shown already are left out.
 */
export function toItems(
  store: Store,
  identity: Identity,
  found: Found,
  limit: number,
  tokens: number,
): Item[] {
  const items: Item[] = [];
  const seen = new Set<string>();
  for (let from = 0; items.length < limit && from < found.ranked.length; from += limit) {
    const slice = found.ranked.slice(from, from + limit + 8);
    const sources = readSources(store, slice.map(({ source }) => source));
    for (const { source, hits, score } of slice.slice(0, limit)) {
      const item = toItem(identity, source, hits, sources, tokens);
      if (item === undefined || item.text === "" || seen.has(item.text)) continue;
      seen.add(item.text);
      items.push({ ...item, score: toScore(score) });
      if (items.length === limit) break;
    }
  }
  return items;
}

function toItem(
  identity: Identity,
  source: number,
  hits: Found["ranked"][number]["hits"],
  sources: ReturnType<typeof readSources>,
  tokens: number,
): Item | undefined {
  if (source < 0) {
    const file = sources.files.get(source);
    if (file === undefined) return undefined;
    const [top, folder] = file.path.split("/");
    const inMemories = top === "memories";
    return {
      uri: `${homeUri(identity)}/${file.path}`,
      contextType: inMemories ? "memory" : "resource",
      category: inMemories
        ? (folder?.includes(".") ? "memories" : folder ?? "memories")
        : "resources",
      score: 0,
      text: bestFileWindow(file.text, hits, tokens),
      createdAt: new Date(file.updated).toISOString(),
      role: "",
      session: "",
      peer: 0,
    };
  }
  const message = sources.messages.get(source);
  const session = sources.sessions.get(Math.floor(source / SESSION_SPAN));
  if (message === undefined || session === undefined) return undefined;
  return {
    uri: messageUri(identity, session, message.seq),
    contextType: "memory",
    category: "memories",
    score: 0,
    text: bestWindow(message, hits, tokens),
    createdAt: message.createdAt,
    role: message.role,
    session,
    peer: message.peer,
  };
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** One entry of the block; inside, only a literal `<memory` or `</memory` is defused, as on the server. */
export function renderItem(item: Item): string {
  const role = item.role === "" ? "" : ` role="${escapeAttribute(item.role)}"`;
  const body = item.text.replace(/<(\/?memory)/gi, "&lt;$1");
  return `<memory uri="${escapeAttribute(item.uri)}" date="${
    item.createdAt.slice(0, 10)
  }"${role}>\n${body}\n</memory>`;
}

/** The items that fit `budget` tokens, in rank order; what does not fit is skipped. */
export function fillBlock(
  items: readonly Item[],
  budget: number,
): { readonly items: Item[]; readonly rendered: string; readonly usedTokens: number } {
  const kept: Item[] = [];
  const texts: string[] = [];
  let used = 0;
  for (const item of items) {
    const text = renderItem(item);
    const cost = estimateTokens(text) + 1;
    if (used + cost > budget) continue;
    used += cost;
    kept.push(item);
    texts.push(text);
  }
  return { items: kept, rendered: texts.join("\n"), usedTokens: used };
}
