/**
 * Entry only: the installed hook of Claude Code for session starts; how events are read and answered: see adapter.ts.
 *
 * @module
 */
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { enqueueEvent } from "../../lib/hook/write_stage.ts";
import { profileAtStart } from "../../lib/hook/start_stage.ts";
import { runHookStage } from "../../lib/hook/run_hook_stage.ts";
import { runMemoryStage } from "../../lib/hook/memory_stage.ts";
import { workerCommand } from "../../lib/outbox/worker_command.ts";
import { claudeCode } from "./adapter.ts";

if (import.meta.main) {
  await runHookStage({
    runtime: denoRuntime,
    adapter: claudeCode,
    event: denoRuntime.args.join(" "),
    stages: { memory: runMemoryStage, write: enqueueEvent, read: profileAtStart },
    openLocal: async (path) => {
      const { openLocalReader } = await import("../../local/reader.ts");
      return await openLocalReader(denoRuntime, path);
    },
    workerCommand: (home, target) => workerCommand(denoRuntime, import.meta.url, home, target),
  });
}
