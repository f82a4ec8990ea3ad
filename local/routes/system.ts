/**
 * Health, readiness, status.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Call } from "../store/store.ts";
import { VERSION } from "../../lib/version.ts";
import { answer, bareAnswer, methodNotAllowed, routeMissing } from "../wire.ts";

const QUEUES = [
  "Embedding",
  "Semantic",
  "ExternalParse",
  "AddResource",
  "Reindex",
  "ContentWrite",
  "SessionCommit",
  "ExternalTask",
];

function emptyQueues(): Record<string, unknown> {
  return Object.fromEntries(
    QUEUES.map((name) => [name, { processed: 0, requeue_count: 0, error_count: 0, errors: [] }]),
  );
}

/** `/health`, `/ready`, `/api/v1/system/*`. */
export function systemRoutes(call: Call): WireResponse {
  const path = call.segments.join("/");
  const get = (): void => {
    if (call.method !== "GET") throw methodNotAllowed("GET");
  };
  switch (path) {
    case "health":
      get();
      return bareAnswer({
        status: "ok",
        healthy: true,
        version: VERSION,
        auth_mode: "dev",
        engine: "local",
      });
    case "ready":
      get();
      return bareAnswer({
        status: "ready",
        checks: {
          agfs: { status: "ok", checks: { filesystem: "ok" } },
          vectordb: "not_configured",
          api_key_manager: "not_configured",
          embedding: "not_configured",
          ollama: "not_configured",
        },
      });
    case "api/v1/system/status":
      get();
      return answer({ initialized: true, user: call.identity.user });
    case "api/v1/system/wait":
      if (call.method !== "POST") throw methodNotAllowed("POST");
      return answer(emptyQueues());
    default:
      throw routeMissing();
  }
}
