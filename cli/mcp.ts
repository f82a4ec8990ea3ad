/**
 * `mcp`: MCP over stdio for one host.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { CommandContext } from "./context.ts";
import { runMcp } from "../mcp/main.ts";
import { CommandError, EXIT } from "./output.ts";

/** Runs until the host closes stdin. */
export async function mcp(
  { runtime }: CommandContext,
  flags: { readonly host?: HarnessKey[] },
): Promise<number> {
  const host = flags.host?.at(-1);
  if (host === undefined) {
    throw new CommandError(
      "usage",
      "Cannot start MCP: no host was named",
      "Give --host <id>",
      EXIT.usage,
    );
  }
  await runMcp(runtime, { host });
  return EXIT.done;
}
