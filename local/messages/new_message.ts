/**
 * Reads the messages that a client sends.
 *
 * @module
 */
import type { Identity } from "../identity.ts";
import type { StoredPart } from "./message_row.ts";
import type { Fields } from "../validate.ts";
import { checkedText, readPart } from "./parts.ts";
import { optionalChoice, optionalText, requiredText, textList } from "../validate.ts";
import { validationError } from "../wire.ts";

/** A message ready to be stored. */
export interface NewMessage {
  readonly role: string;
  readonly parts: readonly StoredPart[];
  readonly peer?: string;
  readonly createdAt?: string;
  readonly turnId?: string;
  readonly kind?: string;
  readonly sourceIds: readonly string[];
}

const KINDS = ["user_query", "assistant_step", "tool_transport", "checkpoint"] as const;

function readPeer(body: Fields, loc: readonly string[]): string | undefined {
  const peer = optionalText(body, "peer_id", [...loc, "peer_id"])?.trim();
  if (peer === undefined || peer === "") return undefined;
  if (
    !/^[A-Za-z0-9_.@-]+$/.test(peer) || peer.split("@").length > 2 || peer === "." || peer === ".."
  ) {
    throw validationError(
      [...loc, "peer_id"],
      "Value error, Invalid peer_id: peer_id must be alpha_numeric string.",
      "value_error",
    );
  }
  return peer;
}

/** Reads one `AddMessageRequest`; unknown fields are ignored, as on the server. */
export function readMessage(
  body: Fields,
  loc: readonly string[],
  identity: Identity,
): NewMessage {
  const role = requiredText(body, "role", [...loc, "role"]);
  const content = optionalText(body, "content", [...loc, "content"]);
  const parts = body["parts"] ?? undefined;
  if (parts !== undefined && !Array.isArray(parts)) {
    throw validationError([...loc, "parts"], "Input should be a valid list", "list_type");
  }
  if (content === undefined && parts === undefined) {
    throw validationError(
      loc,
      "Value error, Either 'content' or 'parts' must be provided",
      "value_error",
    );
  }
  const peer = readPeer(body, loc);
  const createdAt = optionalText(body, "created_at", [...loc, "created_at"]);
  const turnId = optionalText(body, "turn_id", [...loc, "turn_id"]);
  const kind = optionalChoice(body, "message_kind", KINDS, [...loc, "message_kind"]);
  return {
    role,
    parts: parts === undefined
      ? [{ type: "text", text: checkedText(content ?? "") }]
      : parts.map((part, at) => readPart(part, [...loc, "parts", String(at)], identity)),
    ...(peer === undefined ? {} : { peer }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(turnId === undefined ? {} : { turnId }),
    ...(kind === undefined ? {} : { kind }),
    sourceIds: textList(body, "source_message_ids"),
  };
}
