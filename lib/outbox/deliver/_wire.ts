/**
 * Queue rows in the words of the server's routes.
 *
 * @module
 */
import type { CapturedMessage, MessagePart } from "../../capture/model.ts";
import type { Json, JsonObject } from "../../runtime/types.ts";

/** Path of a session on the engine. */
export function sessionPath(engineSession: string): string {
  return `/api/v1/sessions/${encodeURIComponent(engineSession)}`;
}

function wirePart(part: MessagePart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  return {
    type: "tool",
    tool_id: part.toolId,
    ...(part.toolName === "" ? {} : { tool_name: part.toolName }),
    tool_status: part.status,
    ...(part.input === undefined ? {} : { tool_input: part.input }),
    ...(part.output === undefined ? {} : { tool_output: part.output }),
  };
}

/** One message of `POST /sessions/{id}/messages`. Our id comes back with it, which read-back needs. */
export function wireMessage(message: CapturedMessage, peer: string): JsonObject {
  return {
    role: message.role,
    parts: message.parts.map(wirePart),
    created_at: message.createdAt,
    ...(message.turnId === undefined || message.turnId === "" ? {} : { turn_id: message.turnId }),
    ...(peer === "" ? {} : { peer_id: peer }),
    source_message_ids: [message.id],
  };
}

/** What `POST /messages` and `/messages/batch` answer. */
export interface AppendResult {
  readonly message_count?: number;
  readonly added?: number;
  readonly pending_tokens?: number;
}

/** What `GET /sessions/{id}` answers, as far as it is used. */
export interface SessionMeta {
  readonly uri?: string;
  readonly message_count?: number;
  readonly commit_count?: number;
}

/** What `POST /commit` answers. */
export interface CommitResult {
  readonly status?: string;
  readonly reason?: string;
  readonly task_id?: string | null;
  readonly archive_uri?: string | null;
  readonly archived?: boolean;
}

/** What `GET /tasks/{id}` answers. */
export interface TaskResult {
  readonly status?: string;
  readonly error?: Json;
}

/** Adds the ids of ours that a list of the server's messages carries. */
export function collectSourceIds(messages: unknown, into: Set<string>): void {
  if (!Array.isArray(messages)) return;
  for (const message of messages) {
    const { source_message_ids: own, parts } = (message ?? {}) as Record<string, unknown>;
    for (const holder of [own, ...(Array.isArray(parts) ? parts.map(idsOfPart) : [])]) {
      if (!Array.isArray(holder)) continue;
      for (const id of holder) if (typeof id === "string") into.add(id);
    }
  }
}

function idsOfPart(part: unknown): unknown {
  return typeof part === "object" && part !== null
    ? (part as Record<string, unknown>)["source_message_ids"]
    : undefined;
}

/** Messages of a session's JSON Lines file; a torn line is passed over. */
export function parseMessageLines(lines: string): unknown[] {
  return lines.split("\n").flatMap((line) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
