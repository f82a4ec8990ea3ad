/**
 * `GET /api/v1/fs/ls` and `/tree`.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { TreeNode, TreeView } from "../files/tree.ts";
import { childrenOf, nodeAt, overviewOf } from "../files/tree.ts";
import { homeUri } from "../uri.ts";
import { queriedUri, viewOf } from "./content_read.ts";
import { optionalInteger } from "../validate.ts";
import { answer, invalidArgument, notFound, validationError } from "../wire.ts";

/** A node in a listing: of the user's tree, or one of the few places above it. */
interface Entry {
  readonly uri: string;
  readonly node: TreeNode;
  /** Path below the listed folder, in recursive listings. */
  readonly relative: string;
}

/** How a listing is asked for. */
interface ListOptions {
  readonly simple: boolean;
  readonly original: boolean;
  readonly withRelative: boolean;
  readonly depth: number;
  readonly abstractLimit: number;
  readonly hidden: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly byTime: boolean;
  readonly descending: boolean;
}

function readOptions(call: Call, tree: boolean): ListOptions {
  const query = Object.fromEntries(call.query);
  const flag = (key: string): boolean => query[key] === "true" || query[key] === "1";
  const number = (key: string, min: number): number | undefined =>
    optionalInteger(query, key, min, undefined, ["query", key]);
  const output = query["output"] ?? "agent";
  if (output !== "agent" && output !== "original") {
    throw validationError(
      ["query", "output"],
      "Input should be 'agent' or 'original'",
      "literal_error",
    );
  }
  return {
    simple: flag("simple"),
    original: output === "original",
    withRelative: tree || flag("recursive"),
    depth: tree ? number("level_limit", 1) ?? 3 : flag("recursive") ? 3 : 1,
    abstractLimit: number("abs_limit", 0) ?? 256,
    hidden: flag("show_all_hidden"),
    limit: number("limit", 1) ?? number("node_limit", 1) ?? 1000,
    offset: number("offset", 0) ?? 0,
    byTime: query["sort_by"] === "mtime",
    descending: query["sort_order"] === "desc",
  };
}

/** Last segment of a path or address. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Entries of a folder, depth first, until enough are known. */
function collect(
  view: TreeView,
  path: string,
  options: ListOptions,
  prefix: string,
  depth: number,
  out: Entry[],
): void {
  let nodes = childrenOf(view, path).filter((node) =>
    options.hidden || !nameOf(node.path).startsWith(".")
  );
  if (options.byTime) nodes.sort((a, b) => a.modified - b.modified);
  if (options.descending) nodes = nodes.reverse();
  for (const node of nodes) {
    if (out.length > options.offset + options.limit) return;
    const relative = prefix + nameOf(node.path);
    out.push({ uri: `${homeUri(view.identity)}/${node.path}`, node, relative });
    // The messages of a session are its other form: only listed when asked for.
    const isMessages = /^sessions\/[^/]+\/messages$/.test(node.path);
    if (node.isDirectory && depth > 1 && !isMessages) {
      collect(view, node.path, options, `${relative}/`, depth - 1, out);
    }
  }
}

/** Entries above the user's tree. */
function collectAbove(view: TreeView, uri: string, options: ListOptions): Entry[] {
  const top = (one: string): Entry => ({
    uri: one,
    node: { path: nameOf(one), isDirectory: true, modified: 0, size: 0, abstract: "" },
    relative: nameOf(one),
  });
  if (uri === "viking://") return [top("viking://user")];
  if (uri !== "viking://user") return [];
  const home = homeUri(view.identity);
  const out = [{ ...top(home), node: { ...top(home).node, path: view.identity.user } }];
  if (options.depth > 1) {
    collect(view, "", options, `${view.identity.user}/`, options.depth - 1, out);
  }
  return out;
}

function clip(text: string, limit: number): string {
  const characters = [...text.slice(0, limit * 2)];
  return characters.length > limit ? `${characters.slice(0, limit).join("")}...` : text;
}

function describeEntry(view: TreeView, entry: Entry, options: ListOptions): unknown {
  const { uri, node, relative } = entry;
  if (options.simple) return uri;
  const time = new Date(node.modified).toISOString();
  const extra = options.withRelative ? { rel_path: relative } : {};
  if (options.original) {
    return {
      name: nameOf(uri),
      size: node.isDirectory ? 4096 : node.size,
      mode: node.isDirectory ? 0o755 : 0o644,
      modTime: time.replace(/\.\d+/, ""),
      isDir: node.isDirectory,
      uri,
      ...extra,
    };
  }
  const about = node.isDirectory ? overviewOf(view, node).split("\n")[0] ?? "" : node.abstract;
  const abstract = about === "" && node.isDirectory
    ? `# ${uri} [Directory abstract is not ready]`
    : about;
  return {
    uri,
    size: node.size,
    isDir: node.isDirectory,
    modTime: time,
    ...extra,
    abstract: clip(abstract, options.abstractLimit),
  };
}

/** Lists a folder; `tree` goes three levels down unless told otherwise. */
export function listFolder(call: Call, tree: boolean): WireResponse {
  const { uri, path } = queriedUri(call);
  const options = readOptions(call, tree);
  const view = viewOf(call);
  let entries: Entry[] = [];
  if (path === undefined) entries = collectAbove(view, uri, options);
  else {
    const node = nodeAt(view, path);
    if (node === undefined) throw notFound("Directory", "directory", uri);
    if (!node.isDirectory) {
      throw invalidArgument(`URI points to a file, not a directory: ${uri}`, {
        resource: uri,
        expected: "directory",
        actual: "file",
      });
    }
    collect(view, path, options, "", options.depth, entries);
  }
  const page = entries.slice(options.offset, options.offset + options.limit);
  return answer(page.map((entry) => describeEntry(view, entry, options)), {
    has_more: entries.length > options.offset + options.limit,
  });
}
