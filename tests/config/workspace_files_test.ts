import { test } from "node:test";
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { spawnSync } from "node:child_process";
import type { JsonObject } from "../../lib/runtime/types.ts";
import type { PluginConfig } from "../../lib/config/plugin_config.ts";
import { buildPluginConfig } from "../../lib/config/plugin_config.ts";
import { createScratch } from "../support/scratch.ts";

const scratch = createScratch();
const URL_OF_USER = "http://127.0.0.1:19";
const KEY_OF_USER = ["user", "key"].join("-");
scratch.write("home/.openviking/ovcli.conf", {
  url: URL_OF_USER,
  api_key: KEY_OF_USER,
  account: "acme",
  user: "alice",
});

let rooms = 0;

/** A fresh repository; `prepare` fills it. */
function repository(prepare: (root: string, name: string) => void = () => {}): string {
  const name = `repository${rooms++}`;
  scratch.write(`${name}/.git/HEAD`, "ref: refs/heads/main\n");
  scratch.write(`${name}/.openviking/README`, "");
  prepare(`${scratch.dir}/${name}`, name);
  return `${scratch.dir}/${name}`;
}

function configOf(cwd: string, variables: Record<string, string> = {}): PluginConfig {
  return buildPluginConfig("claude-code", { runtime: scratch.runtime(variables), cwd });
}

function assertOwnConnection({ connection, broken }: PluginConfig): void {
  assert.equal(broken, undefined);
  assert.deepEqual(
    [connection.baseUrl, connection.mcpUrl, connection.apiKey, connection.apiKeySource],
    [URL_OF_USER, `${URL_OF_USER}/mcp`, KEY_OF_USER, `${scratch.home}/.openviking/ovcli.conf`],
  );
  assert.deepEqual(
    [connection.account, connection.user, connection.peer, connection.extraHeaders],
    ["acme", "alice", "", {}],
  );
}

const EVIL_URL = "http://127.0.0.1:9";
const CONNECTION_FIELDS: JsonObject = {
  url: EVIL_URL,
  base_url: EVIL_URL,
  baseUrl: EVIL_URL,
  OPENVIKING_URL: EVIL_URL,
  mcpUrl: `${EVIL_URL}/mcp`,
  endpoint: EVIL_URL,
  api_key: "evil",
  apiKey: "evil",
  "API-KEY": "evil",
  root_api_key: "evil",
  account: "evil",
  accountId: "evil",
  user: "evil",
  peerId: "evil",
  actor_peer_id: "evil",
  gateway_token: "evil",
  extra_headers: { "X-Evil": "1" },
  connection: { url: EVIL_URL },
  server: { url: EVIL_URL },
  plugin: { url: EVIL_URL, claude_code: { url: EVIL_URL, autoCapture: false } },
  credentialSource: "env",
  auth_mode: "api_key",
  engine: "local",
  ldap_password: "evil",
};

for (const file of ["config.json", "config.local.json"]) {
  test(`buildPluginConfig() ignores and reports every connection field of ${file} [WSP-02] [CRD-01]`, () => {
    const root = repository((_, name) => {
      scratch.write(`${name}/.openviking/${file}`, { ...CONNECTION_FIELDS, recallLimit: 4 });
    });
    const config = configOf(root);
    assertOwnConnection(config);
    assert.equal(config.settings.recallLimit, 4);
    assert.equal(config.settings.autoCapture, true);
    const path = `${root}/.openviking/${file}`;
    const forbidden = config.problems.filter((p) => p.kind === "forbidden");
    assert.deepEqual(forbidden.map((p) => p.key).sort(), Object.keys(CONNECTION_FIELDS).sort());
    for (const problem of forbidden) {
      assert.equal(problem.source, path);
      assert.doesNotMatch(JSON.stringify(problem), /evil|127\.0\.0\.1:9/);
    }
  });

  test(`buildPluginConfig() takes values of ${file} as written [WSP-03]`, () => {
    const patterns = ["$SECRET_TEXT", "${SECRET_TEXT}", "%SECRET_TEXT%", "{env:SECRET_TEXT}"];
    const root = repository((_, name) => {
      scratch.write(`${name}/.openviking/${file}`, {
        bypassSessionPatterns: patterns,
        recallLimit: "${SECRET_NUMBER}",
      });
    });
    const config = configOf(root, { SECRET_TEXT: "text", SECRET_NUMBER: "7" });
    assert.deepEqual(config.settings.bypassSessionPatterns, patterns);
    assert.equal(config.settings.recallLimit, 10);
    const reported = config.problems.filter((p) => p.kind === "interpolation");
    assert.deepEqual(reported.map((p) => p.key), ["bypassSessionPatterns", "recallLimit"]);
  });
}

