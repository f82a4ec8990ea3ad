/**
 * Arguments of the embedded engine's MCP tools: what is advertised is strict and flat, because hosts
 * refuse unions; what is accepted is wider, because models send a single string where a list belongs.
 *
 * @module
 */
import { z } from "zod";

/** Arguments of `find`. */
export interface FindArguments {
  readonly query: string;
  readonly target_uri?: string | undefined;
  readonly limit?: number | undefined;
  readonly min_score?: number | undefined;
  readonly context_type?: string[] | undefined;
}

/** Arguments of `search`. */
export interface SearchArguments extends FindArguments {
  readonly session_id?: string | undefined;
  readonly mode?: "list" | "context" | undefined;
  readonly max_tokens?: number | undefined;
  readonly exclude_uris?: string[] | undefined;
  readonly peer_scope?: "all" | "actor" | undefined;
}

/** Arguments of `read`. Lines are counted from 0. */
export interface ReadArguments {
  readonly uris: string[];
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Arguments of `list`. */
export interface ListArguments {
  readonly uri?: string | undefined;
  readonly recursive?: boolean | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Arguments of `remember`. */
export interface RememberArguments {
  readonly messages: { role: "user" | "assistant"; content: string }[];
}

/** Arguments of `forget`. */
export interface ForgetArguments {
  readonly uri: string;
  readonly recursive?: boolean | undefined;
}

/** A schema that advertises what zod says and first brings lax input into that form. */
function lenient<T>(schema: z.ZodType<T>, widen: (input: unknown) => unknown): z.ZodType<T> {
  const standard = schema["~standard"];
  return {
    "~standard": {
      ...standard,
      validate: (input: unknown) => standard.validate(widen(input)),
    },
  } as unknown as z.ZodType<T>;
}

/** Models send `null` and `""` for "not given". */
function withoutBlanks(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) =>
      value !== null && !(typeof value === "string" && value.trim() === "")
    ),
  );
}

/** Puts a lone string into a list under `key`. */
function listed(key: string, wrap: (text: string) => unknown): (input: unknown) => unknown {
  return (input) => {
    const given = withoutBlanks(input);
    const value = (given as Record<string, unknown> | undefined)?.[key];
    return typeof value === "string" ? { ...given as object, [key]: [wrap(value)] } : given;
  };
}

const query = z.string().min(1).describe("What to look for, in plain words or keywords");
const limit = z.int().min(1).max(200).optional().describe(
  "Most results to return (10 when absent)",
);
const minScore = z.number().optional().describe("Drop results that score lower; none when absent");
const targetUri = z.string().optional().describe("Only below this viking:// directory");
const contextType = z.array(z.string()).optional().describe("Only these kinds, for example memory");

/** Schema of {@linkcode FindArguments}. */
export const findArguments: z.ZodType<FindArguments> = lenient(
  z.object({ query, target_uri: targetUri, limit, min_score: minScore, context_type: contextType }),
  listed("context_type", (text) => text),
);

/** Schema of {@linkcode SearchArguments}. */
export const searchArguments: z.ZodType<SearchArguments> = lenient(
  z.object({
    query,
    target_uri: targetUri,
    session_id: z.string().optional().describe("Session whose conversation is taken into account"),
    limit,
    min_score: minScore,
    context_type: contextType,
    mode: z.enum(["list", "context"]).optional().describe(
      "list: ranked results; context: one block ready to read, within max_tokens",
    ),
    max_tokens: z.int().min(64).max(32000).optional().describe("Size of the block in context mode"),
    exclude_uris: z.array(z.string()).max(200).optional().describe(
      "Leave these out (context mode)",
    ),
    peer_scope: z.enum(["all", "actor"]).optional().describe(
      "actor: only what belongs to the calling project or to no project (context mode)",
    ),
  }),
  listed("context_type", (text) => text),
);

/** Schema of {@linkcode ReadArguments}. */
export const readArguments: z.ZodType<ReadArguments> = lenient(
  z.object({
    uris: z.array(z.string()).min(1).max(50).describe("viking:// file URIs"),
    offset: z.int().min(0).optional().describe("First line, counted from 0"),
    limit: z.int().optional().describe("Lines to return; all when absent"),
  }),
  listed("uris", (text) => text),
);

/** Schema of {@linkcode ListArguments}. */
export const listArguments: z.ZodType<ListArguments> = lenient(
  z.object({
    uri: z.string().optional().describe("Directory; viking:// when absent"),
    recursive: z.boolean().optional().describe("Descend into directories"),
    offset: z.int().min(0).optional().describe("Entries to skip"),
    limit: z.int().min(1).optional().describe("Most entries to return"),
  }),
  withoutBlanks,
);

/** Schema of {@linkcode RememberArguments}. */
export const rememberArguments: z.ZodType<RememberArguments> = lenient(
  z.object({
    messages: z.array(z.object({
      role: z.enum(["user", "assistant"]).describe("Who said it"),
      content: z.string().describe("What was said, complete enough to be understood alone"),
    })),
  }),
  listed("messages", (content) => ({ role: "user", content })),
);

/** Schema of {@linkcode ForgetArguments}. */
export const forgetArguments: z.ZodType<ForgetArguments> = lenient(
  z.object({
    uri: z.string().describe("viking:// URI to delete"),
    recursive: z.boolean().optional().describe("Needed for a directory"),
  }),
  withoutBlanks,
);

/** `health` takes nothing. */
export const healthArguments: z.ZodType<Record<string, never>> = z.object({});
