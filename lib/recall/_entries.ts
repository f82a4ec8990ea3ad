/**
 * The memories in an answer, whatever route it came from.
 *
 * @module
 */
import type { RecallEntry } from "./types.ts";
import { fieldsOf } from "../http/classify.ts";

/** Items of an answer, and characters of one, that are looked at. */
const MOST_ITEMS = 200;
const MOST_CHARS = 100_000;

type Fields = Readonly<Record<string, unknown>>;

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function firstText(fields: Fields, names: readonly string[]): string {
  for (const name of names) {
    const value = text(fields[name]);
    if (value.trim() !== "") return value;
  }
  return "";
}

/** What a server says instead of nothing. */
const NOTHING =
  /^\s*(?:no (?:matching|relevant) (?:context|memor(?:y|ies))(?: (?:was )?found)?\.?|NO_RELEVANT_MEMORY)\s*$/i;

/**
 * Folders and their generated summaries, which repeat what their files say (0.5.2). Words kept as
 * they were said (the embedded engine) have addresses without a file extension.
 */
function isBoilerplate(uri: string, fields: Fields): boolean {
  if (fields.level !== undefined && fields.level !== null && fields.level !== 2) return true;
  if (fields.session !== undefined || fields.created_at !== undefined) return false;
  if (uri === "") return false;
  const name = uri.replace(/[?#].*$/, "").split("/").at(-1) ?? "";
  return /^\.(?:overview|abstract)\.md$/.test(name) || !/[^.]\.[A-Za-z0-9]{1,8}$/.test(name);
}

/** The project in an address, "" when it belongs to none. */
function peerOf(uri: string): string {
  return /^viking:\/\/(?:~|user\/[^/]+)\/peers\/([^/]+)\//.exec(uri)?.[1] ?? "";
}

function toEntry(value: unknown, peer: string): RecallEntry | undefined {
  const fields = fieldsOf(value);
  const uri = text(fields.uri);
  const body = firstText(fields, ["text", "content", "summary", "abstract", "overview"]);
  if (body === "" || NOTHING.test(body) || isBoilerplate(uri, fields)) return undefined;
  const owner = peerOf(uri);
  const createdAt = text(fields.created_at);
  const role = text(fields.role);
  return {
    uri,
    category: firstText(fields, ["category", "type", "context_type"]),
    text: body.slice(0, MOST_CHARS),
    ...(createdAt === "" ? {} : { createdAt }),
    ...(role === "" ? {} : { role }),
    otherPeer: fields.origin === "other_peer" ||
      (fields.origin === undefined && owner !== "" && owner !== peer),
  };
}

/** Items of either answer form: `entries`, or the lists of `find`. Resources are not recalled unasked. */
function itemsOf(result: Fields): readonly unknown[] {
  if (Array.isArray(result.entries) && result.entries.length > 0) return result.entries;
  const lists = [result.memories, result.skills].filter(Array.isArray).flat();
  if (lists.length > 0) {
    return [...lists].sort((a, b) =>
      Number(fieldsOf(b).score ?? 0) - Number(fieldsOf(a).score ?? 0)
    );
  }
  const rendered = text(result.rendered);
  return rendered.trim() === "" || Array.isArray(result.entries) ? [] : [{ text: rendered }];
}

/**
 * The memories in an answer, in its order: without boilerplate, each address and each text once.
 *
 * @param peer The asking project, "" when there is none.
 */
export function entriesOf(result: unknown, peer: string): RecallEntry[] {
  const fields = fieldsOf(result);
  if (fieldsOf(fields.stats).rewrite === "no_relevant") return [];
  const kept: RecallEntry[] = [];
  const uris = new Set<string>();
  const texts = new Set<string>();
  for (const item of itemsOf(fields).slice(0, MOST_ITEMS)) {
    const entry = toEntry(item, peer);
    if (entry === undefined) continue;
    const said = entry.text.toLowerCase().replace(/\s+/g, " ").trim();
    if ((entry.uri !== "" && uris.has(entry.uri)) || texts.has(said)) continue;
    uris.add(entry.uri);
    texts.add(said);
    kept.push(entry);
  }
  return kept;
}
