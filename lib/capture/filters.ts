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

/** Removes injected blocks from a text; a text without any is returned as it is. */
export function stripInjected(text: string): string {
  if (!text.includes("<")) return text;
  const stripped = removeBlocks(text, INJECTED, "keep");
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
