import { test } from "node:test";
import assert from "node:assert/strict";
import type { Behaviour } from "../support/fake_mcp_server.ts";
import { startFakeMcpServer } from "../support/fake_mcp_server.ts";
import { startBridge } from "../support/mcp_host.ts";
import { configure, personOf, TEST_KEY, textOf } from "../support/mcp_person.ts";

interface Failing {
  readonly fault: NonNullable<Behaviour["fault"]>;
  readonly words: RegExp;
  readonly category: string;
  readonly status: number;
  /** JSON-RPC code for requests that are no tool call. */
  readonly code: number;
}

const FAULTS: readonly Failing[] = [
  {
    fault: "drop",
    words: /^UNAVAILABLE: .*without an answer.*may have been carried out/,
    category: "unreachable",
    status: 0,
    code: -32003,
  },
  {
    fault: "html",
    words: /^INVALID_RESPONSE: .*text\/html/,
    category: "protocol",
    status: 0,
    code: -32004,
  },
  { fault: "500", words: /^INTERNAL: .*500: boom/, category: "server", status: 500, code: -32002 },
  {
    fault: "429",
    words: /^RESOURCE_EXHAUSTED: .*429: slow down/,
    category: "busy",
    status: 429,
    code: -32002,
  },
  {
    fault: "truncated",
    words: /^UNAVAILABLE: .*broke during the answer/,
    category: "unreachable",
    status: 0,
    code: -32003,
  },
  {
    fault: "empty",
    words: /^INVALID_RESPONSE: .*empty/,
    category: "protocol",
    status: 0,
    code: -32004,
  },
  {
    fault: "error-body",
    words: /^REFUSED: .*406: Not Acceptable/,
    category: "refused",
    status: 406,
    code: -32002,
  },
  {
    fault: "redirect",
    words: /^REFUSED: .*307: .*redirects/,
    category: "refused",
    status: 307,
    code: -32002,
  },
  {
    fault: "ended-stream",
    words: /^UNAVAILABLE: .*stream ended/,
    category: "unreachable",
    status: 0,
    code: -32003,
  },
];

test("createOpenVikingMcpProxy() answers a failed request once, under its id, with what happened [MCP-15] [MCP-16]", async () => {
  for (const { fault, words, category, status, code } of FAULTS) {
    const server = await startFakeMcpServer();
    const host = startBridge(personOf(server));
    await host.hello();
    server.behaviour.fault = fault;
    const call = await host.ask("tools/call", { name: "remember" }, "c");
    assert.equal(call.result?.isError, true, fault);
    assert.match(textOf(call), words, fault);
    assert.deepEqual(call.result._meta["openviking/failure"].category, category, fault);
    assert.deepEqual(call.result._meta["openviking/failure"].status, status, fault);
    const other = await host.ask("prompts/list", {}, 7);
    assert.deepEqual([other.error.code, other.error.data.category], [code, category], fault);
    // Not even a call that only reads is repeated: what was sent once is sent once.
    assert.equal(server.of("tools/call").length, 1, fault);
    assert.equal(server.of("prompts/list").length, 1, fault);
    server.behaviour.fault = undefined;
    assert.match(textOf(await host.ask("tools/call", { name: "find" })), /^said/, fault);
    await host.close();
    assert.deepEqual([host.answers("c").length, host.answers(7).length], [1, 1], fault);
  }
});

test("createOpenVikingMcpProxy() sends a call once when a pooled connection is cut [MCP-15]", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server));
  await host.hello();
  for (let round = 0; round < 10; round++) {
    server.behaviour.fault = undefined;
    await host.ask("tools/call", { name: "find" }); // leaves a connection in the pool
    server.behaviour.fault = "drop";
    const before = server.of("tools/call").length;
    assert.match(textOf(await host.ask("tools/call", { name: "remember" })), /^UNAVAILABLE/);
    assert.equal(server.of("tools/call").length - before, 1);
  }
  await host.close();
});

test("createOpenVikingMcpProxy() restores the id of an answer that carries another", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server));
  await host.hello();
  server.behaviour.fault = "foreign-id";
  const answer = await host.ask("tools/call", { name: "find" }, 42);
  assert.match(textOf(answer), /^said/);
  assert.equal(host.messages.some((m) => m.id === "42"), false);
  await host.close();
});

