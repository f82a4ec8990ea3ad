import { test } from "node:test";
import assert from "node:assert/strict";
import type { LocalMcpOptions } from "../../local/mcp/types.ts";
import { createMcpHttpHandler } from "../../local/mcp/http.ts";
import type { WireRequest, WireResponse } from "../../lib/http/types.ts";
import type { Message } from "../support/fake_mcp_server.ts";

const ok = (result: unknown): WireResponse => ({
  status: 200,
  headers: {},
  body: { status: "ok", result },
});
const refused = (status: number, code: string, message: string): WireResponse => ({
  status,
  headers: {},
  body: { status: "error", error: { code, message, details: { resource: "x" } } },
});

type Answers = (request: WireRequest) => WireResponse;

/** A handler over an engine that answers as `answers` says, and what the engine was asked. */
function server(answers: Answers, options?: LocalMcpOptions) {
  const asked: WireRequest[] = [];
  const handle = (request: WireRequest): Promise<WireResponse> => {
    asked.push(request);
    return Promise.resolve(answers(request));
  };
  const handler = createMcpHttpHandler({ handle }, options);
  async function post(message: object, headers: Record<string, string> = {}): Promise<Response> {
    return await handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      }),
    );
  }
  async function ask(
    method: string,
    params?: object,
    headers?: Record<string, string>,
  ): Promise<Message> {
    const response = await post({ id: 1, method, params }, headers);
    const text = await response.text();
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    return JSON.parse(data) as Message;
  }
  async function call(name: string, args: object, headers?: Record<string, string>) {
    const { result } = await ask("tools/call", { name, arguments: args }, headers);
    return {
      text: result.content[0].text as string,
      isError: result.isError === true,
      structured: result.structuredContent,
    };
  }
  return { handler, post, ask, call, asked };
}

test("createMcpHttpHandler() negotiates every version in use and keeps no session [MCP-08]", async () => {
  const { ask, post, handler } = server(() => ok({}));
  const table = [
    ["2024-11-05", "2024-11-05"],
    ["2025-03-26", "2025-03-26"],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["2099-01-01", "2025-11-25"],
  ] as const;
  for (const [protocolVersion, expected] of table) {
    const clientInfo = { name: "t", version: "1" };
    const { result } = await ask("initialize", { protocolVersion, capabilities: {}, clientInfo });
    assert.equal(result.protocolVersion, expected);
    assert.equal(result.serverInfo.name, "openviking-local");
  }
  const accepted = await post({ method: "notifications/initialized" });
  assert.deepEqual([accepted.status, accepted.headers.get("mcp-session-id")], [202, null]);
  assert.equal((await handler(new Request("http://localhost/mcp"))).status, 405);
  assert.equal((await ask("no/such")).error.code, -32601);
});

test("createMcpHttpHandler() lists tools with names and schemas that strict hosts take", async () => {
  const { tools } = (await server(() => ok({})).ask("tools/list")).result;
  assert.deepEqual(
    tools.map((tool: { name: string }) => tool.name),
    ["find", "search", "read", "list", "remember", "forget", "health"],
  );
  for (const tool of tools) {
    assert.match(tool.name, /^[A-Za-z0-9_-]{1,64}$/);
    assert.equal(tool.inputSchema.type, "object");
    assert.ok(tool.description.length > 20);
    assert.equal(
      /"(anyOf|oneOf|allOf|\$ref)"/.test(JSON.stringify(tool.inputSchema)),
      false,
      tool.name,
    );
    assert.equal(typeof tool.annotations.readOnlyHint, "boolean");
    // With an output schema Claude Code shows the model JSON in place of the text.
    assert.equal(tool.outputSchema, undefined, tool.name);
  }
});

test("createMcpHttpHandler(): find and search give the server's list form", async () => {
  const item = { context_type: "memory", uri: "viking://user/a/x.md", abstract: "- tabs" };
  const result = {
    memories: [{ ...item, score: 0.694 }],
    resources: [{ ...item, uri: "viking://resources/r", context_type: "resource", score: 0.87 }],
    skills: [{ ...item, uri: "viking://user/a/y.md", score: 1.7 }],
    total: 3,
  };
  const expected = "Found 3 item(s):\n\n" +
    "- [memory 100%] viking://user/a/y.md\n    - tabs\n" +
    "- [resource 87%] viking://resources/r\n    - tabs\n" +
    "- [memory 69%] viking://user/a/x.md\n    - tabs\n\n" +
    "Use the read tool to expand a URI.";
  const { call, asked } = server(() => ok(result));
  const found = await call("find", { query: "tabs", limit: 3, min_score: 0.2, target_uri: "" });
  assert.deepEqual(found, { text: expected, isError: false, structured: undefined });
  assert.deepEqual(asked[0]?.body, { query: "tabs", limit: 3, score_threshold: 0.2 });
  assert.equal(asked[0]?.path, "/api/v1/search/find");
  const searched = await call("search", {
    query: "tabs",
    session_id: "  ",
    context_type: "memory",
  });
  assert.equal(searched.text, expected);
  assert.deepEqual(asked[1]?.body, { query: "tabs", context_type: ["memory"] });
  assert.equal(asked[1]?.path, "/api/v1/search/search");
  const none = server(() => ok({ memories: [], resources: [], skills: [], total: 0 }));
  assert.equal((await none.call("find", { query: "x" })).text, "No matching context found.");
});

