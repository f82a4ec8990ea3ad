/**
 * Where configuration is read from and where our own files lie.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";

/** Names below {@linkcode agentHome}. */
export const AGENT_LAYOUT = {
  /** The embedded engine's database. */
  localDatabase: "local/memory.db",
  outbox: "outbox",
  state: "state",
  logs: "logs",
  /** The machine's workspace registry. */
  workspaces: "workspaces.json",
  /** Sessions and folders in which nothing is remembered. */
  bypass: "bypass.json",
} as const;

/** The part of {@linkcode Runtime} that tells where files lie. */
export type PathRuntime = Pick<Runtime, "env" | "platform">;

function withSlashes(runtime: PathRuntime, path: string): string {
  return runtime.platform === "windows" ? path.replaceAll("\\", "/") : path;
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** A variable's value as it is, since a path may end in a blank; nothing but blanks counts as unset. */
function nonBlank(runtime: PathRuntime, name: string): string | undefined {
  const value = runtime.env(name);
  return value?.trim() === "" ? undefined : value;
}

/**
 * The user's home folder with `/` as separator: `HOME`, on Windows `USERPROFILE` first. Without
 * either, the folder that holds the `.openviking/agent` of `OPENVIKING_AGENT_HOME` (hosts that start
 * hooks with an empty environment still have the launcher's variable); "" when nothing tells it.
 */
export function homeDir(runtime: PathRuntime): string {
  const names = runtime.platform === "windows" ? ["USERPROFILE", "HOME"] : ["HOME"];
  for (const name of names) {
    const home = nonBlank(runtime, name);
    if (home !== undefined) return withoutTrailingSlash(withSlashes(runtime, home));
  }
  const agent = withSlashes(runtime, nonBlank(runtime, "OPENVIKING_AGENT_HOME") ?? "");
  const inside = /^(.*)\/\.openviking\/agent\/?$/.exec(agent);
  return inside?.[1] ?? "";
}

/** Expands a leading `~` or `~/`; other paths stay as they are but for the separators of Windows. */
export function expandHome(runtime: PathRuntime, path: string): string {
  const plain = withSlashes(runtime, path);
  if (plain === "~") return homeDir(runtime);
  return plain.startsWith("~/") ? homeDir(runtime) + plain.slice(1) : plain;
}

function overridden(runtime: PathRuntime, variable: string, inHome: string): string {
  const path = nonBlank(runtime, variable);
  return path === undefined
    ? `${homeDir(runtime)}/.openviking/${inHome}`
    : withoutTrailingSlash(expandHome(runtime, path));
}

/** Everything ours: `OPENVIKING_AGENT_HOME`, else `~/.openviking/agent`. No trailing slash. */
export function agentHome(runtime: PathRuntime): string {
  return overridden(runtime, "OPENVIKING_AGENT_HOME", "agent");
}

/** The client's configuration: `OPENVIKING_CLI_CONFIG_FILE`, else `~/.openviking/ovcli.conf`. */
export function ovcliPath(runtime: PathRuntime): string {
  return overridden(runtime, "OPENVIKING_CLI_CONFIG_FILE", "ovcli.conf");
}

/** The server's configuration: `OPENVIKING_CONFIG_FILE`, else `~/.openviking/ov.conf`. */
export function ovConfPath(runtime: PathRuntime): string {
  return overridden(runtime, "OPENVIKING_CONFIG_FILE", "ov.conf");
}

/** Path of one of our files or folders. */
export function agentPath(home: string, name: keyof typeof AGENT_LAYOUT): string {
  return `${home}/${AGENT_LAYOUT[name]}`;
}
