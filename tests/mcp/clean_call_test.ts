/**
 * What the model tells a server to keep leaves without secrets; everything else as it came.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { startFakeMcpServer } from "../support/fake_mcp_server.ts";
import { startBridge } from "../support/mcp_host.ts";
import { personOf } from "../support/mcp_person.ts";

/** Looks like a token of GitHub; assembled so that no scanner takes it for one. */
const TOKEN = ["ghp", "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"].join("_");
const TEXT = `deploy with ${TOKEN}`;
const CLEAN = "deploy with [redacted:github-token]";

const remembered = (content: string) => ({ messages: [{ role: "user", content }] });

const CASES: readonly {
  readonly name: string;
  readonly tool: string;
  readonly given: Record<string, unknown>;
  readonly sent: Record<string, unknown>;
  readonly plugin?: Record<string, unknown>;
}[] = [
  { name: "remember", tool: "remember", given: remembered(TEXT), sent: remembered(CLEAN) },
  {
    name: "write",
    tool: "write",
    given: { uri: "viking://user/a.md", content: TEXT, mode: "append" },
    sent: { uri: "viking://user/a.md", content: CLEAN, mode: "append" },
  },
  {
    name: "edit",
    tool: "edit",
    given: { uri: "viking://user/a.md", old_string: "x", new_string: TEXT, n: [1, null, true] },
    sent: { uri: "viking://user/a.md", old_string: "x", new_string: CLEAN, n: [1, null, true] },
  },
  {
    name: "remember of a private block",
    tool: "remember",
    given: remembered("a <private>b</private>c"),
    sent: remembered("a c"),
  },
  { name: "find", tool: "find", given: { query: TEXT }, sent: { query: TEXT } },
  {
    name: "remember with redaction off",
    tool: "remember",
    given: remembered(TEXT),
    sent: remembered(TEXT),
    plugin: { redact: false },
  },
  {
    name: "remember with an expression of the user's",
    tool: "remember",
    given: remembered("ticket ACME-77"),
    sent: remembered("ticket [redacted:pattern]"),
    plugin: { redactPatterns: ["ACME-\\d+"] },
  },
];

for (const { name, tool, given, sent, plugin } of CASES) {
  test(`createOpenVikingMcpProxy() sends arguments as they may be kept when the call is ${name}`, async () => {
    const server = await startFakeMcpServer();
    const host = startBridge(personOf(server, plugin === undefined ? {} : { plugin }));
    await host.hello();
    const _meta = { progressToken: 7 };
    await host.ask("tools/call", { name: tool, arguments: given, _meta });
    const [arrived] = server.of("tools/call");
    assert.deepEqual(arrived?.message?.params, { name: tool, arguments: sent, _meta });
    await host.close();
  });
}

test("createOpenVikingMcpProxy() does not rewrite a call of remember that holds no secret", async () => {
  const server = await startFakeMcpServer();
  const bodies: string[] = [];
  const host = startBridge(personOf(server), {
    proxy: {
      fetch: async (url, init) => {
        const body = await new Response(init.body).text();
        bodies.push(body);
        return await fetch(url, { ...init, body });
      },
    },
  });
  await host.hello();
  const text =
    '{ "jsonrpc":"2.0", "id":"r", "method":"tools/call",  "params":{"name":"remember","arguments":{"n":12345678901234567890}}}';
  host.raw(`${text}\n`);
  await host.until((message) => message.id === "r");
  assert.ok(bodies.includes(text));
  await host.close();
});
