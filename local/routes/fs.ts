/**
 * `/api/v1/fs`: ls, tree, stat, mkdir, and deletion.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import type { VikingUri } from "../uri.ts";
import { requireOwner } from "../store/owners.ts";
import { childrenOf, nodeAt } from "../files/tree.ts";
import { filesBelow, foldersBelow } from "../files/files.ts";
import { deleteFiles, deleteMessage, deleteSession } from "../store/deletion.ts";
import { isRemembering, notesOf, sourcesOf } from "../sessions/remembered.ts";
import { recordTask } from "../store/tasks.ts";
import { readUri } from "../uri.ts";
import { queriedUri, viewOf } from "./content_read.ts";
import { listFolder, nameOf } from "./fs_list.ts";
import { objectBody, requiredText } from "../validate.ts";
import {
  answer,
  invalidArgument,
  methodNotAllowed,
  notFound,
  RouteError,
  routeMissing,
} from "../wire.ts";

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
      const notes = isRemembering(node.session.name) ? notesOf(store, owner, node.message) : [];
      deleteMessage(store, owner, node.session, node.message);
      deleteFiles(store, owner, notes, []);
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
  const sources = sourcesOf(store, owner, files);
  deleteFiles(store, owner, files, node.isDirectory ? foldersBelow(store, owner.id, path) : []);
  for (const [session, message] of sources) deleteMessage(store, owner, session, message);
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
      return listFolder(call, name === "tree");
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
