/**
 * Entry only: every event of Claude Code, as `hook` of the command line runs it; how events are read
 * and answered: see adapter.ts. What is installed are the entries beside this one, each with the code
 * of its own stages.
 *
 * @module
 */
import type { Runtime } from "../../lib/runtime/types.ts";
import { enqueueEvent } from "../../lib/hook/write_stage.ts";
import { profileAtStart } from "../../lib/hook/start_stage.ts";
import { recallAtPrompt } from "../../lib/hook/prompt_stage.ts";
import { runHookStage } from "../../lib/hook/run_hook_stage.ts";
import { runMemoryStage } from "../../lib/hook/memory_stage.ts";
import { workerCommand } from "../../lib/outbox/worker_command.ts";
import { claudeCode } from "./adapter.ts";

/** Runs one event and ends the process. */
export async function main(runtime: Runtime, event: string): Promise<void> {
  await runHookStage({
    runtime,
    adapter: claudeCode,
    event,
    stages: {
      memory: runMemoryStage,
      write: enqueueEvent,
      read: (context) =>
        context.stage === "prompt" ? recallAtPrompt(context) : profileAtStart(context),
    },
    openLocal: async (path) => {
      const { openLocalReader } = await import("../../local/reader.ts");
      return await openLocalReader(runtime, path);
    },
    workerCommand: (home, target) => workerCommand(runtime, import.meta.url, home, target),
  });
}
