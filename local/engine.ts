/**
 * The embedded engine: the server's routes over one SQLite file, in process. No npm package, no
 * `node:`; hooks load `reader.ts` instead, which is a part of it.
 *
 * @module
 */
import type { Runtime } from "../lib/runtime/types.ts";
import type { Transport } from "../lib/http/types.ts";
import type { Call } from "./store/store.ts";
import { dispatch, type Handler } from "./dispatch.ts";
import { openMemoryFile } from "./store/store.ts";
import { prepareSchema } from "./store/schema.ts";
import { writeGlossary } from "./store/glossary_table.ts";
import { routeMissing } from "./wire.ts";
import { reindexSlice } from "./passages/reindex.ts";
import { contentRoutes } from "./routes/content.ts";
import { fsRoutes } from "./routes/fs.ts";
import { grepRoutes } from "./routes/grep.ts";
import { searchRoutes } from "./routes/search.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { systemRoutes } from "./routes/system.ts";
import { taskRoutes } from "./routes/tasks.ts";

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
  maintain(messages: number): { readonly remaining: number };
  close(): void;
}

const AREAS: Readonly<Record<string, Handler>> = {
  content: contentRoutes,
  fs: fsRoutes,
  search: (call) =>
    call.segments[3] === "grep" || call.segments[3] === "glob"
      ? grepRoutes(call)
      : searchRoutes(call),
  sessions: sessionRoutes,
  system: systemRoutes,
  tasks: taskRoutes,
};

function routes(call: Call): ReturnType<Handler> {
  const [root, version, area = ""] = call.segments;
  if (root !== "api") return systemRoutes(call);
  const handler = version === "v1" && Object.hasOwn(AREAS, area) ? AREAS[area] : undefined;
  if (handler === undefined) throw routeMissing();
  return handler(call);
}

/**
 * Opens (and creates, 0600, with its folder) the memory file at `path`, an absolute path.
 *
 * @throws {FileError} `not-found` when there is no file and `create` is false, or what the file system says.
 * @throws {Error} when a newer version wrote the file.
 */
export async function openLocalEngine(
  runtime: Runtime,
  path: string,
  options: LocalEngineOptions = {},
): Promise<LocalEngine> {
  const create = options.create ?? true;
  if (create) runtime.files.makeDir(path.slice(0, Math.max(path.lastIndexOf("/"), 1)));
  const store = await openMemoryFile(runtime, path, create, (db) => {
    prepareSchema(db, path, () => runtime.randomId().replaceAll("-", ""));
    writeGlossary(db);
  });
  return {
    handle: (request) => dispatch(store, request, options, routes),
    maintain: (messages) => reindexSlice(store, messages),
    close: () => store.close(),
  };
}
