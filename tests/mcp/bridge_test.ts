import { test } from "node:test";
import assert from "node:assert/strict";
import { type Message, startFakeMcpServer } from "../support/fake_mcp_server.ts";
import { startBridge } from "../support/mcp_host.ts";
import { personOf, textOf } from "../support/mcp_person.ts";

for (const form of ["json", "sse"] as const) {
  test(`createOpenVikingMcpProxy() passes tools, calls and errors through untouched when the server answers ${form} [MCP-02] [MCP-04] [MCP-10]`, async () => {
    const odd = {
      name: "odd-Tool_1",
      description: "zwei\u2028Zeilen \u00fc",
      inputSchema: {
        type: "object",
        properties: { n: { anyOf: [{ type: "integer", default: 12345678901234567 }] } },
      },
      "x-unknown": [1.5e300, null, { deep: [] }],
    };
    const server = await startFakeMcpServer({ form, tools: [odd] });
    const host = startBridge(personOf(server));
    const hello = await host.hello();
    assert.deepEqual(hello.result.serverInfo, { name: "fake", version: "1" });
    const list = await host.ask("tools/list");
    assert.equal(JSON.stringify(list.result.tools), JSON.stringify([odd]));
    assert.equal(
      textOf(await host.ask("tools/call", { name: "find", arguments: { q: "ü" } })),
      'said {"q":"ü"}',
    );
    const unknown = await host.ask("no/such", { a: 1 });
    assert.deepEqual(unknown.error, {
      code: -32602,
      message: "Invalid request parameters",
      data: "",
    });
    for (const { method, headers } of server.arrived) {
      assert.equal(method, "POST");
      assert.match(headers.accept ?? "", /application\/json.*text\/event-stream/);
      assert.equal(headers["content-type"], "application/json");
      assert.equal(headers.authorization, "Bearer key-1");
      assert.equal(headers["x-api-key"], undefined);
      assert.match(headers["user-agent"] ?? "", /^openviking-memory-claude-code\//);
      assert.equal(headers["x-openviking-actor-peer"], undefined);
    }
    await host.close();
  });
}

test("createOpenVikingMcpProxy() keeps the raw text of an answer on one line", async () => {
  const server = await startFakeMcpServer();
  const pretty =
    '{\r\n  "jsonrpc": "2.0", "id": "p",\n  "result": {"big": 12345678901234567890, "s": "a\\nb"}\n}';
  const host = startBridge(personOf(server), {
    proxy: {
      fetch: (url, init) =>
        new Response(init.body).text().then((body) =>
          body.includes('"id":"p"')
            ? new Response(pretty, {
              headers: { "content-type": "application/json; charset=utf-8" },
            })
            : fetch(url, { ...init, body })
        ),
    },
  });
  await host.hello();
  await host.ask("x/y", {}, "p");
  assert.ok(host.lines.includes(pretty.replace(/[\r\n]+/g, " ")), host.lines.at(-1));
  await host.close();
});

test("createOpenVikingMcpProxy() gives every one of 50 concurrent requests its own answer [MCP-11]", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server));
  await host.hello();
  const waiting = Array.from(
    { length: 50 },
    (_, n) => host.ask("tools/call", { name: "wait", arguments: { n } }, n % 2 === 0 ? n : `s${n}`),
  );
  await server.until(() => server.of("tools/call").length === 50);
  assert.equal(textOf(await host.ask("tools/call", { name: "find" })), "said {}");
  server.release();
  const answers = await Promise.all(waiting);
  answers.forEach((answer, n) => {
    assert.equal(answer.id, n % 2 === 0 ? n : `s${n}`);
    assert.equal(textOf(answer), `said {"n":${n}}`);
  });
  assert.equal(server.of("tools/call").length, 51);
  await host.close();
});

