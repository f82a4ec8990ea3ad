/**
 * An install that fails leaves what was there and nothing else, and names the place that is at fault.
 *
 * @module
 */
import { rmSync } from "node:fs";
import { test } from "node:test";
import assert from "node:assert/strict";
import { FileError, type FileErrorCode, type Files } from "../../lib/runtime/types.ts";
import { runInstall, runUninstall, runUpgrade } from "../../install/commands.ts";
import { type InstallHome, installHome, standInBundles } from "../support/install_home.ts";

/** Files on which a write to a path that matches fails. */
function failingAt(files: Files, pattern: RegExp, code: FileErrorCode = "full"): Files {
  const refuse = (action: string, path: string) => {
    if (pattern.test(path)) throw new FileError(code, action, path);
  };
  return {
    ...files,
    writeAtomic(path, data, options) {
      refuse("write", path);
      files.writeAtomic(path, data, options);
    },
    makeDir(path, mode) {
      refuse("create", path);
      files.makeDir(path, mode);
    },
    link(from, to) {
      refuse("link", to);
      files.link(from, to);
    },
    copy(from, to) {
      refuse(`copy ${from} to`, to);
      files.copy(from, to);
    },
  };
}

const install = (home: InstallHome, files: Files = home.runtime.files, mark = "") =>
  runInstall(home.with({ files }), { hosts: ["claude-code"], bundles: standInBundles(mark) });

/** Every place that an install writes before a host's files. */
const PLACES: Readonly<Record<string, RegExp>> = {
  "the agent home": /\/\.openviking\/agent$/,
  "a bundle": /\/worker\.js$/,
  "the folder of the runtime": /\/runtime\/deno-[^/]*$/,
  "the runtime": /\/deno\.tmp$/,
  "the launcher": /\/bin\/openviking-agent$/,
  "the pointer": /\/agent\/current$/,
  "the record": /\/installed\.json$/,
  "ovcli.conf": /\/ovcli\.conf$/,
};

for (const [what, pattern] of Object.entries(PLACES)) {
  test(`runInstall() names the place and leaves nothing behind when the disk is full at ${what} [INS-01] [INS-07]`, async () => {
    const home = installHome();
    home.plant(".claude/settings.json", "{}");
    const before = home.snapshot(/^$/);
    const report = await install(home, failingAt(home.runtime.files, pattern));
    assert.deepEqual([report.ok, report.error?.code], [false, "file"]);
    assert.match(report.error?.path ?? "", pattern);
    assert.ok(report.error?.message.includes(report.error.path ?? "?"), report.error?.message);
    const folder = report.error?.path?.replace(/\/[^/]*$/, "");
    assert.equal(report.error?.fix, `Free space for ${folder}, then run the command again`);
    assert.deepEqual(home.snapshot(/^$/), before);
  });

  test(`runUpgrade() leaves the program that was there when the disk is full at ${what} [INS-07] [UNI-02]`, async () => {
    const home = installHome();
    assert.ok((await install(home)).ok);
    home.plant(".openviking/agent/outbox/local/spool/1.json", "{}");
    if (what === "the folder of the runtime" || what === "the runtime") {
      rmSync(`${home.agent}/runtime`, { recursive: true });
    }
    if (what === "the launcher") rmSync(`${home.agent}/bin`, { recursive: true });
    if (what === "ovcli.conf") rmSync(`${home.home}/.openviking/ovcli.conf`);
    const before = home.snapshot(/^$/);
    const report = await runUpgrade(
      home.with({ files: failingAt(home.runtime.files, pattern) }),
      { bundles: standInBundles("newer") },
    );
    if (report.ok) { // nothing had to be written there
      assert.equal(what, "the agent home");
      return;
    }
    assert.match(report.error?.path ?? "", pattern);
    assert.deepEqual(home.snapshot(/^$/), before);
  });
}

test("runInstall() takes the program back and says so when the only host fails [INS-07]", async () => {
  for (const ovcli of [undefined, '{"url": "http://127.0.0.1:1"}\n']) {
    const home = installHome();
    home.plant(".claude/settings.json", "{}");
    if (ovcli !== undefined) home.plant(".openviking/ovcli.conf", ovcli);
    const before = home.snapshot(/^$/);
    const report = await install(
      home,
      failingAt(home.runtime.files, /\/\.claude\/settings\.json$/, "permission"),
    );
    assert.deepEqual([report.ok, report.hosts[0]?.error?.code], [false, "file"]);
    const settings = `${home.home}/.claude/settings.json`;
    assert.equal(
      report.hosts[0]?.error?.fix,
      `Allow access to ${settings} and to its folder ${home.home}/.claude, then run the command again`,
    );
    assert.match(
      report.warnings.join(),
      /No host was installed, and nothing of this run stays in .*run the command again/,
    );
    assert.deepEqual(report.edits, []);
    assert.deepEqual(home.snapshot(/^$/), before);
  }
});

test("runInstall() keeps the program when another host still names it [INS-07] [UNI-04]", async () => {
  const home = installHome();
  assert.ok((await install(home)).ok);
  home.plant(
    ".claude/settings.json",
    home.read(".claude/settings.json").replaceAll('"timeout": 70', '"timeout": 7'),
  );
  const failed = await install(
    home,
    failingAt(home.runtime.files, /\/\.claude\/settings\.json$/),
    "newer",
  );
  assert.equal(failed.ok, false);
  assert.equal(failed.warnings.join().includes("No host was installed"), false);
  assert.ok(home.has(".openviking/agent/bin/openviking-agent"));
  assert.ok((await runUninstall(home.runtime, { hosts: "installed" })).ok);
  assert.equal(home.has(".openviking"), false);
});
