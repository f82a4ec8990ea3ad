/**
 * Entry of the detached worker of one target.
 *
 * @module
 */
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import { denoProcessRuntime } from "../lib/runtime/deno_process.ts";
import { pruneState } from "../lib/hook/prune_state.ts";
import { runWorker } from "../lib/outbox/worker/worker.ts";
import { wireWorkers } from "./worker_options.ts";

/** Runs the worker of `targetId` until nothing came for a while. */
export async function main(runtime: ProcessRuntime, targetId: string): Promise<void> {
  const wiring = wireWorkers(runtime);
  try {
    const { options, lingerMs } = wiring;
    pruneState(runtime, options.agentHome);
    await runWorker({ ...options, targetId, lingerMs, connect: wiring.connector() });
  } finally {
    wiring.close();
  }
}

if (import.meta.main) {
  // Nobody reads this process's streams; what went wrong is in the queue's own records.
  await main(denoProcessRuntime, denoProcessRuntime.args[0] ?? "").catch(() => {});
  denoProcessRuntime.exit(0);
}
