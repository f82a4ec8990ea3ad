/**
 * What the Agent Plugins package says of itself, as data. MCP only: the specification (1.0.0, as of
 * August 2026) knows skills and MCP servers, and no hooks.
 *
 * @module
 */
import type { JsonObject } from "../../lib/runtime/types.ts";

const SCHEMAS = "https://agent-plugins.org/schemas/1.0.0";

/** Where the package's start script lies, below its root. */
export const AGENT_PLUGINS_START = "servers/start.sh";

/** `plugin.json` of a version. */
export function agentPluginsManifest(version: string): JsonObject {
  return {
    $schema: `${SCHEMAS}/plugin.schema.json`,
    name: "openviking",
    version,
    description: "Long-term memory by MCP tools, on an OpenViking server or an embedded engine.",
    license: "Apache-2.0",
    keywords: ["memory", "mcp", "openviking"],
  };
}

/** `mcp.json`. The client puts the package's folder for `${PLUGIN_ROOT}`. */
export const agentPluginsServers: JsonObject = {
  $schema: `${SCHEMAS}/mcp.schema.json`,
  mcpServers: {
    openviking: { type: "stdio", command: "sh", args: [`\${PLUGIN_ROOT}/${AGENT_PLUGINS_START}`] },
  },
};

/** `README.md`: what the package needs, does and does not. */
export const agentPluginsReadme = `# OpenViking memory for Agent Plugins clients

An MCP server and a skill, in the form of Agent Plugins 1.0.0. The model can look up, keep and delete
memories by tools.

## Limits

- Nothing happens by itself. The specification has no hooks: this package neither puts memories into
  a conversation nor records one. Whoever wants that installs the integration of their host.
- No guard: a file tool that is given a \`viking://\` URI fails with the client's own message. The
  skill says so to the model.
- The client decides how tools are named, which of them need a confirmation, and whether the skill
  is loaded.
- Linux and macOS, and Windows inside WSL: the start script is a POSIX one.
- Tried with the client of the MCP SDK on Linux x64, not yet with each client of the specification.

## What it needs

One of these, in this order: an installation of openviking-agent (its program is used, so that two
versions never share one memory), Deno 2.9 or newer on the PATH, or npx, which fetches Deno at the
first start.

## Configuration

The same files and variables as every integration of OpenViking: \`~/.openviking/ovcli.conf\`, then
the environment. Without any, memory is kept on this machine in \`~/.openviking/agent/local/\`. No
address and no key stands in this folder.

## Removal

Delete the folder. Memory stays; it lies in \`~/.openviking/agent/\`.
`;
