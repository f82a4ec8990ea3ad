/**
 * Mends what a server would refuse, before it is queued. Limits as observed on OpenViking 0.5.2: text
 * of 4,194,304 characters, tool input 32 levels deep, no lone surrogates, no nulls, real dates.
 *
 * @module
 */
import type { Json, JsonObject } from "../runtime/types.ts";
import type { CapturedMessage, MessagePart } from "./model.ts";

/** Characters of one text that no server refuses. */
export const MAX_TEXT_CHARS = 4_000_000;
/** Levels of a tool's input that no server refuses. */
export const MAX_INPUT_DEPTH = 32;

/** What may be cut where. */
export interface SoundLimits {
  /** Characters of a text; 0 means {@linkcode MAX_TEXT_CHARS}. */
  readonly maxTextChars: number;
  /** Characters of a tool's output, and of its input as JSON; 0 means {@linkcode MAX_TEXT_CHARS}. */
  readonly maxToolChars: number;
  /** Date of a message that has none that can be used, ISO 8601. */
  readonly fallbackDate: string;
}

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

function bound(limit: number): number {
  return limit > 0 ? Math.min(limit, MAX_TEXT_CHARS) : MAX_TEXT_CHARS;
}

/** Well-formed text without NUL, cut at `max` characters with a mark that says how much is missing. */
export function mendText(text: string, max: number): string {
  let sound = text.toWellFormed();
  if (sound.includes("\0")) sound = sound.replaceAll("\0", "\ufffd");
  if (sound.length <= max) return sound;
  const mark = (left: number): string => `\n[... ${left} more characters left out]`;
  let keep = Math.max(0, max - mark(sound.length).length);
  const last = sound.charCodeAt(keep - 1);
  if (last >= 0xd800 && last <= 0xdbff) keep--;
  return sound.slice(0, keep) + mark(sound.length - keep);
}

/** A date the server can store: with time and zone. */
export function soundDate(date: string, fallback: string): string {
  return DATE.test(date) && !Number.isNaN(Date.parse(date)) ? date : fallback;
}

function soundJson(value: Json, depth: number, max: number): Json {
  if (typeof value === "string") return mendText(value, max);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_INPUT_DEPTH) return "[nested too deeply]";
  if (Array.isArray(value)) return value.map((item) => soundJson(item, depth + 1, max));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      mendText(key, 1000),
      soundJson(item, depth + 1, max),
    ]),
  );
}

function soundInput(input: JsonObject, max: number): JsonObject {
  let sound = soundJson(input, 1, max) as JsonObject;
  let size = JSON.stringify(sound).length;
  for (let each = max >> 1; size > max && each > 100; each >>= 2) {
    sound = soundJson(sound, 1, each) as JsonObject;
    size = JSON.stringify(sound).length;
  }
  return size <= max ? sound : { left_out: `${size} characters of input` };
}

function soundPart(part: MessagePart, limits: SoundLimits): MessagePart {
  if (part.type === "text") {
    return { type: "text", text: mendText(part.text, bound(limits.maxTextChars)) };
  }
  const max = bound(limits.maxToolChars);
  return {
    type: "tool",
    toolId: mendText(part.toolId, 200),
    toolName: mendText(part.toolName, 200),
    status: part.status,
    ...(part.input === undefined ? {} : { input: soundInput(part.input, max) }),
    ...(part.output === undefined ? {} : { output: mendText(part.output, max) }),
  };
}

/** A message that no server refuses for its form. */
export function soundMessage(message: CapturedMessage, limits: SoundLimits): CapturedMessage {
  return {
    id: mendText(message.id, 300),
    role: message.role,
    createdAt: soundDate(message.createdAt, limits.fallbackDate),
    ...(message.turnId === undefined ? {} : { turnId: mendText(message.turnId, 300) }),
    parts: message.parts.map((part) => soundPart(part, limits)),
  };
}
