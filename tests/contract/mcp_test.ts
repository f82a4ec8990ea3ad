/**
 * The bridge to the real server, driven by the MCP SDK's client.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createFetchTransport } from "../../lib/http/fetch_transport.ts";
import { trustedHeaders } from "../support/contract_engines.ts";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { projectRoot } from "../support/project.ts";
import { type RealServer, requireServer } from "../support/requirements.ts";
import { createScratch } from "../support/scratch.ts";
import { SKILL_SURFACES } from "../../skills/surfaces.ts";

/** A client whose server is the bridge, configured as `user` of the real server. */
async function connect(t: TestContext, server: RealServer, user: string): Promise<Client> {
  const scratch = createScratch();
  const { url, rootKey } = server;
  scratch.write("home/.openviking/ovcli.conf", { url, api_key: rootKey, account: "acme", user });
  const client = new Client({ name: "sdk", version: "1" });
  const bridge = ["run", "-A", "--no-check", "--quiet", join(projectRoot, "mcp/main.ts")];
  await client.connect(
    new StdioClientTransport({
      command: Deno.execPath(),
      args: [...bridge, "--host", "codex"],
      env: await isolatedEnvironment(scratch.home),
      cwd: scratch.home,
      stderr: "ignore",
    }),
  );
  t.after(() => client.close());
  return client;
}

/** The server's own list, without the bridge. */
async function listDirectly(server: RealServer, user: string): Promise<{ name: string }[]> {
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      ...trustedHeaders(server, user),
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const data = /^data: (.*)$/m.exec(await response.text())?.[1] ?? "";
  return JSON.parse(data).result.tools;
}

test("runMcp() lists the real server's tools as they are, without those that are hidden [MCP-04] [SKL-02]", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const user = `m${randomUUID().slice(0, 8)}`;
  const client = await connect(t, server, user);
  const { tools } = await client.listTools();
  const visible = SKILL_SURFACES.server.tools;
  assert.deepEqual(tools.map((tool) => tool.name).sort(), [...visible].sort());
  const direct = await listDirectly(server, user);
  assert.deepEqual(tools, direct.filter((tool) => visible.includes(tool.name)));
});

test("runMcp() hands the real server what to remember without its secrets [MCP-02]", async (t) => {
  const server = requireServer(t);
  if (server === undefined) return;
  const user = `m${randomUUID().slice(0, 8)}`;
  const client = await connect(t, server, user);
  const token = ["ghp", "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"].join("_");
  const content = `NOMEMORY The release train is called PELICAN-7, its token is ${token}.`;
  const kept = await client.callTool({
    name: "remember",
    arguments: { messages: [{ role: "user", content }] },
  });
  const session = /mcp-store-[0-9a-f]+/.exec(JSON.stringify(kept))?.[0] ?? "";
  assert.notEqual(session, "", JSON.stringify(kept));
  const send = createFetchTransport(server.url);
  const answer = await send({
    method: "GET",
    path: `/api/v1/content/read?uri=${
      encodeURIComponent(`viking://~/sessions/${session}/history/archive_001/messages.jsonl`)
    }`,
    headers: trustedHeaders(server, user),
  });
  const stored = JSON.stringify(answer.body);
  assert.match(stored, /PELICAN-7/);
  assert.ok(!stored.includes(token));
  const health = await client.callTool({ name: "health", arguments: {} });
  assert.match(JSON.stringify(health), /healthy/);
  const refused = await client.callTool({ name: "privacy_tree", arguments: {} });
  assert.match(JSON.stringify(refused), /hidden by the setting mcpHiddenTools/);
});
