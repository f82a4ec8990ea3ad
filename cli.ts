/**
 * The command line `openviking-agent`. `hook` is dispatched before anything is parsed.
 *
 * @module
 */
import type { ProcessRuntime } from "./lib/runtime/types.ts";
import { denoProcessRuntime } from "./lib/runtime/deno_process.ts";

/** Runs the command in `runtime.args`; the exit code of `cli.md`. */
export async function main(runtime: ProcessRuntime): Promise<number> {
  const [command, ...rest] = runtime.args;
  if (command === "hook") {
    const { runHookCommand } = await import("./cli/hook.ts");
    return await runHookCommand(runtime, rest);
  }
  const { runProgram } = await import("./cli/program.ts");
  return await runProgram(runtime, runtime.args);
}

if (import.meta.main) denoProcessRuntime.exit(await main(denoProcessRuntime));
