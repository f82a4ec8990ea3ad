/**
 * Which values in a host's file are ours: written by this program, or by an earlier one of ours.
 *
 * Earlier forms are those of the OpenViking plugins of August 2026: hook commands that run a script
 * of the plugin through `node`, or carry its integration id, and an MCP entry that runs its proxy.
 *
 * @module
 */
import type { Json, JsonObject } from "../lib/runtime/types.ts";

/** Scripts that the old plugins registered as hooks. */
const OLD_SCRIPTS: readonly string[] = [
  "session-start",
  "session-end",
  "auto-recall",
  "auto-capture",
  "pre-compact",
  "subagent-start",
  "subagent-stop",
  "skill-experience",
  "uri-guard",
];

/** MCP names under which the old plugins registered their proxy. */
const OLD_SERVER_NAMES: readonly string[] = ["openviking", "openviking-memory", "ov-mcp-server"];

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The words of a command in any of the forms hosts know: one string, a list, a program with arguments. */
function wordsOf(value: JsonObject): string[] {
  const words: string[] = [];
  for (const part of [value.command, value.args]) {
    if (typeof part === "string") words.push(part);
    else if (Array.isArray(part)) words.push(...part.filter((word) => typeof word === "string"));
  }
  return words;
}

/** True when `line` starts the launcher with `command` as its first argument, quoted or not. */
function startsLauncher(line: string, command: string): boolean {
  return new RegExp(`openviking-agent(?:\\.cmd|\\.exe)?["']*\\s+["']?${command}(?:["'\\s]|$)`)
    .test(line);
}

function runsOldScript(line: string): boolean {
  if (line.includes("OPENVIKING_INTEGRATION_ID=")) return true;
  if (!/openviking|claude-code-memory-plugin|codex-memory-plugin/i.test(line)) return false;
  return OLD_SCRIPTS.some((script) => line.includes(`/${script}.mjs`));
}

/** False when a text cannot hold anything of ours; cheap, and needs no valid JSON. */
export function mayHoldOurs(text: string): boolean {
  return /openviking|memory-plugin/i.test(text);
}

/** True for a hook handler of ours: `{command}`, `{command, args}` or the command itself. */
export function isOurHook(value: Json): boolean {
  const line = typeof value === "string" ? value : isObject(value) ? wordsOf(value).join(" ") : "";
  return startsLauncher(line, "hook") || runsOldScript(line);
}

/** True for an MCP entry of ours under `name`. An entry with a URL is somebody's own choice. */
export function isOurServer(name: string, value: Json): boolean {
  if (!isObject(value)) return false;
  const line = wordsOf(value).join(" ");
  if (startsLauncher(line, "mcp")) return true;
  return /\/mcp-proxy\.mjs/.test(line) &&
    (OLD_SERVER_NAMES.includes(name) || /openviking/i.test(line));
}