test("createOpenVikingMcpProxy() recovers an expired session once for all who wait [MCP-13]", async () => {
  const table = [
    { status: 404, message: "Session not found" },
    { status: 400, message: "Bad Request: No valid session ID provided" },
    { status: 401, message: "Unauthorized" }, // although the key is good: BR-108
  ];
  for (const lost of table) {
    const server = await startFakeMcpServer({ sessions: true, lost });
    const host = startBridge(personOf(server));
    await host.hello();
    await host.ask("tools/call", { name: "find" });
    const [first] = server.sessions;
    server.sessions.clear();
    const answers = await Promise.all(
      [1, 2, 3].map((n) => host.ask("tools/call", { name: "find", arguments: { n } })),
    );
    for (const answer of answers) assert.match(textOf(answer), /^said/, lost.message);
    assert.equal(server.of("initialize").length, 2, lost.message);
    assert.equal(server.sessions.size, 1);
    assert.deepEqual(
      server.of("initialize")[1]?.message?.params,
      server.of("initialize")[0]?.message?.params,
    );
    assert.notEqual([...server.sessions][0], first);
    assert.equal(host.messages.filter((m) => m.result?.serverInfo !== undefined).length, 1);
    await host.close();
    await server.until(() => server.sessions.size === 0); // ended at the server as well
  }
});

test("createOpenVikingMcpProxy() gives up on a session that is lost again at once [MCP-13]", async () => {
  const server = await startFakeMcpServer({ sessions: true });
  const host = startBridge(personOf(server));
  await host.hello();
  server.sessions.add = () => server.sessions; // forgets every new one
  server.sessions.clear();
  assert.match(textOf(await host.ask("tools/call", { name: "find" })), /404: Session not found/);
  assert.equal(server.of("tools/call").length, 2);
  await host.close();
});

test("createOpenVikingMcpProxy() opens a session for a host that never initialised", async () => {
  const server = await startFakeMcpServer({ sessions: true });
  const host = startBridge(personOf(server));
  assert.match(textOf(await host.ask("tools/call", { name: "find" })), /^said/);
  await host.close();
});

test("createOpenVikingMcpProxy() tells a refused key once and does not show it [MCP-16]", async () => {
  const server = await startFakeMcpServer({ keys: [TEST_KEY] });
  const person = personOf(server);
  const host = startBridge(person);
  await host.hello();
  server.behaviour.keys = ["key-2"];
  server.arrived.length = 0;
  const refused = await host.ask("tools/call", { name: "find" });
  assert.equal(refused.result.isError, true);
  assert.match(
    textOf(refused),
    /^UNAUTHENTICATED: .*ovcli\.conf \(401: Invalid API key: Bearer \*\*\*\)/,
  );
  assert.deepEqual([server.of("tools/call").length, server.of("initialize").length], [1, 0]);
  assert.equal(JSON.stringify(host.messages).includes(TEST_KEY), false);
  const listed = await host.ask("resources/list");
  assert.equal(listed.error.code, -32001);
  await host.close();
});

test("createOpenVikingMcpProxy() takes a changed key up in the running process [MCP-14]", async () => {
  const server = await startFakeMcpServer({ keys: [TEST_KEY] });
  const person = personOf(server);
  const host = startBridge(person);
  await host.hello();
  server.behaviour.keys = ["key-2"];
  assert.match(textOf(await host.ask("tools/call", { name: "find" })), /^UNAUTHENTICATED/);
  configure(person, { url: server.url, api_key: "key-2" });
  const answers = await Promise.all(
    [1, 2, 3].map((n) => host.ask("tools/call", { name: "find", arguments: { n } })),
  );
  for (const answer of answers) assert.match(textOf(answer), /^said/);
  await host.close();
});

test("createOpenVikingMcpProxy() reads the files anew on 401 although they look unchanged [MCP-14]", async () => {
  const server = await startFakeMcpServer({ keys: [TEST_KEY] });
  const person = personOf(server);
  const runtime = person.runtime();
  const frozen = { kind: "file", size: 1, mtimeMs: 1, inode: 1, device: 1, mode: 0o600 } as const;
  const host = startBridge(person, { proxy: { files: { ...runtime.files, stat: () => frozen } } });
  await host.hello();
  server.behaviour.keys = ["key-2"];
  configure(person, { url: server.url, api_key: "key-2" });
  server.arrived.length = 0;
  const answers = await Promise.all(
    [1, 2, 3].map((n) => host.ask("tools/call", { name: "find", arguments: { n } })),
  );
  for (const answer of answers) assert.match(textOf(answer), /^said/);
  assert.ok(server.of("tools/call").length <= 6); // at most one repetition each
  await host.close();
});

