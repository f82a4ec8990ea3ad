import { test } from "node:test";
import assert from "node:assert/strict";
import { namedProject, projectOfRoots, resolveMcpActorPeerId } from "../../lib/mcp/actor_peer.ts";
import { startFakeMcpServer } from "../support/fake_mcp_server.ts";
import { startBridge } from "../support/mcp_host.ts";
import { personOf } from "../support/mcp_person.ts";

const PEER = "x-openviking-actor-peer";

test("resolveMcpActorPeerId() names a peer only for limited reads [IDN-11] [IDN-12]", () => {
  const table = [
    { scope: "all", explicitPeer: "", projectPeer: "", id: "", warns: false },
    { scope: "all", explicitPeer: "mine", projectPeer: "proj", id: "", warns: false },
    { scope: "actor", explicitPeer: "mine", projectPeer: "proj", id: "mine", warns: false },
    { scope: "actor", explicitPeer: "", projectPeer: "proj", id: "proj", warns: false },
    { scope: "actor", explicitPeer: "", projectPeer: "", id: "", warns: true },
  ] as const;
  for (const row of table) {
    const peer = resolveMcpActorPeerId(row);
    assert.deepEqual(
      [peer.id, peer.warning !== undefined],
      [row.id, row.warns],
      JSON.stringify(row),
    );
  }
});

test("namedProject() takes one folder and no guess between several", () => {
  const path = ["turn", "workspaces"];
  const params = (workspaces: object) => ({ _meta: { turn: { workspaces: workspaces as never } } });
  assert.equal(namedProject(params({ "/w/app": {} }), path), "/w/app");
  assert.equal(namedProject(params({ "/w/app": {}, "/w/lib": {} }), path), "");
  assert.equal(namedProject(params({}), path), "");
  assert.equal(namedProject(params(["/w"]), path), "");
  assert.equal(namedProject({ _meta: 1 }, path), "");
  assert.equal(namedProject(undefined, path), "");
  assert.equal(namedProject(params({ "/w/app": {} }), []), "");
});

test("projectOfRoots() takes one file root", () => {
  const root = (uri: unknown) => ({ roots: [{ uri }] });
  assert.equal(projectOfRoots(root("file:///w/my%20app")), "/w/my app");
  assert.equal(projectOfRoots(root("file:///C:/w")), "C:/w");
  assert.equal(projectOfRoots({ roots: [{ uri: "file:///a" }, { uri: "file:///b" }] }), "");
  for (
    const odd of [root("https://x/y"), root(1), root("file:///%E0%A4%A"), { roots: 1 }, null, 1]
  ) {
    assert.equal(projectOfRoots(odd), "");
  }
});

test("createOpenVikingMcpProxy() sends no peer for broad reads, whatever is configured [IDN-11]", async () => {
  const server = await startFakeMcpServer();
  const host = startBridge(personOf(server, { actor_peer_id: "mine" }));
  await host.hello("2025-06-18", { roots: {} });
  await host.ask("tools/call", { name: "find" });
  assert.equal(server.of("tools/call")[0]?.headers[PEER], undefined);
  assert.equal(host.messages.some((m) => m.method === "roots/list"), false);
  await host.close();
});

test("createOpenVikingMcpProxy() sends the explicit peer for limited reads [IDN-11]", async () => {
  const server = await startFakeMcpServer();
  const env = { OPENVIKING_RECALL_PEER_SCOPE: "actor" };
  const host = startBridge(personOf(server, { actor_peer_id: "mine" }), { env });
  await host.hello();
  await host.ask("tools/call", { name: "find" });
  assert.equal(server.of("tools/call")[0]?.headers[PEER], "mine");
  await host.close();
});

test("createOpenVikingMcpProxy() warns once and reads broadly without an explicit peer [IDN-12]", async () => {
  const server = await startFakeMcpServer();
  const env = { OPENVIKING_RECALL_PEER_SCOPE: "actor" };
  const host = startBridge(personOf(server), { env });
  await host.hello();
  await host.ask("tools/call", { name: "find" });
  await host.ask("tools/call", { name: "find" });
  assert.deepEqual(server.of("tools/call").map((a) => a.headers[PEER]), [undefined, undefined]);
  assert.equal(host.warnings.filter((text) => text.includes("recallPeerScope")).length, 1);
  await host.close();
});

test("createOpenVikingMcpProxy() uses the project that the host names, by call or by roots [IDN-11]", async () => {
  const server = await startFakeMcpServer();
  const proxy = {
    resolvePeer: (folder: string) => `peer-of-${folder.split("/").at(-1)}`,
    projectMetaPath: ["turn", "workspaces"],
  };
  const env = { OPENVIKING_RECALL_PEER_SCOPE: "actor" };
  const host = startBridge(personOf(server), { env, proxy });
  await host.hello("2025-06-18", { roots: { listChanged: true } });
  const asked = await host.until((m) => m.method === "roots/list");
  host.raw(`{"jsonrpc":"2.0","id":"${asked.id}","result":{"roots":[{"uri":"file:///w/app"}]}}\n`);
  await host.ask("tools/call", { name: "find" });
  const _meta = { turn: { workspaces: { "/w/lib": {} } } };
  await host.ask("tools/call", { name: "find", _meta });
  assert.deepEqual(server.of("tools/call").map((a) => a.headers[PEER]), [
    "peer-of-app",
    "peer-of-lib",
  ]);
  assert.equal(server.arrived.some((a) => a.message?.result?.roots !== undefined), false);
  await host.close();

  const without = startBridge(personOf(server), {
    env: { ...env, OPENVIKING_WORKSPACE_PEER: "0" },
    proxy,
  });
  await without.hello();
  await without.ask("tools/call", { name: "find", _meta });
  assert.equal(server.of("tools/call").at(-1)?.headers[PEER], undefined);
  await without.close();
});
