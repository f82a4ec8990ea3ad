/**
 * Plays recorded exchanges of OpenViking server 0.5.2 against the embedded engine.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { createFetchHandler } from "../../local/fetch_handler.ts";
import { openTestEngine } from "../support/local_engine.ts";

interface Exchange {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Record<string, string>;
    readonly body?: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: unknown;
  };
}

const exchanges: readonly Exchange[] = Deno.readTextFileSync(
  new URL("../fixtures/server-0.5.2/exchanges.jsonl", import.meta.url),
).trimEnd().split("\n").map((line) => JSON.parse(line) as Exchange);

/** Requests that bring about what the recording had, by the exchange they precede. */
const BEFORE: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  "commit-keep-all": Array.from(
    { length: 6 },
    (_, at) => ["/api/v1/sessions/c1/messages", { role: "user", content: `line ${at}` }] as const,
  ),
  "commit-empty-session": [["/api/v1/sessions", { session_id: "c0" }]],
  "abstract": [
    ["/api/v1/content/write", { uri: "viking://~/memories/profile.md", content: "Alice" }],
    ["/api/v1/content/write", {
      uri: "viking://~/memories/preferences/user/tabs.md",
      content: "I prefer tabs over spaces in Go code.",
    }],
  ],
};

/** Keys that only the embedded engine returns. */
const ADDED: ReadonlySet<string> = new Set([
  "created_at",
  "session_id",
  "role",
  "session",
  "engine",
]);

/** Paths of keys that the embedded engine leaves out, or fills with another type, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "health: account_id": "the embedded engine is one process of one person: /health names nobody",
  "health: user_id": "as above",
  "health: role": "as above",
  "health: root_api_key_required": "there is no root key",
  "system-wait: result.UserDeletion": "no such queue",
  "system-wait-no-body: result.UserDeletion": "no such queue",
  "write-wait: result.queue_status": "nothing is queued",
  "task-list: result[0].error": "the recorded tasks failed for want of a model",
  "*: result.stats.tier_counts": "every entry has one tier, full",
  "*: result.stats.searched": "one list is searched, all",
  "*: result.stats.quotas": "no categories to share between",
  "*: result.stats.purpose": "as above",
  "recall: result.stats.score_threshold": "no threshold unless one is sent",
};

/** Values that must be the same, wherever they stand. */
const SAME_VALUES: ReadonlySet<string> = new Set([
  "added",
  "archived",
  "commit_count",
  "has_more",
  "isDir",
  "keep_recent_count",
  "message_count",
  "mode",
  "name",
  "pending_tokens",
  "reason",
  "session_id",
  "total_message_count",
  "uri",
]);

/** Exchanges whose values depend on the server's own memories or counters, and why. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  "session-create-no-body": "the id is made at the time",
  "session-list": "other sessions were made before",
  "session-list-limit": "as above",
  "trailing-slash": "as above",
  "session-context": "ids and times",
  "session-context-odd-messages": "ids and times",
  "session-archive": "ids and times",
  "task-list": "other commits were made before",
};

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
}

function isLeftOut(name: string, path: string): boolean {
  return `${name}: ${path}` in LEFT_OUT || `*: ${path}` in LEFT_OUT;
}

/** Differences in the shape of two JSON values, as lines; nulls on the server's side fit anything. */
function shapeDifferences(name: string, path: string, theirs: unknown, ours: unknown): string[] {
  if (theirs === null || isLeftOut(name, path)) return [];
  if (typeOf(theirs) !== typeOf(ours)) {
    return [`${path}: ${typeOf(theirs)} became ${typeOf(ours)}`];
  }
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    return theirs.length === 0 || ours.length === 0
      ? []
      : shapeDifferences(name, `${path}[0]`, theirs[0], ours[0]);
  }
  if (typeof theirs !== "object") return [];
  const left = theirs as Record<string, unknown>;
  const right = ours as Record<string, unknown>;
  const out: string[] = [];
  for (const key of Object.keys(left)) {
    const inner = path === "" ? key : `${path}.${key}`;
    if (isLeftOut(name, inner)) continue;
    if (!(key in right)) out.push(`${inner}: missing`);
    else out.push(...shapeDifferences(name, inner, left[key], right[key]));
  }
  for (const key of Object.keys(right)) {
    if (!(key in left) && !ADDED.has(key)) out.push(`${path}.${key}: not on the server`);
  }
  return out;
}

/** Differences in values that must agree. */
function valueDifferences(path: string, theirs: unknown, ours: unknown): string[] {
  if (typeof theirs !== "object" || theirs === null || typeof ours !== "object" || ours === null) {
    return [];
  }
  const right = ours as Record<string, unknown>;
  return Object.entries(theirs).flatMap(([key, value]) => {
    const inner = `${path}.${key}`;
    if (typeof value === "object") return valueDifferences(inner, value, right[key]);
    return SAME_VALUES.has(key) && value !== right[key]
      ? [`${inner}: ${value} became ${right[key]}`]
      : [];
  });
}

/** Searches answer from other memories: only their shape is compared. */
function isSearch(path: string): boolean {
  return /\/search\/(find|search|recall|grep|glob)/.test(path);
}

/** Listings of folders that hold other memories here. */
function isListing(name: string): boolean {
  return /^(ls|tree|glob|grep|stat)/.test(name) || name === "key-home-alias-ls";
}

test("LocalEngine.handle() answers like server 0.5.2 when its recorded requests come", async (t) => {
  using local = await openTestEngine();
  const handler = createFetchHandler(local.engine);
  const identity = { "x-openviking-account": "acme", "x-openviking-user": "alice" };
  const post = (path: string, body: unknown): Promise<Response> =>
    handler(
      new Request(`http://local${path}`, {
        method: "POST",
        headers: { ...identity, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  for (const { name, request, response } of exchanges) {
    for (const [path, body] of BEFORE[name] ?? []) await post(path, body);
    const answer = await handler(
      new Request(`http://local${request.path}`, {
        method: request.method,
        headers: request.headers,
        ...(request.body === undefined || request.body === null ? {} : {
          body: typeof request.body === "string" ? request.body : JSON.stringify(request.body),
        }),
      }),
    );
    const body = await answer.json() as Record<string, unknown>;
    await t.test(name, () => {
      assert.equal(answer.status, response.status, JSON.stringify(body));
      for (const [header, value] of Object.entries(response.headers)) {
        assert.equal(answer.headers.get(header), value, header);
      }
      const expected = response.body as Record<string, unknown>;
      const error = expected["error"] as { code: string; message: string } | null | undefined;
      if (error) {
        const ours = body["error"] as { code: string; message: string };
        assert.equal(ours.code, error.code);
        if (!OTHER_MESSAGES.has(name)) assert.equal(ours.message, error.message);
      }
      const differences = shapeDifferences(name, "", expected, body);
      if (!isSearch(request.path) && !isListing(name) && !(name in OTHER_VALUES)) {
        differences.push(...valueDifferences("", expected, body));
      }
      assert.deepEqual(differences, []);
    });
  }
});

/** Messages that quote another program (Python's `re`, the server's file system, its JSON parser). */
const OTHER_MESSAGES: ReadonlySet<string> = new Set([
  "grep-bad-regex",
  "mkdir-again",
]);
