/**
 * The shared model of what was said: every host's records are decoded into it before anything is
 * filtered, redacted, stored or sent.
 *
 * @module
 */
import type { Json, JsonObject } from "../runtime/types.ts";

/** Words of a person or of the model. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** One tool call with what came of it. Input and output come from the host's record, never made up. */
export interface ToolPart {
  readonly type: "tool";
  readonly toolId: string;
  readonly toolName: string;
  readonly input?: JsonObject;
  readonly output?: string;
  readonly status: "running" | "completed" | "error";
}

/** A piece of a message. */
export type MessagePart = TextPart | ToolPart;

/** One message as captured. */
export interface CapturedMessage {
  /** Stable id: the host's own record id, with `#n` when one record yields several messages. */
  readonly id: string;
  readonly role: "user" | "assistant";
  /** ISO 8601 with zone. */
  readonly createdAt: string;
  readonly turnId?: string;
  readonly parts: readonly MessagePart[];
}

/** What a decoder made of one transcript row. */
export type DecodedRow =
  /** Messages to store; empty when the row only adds to the decoder's state (a tool call without result). */
  | { readonly kind: "messages"; readonly messages: readonly CapturedMessage[] }
  /** A row of a known type that holds no conversation. */
  | { readonly kind: "ignored" }
  /** Not JSON, or not a row of this host's transcripts. */
  | { readonly kind: "unknown" };

/**
 * Decodes one host's transcript rows, in order. Pure but for its own state, which is JSON so that a
 * later read can go on where this one stopped.
 */
export interface TranscriptDecoder {
  decode(row: string): DecodedRow;
  /** State to hand to the next decoder of the same transcript (tool calls that wait for a result). */
  state(): Json;
  /** Messages for calls that will get no result any more; called at the end of a session. */
  flush(): readonly CapturedMessage[];
}

/** Makes a decoder; `state` is what an earlier one left, or `null`. */
export type CreateDecoder = (state: Json) => TranscriptDecoder;
