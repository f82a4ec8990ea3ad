/**
 * The embedded engine as the prompt hook needs it: `mode=context` and nothing else.
 *
 * @module
 */
import { FileError, type Runtime } from "../lib/runtime/types.ts";
import type { Transport, WireResponse } from "../lib/http/types.ts";
import { type Call, openMemoryFile, type Store } from "./store/store.ts";
import { dispatch } from "./dispatch.ts";
import { invalidArgument, leanAnswer, routeMissing } from "./wire.ts";
import { contextResult } from "./search/context_answer.ts";
import { scopeOf } from "./search/scope.ts";
import { SCHEMA_VERSION } from "./store/layout.ts";

/** Whose memory is read when a request's headers do not say. */
export interface LocalReaderOptions {
  /** @default "default" */
  readonly account?: string;
  /** @default "default" */
  readonly user?: string;
}

/**
 * Opens an existing memory file for reading.
 *
 * @throws {FileError} `not-found` when nothing was stored yet.
 * @throws {Error} when another version wrote the file: a newer one, or an older one whose file the
 *   worker has not brought up to date yet.
 */
export function openForReading(runtime: Runtime, path: string): Promise<Store> {
  return openMemoryFile(runtime, path, false, (db) => {
    const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (version === SCHEMA_VERSION) return;
    // The first worker is about to make the tables.
    if (version === 0) throw new FileError("not-found", "open", path);
    const state = version > SCHEMA_VERSION
      ? "written by a newer version; upgrade openviking-agent"
      : "not brought up to date yet; the worker does it at the next event";
    throw new Error(`Cannot read ${path}: ${state}`);
  });
}

function readNumber(value: unknown, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}

/**
 * `POST /api/v1/search/search` with `mode=context`: reads `query`, `max_tokens`, `score_threshold`,
 * `peer_scope`, `session_id` and `exclude_uris`, and does not look at other fields; the engine does.
 */
export function recallRoutes(call: Call): WireResponse {
  const body = (call.body ?? {}) as Readonly<Record<string, unknown>>;
  if (call.segments[3] !== "search" || call.method !== "POST" || body["mode"] !== "context") {
    throw routeMissing();
  }
  const query = String(body["query"] ?? "");
  if (query.trim() === "") {
    throw invalidArgument(
      "Search query or image_url must not be empty unless a filter is provided.",
    );
  }
  const actorOnly = body["peer_scope"] === "actor";
  const session = typeof body["session_id"] === "string" ? body["session_id"] : undefined;
  const excluded = body["exclude_uris"];
  const threshold = body["score_threshold"];
  const { result } = contextResult(
    call,
    {
      query,
      maxTokens: Math.min(Math.max(readNumber(body["max_tokens"], 1600), 64), 32_000),
      threshold: typeof threshold === "number" ? threshold : undefined,
      actorOnly,
      excludeUris: Array.isArray(excluded) ? excluded.map(String) : [],
      session,
    },
    (owner) => scopeOf(call.store, call.identity, owner, actorOnly, session),
  );
  return leanAnswer(result);
}

/**
 * Opens an existing memory file for the prompt hook. Any other route than `mode=context` is 404
 * `Not Found`. The file stays open until the process ends.
 *
 * @throws {FileError} `not-found` when nothing was ever stored.
 * @throws {Error} when another version wrote the file.
 */
export async function openRecallReader(
  runtime: Runtime,
  path: string,
  options: LocalReaderOptions = {},
): Promise<Transport> {
  const store = await openForReading(runtime, path);
  return (request) => dispatch(store, request, options, recallRoutes);
}
