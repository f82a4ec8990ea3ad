/**
 * `/api/v1/content`: read, abstract, overview, write.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { TreeNode, TreeView } from "../store/tree.ts";
import type { VikingUri } from "../uri.ts";
import { findOwner, requireOwner } from "../store/store.ts";
import { nodeAt, overviewOf } from "../store/tree.ts";
import { writeFile } from "../store/files.ts";
import { soundText } from "../store/parts.ts";
import { recordTask } from "../store/tasks.ts";
import { readUri } from "../uri.ts";
import {
  forbidExtra,
  objectBody,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  requiredText,
} from "../validate.ts";
import {
  answer,
  invalidArgument,
  leanAnswer,
  methodNotAllowed,
  notFound,
  RouteError,
  routeMissing,
  validationError,
} from "../wire.ts";

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

function unreadable(uri: string): RouteError {
  return invalidArgument(
    `Directory URI is not readable as a file: ${uri}. List it first, then read a file URI.`,
    { resource: uri, expected: "file", actual: "directory" },
  );
}

function read(call: Call): WireResponse {
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

function describe(call: Call, what: "abstract" | "overview"): WireResponse {
  const view = viewOf(call);
  const { node, uri } = folderOf(view, queriedUri(call));
  const whole = overviewOf(view, node);
  const text = what === "abstract" ? whole.split("\n")[0] ?? "" : whole;
  return answer(text === "" ? `# ${uri} [Directory ${what} is not ready]` : text);
}

const WRITE_FIELDS: ReadonlySet<string> = new Set(
  ["uri", "content", "mode", "wait", "processing_mode", "telemetry"],
);
const EXTENSIONS: ReadonlySet<string> = new Set(
  ".md .txt .json .yaml .yml .toml .py .js .ts".split(" "),
);

/** Refuses places that clients may not write to. */
function checkWritable(uri: string, path: string | undefined): string {
  if (path === undefined) {
    throw new RouteError(
      400,
      "UNSUPPORTED_URI",
      `The embedded engine keeps no shared files: ${uri}; write below viking://~/memories or viking://~/resources`,
      { details: { uri } },
    );
  }
  const [top, ...rest] = path.split("/");
  const inTree = (top === "memories" || top === "resources") && rest.length > 0;
  const atRoot = rest.length === 0 && path.includes(".");
  if (!inTree && !atRoot) {
    throw invalidArgument(
      `user-scope writes need a file under memories/, resources/, or directly at the user root: ${uri}`,
    );
  }
  return path;
}

function write(call: Call): WireResponse {
  const { store, identity } = call;
  const body = objectBody(call.body);
  forbidExtra(body, WRITE_FIELDS);
  const given = requiredText(body, "uri");
  const content = soundText(requiredText(body, "content"));
  const mode = optionalChoice(body, "mode", ["replace", "append", "create"]) ?? "replace";
  const wait = optionalFlag(body, "wait");
  const { uri, path: checked } = readUri(given, identity);
  const path = checkWritable(uri, checked);
  const before = nodeAt(viewOf(call), path);
  if (before?.isDirectory) {
    throw unreadable(uri);
  }
  const extension = /\.[^./]*$/.exec(path)?.[0] ?? "";
  if (before === undefined && !EXTENSIONS.has(extension)) {
    throw invalidArgument(`creating a new file does not allow extension '${extension}': ${uri}`);
  }
  const text = mode === "append" ? soundText((before?.read?.() ?? "") + content) : content;
  const taskId = store.db.transaction(() => {
    const owner = requireOwner(store, identity);
    writeFile(store, owner, path, text);
    return wait ? undefined : recordTask(store, owner.id, "content_write", uri, { uri });
  });
  return leanAnswer({
    uri,
    root_uri: uri.slice(0, uri.lastIndexOf("/")),
    context_type: path.startsWith("memories/") ? "memory" : "resource",
    mode,
    written_bytes: new TextEncoder().encode(text).length,
    content_updated: before?.read?.() !== text,
    semantic_status: "skipped",
    vector_status: "complete",
    queue_status: null,
    overview_status: "skipped",
    ...(taskId === undefined ? {} : { task_id: taskId }),
  });
}

/** Routes a content request. */
export function contentRoutes(call: Call): WireResponse {
  const [, , , name, ...rest] = call.segments;
  if (rest.length > 0) throw routeMissing();
  switch (name) {
    case "read":
    case "abstract":
    case "overview":
      if (call.method !== "GET") throw methodNotAllowed("GET");
      return name === "read" ? read(call) : describe(call, name);
    case "write":
      if (call.method !== "POST") throw methodNotAllowed("POST");
      return write(call);
    default:
      throw routeMissing();
  }
}
