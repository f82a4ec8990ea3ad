/**
 * Environment variables between a host and the MCP process it starts.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type { Connection } from "../config/types.ts";
import { agentHome, homeDir, ovcliPath, ovConfPath } from "../config/paths.ts";
import { SETTINGS } from "../config/schema.ts";

/** Variables that decide where requests go and under which identity. */
const CONNECTION_ENV = [
  "OPENVIKING_ENGINE",
  "OPENVIKING_URL",
  "OPENVIKING_BASE_URL",
  "OPENVIKING_MCP_URL",
  "OPENVIKING_BEARER_TOKEN",
  "OPENVIKING_API_KEY",
  "OPENVIKING_ACCOUNT",
  "OPENVIKING_ACCOUNT_ID",
  "OPENVIKING_USER",
  "OPENVIKING_USER_ID",
  "OPENVIKING_PEER_ID",
  "OPENVIKING_AUTH_MODE",
  "OPENVIKING_CREDENTIAL_SOURCE",
  "OPENVIKING_CREDENTIALS_SOURCE",
] as const;

/** Variables that say where files lie. */
const PLACE_ENV = [
  "OPENVIKING_CLI_CONFIG_FILE",
  "OPENVIKING_CONFIG_FILE",
  "OPENVIKING_AGENT_HOME",
] as const;

/** Settings that the MCP process obeys. */
const SETTINGS_USED = [
  "enabled",
  "mcpEnabled",
  "mcpHiddenTools",
  "mcpToolCallTimeoutMs",
  "recallPeerScope",
  "workspacePeer",
  "redact",
  "redactPatterns",
  "timeoutMs",
] as const;

/**
 * Every variable of ours that the MCP process reads. A host that passes on an allow-listed
 * environment must list at least these.
 */
export const MCP_PROXY_ENV_VARS: readonly string[] = [
  ...CONNECTION_ENV,
  ...PLACE_ENV,
  ...SETTINGS_USED.flatMap((key) => SETTINGS[key].env),
];

/**
 * The environment for an MCP process that a host starts with a closed one. It resolves to the same
 * connection as this process and, because files are handed on as paths, still notices when they
 * change. It may hold a key: keep it in memory, never write it to a file or a command line.
 *
 * @param pinned a connection that the host's SDK fixed; it is handed on as values
 */
export function forwardConnectionEnv(
  runtime: Pick<Runtime, "env" | "platform">,
  pinned?: Connection,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of MCP_PROXY_ENV_VARS) {
    const value = runtime.env(name);
    if (value !== undefined && value !== "") env[name] = value;
  }
  // Relative to nothing the child could lack: its HOME may be another or none.
  env["HOME"] = homeDir(runtime);
  env["OPENVIKING_CLI_CONFIG_FILE"] = ovcliPath(runtime);
  env["OPENVIKING_CONFIG_FILE"] = ovConfPath(runtime);
  env["OPENVIKING_AGENT_HOME"] = agentHome(runtime);
  if (pinned === undefined) return env;
  for (const name of CONNECTION_ENV) delete env[name];
  return {
    ...env,
    OPENVIKING_ENGINE: pinned.engine,
    ...(pinned.engine === "server"
      ? {
        OPENVIKING_CREDENTIAL_SOURCE: "env",
        OPENVIKING_URL: pinned.baseUrl,
        OPENVIKING_MCP_URL: pinned.mcpUrl,
      }
      : {}),
    ...(pinned.apiKey === "" ? {} : { OPENVIKING_API_KEY: pinned.apiKey }),
    ...(pinned.account === "" ? {} : { OPENVIKING_ACCOUNT: pinned.account }),
    ...(pinned.user === "" ? {} : { OPENVIKING_USER: pinned.user }),
    ...(pinned.peer === "" ? {} : { OPENVIKING_PEER_ID: pinned.peer }),
    OPENVIKING_AUTH_MODE: pinned.sendIdentityHeaders ? "trusted" : "api_key",
  };
}
