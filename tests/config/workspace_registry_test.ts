import { test } from "node:test";
import assert from "node:assert/strict";
import { buildPluginConfig } from "../../lib/config/plugin_config.ts";
import {
  forgetWorkspace,
  listWorkspaces,
  setWorkspaceValue,
} from "../../lib/config/workspace_registry.ts";
import { createScratch } from "../support/scratch.ts";

const scratch = createScratch();
const runtime = scratch.runtime();
const agent = `${scratch.home}/.openviking/agent`;
scratch.write("repo/.git/HEAD", "ref: refs/heads/main\n");
scratch.write("repo/src/file", "");
scratch.write("repository/file", "");
const repo = `${scratch.dir}/repo`;

const limitIn = (cwd: string) => buildPluginConfig("pi", { runtime, cwd }).settings.recallLimit;

test("setWorkspaceValue() sets a value for the root of the repository and below it", () => {
  const change = setWorkspaceValue(runtime, agent, `${repo}/src`, "recallLimit", "7");
  assert.deepEqual(change, { ok: true, path: repo, key: "recallLimit", value: 7 });
  assert.deepEqual([repo, `${repo}/src`, `${scratch.dir}/repository`].map(limitIn), [7, 7, 10]);
  assert.deepEqual(listWorkspaces(runtime, agent), [{ path: repo, values: { recallLimit: 7 } }]);
  assert.equal(runtime.files.stat(`${agent}/workspaces.json`)?.mode, 0o600);
  const config = buildPluginConfig("pi", { runtime, cwd: repo });
  assert.deepEqual(config.origin("recallLimit"), {
    layer: "workspace-registry",
    source: `${agent}/workspaces.json`,
    configured: true,
  });
});

test("setWorkspaceValue() accepts aliases, words and JSON, and replaces what was set before", () => {
  const set = (name: string, text: string) => setWorkspaceValue(runtime, agent, repo, name, text);
  assert.ok(set("recallScoreThreshold", "0.5").ok);
  assert.ok(set("autoCapture", "off").ok);
  assert.ok(set("bypassSessionPatterns", '["/a,b"]').ok);
  assert.ok(set("scoreThreshold", "0.6").ok);
  assert.deepEqual(listWorkspaces(runtime, agent)[0]?.values, {
    recallLimit: 7,
    autoCapture: false,
    bypassSessionPatterns: ["/a,b"],
    scoreThreshold: 0.6,
  });
});

test("setWorkspaceValue() takes a value back with null", () => {
  assert.ok(setWorkspaceValue(runtime, agent, repo, "recallLimit", "null").ok);
  assert.equal(limitIn(repo), 10);
});

const REFUSED: readonly (readonly [name: string, text: string, why: RegExp])[] = [
  ["recallLimit", "many", /^Cannot set recallLimit: "many" is not a whole number from 1 to 50$/],
  ["nonsense", "1", /^Cannot set nonsense: there is no such setting/],
  ["api_key", "k", /^Cannot set api_key: a connection is not set per workspace/],
  ["engine", "local", /^Cannot set engine: a connection is not set per workspace/],
];

for (const [name, text, why] of REFUSED) {
  test(`setWorkspaceValue() refuses ${name} ${text} and writes nothing [CFG-11]`, () => {
    const path = `${agent}/workspaces.json`;
    const before = runtime.files.readText(path);
    const change = setWorkspaceValue(runtime, agent, repo, name, text);
    assert.ok(!change.ok);
    assert.match(change.message, why);
    assert.equal(runtime.files.readText(path), before);
  });
}

test("buildPluginConfig() takes the nearest registered folder", () => {
  assert.ok(setWorkspaceValue(runtime, agent, `${scratch.dir}/repository`, "recallLimit", "3").ok);
  scratch.write("home/.openviking/agent/workspaces.json", {
    version: 1,
    workspaces: { [scratch.dir]: { recallLimit: 2 }, [repo]: { recallLimit: 4 } },
  });
  assert.deepEqual([repo, `${repo}/src`, `${scratch.dir}/repository`].map(limitIn), [4, 4, 2]);
});

test("forgetWorkspace() removes a workspace, also one whose folder is gone", () => {
  scratch.write("home/.openviking/agent/workspaces.json", {
    version: 1,
    workspaces: { [repo]: {}, [`${repo}/gone`]: {} },
  });
  assert.equal(forgetWorkspace(runtime, agent, `${repo}/gone`), `${repo}/gone`);
  assert.equal(forgetWorkspace(runtime, agent, `${repo}/gone`), undefined);
  assert.equal(forgetWorkspace(runtime, agent, `${repo}/src`), repo);
  assert.equal(forgetWorkspace(runtime, agent, repo), undefined);
  assert.deepEqual(listWorkspaces(runtime, agent), []);
});

test("a registry that cannot be read is reported, never overwritten, and trusted with nothing [CFG-19]", () => {
  for (const text of ['{"workspaces": ', "[]", '{"workspaces": {"/x": 1}}']) {
    scratch.write("home/.openviking/agent/workspaces.json", text);
    assert.throws(() => setWorkspaceValue(runtime, agent, repo, "recallLimit", "7"), /repair/);
    assert.throws(() => forgetWorkspace(runtime, agent, repo), /repair/);
    assert.equal(runtime.files.readText(`${agent}/workspaces.json`), text);
    const config = buildPluginConfig("pi", { runtime, cwd: repo });
    assert.match(config.broken ?? "", /Cannot read .*workspaces\.json/);
  }
});
