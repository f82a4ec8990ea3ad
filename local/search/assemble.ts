/**
 * From ranked sources to what an answer shows, and the rendered block of `mode=context`.
 *
 * @module
 */
import type { Identity } from "../identity.ts";
import type { Store } from "../store/store.ts";
import type { Ranked } from "../ranking/rank.ts";
import { readSources, type Sources } from "./sources.ts";
import { bestFileWindow, bestWindow } from "../ranking/window.ts";
import { homeUri, messageUri } from "../uri.ts";
import { SESSION_SPAN } from "../store/layout.ts";
import { tokenWeight } from "../text/tokens.ts";

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

/** Largest raw score: both lists, both sides, session, coverage, recency. */
const SCORE_SCALE = 3.5;
/** Sources read at a time. */
const SLICE = 12;

function toScore(raw: number): number {
  return Math.round(Math.min(1, raw / SCORE_SCALE) * 10_000) / 10_000;
}

/**
 * Shows sources in rank order, each by its best window of `tokens`, as long as the caller asks for
 * more. Texts that were shown already are left out.
 */
export function* showItems(
  store: Store,
  identity: Identity,
  ranked: readonly Ranked[],
  tokens: number,
): Generator<Item> {
  const seen = new Set<string>();
  for (let from = 0; from < ranked.length; from += SLICE) {
    const slice = ranked.slice(from, from + SLICE);
    const sources = readSources(store, slice.map(({ source }) => source));
    for (const one of slice) {
      const item = one.source < 0
        ? fileItem(identity, one, sources, tokens)
        : messageItem(identity, one, sources, tokens);
      if (item === undefined || item.text === "" || seen.has(item.text)) continue;
      seen.add(item.text);
      yield item;
    }
  }
}

function fileItem(
  identity: Identity,
  { source, score, hits }: Ranked,
  sources: Sources,
  tokens: number,
): Item | undefined {
  const file = sources.files.get(source);
  if (file === undefined) return undefined;
  const [top, folder = "memories", ...rest] = file.path.split("/");
  const isMemory = top === "memories";
  return {
    uri: `${homeUri(identity)}/${file.path}`,
    contextType: isMemory ? "memory" : "resource",
    category: !isMemory ? "resources" : rest.length === 0 ? "memories" : folder,
    score: toScore(score),
    text: bestFileWindow(file.text, hits, tokens),
    createdAt: new Date(file.updated).toISOString(),
    role: "",
    session: "",
    peer: 0,
  };
}

function messageItem(
  identity: Identity,
  { source, score, hits }: Ranked,
  sources: Sources,
  tokens: number,
): Item | undefined {
  const message = sources.messages.get(source);
  const session = sources.sessions.get(Math.floor(source / SESSION_SPAN));
  if (message === undefined || session === undefined) return undefined;
  return {
    uri: messageUri(identity, session, message.seq),
    contextType: "memory",
    category: "memories",
    score: toScore(score),
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
function renderItem(item: Item): string {
  const role = item.role === "" ? "" : ` role="${escapeAttribute(item.role)}"`;
  const body = item.text.replace(/<(\/?memory)/gi, "&lt;$1");
  return `<memory uri="${escapeAttribute(item.uri)}" date="${
    item.createdAt.slice(0, 10)
  }"${role}>\n${body}\n</memory>`;
}

/** A block of items within a budget. */
export interface Block {
  readonly items: readonly Item[];
  readonly rendered: string;
  readonly usedTokens: number;
  /** Items that were looked at. */
  readonly considered: number;
}

/** Room so small that no further item is tried. */
const TOO_SMALL = 30;

/** The items that fit `budget` tokens, in order, of at most `most`; what does not fit is skipped. */
export function fillBlock(items: Iterable<Item>, budget: number, most: number): Block {
  const kept: Item[] = [];
  const texts: string[] = [];
  let used = 0;
  let considered = 0;
  for (const item of items) {
    considered++;
    const text = renderItem(item);
    const cost = Math.ceil(tokenWeight(text)) + 1;
    if (used + cost <= budget) {
      used += cost;
      kept.push(item);
      texts.push(text);
    }
    if (considered === most || budget - used < TOO_SMALL) break;
  }
  return { items: kept, rendered: texts.join("\n"), usedTokens: used, considered };
}
