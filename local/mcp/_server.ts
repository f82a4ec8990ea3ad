/**
 * The embedded engine's own MCP server, made anew for every request.
 *
 * @module
 */
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { Transport } from "../../lib/http/types.ts";
import type { LocalMcpOptions } from "./types.ts";
import { LOCAL_MCP_INFO } from "./info.ts";
import { callerFor, type EngineCaller } from "./_engine_call.ts";
import {
  findArguments,
  forgetArguments,
  healthArguments,
  listArguments,
  readArguments,
  rememberArguments,
  searchArguments,
} from "./_schemas.ts";
import {
  failureText,
  find,
  forget,
  health,
  list,
  read,
  remember,
  type RememberContext,
  search,
} from "./_tools.ts";

const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
const WRITES = { ...READ_ONLY, readOnlyHint: false, idempotentHint: false } as const;

/**
 * Runs a tool and gives its text; a failure is `isError` with `CODE: message`. Unlike the server's, the
 * result has no structured form beside the text: Claude Code 2.1.332 hands the model that form as JSON,
 * with every line break escaped.
 */
async function toResult(work: Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: "text", text: await work }] };
  } catch (error) {
    return { content: [{ type: "text", text: failureText(error) }], isError: true };
  }
}

/** Makes a server whose tools call `handle` with the identity headers of `request`. */
export function createLocalMcpServer(
  engine: { readonly handle: Transport },
  options: LocalMcpOptions,
  request?: Request,
): McpServer {
  const { instructions, name, title, version } = LOCAL_MCP_INFO;
  const server = new McpServer(
    { name, title, version },
    { instructions },
  );
  const context: RememberContext = {
    redact: options.redact ?? ((text) => text),
    now: options.now ?? Date.now,
  };
  const caller = (signal: AbortSignal): EngineCaller => callerFor(engine.handle, request, signal);

  server.registerTool("find", {
    description: "Finds memories of earlier sessions by words. Returns ranked results with URI, " +
      "text and score. Fast, and independent of any session.",
    inputSchema: findArguments,
    annotations: READ_ONLY,
  }, (args, ctx) => toResult(find(caller(ctx.mcpReq.signal), args)));
  server.registerTool("search", {
    description: "Like find; mode=context returns one block of the most useful memories within " +
      "max_tokens, ready to be read.",
    inputSchema: searchArguments,
    annotations: READ_ONLY,
  }, (args, ctx) => toResult(search(caller(ctx.mcpReq.signal), args)));
  server.registerTool("read", {
    description: "Reads one or more viking:// files. For a directory, use list.",
    inputSchema: readArguments,
    annotations: READ_ONLY,
  }, (args, ctx) => toResult(read(caller(ctx.mcpReq.signal), args)));
  server.registerTool("list", {
    description: "Lists the entries of a viking:// directory.",
    inputSchema: listArguments,
    annotations: READ_ONLY,
  }, (args, ctx) => toResult(list(caller(ctx.mcpReq.signal), args)));
  server.registerTool("remember", {
    description: "Keeps something for later sessions. Use it when the user asks to remember " +
      "something or states a lasting preference, fact or decision. The conversation itself is " +
      "remembered without it.",
    inputSchema: rememberArguments,
    annotations: WRITES,
  }, (args, ctx) => toResult(remember(caller(ctx.mcpReq.signal), args, context)));
  server.registerTool("forget", {
    description: "Deletes a viking:// URI for good. Confirm with the user first.",
    inputSchema: forgetArguments,
    annotations: { ...WRITES, destructiveHint: true, idempotentHint: true },
  }, (args, ctx) => toResult(forget(caller(ctx.mcpReq.signal), args)));
  server.registerTool("health", {
    description: "Says whether the memory engine works.",
    inputSchema: healthArguments,
    annotations: READ_ONLY,
  }, (_args, ctx) => toResult(health(caller(ctx.mcpReq.signal))));
  return server;
}