test("createMcpHttpHandler(): search gives the digest, else the rendered block, in context mode", async () => {
  const table = [
    [{ rendered: "<memory/>", digest: "" }, "<memory/>"],
    [{ rendered: "<memory/>", digest: "digest" }, "digest"],
    [{ rendered: "", digest: "" }, "No matching context found."],
  ] as const;
  for (const [result, text] of table) {
    const { call, asked } = server(() => ok(result));
    assert.equal(
      (await call("search", { query: "x", mode: "context", max_tokens: 100 })).text,
      text,
    );
    assert.deepEqual(asked[0]?.body, { query: "x", mode: "context", max_tokens: 100 });
  }
});

test("createMcpHttpHandler(): read gives one text, or a block per file, and tells which could not be read", async () => {
  const files: Record<string, string> = { "viking://~/a.md": "alpha", "viking://~/b&c.md": "beta" };
  const { call, asked } = server(({ path }) => {
    const uri = new URL(path, "http://x").searchParams.get("uri") ?? "";
    const text = files[uri];
    return text === undefined ? refused(404, "NOT_FOUND", `File not found: ${uri}`) : ok(text);
  });
  const one = await call("read", { uris: "viking://~/b&c.md", offset: 1, limit: 2 });
  assert.deepEqual(one, { text: "beta", isError: false, structured: undefined });
  assert.match(asked[0]?.path ?? "", /^\/api\/v1\/content\/read\?.*offset=1&limit=2$/);
  const missing = await call("read", { uris: ["viking://~/no.md"] });
  assert.deepEqual([missing.text, missing.isError], [
    "NOT_FOUND: File not found: viking://~/no.md",
    true,
  ]);
  const many = await call("read", { uris: ["viking://~/a.md", "viking://~/no.md"] });
  assert.equal(
    many.text,
    "=== viking://~/a.md ===\nalpha\n\n" +
      "=== viking://~/no.md ===\nNOT_FOUND: File not found: viking://~/no.md",
  );
  assert.equal(many.isError, false);
});

test("createMcpHttpHandler(): list gives names, or whole URIs when recursive", async () => {
  const entries = [
    { uri: "viking://user/a/memories", isDir: true },
    { uri: "viking://user/a/profile.md", isDir: false },
  ];
  const { call, asked } = server(() => ok(entries));
  assert.equal(
    (await call("list", { uri: "viking://~" })).text,
    "[dir] memories\n[file] profile.md",
  );
  const deep = await call("list", { uri: "viking://~", recursive: true });
  assert.equal(deep.text, "[dir] viking://user/a/memories\n[file] viking://user/a/profile.md");
  assert.deepEqual(asked.map((request) => request.path), [
    "/api/v1/fs/ls?uri=viking%3A%2F%2F%7E",
    "/api/v1/fs/ls?uri=viking%3A%2F%2F%7E&recursive=true",
  ]);
  const empty = await server(() => ok([])).call("list", {});
  assert.equal(empty.text, "(no entries under viking://)");
});

test("createMcpHttpHandler(): remember stores redacted messages in a session of their own and commits it", async () => {
  const { call, asked } = server(() => ok({}), {
    redact: (text) => text.replaceAll("secret", "[redacted]"),
    now: () => Date.UTC(2026, 10, 30),
  });
  const messages = [
    { role: "user", content: "the secret is out" },
    { role: "assistant", content: "  " },
    { role: "assistant", content: "noted" },
  ];
  const stored = await call("remember", { messages });
  const [session] = /mcp-store-[0-9a-f]{12}/.exec(stored.text) ?? [""];
  assert.match(stored.text, /^Stored 2 message\(s\)/);
  assert.deepEqual(asked.map(({ method, path }) => `${method} ${path}`), [
    "POST /api/v1/sessions",
    `POST /api/v1/sessions/${session}/messages/batch`,
    `POST /api/v1/sessions/${session}/commit`,
  ]);
  const created_at = "2026-11-30T00:00:00.000Z";
  assert.deepEqual(asked[1]?.body, {
    messages: [
      {
        role: "user",
        parts: [{ type: "text", text: "the [redacted] is out" }],
        created_at,
        source_message_ids: [`${session}#0`],
      },
      {
        role: "assistant",
        parts: [{ type: "text", text: "noted" }],
        created_at,
        source_message_ids: [`${session}#1`],
      },
    ],
  });
});

