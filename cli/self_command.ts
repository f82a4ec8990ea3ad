/**
 * How this program starts itself again.
 *
 * @module
 */
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import { filePathOf } from "../lib/outbox/worker_command.ts";

/** Command prefix of the running program: its bundle, or `cli.ts` of the checkout. */
export function selfCommand(runtime: ProcessRuntime): readonly string[] {
  const here = import.meta.url;
  const entry = here.endsWith(".ts") ? new URL("../cli.ts", here).href : here;
  return [runtime.execPath(), "run", "-A", filePathOf(entry)];
}
