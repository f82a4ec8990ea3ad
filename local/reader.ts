/**
 * The embedded engine as a session's start needs it: the reading routes, and little code, because a
 * hook parses all of it every time. The prompt hook needs even less: `recall_reader.ts`.
 *
 * @module
 */
import type { Runtime } from "../lib/runtime/types.ts";
import type { Transport, WireResponse } from "../lib/http/types.ts";
import type { Call } from "./store/store.ts";
import { dispatch } from "./dispatch.ts";
import { type LocalReaderOptions, openForReading, recallRoutes } from "./recall_reader.ts";
import { profileRoutes } from "./routes/profile.ts";

function readingRoutes(call: Call): WireResponse {
  return call.segments[2] === "search" ? recallRoutes(call) : profileRoutes(call);
}

/**
 * Opens an existing memory file for reading: `mode=context`, session context, memory files and their
 * listings, status. Everything else is 404 `Not Found`, as a missing route. The file stays open until
 * the process ends.
 *
 * @throws {FileError} `not-found` when nothing was ever stored.
 * @throws {Error} when another version wrote the file.
 */
export async function openLocalReader(
  runtime: Runtime,
  path: string,
  options: LocalReaderOptions = {},
): Promise<Transport> {
  const store = await openForReading(runtime, path);
  return (request) => dispatch(store, request, options, readingRoutes);
}