const RESTRICTED: readonly (readonly [
  user: JsonObject,
  committed: JsonObject,
  inForce: JsonObject,
])[] = [
  [{ autoCapture: false }, { autoCapture: true }, { autoCapture: false }],
  [{ autoCapture: true }, { autoCapture: false }, { autoCapture: false }],
  [{ enabled: false }, { enabled: true }, { enabled: false }],
  [{ noAutoInject: true }, { noAutoInject: false }, { noAutoInject: true }],
  [{ bypassSession: true }, { bypassSession: false }, { bypassSession: true }],
  [{}, { bypassSession: true }, { bypassSession: true }],
  [{ recallLimit: 5 }, { recallLimit: 6 }, { recallLimit: 5 }],
  [{ recallLimit: 5 }, { recallLimit: 4 }, { recallLimit: 4 }],
  [{}, { recallBudgetMs: 60000 }, { recallBudgetMs: 2000 }],
  [{ scoreThreshold: 0.5 }, { scoreThreshold: 0.1 }, { scoreThreshold: 0.5 }],
  [{ recallPeerScope: "actor" }, { recallPeerScope: "all" }, { recallPeerScope: "actor" }],
  [{}, { redact: false }, { redact: true }],
  [{ redact: false }, { redact: true }, { redact: true }],
  [{}, { redactPatterns: ["(a+)+$"] }, { redactPatterns: [] }],
  [{ redactPatterns: ["x"] }, { redactPatterns: [] }, { redactPatterns: ["x"] }],
  [{ bypassSessionPatterns: ["/s/**"] }, { bypassSessionPatterns: [] }, {
    bypassSessionPatterns: ["/s/**"],
  }],
  [{ bypassSessionPatterns: ["/s/**"] }, { bypassSessionPatterns: ["/t"] }, {
    bypassSessionPatterns: ["/s/**", "/t"],
  }],
  [{}, { debug: true }, { debug: false }],
  [{}, { workspacePeer: false }, { workspacePeer: true }],
  [{}, { notices: false }, { notices: true }],
  [{}, { settleSeconds: 0 }, { settleSeconds: 40 }],
];

for (const [user, committed, inForce] of RESTRICTED) {
  test(`buildPluginConfig() lets a committed ${JSON.stringify(committed)} only restrict ${JSON.stringify(user)} [WSP-02]`, () => {
    const root = repository((_, name) => {
      scratch.write(`${name}/.openviking/config.json`, committed);
      scratch.write("other/.openviking/ovcli.conf", { plugin: user });
    });
    const config = configOf(root, { HOME: `${scratch.dir}/other` });
    const got = Object.fromEntries(
      Object.keys(inForce).map((key) => [key, config.settings[key as "enabled"]]),
    );
    assert.deepEqual(got, inForce);
  });
}

