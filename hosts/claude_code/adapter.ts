/**
 * Claude Code as data and pure functions: events, payload fields, answers, guard tools.
 *
 * Facts seen on Claude Code 2.1.332 and 2.1.197 (recorded payloads in tests/fixtures).
 *
 * @module
 */
import type { JsonObject } from "../../lib/runtime/types.ts";
import type {
  GuardTools,
  HookAnswer,
  HookInput,
  HostAdapter,
  StageName,
} from "../../lib/hook/types.ts";

const STAGES: Readonly<Record<string, StageName>> = {
  SessionStart: "session-start",
  UserPromptSubmit: "prompt",
  PreToolUse: "pre-tool",
  Stop: "turn-end",
  PreCompact: "pre-compact",
  SessionEnd: "session-end",
  SubagentStart: "subagent-start",
  SubagentStop: "subagent-end",
};

const SOURCES = ["startup", "resume", "clear", "compact", "fork"] as const;

/** MCP tools as Claude Code names them when the server entry is called `openviking`. */
const READ = "mcp__openviking__read";
const LIST = "mcp__openviking__list";
const SEARCH = "mcp__openviking__search";
const REMEMBER = "mcp__openviking__remember";

const GUARD: GuardTools = {
  fileTools: {
    Read: { pathArguments: ["file_path"], instead: READ },
    Glob: { pathArguments: ["path"], instead: LIST },
    Grep: { pathArguments: ["path"], instead: SEARCH },
    Edit: { pathArguments: ["file_path"], instead: REMEMBER },
    Write: { pathArguments: ["file_path"], instead: REMEMBER },
    NotebookEdit: { pathArguments: ["notebook_path"], instead: REMEMBER },
  },
  shellTools: { Bash: { commandArgument: "command" } },
};

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function object(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as JsonObject
    : undefined;
}

/** Leaves out the absent fields, so that `exactOptionalPropertyTypes` holds. */
function present<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) kept[key] = value;
  return kept as T;
}

function subagentOf(payload: JsonObject): HookInput["subagent"] {
  const id = text(payload.agent_id);
  if (id === undefined) return undefined;
  return present<NonNullable<HookInput["subagent"]>>({
    id,
    type: typeof payload.agent_type === "string" ? payload.agent_type : "",
    transcriptPath: text(payload.agent_transcript_path),
  });
}

function normaliseInput(event: string, payload: JsonObject): HookInput | undefined {
  const subagent = subagentOf(payload);
  // Compaction runs an agent without a type whose transcript never exists (seen on 2.1.332).
  if (event.startsWith("Subagent") && (subagent === undefined || subagent.type === "")) {
    return undefined;
  }
  return present<HookInput>({
    nativeSessionId: text(payload.session_id),
    cwd: text(payload.cwd),
    transcriptPath: text(payload.transcript_path),
    prompt: text(payload.prompt),
    eventId: text(payload.prompt_id),
    source: SOURCES.find((source) => source === payload.source),
    endReason: text(payload.reason),
    toolName: text(payload.tool_name),
    toolInput: object(payload.tool_input),
    subagent,
  });
}

/** Events whose `hookSpecificOutput.additionalContext` reaches the model without continuing the turn. */
const CONTEXT_EVENTS: readonly string[] = ["SessionStart", "UserPromptSubmit", "SubagentStart"];
/** Events whose `systemMessage` is shown to the user. */
const NOTICE_EVENTS: readonly string[] = ["SessionStart", "UserPromptSubmit"];

function envelope(event: string, answer: HookAnswer): string {
  const output: Record<string, unknown> = {};
  if (answer.kind === "deny" && event === "PreToolUse") {
    output.hookSpecificOutput = {
      hookEventName: event,
      permissionDecision: "deny",
      permissionDecisionReason: answer.reason,
    };
  } else if (answer.kind === "tool-notice" && event === "PreToolUse") {
    output.hookSpecificOutput = { hookEventName: event, additionalContext: answer.text };
  } else if (answer.kind === "context" && CONTEXT_EVENTS.includes(event)) {
    output.hookSpecificOutput = { hookEventName: event, additionalContext: answer.text };
  }
  const notice = answer.kind === "none" || answer.kind === "context" ? answer.notice : undefined;
  if (notice !== undefined && NOTICE_EVENTS.includes(event)) output.systemMessage = notice;
  return Object.keys(output).length === 0 ? "" : `${JSON.stringify(output)}\n`;
}

/** The adapter of Claude Code. */
export const claudeCode: HostAdapter = {
  id: "claude-code",
  sessionPrefix: "cc-",
  stages: STAGES,
  decoder: "claude-code",
  guard: GUARD,
  normaliseInput,
  envelope,
};
