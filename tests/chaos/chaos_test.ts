/**
 * The short form of the chaos; the long one is `deno task chaos`.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import process from "node:process";
import { join } from "node:path";
import { requirePlatform, requireServer } from "../support/requirements.ts";
import { tempFolder } from "../support/temp_folder.ts";
import { judge, runChaos } from "./chaos.ts";
import { realEngine, servedEngine } from "./engines.ts";

const isLinux = process.platform === "linux";

test("nothing is lost, doubled or out of order while hooks, workers, the way and the embedded engine are killed [CUR-06] [CUR-07] [CUR-09] [CMT-04] [RTY-09]", async (t) => {
  if (requirePlatform(t, "/proc to find its workers", isLinux) === undefined) return;
  const folder = tempFolder();
  const counts = await runChaos({
    home: join(folder, "home"),
    engine: servedEngine(join(folder, "engine")),
    rounds: 30,
    kills: 5,
    seed: 20261130,
    log: (line) => t.diagnostic(line),
  });
  assert.deepEqual(judge(counts), { ok: true, line: judge(counts).line });
  assert.ok(counts.messages > 0 && counts.engineKilled === 5);
});

test("nothing is lost, doubled or out of order while the real server is killed as well [CUR-07] [CUR-09] [CMT-04]", async (t) => {
  if (requireServer(t) === undefined) return;
  const folder = tempFolder();
  const counts = await runChaos({
    home: join(folder, "home"),
    engine: realEngine(join(folder, "engine")), // not the one that other tests use
    rounds: 20,
    kills: 2,
    seed: 20261130,
    log: (line) => t.diagnostic(line),
  });
  assert.deepEqual(judge(counts), { ok: true, line: judge(counts).line });
  assert.equal(counts.engineKilled, 2);
});
