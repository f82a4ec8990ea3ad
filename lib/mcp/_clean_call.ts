/**
 * Takes credentials out of what the model tells a server to keep.
 *
 * @module
 */
import type { McpProxyConfig } from "./types.ts";
import type { RpcMessage } from "./_json_rpc.ts";
import { createRedactor, redactJson } from "../capture/redact.ts";

/** The server's tools that store what they are given (0.5.2). */
const KEEPING_TOOLS: readonly string[] = ["remember", "write", "edit"];

/** The text of a `tools/call` as it may leave: untouched, unless a kept argument held a secret. */
export function cleanCall(message: RpcMessage, text: string, config: McpProxyConfig): string {
  const { name, arguments: given } = message.params ?? {};
  // The embedded engine cleans what it keeps by itself.
  if (config.connection.engine === "local" || given === undefined) return text;
  if (typeof name !== "string" || !KEEPING_TOOLS.includes(name)) return text;
  const cleaned = redactJson(given, createRedactor({ ...config.redact, secrets: config.secrets }));
  if (JSON.stringify(cleaned) === JSON.stringify(given)) return text;
  return JSON.stringify({ ...message, params: { ...message.params, arguments: cleaned } });
}