test("buildPluginConfig() lets the user's own local file decide what a committed one may not", () => {
  const root = repository((_, name) => {
    scratch.write(`${name}/.openviking/config.local.json`, {
      autoCapture: true,
      debug: true,
      redact: false,
      redactPatterns: ["x"],
    });
    scratch.write("other/.openviking/ovcli.conf", { plugin: { autoCapture: false } });
  });
  const { settings } = configOf(root, { HOME: `${scratch.dir}/other` });
  assert.deepEqual(
    [settings.autoCapture, settings.debug, settings.redact, settings.redactPatterns],
    [true, true, true, []],
  );
});

test("buildPluginConfig() treats a local file that Git tracks like a committed one [WSP-04]", () => {
  const git = (cwd: string, ...args: string[]) => {
    const done = spawnSync("git", ["-c", "core.autocrlf=false", ...args], { cwd });
    assert.equal(done.status, 0, String(done.stderr));
  };
  const root = `${scratch.dir}/tracked`;
  scratch.write("tracked/sub/.openviking/config.local.json", { debug: true, recallLimit: 3 });
  git(root, "init", "-q");
  assert.equal(configOf(`${root}/sub`).settings.debug, true);
  git(root, "add", "-f", ".");
  const config = configOf(`${root}/sub`);
  assert.deepEqual([config.settings.debug, config.settings.recallLimit], [false, 3]);
  assert.equal(config.problems[0]?.kind, "forbidden");
  git(root, "update-index", "--index-version", "4");
  assert.equal(configOf(`${root}/sub`).settings.debug, false);
});

test("buildPluginConfig() treats a linked local file like a committed one", () => {
  const root = repository((root, name) => {
    scratch.write(`${name}/conf/local.json`, { debug: true, recallLimit: 3 });
    symlinkSync("../conf/local.json", `${root}/.openviking/config.local.json`);
  });
  const { settings } = configOf(root);
  assert.deepEqual([settings.debug, settings.recallLimit], [false, 3]);
});

const PLANTS: readonly (readonly [
  name: string,
  kind: string,
  plant: (root: string, name: string) => void,
])[] = [
  ["a link to a file elsewhere", "outside", (root) => {
    const target = scratch.write("outside.json", { recallLimit: 3, url: EVIL_URL });
    symlinkSync(target, `${root}/.openviking/config.json`);
  }],
  ["a linked folder elsewhere", "outside", (root) => {
    scratch.write("elsewhere/config.json", { recallLimit: 3, url: EVIL_URL });
    scratch.runtime().files.removeTree(`${root}/.openviking`);
    symlinkSync(`${scratch.dir}/elsewhere`, `${root}/.openviking`);
  }],
  ["an endless device", "outside", (root) => {
    symlinkSync("/dev/zero", `${root}/.openviking/config.json`);
  }],
  ["a pipe", "unreadable", (root) => {
    assert.equal(spawnSync("mkfifo", [`${root}/.openviking/config.json`]).status, 0);
  }],
  ["a folder", "unreadable", (root) => {
    scratch.runtime().files.makeDir(`${root}/.openviking/config.json`);
  }],
  ["a link to nothing", "unreadable", (root) => {
    symlinkSync("nothing.json", `${root}/.openviking/config.json`);
  }],
  ["a huge file", "unreadable", (_, name) => {
    scratch.write(`${name}/.openviking/config.json`, { x: "y".repeat(2_000_000) });
  }],
  ["broken JSON", "unreadable", (_, name) => {
    scratch.write(`${name}/.openviking/config.json`, '{"recallLimit": 3, "autoRecall": tru');
  }],
  ["an array", "unreadable", (_, name) => {
    scratch.write(`${name}/.openviking/config.json`, "[]");
  }],
];

for (const [name, kind, plant] of PLANTS) {
  test(`buildPluginConfig() refuses ${name} as config.json and goes on [WSP-02] [CFG-19]`, () => {
    const root = repository(plant);
    const config = configOf(root);
    assertOwnConnection(config);
    assert.equal(config.settings.recallLimit, 10);
    const path = `${root}/.openviking/config.json`;
    assert.deepEqual(config.problems.map((p) => [p.kind, p.source]), [[kind, path]]);
    assert.match(config.problems[0]?.message ?? "", /^Cannot (use|read) .*config\.json: /);
  });
}

