/**
 * Hook entry of Claude Code.
 *
 * @module
 */
import type { Runtime } from "../../lib/runtime/types.ts";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { runHookStage } from "../../lib/hook/run_hook_stage.ts";
import { workerCommand } from "../../lib/outbox/worker_command.ts";
import { claudeCode } from "./adapter.ts";

/** Runs one event and ends the process. */
export async function main(runtime: Runtime, event: string): Promise<void> {
  await runHookStage({
    runtime,
    adapter: claudeCode,
    event,
    openLocal: async (path) => {
      const { openLocalEngine } = await import("../../local/engine.ts");
      return (await openLocalEngine(runtime, path, { create: false })).handle;
    },
    workerCommand: (home, target) => workerCommand(runtime, import.meta.url, home, target),
  });
}

if (import.meta.main) await main(denoRuntime, denoRuntime.args[0] ?? "");
