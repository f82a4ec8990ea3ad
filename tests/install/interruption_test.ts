/**
 * A process that dies at any write leaves whole files, and a next run that ends like the first would have.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import type { ProcessRuntime } from "../../lib/runtime/types.ts";
import { runInstall, runUninstall } from "../../install/commands.ts";
import {
  filesThatStop,
  type InstallHome,
  installHome,
  standInBundles,
  type WriteCount,
} from "../support/install_home.ts";

const SETTINGS = '{\n\t"hooks": { "Stop": [ ] }, // mine\n\t"a": 1\n}';
const SERVERS = '{"mcpServers":{},"numStartups":41}';

interface Scene {
  /** What stands before the interrupted run. */
  readonly prepare: (home: InstallHome) => Promise<void>;
  readonly run: (runtime: ProcessRuntime) => Promise<{ readonly ok: boolean }>;
}

const install = async (runtime: ProcessRuntime, mark = "") =>
  await runInstall(runtime, { hosts: ["claude-code"], bundles: standInBundles(mark) });
const uninstall = async (runtime: ProcessRuntime) =>
  await runUninstall(runtime, { hosts: ["claude-code"] });

/** Another version's entries stand there: an upgrade has to replace them. */
async function installOlder(home: InstallHome): Promise<void> {
  await install(home.runtime, "older");
  const older = home.read(".claude/settings.json").replaceAll('"timeout": 70', '"timeout": 7');
  home.plant(".claude/settings.json", older);
}

const SCENES: Readonly<Record<string, Scene>> = {
  "the first install": { prepare: () => Promise.resolve(), run: (runtime) => install(runtime) },
  "an install over an older one": { prepare: installOlder, run: (runtime) => install(runtime) },
  "an uninstall": {
    prepare: async (home) => {
      await install(home.runtime);
    },
    run: uninstall,
  },
};

/** A path's content without the names that differ between homes. */
const seen = (home: InstallHome, path: string) =>
  home.has(path) ? home.read(path).replaceAll(home.root, "ROOT") : undefined;

for (const [name, { prepare, run }] of Object.entries(SCENES)) {
  test(`runInstall() and runUninstall() leave each file old or new and mend it later when a write is the last one of ${name} [INS-07] [UNI-01]`, async () => {
    const makeHome = async () => {
      const home = installHome("h");
      home.plant(".claude/settings.json", SETTINGS);
      home.plant(".claude.json", SERVERS);
      await prepare(home);
      return home;
    };
    const files = [".claude/settings.json", ".claude.json"];
    const model = await makeHome();
    const old = files.map((path) => seen(model, path));
    assert.ok((await run(model.runtime)).ok);
    const fresh = files.map((path) => seen(model, path));

    for (let allowed = 0; allowed < 200; allowed++) {
      const home = await makeHome();
      const count: WriteCount = { asked: 0 };
      const dying = home.with({ files: filesThatStop(home.runtime.files, allowed, count) });
      const { ok } = await run(dying).catch(() => ({ ok: false }));
      files.forEach((path, i) => {
        const now = seen(home, path);
        assert.ok(now === old[i] || now === fresh[i], `${path} is torn after ${allowed} writes`);
      });
      if (allowed % 2 === 0) {
        assert.ok((await install(home.runtime)).ok);
        assert.ok(home.read(".claude/settings.json").includes("openviking-agent"));
      }
      const undone = await uninstall(home.runtime);
      assert.ok(undone.ok, JSON.stringify(undone.error));
      assert.deepEqual(files.map((path) => seen(home, path)), [SETTINGS, SERVERS]);
      assert.equal(home.has(".openviking/agent/bin"), false);
      if (count.asked <= allowed) {
        assert.ok(ok);
        return; // every write was let through: all points were tried
      }
    }
    assert.fail("the run never came to its end");
  });
}

test("runInstall() puts the first file back when the second cannot be written [INS-07]", async () => {
  const home = installHome("h");
  home.plant(".claude/settings.json", SETTINGS);
  home.plant(".claude.json", SERVERS);
  const { files } = home.runtime;
  const failing = home.with({
    files: {
      ...files,
      writeAtomic(path, data, options) {
        if (path.endsWith("/.claude.json")) files.readText("/nowhere/at/all");
        files.writeAtomic(path, data, options);
      },
    },
  });
  const before = home.snapshot();
  const report = await install(failing);
  assert.deepEqual([report.ok, report.hosts[0]?.error?.code], [false, "file"]);
  assert.deepEqual(home.snapshot(), before);
});

test("runInstall() keeps the record of what it could not put back when files fail for good [INS-07] [UNI-01]", async () => {
  const home = installHome("h");
  home.plant(".claude/settings.json", SETTINGS);
  home.plant(".claude.json", SERVERS);
  const { files } = home.runtime;
  let failing = false;
  const runtime = home.with({
    files: {
      ...files,
      writeAtomic(path, data, options) {
        failing ||= path.endsWith("/.claude.json");
        if (failing && path.includes("/.claude")) files.readText("/nowhere/at/all");
        files.writeAtomic(path, data, options);
      },
    },
  });
  const report = await install(runtime);
  assert.match(report.hosts[0]?.error?.message ?? "", /settings\.json could not be put back/);
  assert.ok((await uninstall(home.runtime)).ok);
  assert.deepEqual([home.read(".claude/settings.json"), home.read(".claude.json")], [
    SETTINGS,
    SERVERS,
  ]);
});

test("runInstall() installs for nobody when ovcli.conf cannot be written [INS-07]", async () => {
  const home = installHome("h");
  home.plant(".claude/settings.json", SETTINGS);
  const { files } = home.runtime;
  const runtime = home.with({
    files: {
      ...files,
      writeAtomic(path, data, options) {
        if (path.endsWith("/ovcli.conf")) files.readText("/nowhere/at/all");
        files.writeAtomic(path, data, options);
      },
    },
  });
  const before = home.snapshot();
  const report = await install(runtime);
  assert.deepEqual([report.ok, report.error?.code, report.hosts], [false, "file", []]);
  assert.deepEqual(home.snapshot(), before);
  assert.equal(home.has(".openviking"), false);
});