test("createMcpHttpHandler(): remember takes a lone text, many messages, and nothing", async () => {
  const lone = server(() => ok({}));
  assert.match((await lone.call("remember", { messages: "I like plums." })).text, /^Stored 1 /);
  // deno-lint-ignore no-explicit-any
  const sent = (lone.asked[1]?.body as any).messages[0];
  assert.deepEqual([sent.role, sent.parts[0].text], ["user", "I like plums."]);

  const many = server(() => ok({}));
  const messages = Array.from({ length: 201 }, (_, n) => ({ role: "user", content: `m${n}` }));
  assert.match((await many.call("remember", { messages })).text, /^Stored 201 /);
  assert.deepEqual(
    // deno-lint-ignore no-explicit-any
    many.asked.slice(1, -1).map((request) => (request.body as any).messages.length),
    [100, 100, 1],
  );

  const none = server(() => ok({}));
  assert.match((await none.call("remember", { messages: [] })).text, /no_messages/);
  assert.equal(none.asked.length, 0);
});

test("createMcpHttpHandler(): forget and health name what they did", async () => {
  const { call, asked } = server(({ path }) =>
    path === "/health"
      ? { status: 200, headers: {}, body: { status: "ok" } }
      : ok({ uri: "viking://user/a/x.md" })
  );
  assert.equal(
    (await call("forget", { uri: "viking://~/x.md" })).text,
    "Deleted: viking://user/a/x.md",
  );
  assert.deepEqual(
    [asked[0]?.method, asked[0]?.path],
    ["DELETE", "/api/v1/fs?uri=viking%3A%2F%2F%7E%2Fx.md"],
  );
  assert.match((await call("health", {})).text, /^OpenViking is healthy/);
});

test("createMcpHttpHandler(): a tool that fails says CODE: message as an error, and says it once [MCP-16]", async () => {
  const { call } = server(() => refused(400, "INVALID_ARGUMENT", "query is blank"));
  assert.deepEqual(await call("find", { query: "x" }), {
    text: "INVALID_ARGUMENT: query is blank",
    isError: true,
    structured: undefined,
  });
  const crashed = createMcpHttpHandler({ handle: () => Promise.reject(new Error("disk full")) });
  const response = await crashed(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body:
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"health","arguments":{}}}',
    }),
  );
  assert.match(await response.text(), /INTERNAL: disk full/);
});

test("createMcpHttpHandler(): wrong arguments and unknown tools are errors in words", async () => {
  const { call, ask, asked } = server(() => ok({}));
  const table: readonly (readonly [string, object])[] = [
    ["find", {}],
    ["find", { query: 5 }],
    ["find", { query: "" }],
    ["search", { query: "x", max_tokens: 1 }],
    ["read", { uris: [] }],
    ["read", {}],
    ["remember", { messages: [{ role: "system", content: "x" }] }],
    ["forget", { uri: null }],
  ];
  for (const [name, args] of table) {
    assert.equal((await call(name, args)).isError, true, `${name} ${JSON.stringify(args)}`);
  }
  const unknown = await ask("tools/call", { name: "no_such_tool", arguments: {} });
  assert.match(unknown.error.message, /no_such_tool/);
  assert.equal(asked.length, 0);
  await call("find", { query: "x", nonsense: 1 });
  assert.deepEqual(asked[0]?.body, { query: "x" });
});

test("createMcpHttpHandler(): the identity headers of the request reach the engine, and no others", async () => {
  const { call, asked } = server(() => ok({}));
  const identity = {
    authorization: "Bearer k",
    "x-openviking-account": "acme",
    "x-openviking-user": "alice",
    "x-openviking-actor-peer": "p",
    "user-agent": "openviking-memory-codex/1",
  };
  await call("find", { query: "x" }, {
    ...identity,
    cookie: "c",
    "mcp-protocol-version": "2025-06-18",
  });
  assert.deepEqual(asked[0]?.headers, { "content-type": "application/json", ...identity });
});
