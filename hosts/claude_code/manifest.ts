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
  SubagentStart: 10,
  SubagentStop: 120,
};

/** Tools that can be handed a `viking://` path; other tools cost no process. */
const GUARDED_TOOLS = "Read|Glob|Grep|Edit|Write|Bash";

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

const HOOKS: readonly ManifestEntry[] = Object.entries(CLAUDE_CODE_TIMEOUTS).map(
  ([event, timeout]) => ({
    kind: "handler",
    part: "hooks",
    path: ["hooks", event],
    group: event === "PreToolUse" ? { matcher: GUARDED_TOOLS } : {},
    handlers: "hooks",
    handler: { type: "command", command: `{launcher:sh} hook claude-code ${event}`, timeout },
  }),
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
