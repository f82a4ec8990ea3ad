/**
 * `workspace`: the machine's registry of settings per workspace.
 *
 * @module
 */
import type { CommandContext } from "./context.ts";
import { agentHome } from "../lib/config/paths.ts";
import {
  forgetWorkspace,
  listWorkspaces,
  setWorkspaceValue,
} from "../lib/config/workspace_registry.ts";
import { CommandError, EXIT } from "./output.ts";

/** `workspace list`. */
export function list({ runtime, output }: CommandContext): Promise<number> {
  const workspaces = listWorkspaces(runtime, agentHome(runtime));
  if (output.json) output.document({ workspaces });
  else if (workspaces.length === 0) output.note("No workspace is registered.");
  else {
    for (const { path, values } of workspaces) {
      output.line(path);
      for (const [key, value] of Object.entries(values)) {
        output.line(`  ${key} = ${JSON.stringify(value)}`);
      }
    }
  }
  return Promise.resolve(EXIT.done);
}

/** `workspace set KEY VALUE`, for the workspace of the current directory. */
export function set(
  { runtime, output }: CommandContext,
  key: string,
  value: string,
): Promise<number> {
  const change = setWorkspaceValue(runtime, agentHome(runtime), runtime.cwd(), key, value);
  if (!change.ok) throw new CommandError("usage", change.message, "", EXIT.usage);
  if (output.json) output.document({ path: change.path, key: change.key, value: change.value });
  else {
    output.line(
      change.value === null
        ? `${change.key} is no longer set for ${change.path}.`
        : `${change.key} = ${JSON.stringify(change.value)} for ${change.path} on this machine.`,
    );
  }
  return Promise.resolve(EXIT.done);
}

/** `workspace forget`, for the workspace of the current directory. */
export function forget({ runtime, output }: CommandContext): Promise<number> {
  const path = forgetWorkspace(runtime, agentHome(runtime), runtime.cwd());
  if (output.json) output.document({ forgotten: path ?? null });
  else output.line(path === undefined ? "Nothing is registered here." : `Forgot ${path}.`);
  return Promise.resolve(EXIT.done);
}