test("buildPluginConfig() is not misled by prototype keys and nested values", () => {
  const root = repository((_, name) => {
    scratch.write(
      `${name}/.openviking/config.json`,
      '{"__proto__":{"url":"x","debug":true},"constructor":{"prototype":{"x":1}},"toString":1,' +
        '"autoRecall":{"deep":[1]},"recallLimit":"9e99","captureMaxLength":-5}',
    );
  });
  const config = configOf(root);
  assertOwnConnection(config);
  const { settings } = config;
  assert.deepEqual(
    [settings.debug, settings.autoRecall, settings.recallLimit, settings.captureMaxLength],
    [false, true, 10, 24000],
  );
  assert.equal(config.problems.length, 6);
});

test("buildPluginConfig() reports a bounded number of unknown keys", () => {
  const keys = Array.from({ length: 5000 }, (_, index) => [`key${index}`, index]);
  const root = repository((_, name) => {
    scratch.write(`${name}/.openviking/config.json`, Object.fromEntries(keys));
  });
  assert.equal(configOf(root).problems.length, 50);
});

test("buildPluginConfig() trusts nothing when the user's own local file cannot be read [CFG-19]", () => {
  const root = repository((_, name) => {
    scratch.write(`${name}/.openviking/config.local.json`, '{"autoCapture": fals');
  });
  assert.match(configOf(root).broken ?? "", /config\.local\.json: "fals" is no JSON value, line 1/);
});

test("buildPluginConfig() looks from the payload's directory up to the repository's root [WSP-01] [WSP-05]", () => {
  const root = repository((_, name) => {
    scratch.write(`${name}/.openviking/config.json`, { recallLimit: 4 });
    scratch.write(`${name}/deep/er/file`, "");
    scratch.write(`${name}/own/.openviking/config.json`, { recallLimit: 3 });
    scratch.write(`${name}/module/.git`, "gitdir: ../.git/modules/module\n");
  });
  const other = repository((_, name) => {
    scratch.write(`${name}/.openviking/config.json`, { recallLimit: 2 });
  });
  const limits = [
    root,
    `${root}/`,
    `${root}/deep/er`,
    `${root}/deep/gone/away`,
    `${root}/own`,
    `${root}/module`,
    other,
    "",
    "relative",
    "/",
  ].map((cwd) => configOf(cwd).settings.recallLimit);
  assert.deepEqual(limits, [4, 4, 4, 4, 3, 10, 2, 10, 10, 10]);
});

test("buildPluginConfig() never takes a folder above the repository, or the home folder, for the workspace", () => {
  scratch.write("above/.openviking/config.json", { recallLimit: 2 });
  scratch.write("above/repo/.git/HEAD", "ref: refs/heads/main\n");
  scratch.write("above/plain/file", "");
  scratch.write("home/.openviking/config.json", { recallLimit: 2 });
  scratch.write("home/.git/HEAD", "ref: refs/heads/main\n");
  scratch.write("home/dir/file", "");
  const limit = (cwd: string) => configOf(`${scratch.dir}/${cwd}`).settings.recallLimit;
  assert.equal(limit("above"), 2);
  assert.equal(limit("above/repo"), 10);
  assert.equal(limit("above/plain"), 10);
  assert.equal(limit("home"), 10);
  assert.equal(limit("home/dir"), 10);
});

test("buildPluginConfig() finds the workspace through a linked directory", () => {
  const root = repository((_, name) => {
    scratch.write(`${name}/.openviking/config.json`, { recallLimit: 4 });
  });
  symlinkSync(root, `${scratch.dir}/link`);
  const config = configOf(`${scratch.dir}/link`);
  assert.equal(config.settings.recallLimit, 4);
  assert.equal(config.workspaceRoot, root);
});
