/**
 * Tools that the MCP process answers by itself while the server's own cannot be listed: they say
 * what is wrong, so that the model can tell its user.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { JsonObject, Runtime } from "../lib/runtime/types.ts";
import type { LocalToolProvider } from "../lib/mcp/types.ts";
import { buildPluginConfig } from "../lib/config/plugin_config.ts";
import { VERSION } from "../lib/version.ts";

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} };

/** Makes the provider of `status` and `doctor`. Both read; `doctor` also asks the server. */
export function createLocalTools(runtime: Runtime, harness: HarnessKey): LocalToolProvider {
  return {
    scope: "fallback",
    tools: [
      {
        name: "status",
        description:
          "Says which memory engine is configured, from where, and what waits to be sent.",
        inputSchema: NO_ARGUMENTS,
        call: () => describeStatus(runtime, harness),
      },
      {
        name: "doctor",
        description: "Finds out why the memory server cannot be used, and says the next step.",
        inputSchema: NO_ARGUMENTS,
        call: () => describeDiagnosis(runtime, harness),
      },
    ],
  };
}

async function describeStatus(runtime: Runtime, harness: HarnessKey): Promise<string> {
  const config = buildPluginConfig(harness, { runtime });
  const { connection, broken } = config;
  const { queueReport } = await import("../lib/outbox/queue/queue_report.ts");
  const queue = await queueReport(runtime, config.agentHome);
  const engine = connection.engine === "local"
    ? "Engine: local (embedded)"
    : `Engine: server ${connection.baseUrl} (from ${connection.urlSource || "nowhere"})`;
  const key = connection.apiKeySource === "" ? "none" : `from ${connection.apiKeySource}`;
  return [
    `OpenViking agent ${VERSION}`,
    engine,
    ...(connection.engine === "server" ? [`API key: ${key}`] : []),
    `Waiting to be sent: ${queue.pending.length}; refused: ${queue.dead.length}`,
    ...(config.settings.enabled ? [] : ["Memory is switched off."]),
    ...(broken === undefined ? [] : [broken]),
    ...config.problems.map((problem) => problem.message).filter((text) => text !== broken),
  ].join("\n");
}

async function describeDiagnosis(runtime: Runtime, harness: HarnessKey): Promise<string> {
  const [{ runDoctor }, { createOvHttp }, { createFetchTransport }, { buildOvHeaders }] =
    await Promise.all([
      import("../lib/diagnose/run_doctor.ts"),
      import("../lib/http/client.ts"),
      import("../lib/http/fetch_transport.ts"),
      import("../lib/http/headers.ts"),
    ]);
  const config = buildPluginConfig(harness, { runtime });
  const report = await runDoctor({
    runtime,
    version: VERSION,
    config,
    cwd: runtime.cwd(),
    offline: config.connection.engine === "local",
    hosts: [],
    openEngine: (connection) =>
      Promise.resolve({
        http: createOvHttp({
          transport: createFetchTransport(connection.baseUrl),
          headers: buildOvHeaders(connection, { harness, version: VERSION }),
          timeoutMs: 5000,
        }),
        close: () => {},
      }),
  });
  const lines = report.checks.map(({ state, message, fix }) =>
    `[${state}] ${message}${fix === "" ? "" : ` ${fix}`}`
  );
  return lines.join("\n");
}
