/**
 * Checks of the engine in force: is it there, and does it take our identity.
 *
 * @module
 */
import type { OvFailure, OvHttp } from "../http/types.ts";
import type { Check, DoctorOptions } from "./types.ts";
import { check } from "./types.ts";

function keyPhrase(apiKeySource: string): string {
  return apiKeySource === "" ? "no key is configured" : `the key comes from ${apiKeySource}`;
}

function explain(failure: OvFailure, url: string, apiKeySource: string): Check {
  if (failure.category === "auth") {
    return check(
      "connection",
      "fail",
      `${url} refuses the credentials (${failure.status}): ${failure.message}; ${
        keyPhrase(apiKeySource)
      }`,
      apiKeySource === ""
        ? "Run `openviking-agent install --server URL --api-key-stdin`, or set OPENVIKING_API_KEY"
        : `Correct the key in ${apiKeySource}`,
    );
  }
  const status = failure.status === 0 ? failure.category : `HTTP ${failure.status}`;
  return check(
    "connection",
    "fail",
    `${url} cannot be used (${status}): ${failure.message}`,
    "Start the server, or correct its URL; what is said meanwhile waits in the queue",
  );
}

/** Health first and without a claim of identity, then one authenticated request. */
async function askServer(http: OvHttp, url: string, apiKeySource: string): Promise<Check[]> {
  const status = await http.request<{ user?: string }>("GET", "/api/v1/system/status", {
    timeoutMs: 8_000,
  });
  if (!status.ok) return [explain(status, url, apiKeySource)];
  const who = status.result?.user === undefined ? "" : ` as ${status.result.user}`;
  return [check("connection", "ok", `${url} answers${who}; ${keyPhrase(apiKeySource)}`)];
}

async function askLocal(http: OvHttp): Promise<Check[]> {
  const health = await http.request("GET", "/health");
  return health.ok
    ? [check("engine", "ok", "The embedded engine works")]
    : [check("engine", "fail", `The embedded engine does not work: ${health.message}`)];
}

/** Looks at the engine; offline only says which one it is. */
export async function checkConnection(options: DoctorOptions): Promise<Check[]> {
  const { config, offline } = options;
  const { connection } = config;
  if (config.broken !== undefined) {
    return [check("connection", "skip", "The configuration is broken: no engine is in force")];
  }
  const checks: Check[] = [];
  if (connection.engine === "local" && connection.unusedUrl !== undefined) {
    checks.push(check(
      "engine",
      "warn",
      `The embedded engine is chosen (${connection.engineSource}) although ${connection.unusedUrl} is configured`,
      "Set plugin.engine to auto to use the server",
    ));
  }
  if (connection.engine === "server" && offline) {
    checks.push(check(
      "connection",
      "skip",
      `${connection.baseUrl} was not asked (--offline); ${keyPhrase(connection.apiKeySource)}`,
    ));
    return checks;
  }
  try {
    const engine = await options.openEngine(connection);
    try {
      checks.push(
        ...connection.engine === "local"
          ? await askLocal(engine.http)
          : await askServer(engine.http, connection.baseUrl, connection.apiKeySource),
      );
    } finally {
      engine.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    checks.push(check("engine", "fail", `Cannot open the engine: ${why}`));
  }
  return checks;
}
