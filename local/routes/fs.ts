/**
 * `/api/v1/fs`: ls, tree, stat, mkdir, and deletion.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { TreeNode, TreeView } from "../store/tree.ts";
import type { VikingUri } from "../uri.ts";
import { requireOwner } from "../store/store.ts";
import { childrenOf, nodeAt, overviewOf } from "../store/tree.ts";
import { filesBelow, foldersBelow } from "../store/files.ts";
import { deleteFiles, deleteMessage, deleteSession } from "../store/deletion.ts";
import { recordTask } from "../store/tasks.ts";
import { homeUri, readUri } from "../uri.ts";
import { queriedUri, viewOf } from "./content.ts";
import { objectBody, optionalInteger, requiredText } from "../validate.ts";
import {
  answer,
  invalidArgument,
  methodNotAllowed,
  notFound,
  RouteError,
  routeMissing,
  validationError,
} from "../wire.ts";

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

function nameOf(path: string): string {
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

function list(call: Call, tree: boolean): WireResponse {
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

function stat(call: Call): WireResponse {
  const { uri, path } = queriedUri(call);
  const view = viewOf(call);
  const node = path === undefined
    ? { path: "", isDirectory: true, modified: 0, size: 0, abstract: "" }
    : nodeAt(view, path);
  if (node === undefined) throw notFound("File", "file", uri);
  const text = node.read?.();
  return answer({
    name: nameOf(uri),
    size: node.isDirectory ? 4096 : new TextEncoder().encode(text ?? "").length,
    mode: node.isDirectory ? 0o755 : 0o644,
    modTime: new Date(node.modified).toISOString().replace(/\.\d+/, ""),
    isDir: node.isDirectory,
    uri,
    isLocked: false,
    ...(node.isDirectory
      ? { count: path === undefined ? 0 : childrenOf(view, path).length }
      : { id: `${node.file?.id ?? node.message?.id ?? 0}` }),
  });
}

function makeDirectory(call: Call): WireResponse {
  const { store, identity } = call;
  const body = objectBody(call.body);
  const { uri, path } = readUri(requiredText(body, "uri"), identity);
  const [top] = path?.split("/") ?? [];
  if (path === undefined || (top !== "memories" && top !== "resources")) {
    throw invalidArgument(`directories can be made below memories/ and resources/: ${uri}`);
  }
  if (nodeAt(viewOf(call), path) !== undefined) {
    throw new RouteError(409, "CONFLICT", `already exists: ${uri}`, {
      details: { resource: uri },
    });
  }
  store.db.transaction(() => {
    const owner = requireOwner(store, identity);
    store.sql("INSERT INTO directories (owner, path, created) VALUES (?, ?, ?)")
      .run(owner.id, path, store.now());
  });
  return answer({ uri });
}

/** Deletes what stands at `path`; returns how many files and messages that were. */
function deleteAt(call: Call, uri: VikingUri, path: string, recursive: boolean): number {
  const { store } = call;
  const view = viewOf(call);
  const node = nodeAt(view, path);
  if (node === undefined || view.owner === undefined) return 0;
  const { owner } = view;
  if (node.isDirectory && !recursive) {
    throw invalidArgument(`Cannot remove directory without --recursive: ${uri.uri}`, {
      resource: uri.uri,
      expected_flag: "recursive",
    });
  }
  if (node.session !== undefined) {
    if (node.message !== undefined) {
      deleteMessage(store, owner, node.session, node.message);
      return 1;
    }
    if (path !== `sessions/${node.session.name}`) {
      throw invalidArgument(
        `Only a whole session or a single message can be removed: ${uri.uri}`,
        { resource: uri.uri },
      );
    }
    deleteSession(store, owner, node.session);
    return node.session.totalCount;
  }
  if (path === "" || path === "sessions") {
    throw invalidArgument(`Cannot remove ${uri.uri}: remove its entries instead`, {
      resource: uri.uri,
    });
  }
  const files = node.file === undefined ? filesBelow(store, owner.id, path) : [node.file];
  deleteFiles(store, owner, files, node.isDirectory ? foldersBelow(store, owner.id, path) : []);
  return files.length;
}

function remove(call: Call): WireResponse {
  const { store, identity } = call;
  const uri = queriedUri(call);
  if (uri.path === undefined) {
    throw invalidArgument(`Cannot remove ${uri.uri}`, { resource: uri.uri });
  }
  const count = deleteAt(call, uri, uri.path, call.query.get("recursive") === "true");
  const taskId = store.db.transaction(() =>
    recordTask(store, requireOwner(store, identity).id, "fs_delete", uri.uri, { uri: uri.uri })
  );
  return answer({ uri: uri.uri, estimated_deleted_count: count, task_id: taskId });
}

/** Routes a file system request. */
export function fsRoutes(call: Call): WireResponse {
  const [, , , name, ...rest] = call.segments;
  if (rest.length > 0) throw routeMissing();
  const only = (method: string): void => {
    if (call.method !== method) throw methodNotAllowed(method);
  };
  switch (name) {
    case undefined:
      only("DELETE");
      return remove(call);
    case "ls":
    case "tree":
      only("GET");
      return list(call, name === "tree");
    case "stat":
      only("GET");
      return stat(call);
    case "mkdir":
      only("POST");
      return makeDirectory(call);
    default:
      throw routeMissing();
  }
}
