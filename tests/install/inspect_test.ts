/**
 * What can be wrong with an installed program is found, and an install mends it.
 *
 * @module
 */
import { chmodSync, copyFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { runInstall } from "../../install/commands.ts";
import { programFault } from "../../install/program/inspect.ts";
import { type InstallHome, installHome, standInBundles } from "../support/install_home.ts";

const install = (home: InstallHome) =>
  runInstall(home.runtime, { hosts: ["claude-code"], bundles: standInBundles() });

function below(agent: string, folder: string, file: string): string {
  const [name = ""] = readdirSync(join(agent, folder));
  return join(agent, folder, name, file);
}
const engine = (agent: string) => below(agent, "runtime", "deno");
const bundle = (agent: string, name: string) => below(agent, "versions", name);

/** A copy first: a link shares content and mode with the Deno that runs this test. */
function ownEngine(agent: string): string {
  const path = engine(agent);
  copyFileSync(path, `${path}.copy`);
  rmSync(path);
  copyFileSync(`${path}.copy`, path);
  rmSync(`${path}.copy`);
  chmodSync(path, 0o700);
  return path;
}

const FAULTS: Readonly<Record<string, readonly [(agent: string) => void, RegExp]>> = {
  "bin is gone": [
    (agent) => rmSync(`${agent}/bin`, { recursive: true }),
    /openviking-agent is not there$/,
  ],
  "the launcher is empty": [
    (agent) => writeFileSync(`${agent}/bin/openviking-agent`, ""),
    /openviking-agent is empty$/,
  ],
  "the launcher is cut short": [
    (agent) => writeFileSync(`${agent}/bin/openviking-agent`, "#!/bin/sh\n"),
    /openviking-agent does not start$/,
  ],
  "the launcher is not executable": [
    (agent) => chmodSync(`${agent}/bin/openviking-agent`, 0o600),
    /openviking-agent is not executable$/,
  ],
  "current is gone": [(agent) => rmSync(`${agent}/current`), /current does not name a version$/],
  "current is empty": [
    (agent) => writeFileSync(`${agent}/current`, ""),
    /current does not name a version$/,
  ],
  "runtime is gone": [
    (agent) => rmSync(`${agent}/runtime`, { recursive: true }),
    /\/deno is not there$/,
  ],
  "the runtime is empty": [(agent) => writeFileSync(ownEngine(agent), ""), /\/deno is empty$/],
  "the runtime is not executable": [
    (agent) => chmodSync(ownEngine(agent), 0o600),
    /\/deno is not executable$/,
  ],
  "the runtime is something else": [
    (agent) => writeFileSync(ownEngine(agent), "no program"),
    /\/deno does not start$/,
  ],
  "versions is gone": [
    (agent) => rmSync(`${agent}/versions`, { recursive: true }),
    /\/versions\/.* is not there$/,
  ],
  "a bundle is gone": [
    (agent) => rmSync(bundle(agent, "hook-claude-code-prompt.js")),
    /does not hold what install wrote$/,
  ],
  "a bundle is empty": [
    (agent) => writeFileSync(bundle(agent, "worker.js"), ""),
    /does not hold what install wrote$/,
  ],
};

for (const [what, [damage, expected]] of Object.entries(FAULTS)) {
  test(`programFault() names the part, and runInstall() mends it, when ${what} [DOC-01] [DOC-08]`, async () => {
    const home = installHome();
    assert.ok((await install(home)).ok);
    assert.equal(await programFault(home.runtime, home.agent), undefined);
    damage(home.agent);
    const fault = await programFault(home.runtime, home.agent) ?? "";
    assert.match(fault, expected);
    assert.ok(fault.startsWith(home.agent), fault);
    assert.ok((await install(home)).ok);
    assert.equal(await programFault(home.runtime, home.agent), undefined);
  });
}
