/**
 * Ends the workers of an agent home. What they had not delivered stays in the outbox.
 *
 * @module
 */
import type { ProcessRuntime } from "../../lib/runtime/types.ts";
import { agentPath } from "../../lib/config/paths.ts";
import { OUTBOX_LAYOUT } from "../../lib/outbox/types.ts";

const PATIENCE_MS = 10_000;

/** Process id of the worker that holds the lock at `path`; `undefined` when nobody does. */
function holderOf(runtime: ProcessRuntime, path: string): number | undefined {
  if (runtime.files.stat(path) === undefined) return undefined;
  const lock = runtime.tryLock(path);
  if (lock !== undefined) {
    lock.release();
    return undefined;
  }
  const pid = Number.parseInt(runtime.files.readText(path), 10);
  return Number.isInteger(pid) && pid > 1 && pid !== runtime.pid ? pid : undefined;
}

async function waitUntilFree(
  runtime: ProcessRuntime,
  path: string,
  patienceMs: number,
): Promise<boolean> {
  for (const until = runtime.now() + patienceMs; runtime.now() < until;) {
    if (holderOf(runtime, path) === undefined) return true;
    await runtime.sleep(50);
  }
  return false;
}

/**
 * Asks every worker to end and waits; one that does not is killed. A process id counts only while
 * its lock is held, so that no other process is ever hit.
 *
 * @param patienceMs Milliseconds a worker may take to put down its work, and after that to die.
 * @returns Process ids that are still there.
 */
export async function stopWorkers(
  runtime: ProcessRuntime,
  agent: string,
  patienceMs: number = PATIENCE_MS,
): Promise<number[]> {
  const outbox = agentPath(agent, "outbox");
  const left: number[] = [];
  for (const target of runtime.files.list(outbox)) {
    const path = `${outbox}/${target}/${OUTBOX_LAYOUT.lock}`;
    const pid = holderOf(runtime, path);
    if (pid === undefined) continue;
    runtime.kill(pid);
    if (await waitUntilFree(runtime, path, patienceMs)) continue;
    runtime.kill(pid, "SIGKILL");
    if (!await waitUntilFree(runtime, path, patienceMs)) left.push(pid);
  }
  return left;
}
