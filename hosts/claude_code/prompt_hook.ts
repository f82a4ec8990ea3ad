/**
 * Entry only: the installed hook of Claude Code for prompts; how events are read and answered: see adapter.ts.
 *
 * @module
 */
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { recallAtPrompt } from "../../lib/hook/prompt_stage.ts";
import { runHookStage } from "../../lib/hook/run_hook_stage.ts";
import { runMemoryStage } from "../../lib/hook/memory_stage.ts";
import { claudeCode } from "./adapter.ts";

if (import.meta.main) {
  await runHookStage({
    runtime: denoRuntime,
    adapter: claudeCode,
    event: denoRuntime.args.join(" "),
    stages: { memory: runMemoryStage, read: recallAtPrompt },
    openLocal: async (path) => {
      const { openRecallReader } = await import("../../local/recall_reader.ts");
      return await openRecallReader(denoRuntime, path);
    },
  });
}
