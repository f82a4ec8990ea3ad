/**
 * Workers end with the last host; no other process is ever touched.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import assert from "node:assert/strict";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { runInstall, runUninstall } from "../../install/commands.ts";
import { stopWorkers } from "../../install/program/workers.ts";
import { installHome, standInBundles } from "../support/install_home.ts";
import { tempFolder } from "../support/temp_folder.ts";

/** A process that holds the lock of a target as a worker does; resolves once it does. */
async function startWorker(agent: string, target: string, stubborn = false): Promise<ChildProcess> {
  const folder = join(agent, "outbox", target);
  mkdirSync(folder, { recursive: true });
  const script = `
    const file = Deno.openSync(Deno.args[0], { read: true, write: true, create: true });
    file.lockSync(true);
    file.writeSync(new TextEncoder().encode(String(Deno.pid)));
    Deno.addSignalListener("SIGTERM", () => ${stubborn ? "{}" : "Deno.exit(0)"});
    console.log("held");
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["eval", script, join(folder, "worker.lock")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout as NonNullable<ChildProcess["stdout"]>, "data");
  return child;
}

async function endOf(child: ChildProcess): Promise<NodeJS.Signals | number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.signalCode ?? child.exitCode;
}

test("stopWorkers() asks workers to end, and kills one that does not [UNI-02]", async () => {
  const agent = tempFolder();
  const polite = await startWorker(agent, "local");
  const stubborn = await startWorker(agent, "host-1", true);
  assert.deepEqual(await stopWorkers(denoProcessRuntime, agent, 500), []);
  assert.equal(await endOf(polite), 0);
  assert.equal(await endOf(stubborn), "SIGKILL");
});

test("stopWorkers() leaves a process alone when it only has the number of a dead worker [UNI-02]", async () => {
  const agent = tempFolder();
  const bystander = await startWorker(tempFolder(), "local");
  mkdirSync(join(agent, "outbox/local"), { recursive: true });
  writeFileSync(join(agent, "outbox/local/worker.lock"), String(bystander.pid));
  assert.deepEqual(await stopWorkers(denoProcessRuntime, agent, 500), []);
  assert.equal(bystander.exitCode ?? bystander.signalCode, null);
  bystander.kill("SIGKILL");
  await endOf(bystander);
});

test("runUninstall() ends the workers when the last host goes, and keeps their queue [UNI-02]", async () => {
  const home = installHome();
  const options = { hosts: ["claude-code"] as const, bundles: standInBundles() };
  assert.ok((await runInstall(home.runtime, options)).ok);
  const worker = await startWorker(home.agent, "local");
  const report = await runUninstall(home.runtime, { hosts: ["claude-code"] });
  assert.deepEqual([report.ok, report.warnings], [true, []]);
  assert.equal(await endOf(worker), 0);
  assert.ok(home.has(".openviking/agent/outbox/local/worker.lock"));
});
