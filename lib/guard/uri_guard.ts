/**
 * The guard for `viking://` URIs: a file tool cannot open one, a shell command may carry one.
 *
 * It looks at one argument of the tools a host names and at nothing else; pure and linear.
 *
 * @module
 */
import type { GuardTools, HookAnswer } from "../hook/types.ts";

/** One tool call as the host reports it before it runs. Fields of wrong types are ordinary calls. */
export interface ToolCall {
  readonly toolName: string;
  readonly toolInput: Readonly<Record<string, unknown>>;
  /** Working directory of the payload, "" when unknown. */
  readonly cwd: string;
}

/** A file tool was given a virtual path. */
export interface UriDenial {
  /** The URI as `viking://…`, cut and cleaned for a message. */
  readonly uri: string;
  /** Tool that can do it instead. */
  readonly instead: string;
  /** One text for the model. */
  readonly reason: string;
}

/** A shell command carries a `viking://` URI. */
export interface UriNotice {
  /** One text for the model. */
  readonly text: string;
}

/** No operating system takes a longer path. */
const PATH_LIMIT = 32 * 1024;
const SHOWN_LENGTH = 200;

function entryFor<T>(tools: Readonly<Record<string, T>>, toolName: unknown): T | undefined {
  if (typeof toolName !== "string" || toolName.length > 100) return undefined;
  const wanted = toolName.toLowerCase();
  for (const [name, entry] of Object.entries(tools)) {
    if (name.toLowerCase() === wanted) return entry;
  }
  return undefined;
}

function argument(input: unknown, name: string): unknown {
  return typeof input === "object" && input !== null && Object.hasOwn(input, name)
    ? (input as Record<string, unknown>)[name]
    : undefined;
}

function shown(uri: string): string {
  return uri.slice(0, SHOWN_LENGTH).replace(/[\p{Cc}\p{Cf}\s<>"`]/gu, "");
}

/**
 * The URI in a path argument, or `undefined`. Claude Code (2.1.332) makes `viking://user/x` absolute
 * before a hook sees it: `<cwd>/viking:/user/x`. So a whole path segment `viking:` counts, and what
 * follows it is the URI.
 */
function virtualPath(value: unknown, cwd: string): string | undefined {
  if (typeof value !== "string") return undefined;
  const path = value.slice(0, PATH_LIMIT).trim().replace(/\\/g, "/");
  const found = /(?:^|\/)viking:\/+/i.exec(path);
  if (found !== null) return `viking://${shown(path.slice(found.index + found[0].length))}`;
  const folder = typeof cwd === "string" ? cwd.replace(/\\/g, "/").replace(/\/+$/, "") : "";
  const bare = folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "";
  return bare.toLowerCase() === "viking:" ? "viking://" : undefined;
}

/**
 * Denies a file tool whose path argument is a `viking://` URI; `undefined` for every other call. A
 * URI in a pattern, in content or in any other argument is none of the guard's business.
 */
export function evaluateUriGuard(tools: GuardTools, call: ToolCall): UriDenial | undefined {
  const tool = entryFor(tools.fileTools, call.toolName);
  if (tool === undefined) return undefined;
  for (const name of tool.pathArguments) {
    const value = argument(call.toolInput, name);
    for (const path of Array.isArray(value) ? value.slice(0, 1000) : [value]) {
      const uri = virtualPath(path, call.cwd);
      if (uri === undefined) continue;
      return {
        uri,
        instead: tool.instead,
        reason: `${uri} is an OpenViking URI, not a file: ${call.toolName} cannot open it. ` +
          `Use the tool ${tool.instead} with this URI.`,
      };
    }
  }
  return undefined;
}

/** A word of a command begins with the scheme; `notviking://` does not. */
const IN_COMMAND = /(?:^|[^a-z0-9+.-])viking:\/\//i;

/**
 * Notes that a shell command carries a `viking://` URI, which it may well use as data; `undefined`
 * for every other call.
 */
export function evaluateUriNotice(tools: GuardTools, call: ToolCall): UriNotice | undefined {
  const tool = entryFor(tools.shellTools, call.toolName);
  if (tool === undefined) return undefined;
  const value = argument(call.toolInput, tool.commandArgument);
  const words = Array.isArray(value) ? value.slice(0, 1000) : [value];
  if (!words.some((word) => typeof word === "string" && IN_COMMAND.test(word))) return undefined;
  return {
    text:
      "This command contains a viking:// URI. Such URIs are OpenViking memory, not files: the " +
      "shell can pass them on as text but cannot open them. To read or search memory, use the " +
      "OpenViking MCP tools.",
  };
}

/** The answer of a stage before a tool runs: a denial, a notice, or nothing. */
export function preToolUseOutput(tools: GuardTools, call: ToolCall): HookAnswer {
  const denial = evaluateUriGuard(tools, call);
  if (denial !== undefined) return { kind: "deny", reason: denial.reason };
  const notice = evaluateUriNotice(tools, call);
  if (notice !== undefined) return { kind: "tool-notice", text: notice.text };
  return { kind: "none" };
}
