/**
 * `bypass`: stop remembering in a session or below a directory.
 *
 * @module
 */
import type { CommandContext } from "./context.ts";
import { agentHome } from "../lib/config/paths.ts";
import { setBypass } from "../lib/config/bypass.ts";
import { CommandError, EXIT } from "./output.ts";

/** Flags of `bypass`. */
export interface BypassFlags {
  readonly session?: string;
  readonly dir?: string;
  readonly off?: boolean;
}

/** Notes or removes an entry and says what it covers; without a flag it is the current directory. */
export function bypass({ runtime, output }: CommandContext, flags: BypassFlags): Promise<number> {
  if (flags.session !== undefined && flags.dir !== undefined) {
    throw new CommandError(
      "usage",
      "Cannot use --session with --dir",
      "Give one of them",
      EXIT.usage,
    );
  }
  const home = agentHome(runtime);
  const entry = flags.session === undefined
    ? { dir: flags.dir ?? runtime.cwd() }
    : { session: flags.session };
  const entries = setBypass(runtime, home, entry, flags.off !== true);
  const what = "session" in entry
    ? `session ${entry.session}`
    : `${entry.dir} and everything below it`;
  if (output.json) output.document({ changed: entry, off: flags.off === true, ...entries });
  else {
    output.line(
      flags.off
        ? `Remembering again: ${what}.`
        : `Nothing is read from memory or written to it: ${what}. Undo with --off.`,
    );
  }
  return Promise.resolve(EXIT.done);
}
