/**
 * The embedded engine: the server's routes over one SQLite file, in process.
 *
 * Imported lazily by the prompt hook: no npm package, no `node:`, and each group of routes is loaded
 * when it is first asked for.
 *
 * @module
 */
import type { Runtime } from "../lib/runtime/types.ts";
import type { Transport, WireRequest, WireResponse } from "../lib/http/types.ts";
import type { Call, Store } from "./store/store.ts";
import { openStore } from "./store/store.ts";
import { RouteError, routeMissing, toErrorResponse } from "./wire.ts";
import { readIdentity } from "./identity.ts";

/** How {@linkcode openLocalEngine} opens. */
export interface LocalEngineOptions {
  /** Create the file when absent; otherwise a missing file throws `FileError` `not-found`. @default true */
  readonly create?: boolean;
  /** Account of requests without `x-openviking-account`. @default "default" */
  readonly account?: string;
  /** User of requests without `x-openviking-user`. @default "default" */
  readonly user?: string;
}

/** An open embedded engine. */
export interface LocalEngine {
  /** Answers one request; never throws for what a client sent. */
  readonly handle: Transport;
  /**
   * Brings passages written by an older tokeniser up to date, at most `messages` of them, and says
   * how many are left. Resumable; the worker calls it when it has nothing else to do.
   */
  maintain(messages: number): Promise<{ readonly remaining: number }>;
  close(): void;
}

/** Handles the routes of one group; `undefined` when the path is none of its. */
export type RouteGroup = (call: Call) => WireResponse | Promise<WireResponse>;

/** Which file answers a path: first segments after `/api/v1`, or the path itself. */
async function groupOf(call: Call): Promise<RouteGroup> {
  const [root, version, area] = call.segments;
  if (root !== "api") return (await import("./routes/system.ts")).systemRoutes;
  if (version !== "v1") throw routeMissing();
  switch (area) {
    case "search":
      if (call.segments[3] === "grep" || call.segments[3] === "glob") {
        return (await import("./routes/grep.ts")).grepRoutes;
      }
      return (await import("./routes/search.ts")).searchRoutes;
    case "sessions":
      return (await import("./routes/sessions.ts")).sessionRoutes;
    case "content":
      return (await import("./routes/content.ts")).contentRoutes;
    case "fs":
      return (await import("./routes/fs.ts")).fsRoutes;
    case "tasks":
      return (await import("./routes/tasks.ts")).taskRoutes;
    case "system":
      return (await import("./routes/system.ts")).systemRoutes;
    default:
      throw routeMissing();
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Path and query of a request, decoded; a trailing slash does not matter. */
function readPath(path: string): { segments: string[]; query: ReadonlyMap<string, string> } {
  const mark = path.indexOf("?");
  const query = new Map<string, string>();
  if (mark >= 0) {
    for (const pair of path.slice(mark + 1).split("&")) {
      if (pair === "") continue;
      const equals = pair.indexOf("=");
      const key = equals < 0 ? pair : pair.slice(0, equals);
      const value = equals < 0 ? "" : pair.slice(equals + 1);
      query.set(decode(key.replaceAll("+", " ")), decode(value.replaceAll("+", " ")));
    }
  }
  const plain = mark < 0 ? path : path.slice(0, mark);
  const segments = plain.split("/").slice(1).map(decode);
  if (segments.at(-1) === "") segments.pop();
  return { segments, query };
}

/** What SQLite's own errors mean to a client. */
function toRouteError(error: unknown): RouteError {
  if (error instanceof RouteError) return error;
  const { code, errcode, message = "" } = error as {
    code?: string;
    errcode?: number;
    message?: string;
  };
  const primary = (errcode ?? 0) & 0xff;
  if (primary === 5 || primary === 6 || /database (table )?is locked/.test(message)) {
    return new RouteError(409, "CONFLICT", "The memory file is busy; try again.", {
      details: { resource: null, uri: null, conflict_type: "path_busy", retryable: true },
    });
  }
  if (primary === 13 || primary === 8 || /is full|readonly/.test(message)) {
    return new RouteError(503, "UNAVAILABLE", `The memory file cannot be written: ${message}`, {
      details: { service: "sqlite", reason: primary === 13 ? "full" : "read-only" },
    });
  }
  return new RouteError(500, "INTERNAL", "Internal server error", {
    details: { reason: code === "ERR_SQLITE_ERROR" ? message : "unexpected" },
  });
}

async function dispatch(
  store: Store,
  request: WireRequest,
  defaults: LocalEngineOptions,
): Promise<WireResponse> {
  try {
    const call: Call = {
      store,
      method: request.method,
      ...readPath(request.path),
      body: request.body,
      identity: readIdentity(request.headers, defaults),
    };
    return await (await groupOf(call))(call);
  } catch (error) {
    return toErrorResponse(toRouteError(error));
  }
}

/**
 * Opens (and creates, 0600) the memory file at `path`.
 *
 * @throws {FileError} `not-found` when there is no file and `create` is false, or what the file system says.
 * @throws {Error} when a newer version wrote the file.
 */
export async function openLocalEngine(
  runtime: Runtime,
  path: string,
  options: LocalEngineOptions = {},
): Promise<LocalEngine> {
  const store = await openStore(runtime, path, options.create ?? true);
  return {
    handle: (request) => dispatch(store, request, options),
    maintain: async (messages) => (await import("./reindex.ts")).reindexSlice(store, messages),
    close: () => store.close(),
  };
}