test("createOpenVikingMcpProxy() answers no notification and passes progress on [MCP-09]", async () => {
  const before: Message[] = [{
    jsonrpc: "2.0",
    method: "notifications/message",
    params: { data: 1 },
  }];
  const server = await startFakeMcpServer({ form: "sse-open", progress: 3, before });
  const host = startBridge(personOf(server), { proxy: { limits: { lingerMs: 20 } } });
  await host.hello();
  const answer = await host.ask("tools/call", { name: "find", _meta: { progressToken: "t" } });
  assert.match(textOf(answer), /^said/);
  const progress = host.messages.filter((m) => m.method === "notifications/progress");
  assert.deepEqual(progress.map((m) => m.params.progress), [1, 2, 3]);
  assert.ok(host.messages.some((m) => m.method === "notifications/message"));
  host.notify("notifications/something", { a: 1 });
  await server.until(() => server.of("notifications/something").length === 1);
  await server.until(() => server.of("tools/call")[0]?.cut === true); // the open stream is let go
  await host.close();
  assert.equal(host.messages.filter((m) => m.method === undefined).length, 2);
});

test("createOpenVikingMcpProxy() passes a server's request to the host and the response back", async () => {
  const before: Message[] = [{
    jsonrpc: "2.0",
    id: "srv-1",
    method: "sampling/createMessage",
    params: {},
  }];
  const server = await startFakeMcpServer({ form: "sse", before });
  const host = startBridge(personOf(server));
  await host.hello();
  await host.ask("tools/call", { name: "find" });
  assert.ok(host.messages.some((m) => m.id === "srv-1" && m.method === "sampling/createMessage"));
  host.raw('{"jsonrpc":"2.0","id":"srv-1","result":{"role":"assistant"}}\n');
  await server.until(() => server.arrived.some((a) => a.message?.result?.role === "assistant"));
  await host.close();
});

test("createOpenVikingMcpProxy() listens to a server that announces notifications or keeps sessions, and only then", async () => {
  const server = await startFakeMcpServer({ capabilities: { tools: { listChanged: true } } });
  const host = startBridge(personOf(server));
  await host.hello();
  await server.until(() => server.streams.size === 1);
  server.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  await host.until((m) => m.method === "notifications/tools/list_changed");
  await host.close();
  await server.until(() => server.streams.size === 0);

  const stateful = await startFakeMcpServer({ sessions: true });
  const third = startBridge(personOf(stateful));
  await third.hello();
  await stateful.until(() => stateful.streams.size === 1);
  stateful.push({ jsonrpc: "2.0", id: "e1", method: "elicitation/create", params: {} });
  await third.until((m) => m.method === "elicitation/create");
  third.raw('{"jsonrpc":"2.0","id":"e1","result":{"action":"decline"}}\n');
  await stateful.until(() => stateful.arrived.some((a) => a.message?.result?.action === "decline"));
  await third.close();

  const quiet = await startFakeMcpServer();
  const other = startBridge(personOf(quiet));
  await other.hello();
  await other.ask("tools/list");
  await other.close();
  assert.equal(quiet.arrived.some((a) => a.method === "GET"), false);
});

const VERSIONS: readonly (readonly [asked: string, given: string])[] = [
  ["2024-11-05", "2024-11-05"],
  ["2025-03-26", "2025-03-26"],
  ["2025-11-25", "2025-06-18"],
  ["2099-01-01", "2025-11-25"],
];

test("createOpenVikingMcpProxy() uses the version the server agreed on [MCP-08]", async () => {
  for (const [asked, given] of VERSIONS) {
    const server = await startFakeMcpServer({ version: given });
    const host = startBridge(personOf(server));
    const hello = await host.hello(asked);
    assert.equal(hello.result.protocolVersion, given);
    await host.ask("tools/list");
    assert.equal(server.of("initialize")[0]?.message?.params.protocolVersion, asked);
    assert.equal(server.of("initialize")[0]?.headers["mcp-protocol-version"], undefined);
    for (const method of ["notifications/initialized", "tools/list"]) {
      assert.deepEqual(server.of(method).map((a) => a.headers["mcp-protocol-version"]), [given]);
    }
    await host.close();
  }
});

test("createOpenVikingMcpProxy() answers initialize by itself when the server is slow, and translates [MCP-08]", async () => {
  const server = await startFakeMcpServer({ version: "2025-03-26" });
  server.holdInitialize = true;
  const host = startBridge(personOf(server), { proxy: { limits: { initializeAnswerMs: 20 } } });
  const hello = await host.hello("2025-11-25");
  assert.equal(hello.result.protocolVersion, "2025-11-25");
  assert.equal(hello.result.capabilities.tools.listChanged, true);
  const list = host.ask("tools/list");
  server.release();
  assert.deepEqual((await list).result.tools.length, 2);
  assert.equal(server.of("initialize").length, 1);
  assert.equal(server.of("tools/list")[0]?.headers["mcp-protocol-version"], "2025-03-26");
  assert.equal(host.answers("t1").length, 1);
  await host.close();
});

