/**
 * What the embedded engine's MCP tools do, each by way of the engine's own REST routes.
 *
 * @module
 */
import type {
  FindArguments,
  ForgetArguments,
  ListArguments,
  ReadArguments,
  RememberArguments,
  SearchArguments,
} from "./_schemas.ts";
import { type EngineCaller, ToolFailure } from "./_engine_call.ts";
import { renderContext, renderFound, renderListing } from "./_text.ts";

/** The server's limit on one batch of messages (`POST /sessions/{id}/messages/batch`). */
const BATCH_LIMIT = 100;

/** `find` and `search` in list mode take the same fields. */
function listQuery(args: FindArguments): Record<string, unknown> {
  return {
    query: args.query,
    limit: args.limit,
    target_uri: args.target_uri,
    score_threshold: args.min_score,
    context_type: args.context_type,
  };
}

/** Ranked results, without a session. */
export async function find(
  engine: EngineCaller,
  args: FindArguments,
): Promise<string> {
  return renderFound(await engine.call("POST", "/api/v1/search/find", given(listQuery(args))));
}

/** Ranked results, or one block in context mode. */
export async function search(
  engine: EngineCaller,
  args: SearchArguments,
): Promise<string> {
  const body = given({
    ...listQuery(args),
    session_id: args.session_id,
    mode: args.mode,
    max_tokens: args.max_tokens,
    exclude_uris: args.exclude_uris,
    peer_scope: args.peer_scope,
  });
  const result = await engine.call("POST", "/api/v1/search/search", body);
  return args.mode === "context" ? renderContext(result) : renderFound(result);
}

/** The text of one file, or a block per file. */
export async function read(
  engine: EngineCaller,
  args: ReadArguments,
): Promise<string> {
  const one = async (uri: string): Promise<string> => {
    const result = await engine.call(
      "GET",
      `/api/v1/content/read?${queryString({ uri, offset: args.offset, limit: args.limit })}`,
    );
    return typeof result === "string" ? result : JSON.stringify(result);
  };
  const [first] = args.uris;
  if (args.uris.length === 1 && first !== undefined) return await one(first);
  const blocks: string[] = [];
  for (const uri of args.uris) {
    // One missing file must not hide the others.
    const text = await one(uri).catch((error: unknown) => failureText(error));
    blocks.push(`=== ${uri} ===\n${text}`);
  }
  return blocks.join("\n\n");
}

/** A directory listing. */
export async function list(
  engine: EngineCaller,
  args: ListArguments,
): Promise<string> {
  const uri = args.uri ?? "viking://";
  const recursive = args.recursive ?? false;
  const fields = {
    uri,
    recursive: recursive ? true : undefined,
    offset: args.offset,
    limit: args.limit,
  };
  return renderListing(
    await engine.call("GET", `/api/v1/fs/ls?${queryString(fields)}`),
    uri,
    recursive,
  );
}

/** What {@linkcode remember} needs beside the engine. */
export interface RememberContext {
  /** Takes secrets out of a text before it is stored. */
  readonly redact: (text: string) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Stores messages in a session of their own and commits it. */
export async function remember(
  engine: EngineCaller,
  args: RememberArguments,
  context: RememberContext,
): Promise<string> {
  const said = args.messages.filter((message) => message.content.trim() !== "");
  if (said.length === 0) {
    return "Nothing was committed for memory extraction (reason: no_messages).";
  }
  const session = `mcp-store-${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
  const path = `/api/v1/sessions/${session}`;
  const createdAt = new Date(context.now()).toISOString();
  const messages = said.map((message, index) => ({
    role: message.role,
    parts: [{ type: "text", text: context.redact(message.content) }],
    created_at: createdAt,
    source_message_ids: [`${session}#${index}`],
  }));
  await engine.call("POST", "/api/v1/sessions", { session_id: session });
  for (let from = 0; from < messages.length; from += BATCH_LIMIT) {
    await engine.call("POST", `${path}/messages/batch`, {
      messages: messages.slice(from, from + BATCH_LIMIT),
    });
  }
  await engine.call("POST", `${path}/commit`, {});
  return `Stored ${said.length} message(s) (session ${session}). ` +
    "They are kept as they were said and can be found from now on.";
}

/** Deletes a URI. */
export async function forget(
  engine: EngineCaller,
  args: ForgetArguments,
): Promise<string> {
  const fields = { uri: args.uri, recursive: args.recursive === true ? true : undefined };
  const result = await engine.call("DELETE", `/api/v1/fs?${queryString(fields)}`);
  const deleted = (result as { uri?: unknown } | null)?.uri;
  return `Deleted: ${typeof deleted === "string" ? deleted : args.uri}`;
}

/** Whether the engine answers. */
export async function health(engine: EngineCaller): Promise<string> {
  await engine.call("GET", "/health");
  return "OpenViking is healthy (embedded engine)";
}

/** A failure as a tool reports it: `CODE: message`. */
export function failureText(error: unknown): string {
  if (error instanceof ToolFailure) return `${error.code}: ${error.message}`;
  return `INTERNAL: ${error instanceof Error ? error.message : String(error)}`;
}

/** Only what was given: the routes refuse unknown fields and read `null` as a value. */
function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function queryString(
  fields: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]]
    ),
  ).toString();
}
