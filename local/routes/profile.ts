/**
 * The reading routes of session start: who I am, memory files, a session's context.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import { readContent } from "./content_read.ts";
import { listFolder } from "./fs_list.ts";
import { sessionContext } from "./session_context.ts";
import { answer, routeMissing } from "../wire.ts";

/** Routes a request of a session's start. */
export function profileRoutes(call: Call): WireResponse {
  const [, , area, name, leaf] = call.segments;
  if (call.method !== "GET") throw routeMissing();
  if (area === "sessions" && name !== undefined && leaf === "context") {
    return sessionContext(call, name);
  }
  switch (`${area}/${name}`) {
    case "content/read":
      return readContent(call);
    case "fs/ls":
      return listFolder(call, false);
    case "system/status":
      return answer({ initialized: true, user: call.identity.user });
    default:
      throw routeMissing();
  }
}
