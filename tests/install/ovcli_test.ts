/**
 * The connection in ovcli.conf: what is written, what is kept, what comes out again.
 *
 * @module
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { runInstall, runUninstall } from "../../install/commands.ts";
import type { InstallOptions } from "../../install/types.ts";
import { type InstallHome, installHome, standInBundles } from "../support/install_home.ts";

const CONF = ".openviking/ovcli.conf";

async function install(home: InstallHome, options: Partial<InstallOptions> = {}): Promise<void> {
  const bundles = standInBundles();
  const report = await runInstall(home.runtime, { hosts: ["claude-code"], bundles, ...options });
  assert.ok(report.ok, JSON.stringify(report.error));
}

async function uninstall(home: InstallHome): Promise<void> {
  assert.ok((await runUninstall(home.runtime, { hosts: ["claude-code"] })).ok);
}

const choice = (home: InstallHome) => JSON.parse(home.read(CONF));

interface Case {
  /** ovcli.conf before; absent when there is none. */
  readonly before?: string;
  /** Options of one install after the other. */
  readonly installs: readonly Partial<InstallOptions>[];
  readonly holds: unknown;
  /** ovcli.conf after uninstall; absent when it is gone. */
  readonly after?: string;
}

const URL_TEXT = "http://127.0.0.1:1933";
const CASES: Readonly<Record<string, Case>> = {
  "nothing was chosen": { installs: [{}], holds: { plugin: { engine: "auto" } } },
  "the embedded engine was chosen": {
    installs: [{ engine: "local" }],
    holds: { plugin: { engine: "local" } },
  },
  "an earlier choice stands": {
    installs: [{ engine: "local" }, {}],
    holds: { plugin: { engine: "local" } },
  },
  "the choice changes": {
    installs: [{ engine: "local" }, { engine: "auto" }],
    holds: { plugin: { engine: "auto" } },
  },
  "a person's file has other things": {
    before:
      '{\n    "url": "http://x", // my server\n    "plugin": {"recallLimit": 5},\n    "n": null\n}',
    installs: [{}],
    holds: undefined,
    after:
      '{\n    "url": "http://x", // my server\n    "plugin": {"recallLimit": 5},\n    "n": null\n}',
  },
  "a person chose the engine": {
    before: '{"plugin":{"engine":"server"}}',
    installs: [{}],
    holds: { plugin: { engine: "server" } },
    after: '{"plugin":{"engine":"server"}}',
  },
  "a person's choice is overruled twice": {
    before: '{ "plugin": { "engine": "server" } }',
    installs: [{ engine: "auto" }, { engine: "local" }],
    holds: { plugin: { engine: "local" } },
    after: '{ "plugin": { "engine": "server" } }',
  },
  "a server was given": {
    installs: [{ server: `${URL_TEXT}/` }],
    holds: { url: URL_TEXT, plugin: { engine: "server" } },
    after: `{\n  "url": "${URL_TEXT}"\n}\n`,
  },
  "another server replaces one": {
    before: '{"url":"http://old","account":"a"}',
    installs: [{ server: URL_TEXT }],
    holds: { url: URL_TEXT, account: "a", plugin: { engine: "server" } },
    after: `{"url":"${URL_TEXT}","account":"a"}`,
  },
  "the same server and engine stand there already": {
    before: `{"url":"${URL_TEXT}","plugin":{"engine":"server"}}`,
    installs: [{ server: URL_TEXT, apiKey: "k" }],
    holds: { url: URL_TEXT, plugin: { engine: "server" }, api_key: "k" },
    after: `{"url":"${URL_TEXT}","plugin":{"engine":"server"},"api_key":"k"}`,
  },
};

for (const [name, { before, installs, holds, after }] of Object.entries(CASES)) {
  test(`runInstall() writes the connection and runUninstall() keeps credentials when ${name} [INS-10] [UNI-02]`, async () => {
    const home = installHome();
    if (before !== undefined) home.plant(CONF, before);
    for (const options of installs) await install(home, options);
    if (holds !== undefined) assert.deepEqual(choice(home), holds);
    else assert.match(home.read(CONF), /"plugin": \{"recallLimit": 5, "engine": "auto"\}/);
    assert.equal(
      statSync(join(home.home, CONF)).mode & 0o777,
      before === undefined ||
        home.read(CONF) !== before
        ? 0o600
        : 0o644,
    );
    await install(home);
    await uninstall(home);
    assert.equal(home.has(CONF) ? home.read(CONF) : undefined, after);
  });
}

test("runInstall() writes the key to ovcli.conf and nowhere else when it is given [INS-10]", async () => {
  const home = installHome();
  const key = ["sk", "test", "0123456789abcdef".repeat(2)].join("-");
  const bundles = standInBundles();
  const options = { hosts: ["claude-code"] as const, bundles, server: URL_TEXT, apiKey: key };
  const report = await runInstall(home.runtime, options);
  assert.equal(choice(home).api_key, key);
  assert.equal(statSync(join(home.home, CONF)).mode & 0o777, 0o600);
  assert.ok(!JSON.stringify(report).includes(key));
  const holders = Object.entries(home.snapshot(/\/runtime\//)).filter(([, content]) =>
    Buffer.from(content.split(" ")[1] ?? "", "base64").includes(key)
  );
  assert.deepEqual(holders.map(([path]) => path), [CONF]);
});

test("runUninstall() leaves the engine alone when a person changed it after install [UNI-02]", async () => {
  const home = installHome();
  await install(home);
  home.plant(CONF, '{"plugin":{"engine":"local"}}');
  await uninstall(home);
  assert.equal(home.read(CONF), '{"plugin":{"engine":"local"}}');
});

test("runInstall() writes where OPENVIKING_CLI_CONFIG_FILE points when that is set [INS-05] [INS-10]", async () => {
  const home = installHome();
  const runtime = home.with({ env: { OPENVIKING_CLI_CONFIG_FILE: "~/conf/my.conf" } });
  const bundles = standInBundles();
  assert.ok((await runInstall(runtime, { hosts: ["claude-code"], bundles })).ok);
  assert.deepEqual(JSON.parse(home.read("conf/my.conf")), { plugin: { engine: "auto" } });
  assert.equal(home.has(CONF), false);
  await uninstall(home); // even without the variable
  assert.equal(home.has("conf"), false);
});
