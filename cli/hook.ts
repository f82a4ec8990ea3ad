/**
 * `hook <host> <event>`: finds the host's entry. Whatever goes wrong, the exit code is 0.
 *
 * @module
 */
import type { Runtime } from "../lib/runtime/types.ts";
import { agentHome } from "../lib/config/paths.ts";
import { toHarnessKey } from "../lib/config/harness.ts";
import { writeOutcome } from "../lib/hook/outcome.ts";

/** Entries of the hosts that run command hooks. */
const ENTRIES: Readonly<
  Record<string, () => Promise<(runtime: Runtime, event: string) => Promise<void>>>
> = {
  "claude-code": async () => (await import("../hosts/claude_code/hook.ts")).main,
};

/** Runs one event; arguments other than a known host and an event are recorded and answered with nothing. */
export async function runHookCommand(runtime: Runtime, args: readonly string[]): Promise<0> {
  const [host = "", event = "", ...extra] = args;
  const entry = ENTRIES[toHarnessKey(host) ?? ""];
  if (entry !== undefined && extra.length === 0) {
    await (await entry())(runtime, event);
  } else {
    writeOutcome(runtime, agentHome(runtime), {
      host: host === "" ? "unknown" : host,
      session: "unknown",
      stage: event === "" ? "unknown" : event,
      outcome: "error",
      ms: 0,
      at: new Date(runtime.now()).toISOString(),
      trace_id: "",
      detail: entry === undefined
        ? `No hook for host "${host}"`
        : `Unknown argument "${extra.join(" ")}"`,
    });
  }
  return 0;
}
