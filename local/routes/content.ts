/**
 * `/api/v1/content`: read, abstract, overview, write.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import { requireOwner } from "../store/owners.ts";
import { nodeAt } from "../files/tree.ts";
import { writeFile } from "../files/file_writer.ts";
import { checkedText } from "../messages/parts.ts";
import { recordTask } from "../store/tasks.ts";
import { readUri } from "../uri.ts";
import { describeContent, readContent, unreadable, viewOf } from "./content_read.ts";
import {
  forbidExtra,
  objectBody,
  optionalChoice,
  optionalFlag,
  requiredText,
} from "../validate.ts";
import {
  invalidArgument,
  leanAnswer,
  methodNotAllowed,
  RouteError,
  routeMissing,
} from "../wire.ts";

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
  const content = checkedText(requiredText(body, "content"));
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
  const text = mode === "append" ? checkedText((before?.read?.() ?? "") + content) : content;
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
      return name === "read" ? readContent(call) : describeContent(call, name);
    case "write":
      if (call.method !== "POST") throw methodNotAllowed("POST");
      return write(call);
    default:
      throw routeMissing();
  }
}