test("createOpenVikingMcpProxy() refuses server/discover and answers ping without asking the server", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server));
  const discover = await host.ask("server/discover", { _meta: {} }, "server-discover-probe-1");
  assert.equal(discover.error.code, -32601);
  assert.deepEqual((await host.ask("ping")).result, {});
  assert.equal(server.arrived.length, 0);
  await host.close();
});

test("createOpenVikingMcpProxy() answers what is no message with one error and goes on [MCP-12]", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server));
  const table: readonly (readonly [line: string, id: unknown, code: number])[] = [
    ["this is not json", null, -32700],
    ["{", null, -32700],
    ["1", null, -32600],
    ["[]", null, -32600],
    ['{"id":1,"method":"ping"}', 1, -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
    ['{"jsonrpc":"2.0","id":"z"}', "z", -32600],
  ];
  for (const [line, id, code] of table) {
    const before = host.messages.length;
    host.raw(`\n   \n${line}\n`);
    await host.until(() => host.messages.length > before);
    const [answer, ...more] = host.messages.slice(before);
    assert.deepEqual([answer?.id, answer?.error.code, more.length], [id, code, 0], line);
  }
  assert.deepEqual((await host.ask("ping")).result, {});
  assert.equal(server.arrived.length, 0);
  await host.close();
});

test("createOpenVikingMcpProxy() answers a batch with one array and sends its messages singly", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server));
  await host.hello("2025-03-26");
  const batch = [
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "find" } },
    { jsonrpc: "2.0", method: "notifications/x" },
    { jsonrpc: "2.0", id: 2, method: "ping" },
  ];
  host.raw(`${JSON.stringify(batch)}\n`);
  await host.until((m) => Array.isArray(m));
  const answers = host.messages.find((m) => Array.isArray(m)) as unknown as Message[];
  assert.deepEqual(answers.map((m) => m.id), [1, 2]);
  await host.close();
});

test("createOpenVikingMcpProxy() cancels at the server and in the connection, without an answer [MCP-11]", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server));
  await host.hello();
  void host.ask("tools/call", { name: "wait" }, "c");
  await server.until(() => server.of("tools/call").length === 1);
  host.notify("notifications/cancelled", { requestId: "c", reason: "user" });
  await server.until(() => server.of("tools/call")[0]?.cut === true);
  assert.equal(server.of("notifications/cancelled")[0]?.message?.params.requestId, "c");
  host.notify("notifications/cancelled", { requestId: "nobody" });
  assert.deepEqual((await host.ask("ping")).result, {});
  await host.close();
  assert.deepEqual(host.answers("c"), []);
});

test("createOpenVikingMcpProxy() flushes the answers in flight when the input ends", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server));
  const hello = host.hello();
  const call = host.ask("tools/call", { name: "wait" }, "k");
  const closed = host.close();
  await server.until(() => server.of("tools/call").length === 1);
  server.release();
  await Promise.all([hello, call, closed]);
  assert.match(textOf(await call), /^said/);
  assert.equal(server.of("tools/call").length, 1);
});

test("createOpenVikingMcpProxy() ends without the server's answer and says so", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server), { proxy: { limits: { drainQuietMs: 50 } } });
  await host.hello();
  void host.ask("tools/call", { name: "wait" }, "k");
  await server.until(() => server.of("tools/call").length === 1);
  await host.close();
  const [answer, ...more] = host.answers("k");
  assert.equal(more.length, 0);
  assert.equal(answer?.result.isError, true);
  assert.match(textOf(answer), /ABORTED: .*may have been carried out/);
});

test("createOpenVikingMcpProxy() passes an answer of 50 MB", async () => {
  const server = await startFakeMcpServer({ form: "sse", textSize: 50_000_000 });
  const host = startBridge(personOf(server));
  await host.hello();
  assert.equal(textOf(await host.ask("tools/call", { name: "find" })).length, 50_000_000);
  await host.close();
});
