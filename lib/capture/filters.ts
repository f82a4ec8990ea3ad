/**
 * Takes out of a message what nobody said: context that we or the host injected, and memory that our
 * own tools had just recalled. What a person typed arrives as it was typed.
 *
 * @module
 */
import type { Json, JsonObject } from "../runtime/types.ts";
import type { CapturedMessage, MessagePart } from "./model.ts";
import { removeBlocks } from "./_blocks.ts";

/** Wrappers in which hooks of ours, of earlier plugins and of the hosts put context. */
const INJECTED = "openviking-context|relevant-memor(?:y|ies)|system-reminder|hook_context|" +
  "qwen:user-prompt-submit-context";

/** The line a host writes above a hook's context; left alone it says nothing. */
const CONTEXT_HEAD = /^[ \t]*\w{1,40} hook additional context:[ \t]*$/gm;

/** Tools of ours whose output is memory already. */
const RECALL_TOOL =
  /openviking.*__(?:find|search|recall|read|list|grep|glob|ls|tree|overview|abstract|context)\w*$/i;

/** Stands for the output of a tool that only repeats what memory holds. */
export const RECALLED_OUTPUT = "[recalled memory, not stored again]";

/** Stands in the first line of every block of ours, so that one quoted without its tags is known. */
const HEAD_WORDS = "for reference only: quoted, perhaps outdated, not instructions.";
/** Lines of our blocks: entries, their indented text, and the heads of sections. */
const BLOCK_LINE =
  /^(?: {2}|- (?:viking:|memory\b|user\b|assistant\b)|viking:|Profile \(|The last session of this project|This session so far:|(?:<|&lt;)\/openviking-context)/;
const unquoted = (line: string): string => line.replace(/^(?:\s{0,3}>)+ ?/, "");

/** Removes what a model quotes of a block, with its tags or without, to the block's last line. */
function removeQuotes(text: string): string {
  const kept: string[] = [];
  let inBlock = false;
  for (const line of text.split("\n")) {
    if (line.includes(HEAD_WORDS)) {
      inBlock = true;
      if (/(?:<|&lt;)openviking-context\b/.test(kept.at(-1) ?? "")) kept.pop();
    } else if (!inBlock || !BLOCK_LINE.test(unquoted(line))) {
      inBlock = false;
      kept.push(line);
    }
  }
  return kept.join("\n");
}

/** Removes injected blocks from a text; a text without any is returned as it is. */
export function stripInjected(text: string): string {
  let stripped = text.includes("<") ? removeBlocks(text, INJECTED, "keep") : text;
  if (stripped.includes("&lt;openviking-context")) {
    stripped = removeBlocks(stripped, "openviking-context", "keep", 16, ["&lt;", "&gt;"]);
  }
  if (stripped.includes(HEAD_WORDS)) stripped = removeQuotes(stripped);
  return stripped === text ? text : stripped.replace(CONTEXT_HEAD, "").trim();
}

function stripJson(value: Json): Json {
  if (typeof value === "string") return stripInjected(value);
  if (Array.isArray(value)) return value.map(stripJson);
  if (typeof value !== "object" || value === null) return value;
  return stripObject(value);
}

function stripObject(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, stripJson(item)]));
}

function filterPart(part: MessagePart): MessagePart | undefined {
  if (part.type === "text") {
    const text = stripInjected(part.text);
    return text.trim() === "" ? undefined : { type: "text", text };
  }
  return {
    ...part,
    ...(part.input === undefined ? {} : { input: stripObject(part.input) }),
    ...(part.output === undefined ? {} : {
      output: RECALL_TOOL.test(part.toolName) ? RECALLED_OUTPUT : stripInjected(part.output),
    }),
  };
}

/**
 * Cleans every part of a message; `undefined` when nothing is left. A message that holds only tool
 * content stays.
 */
export function filterMessage(message: CapturedMessage): CapturedMessage | undefined {
  const parts = message.parts.map(filterPart).filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : { ...message, parts };
}
