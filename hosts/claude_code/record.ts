/**
 * The contract of Claude Code as seen on the versions named.
 *
 * @module
 */
import { CLAUDE_CODE_TIMEOUTS } from "./manifest.ts";
import { fact, type HostRecord, unknown } from "../record.ts";

const SEEN = "2.1.332";

/** The record of Claude Code. */
export const claudeCodeRecord: HostRecord = {
  id: "claude-code",
  name: "Claude Code",
  versions: {
    minimum: fact("2.1.197", "observed elsewhere", "2.1.197"),
    tried: fact([SEEN], "verified", SEEN),
    platforms: fact(["linux-x64"], "verified", SEEN),
    onOlder: unknown("2.1.197"),
  },
  installation: {
    form: fact("settings", "verified", SEEN),
    why:
      "hooks and MCP of the user's own configuration need no marketplace and no copy of the runtime",
    files: fact(["~/.claude/settings.json", "~/.claude.json"], "verified", SEEN),
    detectedBy: fact(["~/.claude", "claude"], "documented", SEEN),
    trust: fact("the workspace trust dialog, except with -p", "documented", SEEN),
  },
  events: {
    emitted: fact(
      [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "SessionStart",
        "SessionEnd",
        "Stop",
        "StopFailure",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "PermissionRequest",
        "Setup",
        "InstructionsLoaded",
        "MessageDisplay",
      ],
      "verified",
      SEEN,
    ),
    registered: [
      "SessionStart",
      "UserPromptSubmit",
      "PreToolUse",
      "Stop",
      "PreCompact",
      "SessionEnd",
      "SubagentStart",
      "SubagentStop",
    ],
    sessionEnd: fact(
      "SessionEnd, also on SIGTERM, SIGINT and SIGHUP; not on SIGKILL",
      "verified",
      SEEN,
    ),
    commitPoints: ["threshold", "PreCompact", "SessionEnd", "SubagentStop", "idle"],
  },
  input: {
    format: fact("one JSON object and a newline on stdin", "verified", SEEN),
    session: fact(
      "session_id; inside a subagent it is the parent's, with agent_id",
      "verified",
      SEEN,
    ),
  },
  output: {
    empty: fact("empty stdout, exit 0", "verified", SEEN),
    context: fact("hookSpecificOutput {hookEventName, additionalContext}", "verified", SEEN),
    unknownKeys: fact("ignored; a wrong hookEventName drops the output", "verified", SEEN),
    contextLimit: fact(10_000, "verified", SEEN),
  },
  limits: {
    unit: fact("seconds", "verified", SEEN),
    written: CLAUDE_CODE_TIMEOUTS,
    sessionEndDefaultMs: fact(1_450, "verified", SEEN),
    onTimeout: fact(
      "SIGTERM to the process tree, then SIGKILL; the host goes on",
      "verified",
      SEEN,
    ),
  },
  messages: {
    source: fact(
      "JSONL transcript at transcript_path, one row per content block",
      "verified",
      SEEN,
    ),
    flush: fact("before Stop and SubagentStop, waiting 2 s at most", "verified", SEEN),
    id: fact("uuid of the row; a fork copies rows with the same uuid", "verified", SEEN),
    tools: fact("tool_use row, then a user row with tool_result and the same id", "verified", SEEN),
  },
  processes: {
    perEvent: fact(
      "a process per hook through /bin/sh -c, in parallel, in a group of its own",
      "verified",
      SEEN,
    ),
    detached: fact("a child in a session of its own outlives the host", "verified", SEEN),
  },
  mcp: {
    file: fact("~/.claude.json, mcpServers", "verified", SEEN),
    toolPrefix: fact("mcp__openviking__", "verified", SEEN),
    environment: fact("the host's environment, cwd is the project", "verified", SEEN),
  },
  recovery: {
    resume: fact("same id, same file, appended", "verified", SEEN),
    clear: fact("SessionEnd(clear), then SessionStart(clear) with a new id", "verified", SEEN),
    fork: fact("new id, new file that repeats the parent's rows", "verified", SEEN),
    compaction: fact(
      "same id, same file; a boundary row and a summary row are appended",
      "verified",
      SEEN,
    ),
    abnormalEnd: fact(
      "an API error fires StopFailure instead of Stop; SIGKILL fires nothing",
      "verified",
      SEEN,
    ),
  },
  capabilities: {
    recall: "verified",
    capture: "verified",
    guard: "verified",
    mcp: "verified",
    install: "verified",
    subagents: "verified",
  },
};