test("createOpenVikingMcpProxy() goes to another server when the profile changes [MCP-14]", async () => {
  const first = await startFakeMcpServer();
  const second = await startFakeMcpServer();
  const person = personOf(first);
  const host = startBridge(person);
  await host.hello();
  await host.ask("tools/call", { name: "find" });
  configure(person, { url: second.url, api_key: "key-2", account: "a", user: "u" });
  await host.ask("tools/call", { name: "find" });
  assert.equal(first.of("tools/call").length, 1);
  const [call] = second.of("tools/call");
  assert.equal(call?.headers.authorization, "Bearer key-2");
  assert.equal(second.of("initialize").length, 1);
  assert.equal(second.of("notifications/initialized").length, 1);
  await host.close();
});

test("createOpenVikingMcpProxy() stays alive beside a dead server and recovers [MCP-16]", async () => {
  const server = await startFakeMcpServer();
  const person = personOf(server);
  await server.close();
  const host = startBridge(person);
  const hello = await host.hello();
  assert.equal(hello.result.protocolVersion, "2025-06-18");
  assert.match(
    textOf(await host.ask("tools/call", { name: "find" })),
    /^UNAVAILABLE: Cannot reach .*connection refused\. Nothing was sent/,
  );
  assert.deepEqual((await host.ask("tools/list")).result, { tools: [] });
  const alive = await startFakeMcpServer();
  configure(person, { url: alive.url, api_key: TEST_KEY });
  assert.match(textOf(await host.ask("tools/call", { name: "find" })), /^said/);
  await host.until((m) => m.method === "notifications/tools/list_changed");
  assert.equal((await host.ask("tools/list")).result.tools.length, 2);
  await host.close();
});

test("createOpenVikingMcpProxy() says what is wrong with a broken configuration or a switched-off memory", async () => {
  const server = await startFakeMcpServer();
  const off = startBridge(personOf(server), { env: { OPENVIKING_MEMORY_ENABLED: "0" } });
  assert.ok((await off.hello()).result);
  assert.deepEqual((await off.ask("tools/list")).result, { tools: [] });
  assert.match(textOf(await off.ask("tools/call", { name: "find" })), /^DISABLED/);
  await off.close();

  const person = personOf(server);
  person.write("home/.openviking/ovcli.conf", "{ not json");
  const broken = startBridge(person);
  assert.ok((await broken.hello()).result);
  assert.match(
    textOf(await broken.ask("tools/call", { name: "find" })),
    /^INVALID_CONFIGURATION: .*ovcli\.conf/,
  );
  configure(person, { url: server.url, api_key: TEST_KEY });
  assert.match(textOf(await broken.ask("tools/call", { name: "find" })), /^said/);
  await broken.close();

  const split = startBridge(personOf(server, { api_key: "two\nlines" }));
  assert.ok((await split.hello()).result);
  assert.match(textOf(await split.ask("tools/call", { name: "find" })), /^INVALID_CONFIGURATION/);
  await split.close();
  assert.deepEqual(server.of("tools/call").length, 1);
});

test("createOpenVikingMcpProxy() passes a server's refusal of initialize to the host", async () => {
  const server = await startFakeMcpServer();
  const refusal = {
    jsonrpc: "2.0",
    id: "t1",
    error: { code: -32602, message: "Unsupported version" },
  };
  const host = startBridge(personOf(server), {
    proxy: { fetch: () => Promise.resolve(Response.json(refusal)) },
  });
  assert.deepEqual((await host.hello("1999-01-01")).error, refusal.error);
  await host.close();
});

test("createOpenVikingMcpProxy() ends at once when nobody reads its output", async () => {
  const server = await startFakeMcpServer();
  let ended = false;
  const host = startBridge(personOf(server), {
    proxy: {
      output: () => {
        ended = true;
        return Promise.reject(new Error("EPIPE"));
      },
    },
  });
  host.raw('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await host.stop();
  assert.equal(ended, true);
});
