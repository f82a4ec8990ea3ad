/**
 * Promises about keys: none reaches a host's configuration, and the server's own is never borrowed.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HARNESS_KEYS } from "../../lib/config/harness.ts";
import { buildPluginConfig } from "../../lib/config/plugin_config.ts";
import { runInstall } from "../../install/commands.ts";
import { installHome, standInBundles } from "../support/install_home.ts";
import { makePerson } from "../support/person.ts";
import { projectRoot } from "../support/project.ts";
import { createScratch } from "../support/scratch.ts";
import { readSourceTree } from "../structure/source_tree.ts";

// What only a made-up test key looks like; assembled so that no scanner takes it for one.
const KEY = ["made", "up", "key", "4711"].join("-");

/** Files below `folder` that hold `text`. */
function holding(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
    .map((path) => path.slice(folder.length + 1));
}

test("install leaves a chosen connection alone and puts its key into no file of a host [CRD-09]", async () => {
  const home = installHome();
  const conf = `{ // mine\n  "url": "https://memory.example.com",\n  "api_key": "${KEY}",\n}\n`;
  home.plant(".openviking/ovcli.conf", { text: conf, mode: 0o600 });
  home.plant(".claude/settings.json", '{"model": "x"}\n');
  const runtime = home.with({
    env: { OPENVIKING_API_KEY: KEY, OPENVIKING_URL: "http://elsewhere.invalid:1" },
  });
  const report = await runInstall(runtime, { hosts: ["claude-code"], bundles: standInBundles() });
  assert.ok(report.ok, JSON.stringify(report));
  assert.deepEqual(holding(home.home, KEY), [".openviking/ovcli.conf"]);
  assert.deepEqual(holding(home.home, "elsewhere.invalid"), []);
  const { connection } = buildPluginConfig("claude-code", { runtime: home.runtime });
  assert.deepEqual([connection.baseUrl, connection.apiKey], ["https://memory.example.com", KEY]);
  assert.ok(home.read(".openviking/ovcli.conf").startsWith("{ // mine"));
});

test("no host borrows the server's root key, and none asks to [CRD-15]", () => {
  const scratch = createScratch();
  scratch.write("home/.openviking/ov.conf", { server: { port: 9, root_api_key: KEY } });
  const runtime = scratch.runtime();
  for (const host of HARNESS_KEYS) {
    const { connection } = buildPluginConfig(host, { runtime });
    assert.equal(connection.baseUrl, "http://127.0.0.1:9", host);
    assert.equal(connection.apiKey, "", host);
  }
  const asked = buildPluginConfig("claude-code", { runtime, rootKeyFallback: true });
  assert.equal(asked.connection.apiKey, KEY, "the fallback is there, and off");
  const callers = [...readSourceTree(projectRoot)].filter(([path, text]) =>
    !path.startsWith("tests/") && /rootKeyFallback:\s*true/.test(text)
  );
  assert.deepEqual(callers.map(([path]) => path), []);
});

test("install by the command line prints no key [CRD-09]", async () => {
  const person = await makePerson();
  try {
    const args = ["install", "--host", "claude-code", "--yes", "--dry-run"];
    const server = ["--server", "http://127.0.0.1:9", "--api-key-stdin"];
    const end = person.run([...args, ...server], { stdin: `${KEY}\n` });
    assert.equal(end.code, 0, end.err);
    assert.ok(!(end.out + end.err).includes(KEY));
    assert.deepEqual(holding(person.home, KEY), []);
  } finally {
    person.close();
  }
});
