/**
 * The one way from a decoded message to one that may be stored: filter, redact, mend.
 *
 * @module
 */
import type { CapturedMessage, MessagePart } from "./model.ts";
import type { Redactor } from "./redact.ts";
import type { SoundLimits } from "./sound.ts";
import { filterMessage } from "./filters.ts";
import { redactObject } from "./redact.ts";
import { soundMessage } from "./sound.ts";

function redactPart(part: MessagePart, redact: Redactor): MessagePart {
  if (part.type === "text") return { type: "text", text: redact(part.text) };
  return {
    ...part,
    toolName: redact(part.toolName),
    ...(part.input === undefined ? {} : { input: redactObject(part.input, redact) }),
    ...(part.output === undefined ? {} : { output: redact(part.output) }),
  };
}

/** The message as it may be stored and sent; `undefined` when nothing of it remains. */
export function cleanMessage(
  message: CapturedMessage,
  redact: Redactor,
  limits: SoundLimits,
): CapturedMessage | undefined {
  const filtered = filterMessage(message);
  if (filtered === undefined) return undefined;
  const parts = filtered.parts
    .map((part) => redactPart(part, redact))
    .filter((part) => part.type !== "text" || part.text.trim() !== "");
  return parts.length === 0 ? undefined : soundMessage({ ...filtered, parts }, limits);
}
