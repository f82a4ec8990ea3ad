/**
 * The Agent Plugins package as files by path. Pure: the program beside it writes them.
 *
 * @module
 */
import type { Json } from "../lib/runtime/types.ts";
import { bundleFlags, MCP_V8_FLAGS } from "../lib/runtime/permissions.ts";
import {
  AGENT_PLUGINS_START,
  agentPluginsManifest,
  agentPluginsReadme,
  agentPluginsServers,
} from "../hosts/agent_plugins/manifest.ts";
import { MEMORY_SKILL_NAME, renderMemorySkill } from "../skills/memory_skill.ts";
import { SKILL_SURFACES } from "../skills/surfaces.ts";

/** What the package is made from. */
export interface AgentPluginsInput {
  readonly version: string;
  /** Text of the bundle `mcp.js`. */
  readonly mcpBundle: string;
  readonly license: string;
}

/** Deno that npx fetches where there is none. */
const DENO = "deno@2.9.6";

const WRITE = "\0write";

/** The flags of the bundle as shell words. The MCP server starts no program. */
function flagWords(): string {
  return [...bundleFlags(WRITE, ""), MCP_V8_FLAGS]
    .filter((flag) => !flag.startsWith("--allow-run"))
    .map((flag) => flag.endsWith(WRITE) ? '"$ova_write"' : flag)
    .join(" ");
}

function startScript(): string {
  const run = `run ${flagWords()} "$ova_code/mcp.js" --host agent-plugins`;
  return `#!/bin/sh
# Starts the MCP server of this folder, or that of the installed program where there is one: two
# versions must not share one memory.
ova_code=\${0%/*}
ova_home=\${OPENVIKING_AGENT_HOME:-$HOME/.openviking/agent}
case $ova_home in
  "~/"*) ova_home=$HOME/\${ova_home#"~/"} ;;
esac
if [ -x "$ova_home/bin/openviking-agent" ]; then
  exec "$ova_home/bin/openviking-agent" mcp --host agent-plugins
fi
# Deno compares a permission with the real path.
(umask 077; mkdir -p "$ova_home")
ova_real=$(cd "$ova_home" && pwd -P)
# A permission list is split at commas and knows no escape: a path with one needs the open form.
ova_write=--allow-write=$ova_real
case $ova_real in *,*) ova_write=--allow-write ;; esac
export DENO_NO_UPDATE_CHECK=1
if command -v deno >/dev/null 2>&1; then
  exec deno ${run}
fi
if command -v npx >/dev/null 2>&1; then
  exec npx -y ${DENO} ${run}
fi
echo "Cannot start the OpenViking MCP server: neither deno nor npx is on the PATH; install one of them" >&2
exit 1
`;
}

const json = (value: Json): string => `${JSON.stringify(value, null, 2)}\n`;

/** The complete folder: paths below it to texts. */
export function agentPluginsFolder(input: AgentPluginsInput): ReadonlyMap<string, string> {
  return new Map([
    ["plugin.json", json(agentPluginsManifest(input.version))],
    ["mcp.json", json(agentPluginsServers)],
    ["README.md", agentPluginsReadme],
    ["LICENSE", input.license],
    [AGENT_PLUGINS_START, startScript()],
    ["servers/mcp.js", input.mcpBundle],
    [
      `skills/${MEMORY_SKILL_NAME}/SKILL.md`,
      renderMemorySkill(SKILL_SURFACES["agent-plugins"]),
    ],
  ]);
}
