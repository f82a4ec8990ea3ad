/**
 * From the resolved configuration to what the bridge runs on: the same loader, the same connection and
 * the same headers as the hooks.
 *
 * @module
 */
import type { HarnessKey } from "../config/types.ts";
import type { PluginConfig } from "../config/plugin_config.ts";
import type { Runtime } from "../runtime/types.ts";
import type { McpProxyConfig, McpProxySettings } from "./types.ts";
import { buildPluginConfig } from "../config/plugin_config.ts";
import { buildOvHeaders } from "../http/headers.ts";
import { targetFor } from "../outbox/target.ts";
import { VERSION } from "../version.ts";

/** Address of the embedded engine's `/mcp`: requests to it never leave the process. */
const LOCAL_MCP_URL = "http://localhost/mcp";

/**
 * Reads the configuration of `harness` as its hooks do and shapes it for the bridge. No directory
 * takes part: an MCP process is not started in a project.
 */
export function readProxyConfig(runtime: Runtime, harness: HarnessKey): McpProxyConfig {
  return buildMcpProxyConfig(toMcpProxyConfig(buildPluginConfig(harness, { runtime })));
}

/** The part of a resolved configuration that the bridge uses. */
export function toMcpProxyConfig(config: PluginConfig): McpProxySettings {
  const { settings } = config;
  return {
    harness: config.harness,
    connection: config.connection,
    enabled: settings.enabled && settings.mcpEnabled,
    ...(config.broken === undefined ? {} : { broken: config.broken }),
    peerScope: settings.recallPeerScope,
    workspacePeer: settings.workspacePeer,
    hiddenTools: settings.mcpHiddenTools,
    redact: { enabled: settings.redact, patterns: settings.redactPatterns },
    toolCallMs: settings.mcpToolCallTimeoutMs,
    agentHome: config.agentHome,
    watchedFiles: [
      ...new Set([
        ...config.connection.watchedFiles,
        ...config.files.map((file) => file.path),
      ]),
    ],
  };
}

/** Completes the settings with headers, target and what a comparison needs. */
export function buildMcpProxyConfig(settings: McpProxySettings): McpProxyConfig {
  const { connection, harness } = settings;
  const local = connection.engine === "local";
  const mcpUrl = local ? LOCAL_MCP_URL : connection.mcpUrl || `${connection.baseUrl}/mcp`;
  const headers = (actorPeer: string): Readonly<Record<string, string>> =>
    buildOvHeaders(connection, {
      harness,
      version: VERSION,
      ...(actorPeer === "" ? {} : { actorPeer }),
    });
  const { watchedFiles: _, ...compared } = settings;
  const broken = settings.broken ?? headerProblem(() => headers(""));
  return {
    ...settings,
    ...(broken === undefined ? {} : { broken }),
    mcpUrl,
    targetId: async () => (await targetFor(connection)).id,
    fingerprint: JSON.stringify(compared),
    headers,
    secrets: connection.apiKey === "" ? [] : [connection.apiKey],
  };
}

/** Why the headers cannot be sent, if so: a key with a line break in it, for example. */
function headerProblem(build: () => unknown): string | undefined {
  try {
    build();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
