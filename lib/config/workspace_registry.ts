/**
 * Changes the machine's workspace registry; see `registry.ts` for the file and its layer.
 *
 * @module
 */
import type { Json, JsonObject, Runtime } from "../runtime/types.ts";
import type { SettingKey } from "./schema.ts";
import type { WorkspaceEntries } from "./layers/registry.ts";
import { canonicalKey, SETTINGS } from "./schema.ts";
import { acceptText, acceptValue, shown } from "./layers/value.ts";
import { isConnectionField } from "./layers/connection_fields.ts";
import { agentPath } from "./paths.ts";
import { readRegistry } from "./layers/registry.ts";
import { findWorkspace } from "./layers/workspace_root.ts";

/** One registered workspace with what is set for it. */
export interface RegisteredWorkspace {
  /** Root of the workspace. */
  readonly path: string;
  /** Settings by name. */
  readonly values: JsonObject;
}

/** What became of a change. */
export type WorkspaceChange =
  | {
    readonly ok: true;
    readonly path: string;
    readonly key: SettingKey;
    /** `null` when the value was taken back. */
    readonly value: Json;
  }
  /** One sentence with the next step; nothing was written. */
  | { readonly ok: false; readonly message: string };

function readEntries(runtime: Runtime, home: string): WorkspaceEntries {
  const read = readRegistry(runtime, agentPath(home, "workspaces"));
  if (read.state === "unreadable") throw new Error(`${read.message}; repair or remove it`);
  return read.state === "ok" ? read.workspaces : {};
}

function writeEntries(runtime: Runtime, home: string, workspaces: WorkspaceEntries): void {
  runtime.files.makeDir(home);
  const text = `${JSON.stringify({ version: 1, workspaces }, null, 2)}\n`;
  runtime.files.writeAtomic(agentPath(home, "workspaces"), text);
}

/**
 * Everything registered, by path.
 *
 * @throws {Error} when the registry cannot be read.
 */
export function listWorkspaces(runtime: Runtime, home: string): readonly RegisteredWorkspace[] {
  return Object.entries(readEntries(runtime, home))
    .map(([path, values]) => ({ path, values }))
    .sort((a, b) => a.path < b.path ? -1 : 1);
}

/** A value as typed: the words of an environment variable, or the JSON of a file; "null" takes it back. */
function typedValue(key: SettingKey, text: string): ReturnType<typeof acceptText> {
  if (text.trim() === "null") return { kind: "absent" };
  const spec = SETTINGS[key];
  const words = acceptText(spec, text);
  if (words.kind !== "invalid") return words;
  try {
    return acceptValue(spec, JSON.parse(text) as Json);
  } catch {
    return words;
  }
}

/**
 * Sets `name` for the workspace of `cwd`: the root of its repository, or `cwd` itself.
 *
 * @throws {Error} when the registry cannot be read.
 * @throws {FileError} when it cannot be written.
 */
export function setWorkspaceValue(
  runtime: Runtime,
  home: string,
  cwd: string,
  name: string,
  text: string,
): WorkspaceChange {
  const key = canonicalKey(name);
  if (key === undefined) {
    const why = isConnectionField(name)
      ? "a connection is not set per workspace; set it in ovcli.conf"
      : "there is no such setting; `workspace list` shows what is set, the configuration reference what exists";
    return { ok: false, message: `Cannot set ${shown(name)}: ${why}` };
  }
  const path = findWorkspace(runtime, cwd).root;
  if (path === "") {
    return { ok: false, message: `Cannot set ${key}: there is no directory ${shown(cwd)}` };
  }
  const accepted = typedValue(key, text);
  if (accepted.kind === "invalid") {
    return {
      ok: false,
      message: `Cannot set ${key}: "${shown(text)}" is not ${accepted.expected}`,
    };
  }
  const entries = readEntries(runtime, home);
  const others = Object.fromEntries(
    Object.entries(entries[path] ?? {}).filter(([other]) => canonicalKey(other) !== key),
  );
  const value = accepted.kind === "absent" ? null : accepted.value as Json;
  const values = value === null ? others : { ...others, [key]: value };
  writeEntries(runtime, home, { ...entries, [path]: values });
  return { ok: true, path, key, value };
}

/**
 * Removes everything registered for the workspace of `cwd`, or for the registered path `cwd`
 * itself when that folder is gone; tells which path was removed, `undefined` when none was.
 *
 * @throws {Error} when the registry cannot be read.
 * @throws {FileError} when it cannot be written.
 */
export function forgetWorkspace(runtime: Runtime, home: string, cwd: string): string | undefined {
  const entries = readEntries(runtime, home);
  const exists = runtime.files.stat(cwd) !== undefined;
  const candidates = exists ? [cwd, findWorkspace(runtime, cwd).root] : [cwd];
  const path = candidates.find((candidate) => Object.hasOwn(entries, candidate));
  if (path === undefined) return undefined;
  const { [path]: _gone, ...others } = entries;
  writeEntries(runtime, home, others);
  return path;
}
