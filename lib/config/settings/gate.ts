/**
 * Settings that decide whether a session takes part at all, and how its project is named.
 *
 * @module
 */

/** Owner `gate`, `identity` and `diagnostics`. */
export const GATE_SETTINGS = {
  enabled: {
    type: "boolean",
    default: true,
    owner: "gate",
    env: ["OPENVIKING_MEMORY_ENABLED"],
    workspace: "lower",
    doc: "Memory as a whole. Off: no hook reads or writes anything, MCP offers no tools.",
    why:
      "Claude Code's plugin was on only when a configuration file existed. The embedded engine needs none.",
  },
  bypassSession: {
    type: "boolean",
    default: false,
    owner: "gate",
    env: ["OPENVIKING_BYPASS_SESSION"],
    workspace: "higher",
    doc: "This session neither reads nor writes memory.",
  },
  bypassSessionPatterns: {
    type: "string-list",
    default: [],
    owner: "gate",
    env: ["OPENVIKING_BYPASS_SESSION_PATTERNS"],
    aliases: ["bypassPatterns"],
    workspace: "add",
    doc:
      "Sessions left alone, by pattern on the session id or the working directory: `*` is anything but `/`, `**` anything.",
  },
  workspacePeer: {
    type: "boolean",
    default: true,
    owner: "identity",
    env: ["OPENVIKING_WORKSPACE_PEER"],
    workspace: "never",
    doc: "Memories are grouped by project; the project's name comes from Git or a marker file.",
  },
  notices: {
    type: "boolean",
    default: true,
    owner: "diagnostics",
    env: ["OPENVIKING_NOTICES"],
    workspace: "never",
    doc: "One line to the user per session and cause when memory did not work.",
  },
  debug: {
    type: "boolean",
    default: false,
    owner: "diagnostics",
    env: ["OPENVIKING_DEBUG"],
    workspace: "never",
    doc:
      "Stages and requests are logged under `agent/logs`, without keys and without the text of conversations.",
  },
} as const;
