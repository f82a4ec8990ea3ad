import { test } from "node:test";
import assert from "node:assert/strict";
import { buildPluginConfig } from "../../lib/config/plugin_config.ts";
import { SETTINGS } from "../../lib/config/schema.ts";
import { forwardConnectionEnv, MCP_PROXY_ENV_VARS } from "../../lib/mcp/connection_env.ts";
import {
  buildMcpProxyConfig,
  readProxyConfig,
  toMcpProxyConfig,
} from "../../lib/mcp/proxy_config.ts";
import { createScratch } from "../support/scratch.ts";

const KEY = ["sk", "test", "1234"].join("-");

test("readProxyConfig() resolves through the loader of the hooks [CRD-04]", () => {
  const scratch = createScratch();
  scratch.write("home/.openviking/ovcli.conf", {
    url: "https://memory.example/",
    api_key: KEY,
    account: "acme",
    user: "alice",
    plugin: { mcpHiddenTools: ["x_*"], codex: { recallPeerScope: "actor" } },
  });
  const runtime = scratch.runtime();
  const config = readProxyConfig(runtime, "codex");
  const hooks = buildPluginConfig("codex", { runtime });
  assert.deepEqual(config.connection, hooks.connection);
  assert.equal(config.mcpUrl, "https://memory.example/mcp");
  assert.deepEqual(config.hiddenTools, ["x_*"]);
  assert.equal(config.peerScope, "actor");
  assert.equal(readProxyConfig(runtime, "cursor").peerScope, "all");
  const headers = config.headers("");
  assert.equal(headers["authorization"], `Bearer ${KEY}`);
  assert.equal(headers["x-openviking-account"], "acme");
  assert.match(headers["user-agent"] ?? "", /codex/);
  assert.equal(config.headers("p")["x-openviking-actor-peer"], "p");
  assert.deepEqual(config.secrets, [KEY]);
});

test("buildMcpProxyConfig() has one fingerprint for what sends the same requests", () => {
  const scratch = createScratch();
  const runtime = scratch.runtime({ OPENVIKING_URL: "http://127.0.0.1:1" });
  const settings = toMcpProxyConfig(buildPluginConfig("claude-code", { runtime }));
  const config = buildMcpProxyConfig(settings);
  const { fingerprint } = config;
  const differing = [
    { ...settings, connection: { ...settings.connection, apiKey: "k" } },
    { ...settings, connection: { ...settings.connection, mcpUrl: "http://127.0.0.1:2/mcp" } },
    { ...settings, enabled: false },
    { ...settings, hiddenTools: [] },
    { ...settings, peerScope: "actor" as const },
  ];
  for (const other of differing) {
    assert.notEqual(buildMcpProxyConfig(other).fingerprint, fingerprint);
  }
  const watched = buildMcpProxyConfig({ ...settings, watchedFiles: [] });
  assert.equal(watched.fingerprint, fingerprint);
});

test("readProxyConfig() names an engine for every configuration, and a folder-safe target", async () => {
  const scratch = createScratch();
  const local = readProxyConfig(scratch.runtime(), "claude-code");
  assert.equal(local.connection.engine, "local");
  assert.equal(await local.targetId(), "local");
  const server = readProxyConfig(
    scratch.runtime({ OPENVIKING_URL: "http://[::1]:1933/a/../b" }),
    "claude-code",
  );
  assert.match(await server.targetId(), /^[a-zA-Z0-9.-]+$/);
  assert.ok(server.watchedFiles.some((path) => path.endsWith("/.openviking/ovcli.conf")));
});

test("MCP_PROXY_ENV_VARS holds every variable that can change a request [CRD-05]", () => {
  const names = new Set(MCP_PROXY_ENV_VARS);
  assert.equal(names.size, MCP_PROXY_ENV_VARS.length);
  const scratch = createScratch();
  const read = new Set<string>();
  const runtime = scratch.runtime();
  readProxyConfig({
    ...runtime,
    env: (name) => {
      read.add(name);
      return runtime.env(name);
    },
  }, "claude-code");
  const behaviour = new Set(Object.values(SETTINGS).flatMap((setting) => setting.env));
  for (const name of read) {
    // Settings of hooks and worker are resolved as well, but nothing in this process reads them.
    if (!name.startsWith("OPENVIKING_") || behaviour.has(name)) continue;
    assert.ok(names.has(name), name);
  }
  for (const key of ["enabled", "mcpEnabled", "mcpHiddenTools", "recallPeerScope"] as const) {
    for (const name of SETTINGS[key].env) assert.ok(names.has(name), name);
  }
});

test("forwardConnectionEnv() lets a child with nothing else resolve the same connection [CRD-06]", () => {
  const scratch = createScratch();
  scratch.write("elsewhere/cli.conf", { url: "http://127.0.0.1:1", api_key: KEY, user: "u" });
  const table: readonly Record<string, string>[] = [
    {},
    { OPENVIKING_CLI_CONFIG_FILE: `${scratch.dir}/elsewhere/cli.conf` },
    { OPENVIKING_URL: "http://127.0.0.1:2", OPENVIKING_API_KEY: KEY, OPENVIKING_ACCOUNT: "a" },
    { OPENVIKING_URL: "http://127.0.0.1:2", OPENVIKING_RECALL_PEER_SCOPE: "actor" },
    { OPENVIKING_ENGINE: "local", OPENVIKING_URL: "http://127.0.0.1:2" },
  ];
  for (const variables of table) {
    const parent = scratch.runtime(variables);
    const env = forwardConnectionEnv(parent);
    const child = { ...parent, env: (name: string) => env[name] };
    assert.equal(
      readProxyConfig(child, "dsh").fingerprint,
      readProxyConfig(parent, "dsh").fingerprint,
      JSON.stringify(variables),
    );
  }
  // A file stays a file: the child notices when it changes, and the key is in no variable.
  const viaFile = forwardConnectionEnv(scratch.runtime(table[1] ?? {}));
  assert.equal(JSON.stringify(viaFile).includes(KEY), false);
});

test("forwardConnectionEnv() hands a pinned connection on as values [CRD-06]", () => {
  const scratch = createScratch();
  scratch.write("home/.openviking/ovcli.conf", { url: "http://127.0.0.1:1", api_key: "other" });
  const runtime = scratch.runtime({ OPENVIKING_URL: "http://127.0.0.1:3", OPENVIKING_USER: "x" });
  const hostInput = {
    baseUrl: "http://127.0.0.1:2",
    apiKey: KEY,
    account: "acme",
    user: "alice",
    peer: "p",
  };
  const { connection } = buildPluginConfig("dsh", { runtime, hostInput });
  const env = forwardConnectionEnv(runtime, connection);
  const child = readProxyConfig({ ...runtime, env: (name) => env[name] }, "dsh");
  const expected = buildMcpProxyConfig(
    toMcpProxyConfig(buildPluginConfig("dsh", { runtime, hostInput })),
  );
  assert.equal(child.mcpUrl, expected.mcpUrl);
  assert.deepEqual(child.headers("p"), expected.headers("p"));
  assert.equal(child.connection.peer, "p");
});
