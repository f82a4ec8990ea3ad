/**
 * `/api/v1/search/grep` and `/glob`: literal look-ups, without an index.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { TreeNode, TreeView } from "../files/tree.ts";
import { childrenOf, nodeAt } from "../files/tree.ts";
import { viewOf } from "./content_read.ts";
import { homeUri, readUri } from "../uri.ts";
import {
  objectBody,
  optionalFlag,
  optionalInteger,
  optionalText,
  requiredText,
} from "../validate.ts";
import { answer, invalidArgument, methodNotAllowed, notFound } from "../wire.ts";

/** Levels below the start that are walked at most. */
const DEEPEST = 12;

/**
 * Every file below a node. A session is walked message by message when `messages`, else by the files
 * that it looks like.
 */
function* filesOf(
  view: TreeView,
  node: TreeNode,
  levels: number,
  messages: boolean,
): Generator<TreeNode> {
  if (!node.isDirectory) {
    yield node;
    return;
  }
  if (levels === 0) return;
  for (const child of childrenOf(view, node.path)) {
    const isMessages = /^sessions\/[^/]+\/messages$/.test(child.path);
    const isOther = /^sessions\/[^/]+\/(history|messages\.jsonl|\.meta\.json)$/.test(child.path);
    if (messages ? isOther : isMessages) continue;
    yield* filesOf(view, child, levels - 1, messages);
  }
}

function startOf(call: Call, uri: string): { view: TreeView; node: TreeNode; uri: string } {
  const view = viewOf(call);
  const read = readUri(uri, call.identity);
  const path = read.path ?? (["viking://", "viking://user"].includes(read.uri) ? "" : undefined);
  const node = path === undefined ? undefined : nodeAt(view, path);
  if (node === undefined) throw notFound("File", "file", read.uri);
  return { view, node, uri: read.uri };
}

function readPattern(pattern: string, caseInsensitive: boolean): RegExp {
  try {
    return new RegExp(pattern, caseInsensitive ? "iu" : "u");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidArgument(`Invalid grep pattern: ${reason}`);
  }
}

function grep(call: Call): WireResponse {
  const body = objectBody(call.body);
  const start = startOf(call, requiredText(body, "uri"));
  const pattern = readPattern(
    requiredText(body, "pattern"),
    optionalFlag(body, "case_insensitive"),
  );
  const limit = optionalInteger(body, "node_limit", 1) ?? 256;
  const levels = optionalInteger(body, "level_limit", 1) ?? 10;
  const excluded = optionalText(body, "exclude_uri");
  const without = excluded === undefined ? undefined : readUri(excluded, call.identity).uri;
  const home = homeUri(call.identity);
  const matches: { line: number; uri: string; content: string }[] = [];
  let scanned = 0;
  for (const file of filesOf(start.view, start.node, levels, true)) {
    const uri = `${home}/${file.path}`;
    if (without !== undefined && (uri === without || uri.startsWith(`${without}/`))) continue;
    scanned++;
    const lines = (file.read?.() ?? "").split("\n");
    for (let at = 0; at < lines.length && matches.length < limit; at++) {
      const content = lines[at] ?? "";
      if (pattern.test(content)) matches.push({ line: at + 1, uri, content });
    }
    if (matches.length >= limit) break;
  }
  return answer({
    matches,
    count: matches.length,
    match_count: matches.length,
    files_scanned: scanned,
  });
}

/** A glob as a regular expression over the path below the start. */
function globExpression(pattern: string): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? "";
    if (pattern.startsWith("**/", at)) {
      source += "(?:.*/)?";
      at += 2;
    } else if (pattern.startsWith("**", at)) {
      source += ".*";
      at++;
    } else if (character === "*") source += "[^/]*";
    else if (character === "?") source += "[^/]";
    else source += character.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  }
  return new RegExp(`^${source}$`, "u");
}

function glob(call: Call): WireResponse {
  const body = objectBody(call.body);
  const pattern = globExpression(requiredText(body, "pattern").replace(/^\//, ""));
  const start = startOf(call, optionalText(body, "uri") ?? "viking://");
  const limit = optionalInteger(body, "node_limit", 1) ?? 256;
  const matches: string[] = [];
  const prefix = start.node.path === "" ? 0 : start.node.path.length + 1;
  for (const file of filesOf(start.view, start.node, DEEPEST, false)) {
    if (!pattern.test(file.path.slice(prefix))) continue;
    matches.push(`${homeUri(call.identity)}/${file.path}`);
    if (matches.length === limit) break;
  }
  return answer({ matches, count: matches.length });
}

/** Routes grep and glob. */
export function grepRoutes(call: Call): WireResponse {
  if (call.method !== "POST") throw methodNotAllowed("POST");
  return call.segments[3] === "grep" ? grep(call) : glob(call);
}
