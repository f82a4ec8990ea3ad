/**
 * The contract as cases: requests in order, and what every engine must answer. Where the embedded
 * engine answers otherwise, the step says how and why.
 *
 * Source: OpenViking server 0.5.2, observed running.
 *
 * @module
 */
import type { WireRequest } from "../../lib/http/types.ts";

/** What an answer must be: the status, and the parts of the body that are named. */
export interface Expected {
  readonly status: number;
  /** Code of the error envelope. */
  readonly code?: string;
  /** Matches the error's message. */
  readonly message?: RegExp;
  /** Parts of `result`, see `matches()` in the test. */
  readonly result?: unknown;
  /** Parts of the whole body, where a route has no envelope. */
  readonly body?: unknown;
}

/** One request and its answer. */
export interface Step {
  readonly send: readonly [method: WireRequest["method"], path: string, body?: unknown];
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect: Expected;
  /** Ask again for up to that many seconds until the answer is as expected. */
  readonly within?: number;
  /** Keeps fields of `result` under names that later paths may use as `{name}`. */
  readonly keep?: Readonly<Record<string, string>>;
  /** How the embedded engine differs. Each is a deliberate choice with a reason. */
  readonly local?: { readonly expect: Expected; readonly why: string };
}

/** A case: its own person, its own sessions. */
export interface ContractCase {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** Matches any value that is there. */
export const PRESENT = (value: unknown): boolean => value !== undefined;
/** Matches text that is not empty. */
export const TEXT = (value: unknown): boolean => typeof value === "string" && value !== "";

const SESSIONS = "/api/v1/sessions";
const said = (text: string, id?: string, role = "user"): unknown => ({
  role,
  parts: [{ type: "text", text }],
  created_at: "2026-11-30T10:00:00Z",
  ...(id === undefined ? {} : { source_message_ids: [id] }),
});
const lines = (n: number, prefix = "line"): unknown[] =>
  Array.from({ length: n }, (_, i) => said(`${prefix} ${i}`, `${prefix}-${i}`));
const read = (uri: string): string => `/api/v1/content/read?uri=${encodeURIComponent(uri)}`;
const ok = (result?: unknown): Expected => ({
  status: 200,
  ...(result === undefined ? {} : { result }),
});
const refused = (status: number, code: string, message?: RegExp): Expected => ({
  status,
  code,
  ...(message === undefined ? {} : { message }),
});
const INVALID = "INVALID_ARGUMENT";
/** Holds all of `ids`, in that order, once each. */
const holdsIds = (...ids: string[]) => (text: unknown): boolean => {
  const found = [...String(text).matchAll(/"source_message_ids": ?\["([^"]+)"\]/g)].map((m) =>
    m[1]
  );
  return JSON.stringify(found) === JSON.stringify(ids);
};

/** Every case. */
export const CASES: readonly ContractCase[] = [
  {
    name: "health and readiness answer without knowing anybody",
    steps: [
      { send: ["GET", "/ready"], expect: { status: 200, body: { status: "ready" } } },
      { send: ["GET", "/health"], expect: { status: 200, body: { status: "ok", healthy: true } } },
      { send: ["GET", "/api/v1/system/status"], expect: ok({ initialized: true, user: TEXT }) },
    ],
  },
  {
    name: "a route that is not there",
    steps: [
      { send: ["GET", "/api/v1/nothing"], expect: refused(404, "NOT_FOUND", /^Not Found$/) },
      {
        send: ["POST", `${SESSIONS}/s1/used`, {}],
        expect: refused(404, "NOT_FOUND", /^Not Found$/),
      },
      {
        send: ["GET", `${SESSIONS}/s1/archives`],
        expect: refused(404, "NOT_FOUND", /^Not Found$/),
      },
      { send: ["GET", `${SESSIONS}/s1/messages`], expect: { status: 405 } },
    ],
  },
  {
    name: "a session is made once, found, listed and deleted",
    steps: [
      {
        send: ["GET", `${SESSIONS}/s1`],
        expect: refused(404, "NOT_FOUND", /^Session s1 not found/),
      },
      {
        send: ["POST", SESSIONS, { session_id: "s1" }],
        expect: ok({ session_id: "s1", uri: /\/sessions\/s1$/ }),
      },
      { send: ["POST", SESSIONS, { session_id: "s1" }], expect: refused(409, "ALREADY_EXISTS") },
      {
        send: ["GET", `${SESSIONS}/s1`],
        expect: ok({ session_id: "s1", message_count: 0, commit_count: 0, pending_tokens: 0 }),
      },
      { send: ["GET", SESSIONS], expect: ok([{ session_id: "s1", is_dir: true }]) },
      { send: ["DELETE", `${SESSIONS}/s1`], expect: ok({ session_id: "s1" }) },
      { send: ["DELETE", `${SESSIONS}/s1`], expect: refused(404, "NOT_FOUND") },
      {
        send: ["GET", `${SESSIONS}/s2?auto_create=true`],
        expect: ok({ session_id: "s2", message_count: 0 }),
      },
    ],
  },
  {
    name: "a session's id is what the client chose",
    steps: [
      ...["cc-1__agent", "a.b", "with%20space", "x".repeat(200)].map((id): Step => ({
        send: ["POST", `${SESSIONS}/${id}/messages`, said("hello")],
        expect: ok({ session_id: decodeURIComponent(id), message_count: 1 }),
      })),
      {
        send: ["POST", SESSIONS, { session_id: "a:b" }],
        expect: refused(403, "PERMISSION_DENIED", /^Unsafe URI/),
      },
      {
        send: ["POST", SESSIONS, { session_id: ".." }],
        expect: refused(403, "PERMISSION_DENIED", /^Unsafe URI/),
      },
    ],
  },
  {
    name: "an append makes the session and counts",
    steps: [
      {
        send: ["POST", `${SESSIONS}/s1/messages`, said("one", "m1")],
        expect: ok({ session_id: "s1", message_count: 1, pending_tokens: PRESENT }),
      },
      {
        send: ["POST", `${SESSIONS}/s1/messages/batch`, { messages: lines(2) }],
        expect: ok({ added: 2, message_count: 3 }),
      },
      {
        send: ["POST", `${SESSIONS}/s1/messages/batch`, { messages: [] }],
        expect: ok({ added: 0, message_count: 3 }),
      },
      { send: ["GET", `${SESSIONS}/s1`], expect: ok({ message_count: 3, total_message_count: 3 }) },
    ],
  },
  {
    name: "a batch takes a hundred messages and not one more, and is whole or not at all",
    steps: [
      {
        send: ["POST", `${SESSIONS}/s1/messages/batch`, { messages: lines(100) }],
        expect: ok({ added: 100, message_count: 100 }),
      },
      {
        send: ["POST", `${SESSIONS}/s1/messages/batch`, { messages: lines(101, "more") }],
        expect: refused(400, INVALID),
      },
      {
        send: ["POST", `${SESSIONS}/s1/messages/batch`, {
          messages: [...lines(2, "good"), { content: "nobody said it" }],
        }],
        expect: refused(400, INVALID),
      },
      { send: ["GET", `${SESSIONS}/s1`], expect: ok({ message_count: 100 }) },
    ],
  },
  {
    name: "a message that is none is refused and makes no session",
    steps: [
      ...[
        { role: "user" },
        { role: "user", content: null },
        { role: "user", content: ["a"] },
        { content: "no role" },
        { role: "user", parts: ["text"] },
        { role: "user", content: "x", peer_id: "a/b" },
      ].map((body): Step => ({
        send: ["POST", `${SESSIONS}/s1/messages`, body],
        expect: refused(400, INVALID),
      })),
      { send: ["GET", `${SESSIONS}/s1`], expect: refused(404, "NOT_FOUND") },
    ],
  },
  {
    name: "half a character",
    steps: [
      {
        send: ["POST", `${SESSIONS}/s1/messages`, said("\ud83d")],
        expect: refused(400, INVALID, /surrogates not allowed/),
      },
      {
        send: ["GET", `${SESSIONS}/s1`],
        expect: ok({ message_count: 0 }),
        local: {
          expect: refused(404, "NOT_FOUND"),
          why: "what is refused leaves nothing behind, not even an empty session",
        },
      },
    ],
  },
  {
    name: "parts of the wrong type",
    steps: [
      {
        role: "assistant",
        parts: [{ type: "tool", tool_id: "c1", tool_name: "B", tool_output: { a: 1 } }],
      },
      { role: "user", parts: [{ type: "text", text: null }] },
    ].map((body): Step => ({
      send: ["POST", `${SESSIONS}/s1/messages`, body],
      expect: refused(500, "INTERNAL"),
      local: {
        expect: refused(400, INVALID),
        why: "a payload that can never be stored is refused, so that no client repeats it",
      },
    })),
  },
  {
    name: "text and tool calls come back as they were",
    steps: [
      {
        send: [
          "POST",
          `${SESSIONS}/s1/messages`,
          said("Grüße, 记住 \u2028 e\u0301 \u0000 end", "m1"),
        ],
        expect: ok({ message_count: 1 }),
      },
      {
        send: ["POST", `${SESSIONS}/s1/messages`, {
          role: "assistant",
          parts: [{
            type: "tool",
            tool_id: "c1",
            tool_name: "Bash",
            tool_status: "completed",
            tool_input: { command: "make" },
            tool_output: "ok",
          }],
          source_message_ids: ["m2"],
        }],
        expect: ok({ message_count: 2 }),
      },
      {
        send: ["GET", `${SESSIONS}/s1/context`],
        expect: ok({
          messages: [
            {
              role: "user",
              parts: [{ type: "text", text: "Grüße, 记住 \u2028 e\u0301 \u0000 end" }],
              created_at: /^2026-11-30T10:00:00/,
              source_message_ids: ["m1"],
            },
            {
              role: "assistant",
              parts: [{ type: "tool", tool_name: "Bash", tool_input: { command: "make" } }],
              source_message_ids: ["m2"],
            },
          ],
        }),
      },
    ],
  },
  {
    name: "a user message of two tool parts becomes two, both with our id",
    steps: [
      {
        send: ["POST", `${SESSIONS}/s1/messages`, {
          role: "user",
          parts: ["a", "b"].map((tool_id) => ({
            type: "tool",
            tool_id,
            tool_name: "Bash",
            tool_output: "x",
          })),
          source_message_ids: ["m1"],
        }],
        expect: ok({ message_count: 2 }),
      },
      {
        send: ["GET", `${SESSIONS}/s1/context`],
        expect: ok({
          messages: [{ source_message_ids: ["m1"] }, { source_message_ids: ["m1"] }],
        }),
      },
    ],
  },
  {
    name: "the same message twice",
    steps: [
      {
        send: ["POST", `${SESSIONS}/s1/messages`, said("x", "m1")],
        expect: ok({ message_count: 1 }),
      },
      {
        send: ["POST", `${SESSIONS}/s1/messages`, said("x", "m1")],
        expect: ok({ message_count: 2 }),
        local: {
          expect: ok({ message_count: 1 }),
          why: "the embedded engine knows the ids of its session and stores a message once",
        },
      },
    ],
  },
  {
    name: "read-back: the whole live list comes with a large budget",
    steps: [
      {
        send: ["POST", `${SESSIONS}/s1/messages/batch`, {
          messages: Array.from(
            { length: 60 },
            (_, i) => said(`${i} ${"word ".repeat(1200)}`, `b-${i}`),
          ),
        }],
        expect: ok({ added: 60 }),
      },
      {
        send: ["GET", `${SESSIONS}/s1/context?token_budget=1000000000`],
        expect: ok({
          messages: Array.from({ length: 60 }, (_, i) => ({ source_message_ids: [`b-${i}`] })),
        }),
      },
      {
        send: ["GET", `${SESSIONS}/s1/context?token_budget=-1`],
        expect: refused(400, INVALID),
      },
      {
        send: ["GET", `${SESSIONS}/none/context?token_budget=1000000000`],
        expect: refused(404, "NOT_FOUND"),
      },
    ],
  },
  {
    name: "read-back: live and archived messages lie in files with our ids",
    steps: [
      {
        send: ["POST", `${SESSIONS}/s1/messages/batch`, { messages: lines(3, "NOMEMORY") }],
        expect: ok({ added: 3 }),
      },
      {
        send: ["GET", `${SESSIONS}/s1`],
        expect: ok({ uri: TEXT }),
        keep: { uri: "uri" },
      },
      {
        send: ["GET", "{read:uri/messages.jsonl}"],
        expect: ok(holdsIds("NOMEMORY-0", "NOMEMORY-1", "NOMEMORY-2")),
      },
      {
        send: ["POST", `${SESSIONS}/s1/commit`, { keep_recent_count: 1 }],
        expect: ok({
          status: "accepted",
          archived: true,
          archive_uri: /archive_001$/,
          task_id: TEXT,
        }),
      },
      {
        // At once, while the archive is still worked on.
        send: ["GET", "{read:uri/history/archive_001/messages.jsonl}"],
        expect: ok(holdsIds("NOMEMORY-0", "NOMEMORY-1")),
      },
      { send: ["GET", "{read:uri/messages.jsonl}"], expect: ok(holdsIds("NOMEMORY-2")) },
      {
        send: ["GET", `${SESSIONS}/s1/archives/archive_001`],
        within: 30,
        expect: ok({ messages: [{ source_message_ids: ["NOMEMORY-0"] }, PRESENT] }),
      },
      {
        send: ["GET", `${SESSIONS}/s1/archives/archive_009`],
        expect: refused(404, "NOT_FOUND"),
      },
    ],
  },
  {
    name: "a commit archives all but what is kept, and counts",
    steps: [
      {
        send: ["POST", `${SESSIONS}/s1/messages/batch`, { messages: lines(6, "NOMEMORY") }],
        expect: ok(),
      },
      {
        send: ["POST", `${SESSIONS}/s1/commit`, { keep_recent_count: 10 }],
        expect: ok({ status: "skipped", task_id: null, reason: "all_within_keep_window" }),
      },
      {
        send: ["POST", `${SESSIONS}/s1/commit`, { keep_recent_count: 2 }],
        expect: ok({ status: "accepted", archived: true }),
        keep: { task: "task_id" },
      },
      {
        send: ["GET", `${SESSIONS}/s1`],
        expect: ok({ message_count: 2, total_message_count: 6, commit_count: 1 }),
      },
      {
        send: ["GET", "/api/v1/tasks/{task}"],
        within: 40,
        expect: ok({ status: "completed", resource_id: "s1", result: { session_id: "s1" } }),
      },
      {
        send: ["POST", `${SESSIONS}/s1/commit`, {}],
        expect: ok({ status: "accepted", archive_uri: /archive_002$/ }),
      },
      {
        send: ["POST", `${SESSIONS}/s1/commit`, {}],
        expect: ok({ status: "skipped", reason: "no_messages" }),
      },
    ],
  },
  {
    name: "commits that cannot be",
    steps: [
      {
        send: ["POST", `${SESSIONS}/none/commit`, {}],
        expect: refused(404, "NOT_FOUND", /not found/),
      },
      { send: ["POST", `${SESSIONS}/s1/messages`, said("NOMEMORY")], expect: ok() },
      {
        send: ["POST", `${SESSIONS}/s1/commit`, { keep_recent_count: -1 }],
        expect: refused(400, INVALID),
      },
      {
        send: ["POST", `${SESSIONS}/s1/commit`, { a_field_of_tomorrow: 1 }],
        expect: ok({ status: "accepted" }),
      },
      { send: ["GET", "/api/v1/tasks/none"], expect: refused(404, "NOT_FOUND", /^Task not found/) },
    ],
  },
  {
    name: "an extraction that fails",
    steps: [
      {
        send: [
          "POST",
          `${SESSIONS}/s1/messages`,
          said("BADOUTPUT we decided to ship on Friday", "m1"),
        ],
        expect: ok(),
      },
      {
        send: ["POST", `${SESSIONS}/s1/commit`, {}],
        expect: ok({ status: "accepted" }),
        keep: { task: "task_id" },
      },
      {
        send: ["GET", "/api/v1/tasks/{task}"],
        within: 60,
        expect: ok({ status: "failed", error: PRESENT }),
        local: {
          expect: ok({ status: "completed" }),
          why: "the embedded engine asks no model: nothing of it can fail",
        },
      },
      {
        send: ["GET", `${SESSIONS}/s1/archives/archive_001`],
        expect: refused(404, "NOT_FOUND"),
        local: {
          expect: ok({ messages: [{ source_message_ids: ["m1"] }] }),
          why: "as above: the archive is complete",
        },
      },
    ],
  },
  {
    name: "sessions belong to one person",
    steps: [
      { send: ["POST", `${SESSIONS}/s1/messages`, said("mine")], expect: ok() },
      {
        send: ["GET", `${SESSIONS}/s1`],
        headers: { "x-openviking-user": "somebody-else" },
        expect: refused(404, "NOT_FOUND"),
      },
    ],
  },
  {
    name: "a search without a question, or with fields of nobody, is refused",
    steps: [
      { send: ["POST", "/api/v1/search/find", { query: "  " }], expect: refused(400, INVALID) },
      {
        send: ["POST", "/api/v1/search/find", { query: "x", limit: 0 }],
        expect: refused(400, INVALID),
      },
      {
        send: ["POST", "/api/v1/search/find", { query: "x", nonsense: 1 }],
        expect: refused(400, INVALID),
      },
      {
        send: ["POST", "/api/v1/search/search", { query: "x", mode: "sideways" }],
        expect: refused(400, INVALID),
      },
      {
        send: ["POST", "/api/v1/search/search", { query: "x", mode: "context" }],
        headers: { "x-openviking-actor-peer": "a/b" },
        expect: refused(400, INVALID),
      },
    ],
  },
  {
    name: "what was said is found after its commit",
    steps: [
      {
        send: ["POST", `${SESSIONS}/s1/messages/batch`, {
          messages: [
            said("We decided to deploy the billing service with the zebra pipeline.", "m1"),
            said("Noted, the zebra pipeline it is.", "m2", "assistant"),
          ],
        }],
        expect: ok({ added: 2 }),
      },
      { send: ["POST", `${SESSIONS}/s1/commit`, {}], expect: ok({ status: "accepted" }) },
      {
        send: ["POST", "/api/v1/search/search", {
          query: "deploy billing service zebra pipeline",
          mode: "context",
        }],
        within: 40,
        expect: ok({
          rendered: /zebra/,
          entries: (entries: unknown) => Array.isArray(entries) && entries.length > 0,
        }),
      },
      {
        send: ["POST", "/api/v1/search/find", {
          query: "deploy billing service zebra pipeline",
          limit: 5,
        }],
        within: 20,
        expect: ok({
          memories: (items: unknown) =>
            Array.isArray(items) &&
            items.some(({ abstract, uri }) => /zebra/.test(`${abstract} ${uri}`)),
        }),
      },
    ],
  },
  {
    name: "files are written, read, listed and deleted",
    steps: [
      {
        send: ["POST", "/api/v1/content/write", {
          uri: "viking://~/memories/notes/one.md",
          content: "# One\nThe vault is in the cellar.\n",
          mode: "create",
          wait: true,
        }],
        expect: ok({ uri: /\/memories\/notes\/one\.md$/, content_updated: true }),
      },
      {
        send: ["GET", read("viking://~/memories/notes/one.md")],
        expect: ok(/^# One\nThe vault is in the cellar\./),
      },
      {
        send: ["GET", "/api/v1/fs/stat?uri=viking://~/memories/notes/one.md"],
        expect: ok({ name: "one.md", isDir: false }),
      },
      {
        send: ["GET", "/api/v1/fs/ls?uri=viking://~/memories/notes"],
        expect: ok((list: unknown) =>
          Array.isArray(list) && list.some(({ uri }) => /one\.md$/.test(uri))
        ),
      },
      {
        send: ["POST", "/api/v1/content/write", {
          uri: "viking://~/memories/notes/one.md",
          content: "# Two\n",
          mode: "create",
        }],
        expect: ok({ content_updated: true }),
      },
      {
        send: ["DELETE", "/api/v1/fs?uri=viking://~/memories/notes"],
        expect: refused(400, INVALID),
      },
      {
        send: ["DELETE", "/api/v1/fs?uri=viking://~/memories/notes/one.md"],
        expect: ok({ estimated_deleted_count: 1 }),
      },
      {
        send: ["GET", read("viking://~/memories/notes/one.md")],
        expect: refused(404, "NOT_FOUND"),
      },
      { send: ["GET", read("notes/one.md")], expect: refused(400, "INVALID_URI") },
      {
        send: ["GET", read("viking://user/nobody-at-all/x.md")],
        expect: refused(403, "PERMISSION_DENIED"),
      },
      {
        send: ["POST", "/api/v1/content/write", { uri: "viking://~/memories/a.exe", content: "x" }],
        expect: { status: 400 },
      },
    ],
  },
  {
    name: "a home that nobody has used is empty, not an error of the client",
    steps: [
      {
        send: ["POST", "/api/v1/search/find", { query: "anything at all" }],
        expect: ok({ memories: [] }),
      },
      { send: ["GET", read("viking://~/memories/profile.md")], expect: refused(404, "NOT_FOUND") },
    ],
  },
];
