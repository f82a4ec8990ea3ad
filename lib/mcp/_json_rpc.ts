/**
 * JSON-RPC 2.0 messages as they travel: parsed for what the bridge must know, kept as text for what
 * it passes on.
 *
 * @module
 */
import type { Json, JsonObject } from "../runtime/types.ts";

/** Id of a request. MCP allows no `null`. */
export type RequestId = string | number;

/** A parsed message. */
export interface RpcMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: Json;
  readonly error?: RpcError;
}

/** The `error` of a response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** Codes used by the bridge. -32001 to -32004 are in the range JSON-RPC leaves to implementations. */
export const RPC_CODE = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  /** The server refused the credentials. */
  auth: -32001,
  /** The server answered with an error of its own. */
  server: -32002,
  /** The server could not be reached, or the connection broke. */
  network: -32003,
  /** The server's answer was not MCP. */
  protocol: -32004,
} as const;

/** One message from the host. */
export type Incoming =
  | { readonly kind: "request"; readonly id: RequestId; readonly message: RpcMessage }
  | { readonly kind: "notification"; readonly message: RpcMessage }
  | { readonly kind: "response"; readonly message: RpcMessage }
  | {
    readonly kind: "invalid";
    readonly id: RequestId | null;
    readonly code: number;
    readonly message: string;
  };

/** What kind of message a parsed value is. */
export function classifyMessage(value: unknown): Incoming {
  const invalid = (id: RequestId | null, message: string): Incoming => ({
    kind: "invalid",
    id,
    code: RPC_CODE.invalidRequest,
    message,
  });
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalid(null, "Invalid request: not an object");
  }
  const message = value as RpcMessage;
  const id = typeof message.id === "string" || typeof message.id === "number" ? message.id : null;
  if (message.jsonrpc !== "2.0") return invalid(id, 'Invalid request: jsonrpc is not "2.0"');
  if (typeof message.method === "string") {
    if (message.id === undefined) return { kind: "notification", message };
    if (id === null) return invalid(null, "Invalid request: id is neither a string nor a number");
    return { kind: "request", id, message };
  }
  if (isResponse(message)) return { kind: "response", message };
  return invalid(id, "Invalid request: neither method, result nor error");
}

/** True for a result or an error. */
export function isResponse(message: RpcMessage): boolean {
  return message.method === undefined &&
    (message.result !== undefined || message.error !== undefined);
}

/** A response that carries a result, as text. */
export function resultText(id: RequestId, result: Json): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

/** A response that carries an error, as text. */
export function errorText(
  id: RequestId | null,
  code: number,
  message: string,
  data?: Json,
): string {
  const error = data === undefined ? { code, message } : { code, message, data };
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}

/** A response in the words of the server under the id of the request: some servers answer `"server-error"` or `null`. */
export function underId(id: RequestId, message: RpcMessage, text: string): string {
  return message.id === id ? text : JSON.stringify({ ...message, id });
}

/** JSON on one line: line breaks can only be white space between tokens. */
export function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, " ") : text;
}
