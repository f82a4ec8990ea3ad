import { test } from "node:test";
import assert from "node:assert/strict";
import { startFakeMcpServer } from "../support/fake_mcp_server.ts";
import { startBridge } from "../support/mcp_host.ts";
import { configure, personOf, TEST_KEY, textOf } from "../support/mcp_person.ts";
import type { LocalToolProvider } from "../../lib/mcp/types.ts";

const tool = (name: string): object => ({
  name,
  description: name,
  inputSchema: { type: "object" },
});

const local = (scope: LocalToolProvider["scope"], ...names: string[]): LocalToolProvider => ({
  scope,
  tools: names.map((name) => ({
    name,
    description: name,
    inputSchema: { type: "object" },
    call: (args) =>
      "fail" in args ? Promise.reject(new Error("broken")) : Promise.resolve(`local ${name}`),
  })),
});

// deno-lint-ignore no-explicit-any
const names = (message: { result?: any }): string[] =>
  // deno-lint-ignore no-explicit-any
  (message.result?.tools ?? []).map((listed: any) => listed.name);

test("createOpenVikingMcpProxy() hides the administrator's tools and refuses their calls", async () => {
  const tools = ["privacy_resolve", "find", "set_acl", "list_users", "list_groups", "list"].map(
    tool,
  );
  const server = await startFakeMcpServer({ tools });
  const host = startBridge(personOf(server));
  await host.hello();
  const listed = await host.ask("tools/list");
  assert.equal(JSON.stringify(listed.result.tools), JSON.stringify([tools[1], tools[5]]));
  const call = await host.ask("tools/call", { name: "privacy_resolve", arguments: {} });
  assert.match(textOf(call), /^NOT_FOUND: .*mcpHiddenTools/);
  assert.equal(call.result.isError, true);
  assert.equal(server.of("tools/call").length, 0);
  await host.close();

  const all = startBridge(personOf(server), { env: { OPENVIKING_MCP_HIDDEN_TOOLS: "find" } });
  await all.hello();
  assert.equal(names(await all.ask("tools/list")).includes("privacy_resolve"), true);
  assert.equal(names(await all.ask("tools/list")).includes("find"), false);
  await all.close();
});

test("createOpenVikingMcpProxy() gives the list last seen for this target while the server is away", async () => {
  const server = await startFakeMcpServer({ tools: ["find", "privacy_x"].map(tool) });
  const person = personOf(server);
  const first = startBridge(person);
  await first.hello();
  await first.ask("tools/list");
  await first.close();
  await server.close();

  const provider = local("fallback", "status");
  const second = startBridge(person, { proxy: { localToolProvider: provider } });
  await second.hello();
  assert.deepEqual(names(await second.ask("tools/list")), ["find"]);
  await second.close();

  configure(person, { url: "http://127.0.0.1:9", api_key: TEST_KEY });
  const other = startBridge(person, { proxy: { localToolProvider: provider } });
  await other.hello();
  assert.deepEqual(names(await other.ask("tools/list")), ["status"]);
  assert.equal(textOf(await other.ask("tools/call", { name: "status" })), "local status");
  const failed = await other.ask("tools/call", { name: "status", arguments: { fail: 1 } });
  assert.equal(textOf(failed), "INTERNAL: broken");
  assert.equal(failed.result.isError, true);
  await other.close();
});

test("createOpenVikingMcpProxy() does not let a slow server hold up a host that has a list to get", async () => {
  const server = await startFakeMcpServer({ tools: [tool("find")] });
  const person = personOf(server);
  const first = startBridge(person);
  await first.hello();
  await first.ask("tools/list");
  await first.close();

  server.holdInitialize = true;
  server.behaviour.tools = ["find", "grep"].map(tool);
  const host = startBridge(person, {
    proxy: { limits: { initializeAnswerMs: 10, listPatienceMs: 10 } },
  });
  await host.hello();
  assert.deepEqual(names(await host.ask("tools/list")), ["find"]);
  server.release();
  await host.until((m) => m.method === "notifications/tools/list_changed");
  assert.deepEqual(names(await host.ask("tools/list")), ["find", "grep"]);
  await host.close();
});

test("createOpenVikingMcpProxy() never prefers a local tool to a server tool of its name [MCP-05]", async () => {
  const server = await startFakeMcpServer({ tools: ["find", "status"].map(tool) });
  const host = startBridge(personOf(server), {
    proxy: { localToolProvider: local("always", "status", "doctor") },
  });
  await host.hello();
  assert.deepEqual(names(await host.ask("tools/list")), ["find", "status", "doctor"]);
  assert.match(textOf(await host.ask("tools/call", { name: "status" })), /^said/);
  assert.equal(textOf(await host.ask("tools/call", { name: "doctor" })), "local doctor");
  assert.deepEqual(host.warnings.filter((text) => text.includes("status")).length, 1);
  await host.close();
});

test("createOpenVikingMcpProxy() offers no fallback tool beside the server's own list [MCP-05]", async () => {
  const server = await startFakeMcpServer({ tools: [tool("find")] });
  const host = startBridge(personOf(server), {
    proxy: { localToolProvider: local("fallback", "status") },
  });
  await host.hello();
  assert.deepEqual(names(await host.ask("tools/list")), ["find"]);
  await host.ask("tools/call", { name: "status" });
  assert.equal(server.of("tools/call").length, 1);
  await host.close();
});

test("createOpenVikingMcpProxy() passes pages of a list with their cursors", async () => {
  const server = await startFakeMcpServer();
  const pages: Record<string, object> = {
    first: { tools: [tool("find"), tool("set_acl")], nextCursor: "second", extra: 1 },
    second: { tools: [tool("read")] },
  };
  const host = startBridge(personOf(server), {
    proxy: {
      localToolProvider: local("always", "doctor"),
      fetch: async (url, init) => {
        const message = JSON.parse(await new Response(init.body).text());
        if (message.method !== "tools/list") {
          return await fetch(url, { ...init, body: JSON.stringify(message) });
        }
        const result = pages[message.params?.cursor ?? "first"];
        return Response.json({ jsonrpc: "2.0", id: message.id, result });
      },
    },
  });
  await host.hello();
  const first = await host.ask("tools/list");
  assert.deepEqual(names(first), ["find", "doctor"]);
  assert.deepEqual([first.result.nextCursor, first.result.extra], ["second", 1]);
  assert.deepEqual(names(await host.ask("tools/list", { cursor: "second" })), ["read"]);
  await host.close();
});
