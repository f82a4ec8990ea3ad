/**
 * The shared black-box checks that this version must pass, run over this checkout.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { projectRoot } from "../support/project.ts";
import { requireFull } from "../support/requirements.ts";

/**
 * Checks by name, with the seconds they may take. The newcomer's check is left to `.ci/run`, which
 * types the README's commands itself.
 */
const CHECKS: readonly (readonly [name: string, seconds: number])[] = [
  ["a-claude-local", 240],
  ["b-chaos", 480],
  ["b-concurrent", 180],
  ["b-cursor", 240],
  ["b-hold", 240],
  ["c-faults", 240],
  ["c-malformed", 300],
];

for (const [name, seconds] of CHECKS) {
  test(`the shared check ${name} holds`, async (t) => {
    const shared = requireFull(t);
    if (shared === undefined) return;
    const cache = join(tmpdir(), "ova-accept-cache");
    mkdirSync(cache, { recursive: true });
    // The checks look here for the runtime, and would fetch it otherwise.
    writeFileSync(join(cache, `deno-${Deno.version.deno}`), Deno.execPath());
    const ran = spawnSync("node", [join(shared, "accept", "checks", `${name}.mjs`)], {
      cwd: projectRoot,
      env: {
        ...await isolatedEnvironment(tmpdir()),
        ACCEPT_DENO: Deno.version.deno,
        CHECKOUT: projectRoot,
      },
      encoding: "utf8",
      timeout: seconds * 1000,
    });
    assert.equal(ran.status, 0, `${ran.stdout.slice(-4000)}\n${ran.stderr.slice(-1000)}`);
  });
}
