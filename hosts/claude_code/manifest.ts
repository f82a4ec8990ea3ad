/**
 * What install writes for Claude Code, as data.
 *
 * Files, matcher and time limits as documented and seen on Claude Code 2.1.332: user hooks live in
 * `settings.json`, user MCP servers in `.claude.json`, both moved by `CLAUDE_CONFIG_DIR`; an old
 * `.config.json` in the folder is read instead of `.claude.json`. Limits are seconds. The shell form
 * of a command is used because older versions know no `args`.
 *
 * @module
 */
import type { JsonObject } from "../../lib/runtime/types.ts";
import type { HostLocation, HostManifest, ManifestEntry } from "../../lib/manifest.ts";

/**
 * Seconds after which Claude Code ends a hook, each at least 2 s above what the stage may take in
 * all. SessionEnd is written because its default is 1.5 s; Claude Code grants it 60 s at most.
 */
export const CLAUDE_CODE_TIMEOUTS: Readonly<Record<string, number>> = {
  SessionStart: 70,
  UserPromptSubmit: 70,
  PreToolUse: 10,
  Stop: 120,
  PreCompact: 120,
  SessionEnd: 60,
  SubagentStart: 60,
  SubagentStop: 120,
};

/**
 * Tools whose path the host itself can look at before it starts a hook: an ordinary file costs no
 * process. `viking://x` is `<cwd>/viking:/x` by then. Versions without `if` (2.1.80) ignore the key.
 */
const FILTERED_TOOLS = ["Read", "Edit", "Write", "NotebookEdit"] as const;

/**
 * Tools whose `if` sees something else: that of Glob and Grep the pattern instead of the path, that of
 * Bash neither redirections nor assignments.
 */
const UNFILTERED_TOOLS = "Glob|Grep|Bash";

const SETTINGS: HostLocation = {
  variable: "CLAUDE_CONFIG_DIR",
  inVariable: ["settings.json"],
  inHome: [".claude/settings.json"],
};

const SERVERS: HostLocation = {
  variable: "CLAUDE_CONFIG_DIR",
  inVariable: [".config.json", ".claude.json"],
  inHome: [".claude/.config.json", ".claude.json"],
};

function handler(
  event: string,
  timeout: number,
  group: JsonObject = {},
  filter: JsonObject = {},
): ManifestEntry {
  const command = `{launcher:sh} hook claude-code ${event}`;
  return {
    kind: "handler",
    part: "hooks",
    path: ["hooks", event],
    group,
    handlers: "hooks",
    handler: { type: "command", command, timeout, ...filter },
  };
}

function guardHandlers(event: string, timeout: number): ManifestEntry[] {
  return [
    handler(event, timeout, { matcher: UNFILTERED_TOOLS }),
    ...FILTERED_TOOLS.map((tool) =>
      handler(event, timeout, { matcher: tool }, { if: `${tool}(**/viking:/**)` })
    ),
  ];
}

const HOOKS: readonly ManifestEntry[] = Object.entries(CLAUDE_CODE_TIMEOUTS).flatMap(
  ([event, timeout]) =>
    event === "PreToolUse" ? guardHandlers(event, timeout) : [handler(event, timeout)],
);

/** The manifest of Claude Code. */
export const claudeCodeManifest: HostManifest = {
  id: "claude-code",
  name: "Claude Code",
  detect: {
    programs: ["claude"],
    locations: [
      { variable: "CLAUDE_CONFIG_DIR", inVariable: ["."], inHome: [".claude"] },
      SERVERS,
    ],
  },
  files: [
    {
      location: SETTINGS,
      entries: HOOKS,
      searched: [{ kind: "handler", part: "hooks", path: ["hooks", "*"], handlers: "hooks" }],
    },
    {
      location: SERVERS,
      entries: [{
        kind: "member",
        part: "mcp",
        path: ["mcpServers", "openviking"],
        value: {
          type: "stdio",
          command: "{launcher}",
          args: ["mcp", "--host", "claude-code"],
        },
      }],
      searched: [{ kind: "member", part: "mcp", path: ["mcpServers"] }],
    },
  ],
  hookEvents: {
    guard: ["PreToolUse"],
    prompt: ["UserPromptSubmit"],
    start: ["SessionStart"],
    write: ["Stop", "PreCompact", "SessionEnd", "SubagentStart", "SubagentStop"],
  },
  conflicts: [
    {
      location: SETTINGS,
      path: ["enabledPlugins", "openviking-memory@openviking"],
      value: true,
      message:
        "The plugin openviking-memory@openviking is enabled too and would remember everything twice: run `claude plugin uninstall openviking-memory@openviking`",
    },
  ],
};
