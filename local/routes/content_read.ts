/**
 * `GET /api/v1/content/read`, `/abstract` and `/overview`.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { TreeNode, TreeView } from "../files/tree.ts";
import type { VikingUri } from "../uri.ts";
import { findOwner } from "../store/store.ts";
import { nodeAt, overviewOf } from "../files/tree.ts";
import { readUri } from "../uri.ts";
import { optionalInteger } from "../validate.ts";
import { answer, invalidArgument, notFound, type RouteError, validationError } from "../wire.ts";

/** The address in the query, checked. */
export function queriedUri(call: Call): VikingUri {
  const uri = call.query.get("uri");
  if (uri === undefined) throw validationError(["query", "uri"], "Field required", "missing");
  return readUri(uri, call.identity);
}

/** The caller's tree. */
export function viewOf(call: Call): TreeView {
  const { store, identity } = call;
  return { store, identity, owner: findOwner(store, identity) };
}

/** 400 of a folder where a file was meant. */
export function unreadable(uri: string): RouteError {
  return invalidArgument(
    `Directory URI is not readable as a file: ${uri}. List it first, then read a file URI.`,
    { resource: uri, expected: "file", actual: "directory" },
  );
}

/** The text of a file, or the lines asked for. */
export function readContent(call: Call): WireResponse {
  const { uri, path } = queriedUri(call);
  const bounds = Object.fromEntries(call.query);
  const offset = optionalInteger(bounds, "offset", 0, undefined, ["query", "offset"]) ?? 0;
  const limit = optionalInteger(bounds, "limit", -1, undefined, ["query", "limit"]) ?? -1;
  const node = path === undefined ? undefined : nodeAt(viewOf(call), path);
  if (path === undefined || node?.isDirectory) {
    throw unreadable(uri);
  }
  if (node?.read === undefined) throw notFound("File", "file", uri);
  const text = node.read();
  if (offset === 0 && limit < 0) return answer(text);
  const lines = text.split("\n");
  return answer(lines.slice(offset, limit < 0 ? undefined : offset + limit).join("\n"));
}

/** The folder that an abstract is about: a file stands for the folder it lies in. */
function folderOf(view: TreeView, uri: VikingUri): { node: TreeNode; uri: string } {
  if (uri.path === undefined) {
    const node: TreeNode = { path: "", isDirectory: true, modified: 0, size: 0, abstract: "" };
    return { node, uri: uri.uri };
  }
  const node = nodeAt(view, uri.path);
  if (node === undefined) throw notFound("Resource", "resource", uri.uri);
  if (node.isDirectory) return { node, uri: uri.uri };
  const parent = uri.path.includes("/") ? uri.path.slice(0, uri.path.lastIndexOf("/")) : "";
  return {
    node: nodeAt(view, parent) ?? node,
    uri: uri.uri.slice(0, uri.uri.lastIndexOf("/")),
  };
}

/** What a folder is about; a file stands for its folder. */
export function describeContent(call: Call, what: "abstract" | "overview"): WireResponse {
  const view = viewOf(call);
  const { node, uri } = folderOf(view, queriedUri(call));
  const whole = overviewOf(view, node);
  const text = what === "abstract" ? whole.split("\n")[0] ?? "" : whole;
  return answer(text === "" ? `# ${uri} [Directory ${what} is not ready]` : text);
}
