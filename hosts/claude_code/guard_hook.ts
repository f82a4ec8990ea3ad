/**
 * Entry only: the installed hook of Claude Code for the guard; how events are read and answered: see adapter.ts.
 *
 * @module
 */
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { runHookStage } from "../../lib/hook/run_hook_stage.ts";
import { claudeCode } from "./adapter.ts";

if (import.meta.main) {
  await runHookStage({
    runtime: denoRuntime,
    adapter: claudeCode,
    event: denoRuntime.args.join(" "),
    stages: {},
  });
}
