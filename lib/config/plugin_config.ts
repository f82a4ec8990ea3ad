/**
 * The one resolver of configuration: eight layers of behaviour settings, the connection, and what
 * was wrong with either.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type {
  ConfigClient,
  ConfigFile,
  ConfigProblem,
  Connection,
  HostInput,
  Origin,
} from "./types.ts";
import type { SettingKey, Settings } from "./schema.ts";
import type { Layer, Report } from "./layers/layers.ts";
import { resolveConnection } from "./connection.ts";
import { environmentLayer, resolveSettings } from "./layers/layers.ts";
import { agentHome } from "./paths.ts";
import { readRegistryLayer } from "./layers/registry.ts";
import { readUserFiles, userConfigFiles, userLayers } from "./layers/user_files.ts";
import { readWorkspaceFiles } from "./layers/workspace_files.ts";
import { findWorkspace } from "./layers/workspace_root.ts";

/** What {@linkcode buildPluginConfig} needs to know. */
export interface PluginConfigOptions {
  /** Where files and environment are read. */
  readonly runtime: Runtime;
  /** The directory of the payload; without it no workspace layer takes part. */
  readonly cwd?: string;
  /**
   * What a host's SDK pins, above every other source; nothing else of a configuration can be given
   * by a caller.
   */
  readonly hostInput?: HostInput;
  /** See `ConnectionOptions`; no registered host turns it on. @default false */
  readonly rootKeyFallback?: boolean;
}

/** The configuration in force for one host and one directory. */
export interface PluginConfig {
  /** Whose configuration this is. */
  readonly harness: ConfigClient;
  /** Resolved behaviour settings. */
  readonly settings: Settings;
  /** Layer and file a setting's value came from. */
  origin(key: SettingKey): Origin;
  /** True when some layer set the value, even to the default. */
  isConfigured(key: SettingKey): boolean;
  /** Resolved engine, URL, key and identity. */
  readonly connection: Connection;
  /** Everything that did not take effect. */
  readonly problems: readonly ConfigProblem[];
  /** Folder of everything ours. */
  readonly agentHome: string;
  /** Root of the workspace whose files took part, "" when there is none. */
  readonly workspaceRoot: string;
  /** Files that were looked at, in no particular order. */
  readonly files: readonly ConfigFile[];
  /**
   * Why this configuration cannot be trusted: a file of the user's cannot be read, or the server
   * cannot be told. Then nothing may be sent anywhere, `connection` names no URL, and what was
   * switched off in that file is not known. One sentence that names the file.
   */
  readonly broken?: string;
}

const NO_ORIGIN: Origin = { layer: "default", source: "", configured: false };

/**
 * Resolves the configuration of `harness` (a host, or `cli` for commands and worker): environment, the machine's workspace registry, the
 * workspace's local and committed file, `ovcli.conf` for this host and for all, the legacy section of
 * `ov.conf`, defaults. Reads files and environment, writes nothing, never throws for what they hold.
 */
export function buildPluginConfig(
  harness: ConfigClient,
  options: PluginConfigOptions,
): PluginConfig {
  const { runtime, cwd, hostInput, rootKeyFallback } = options;
  const problems: ConfigProblem[] = [];
  const report: Report = (problem) => problems.push(problem);
  const home = agentHome(runtime);
  const userFiles = readUserFiles(runtime);
  for (const { state, path, message } of [userFiles.ovcli, userFiles.ovConf]) {
    if (state === "unreadable") report({ kind: "unreadable", source: path, message });
  }
  const files: ConfigFile[] = [...userConfigFiles(userFiles)];
  const layers: Layer[] = [environmentLayer(runtime, report)];
  let broken: string | undefined;
  let workspaceRoot = "";
  if (cwd !== undefined && cwd !== "") {
    const workspace = findWorkspace(runtime, cwd);
    const registry = readRegistryLayer(runtime, home, workspace, report);
    const inWorkspace = readWorkspaceFiles(runtime, workspace, report);
    if (registry.layer !== undefined) layers.push(registry.layer);
    layers.push(...inWorkspace.layers);
    files.push(registry.file, ...inWorkspace.files);
    broken = registry.broken ?? inWorkspace.broken;
    workspaceRoot = workspace.root;
  }
  layers.push(...userLayers(userFiles, harness, report));

  const { settings, origins } = resolveSettings(layers, report);
  const resolved = resolveConnection({
    runtime,
    files: userFiles,
    harness,
    ...(hostInput === undefined ? {} : { hostInput }),
    ...(rootKeyFallback === undefined ? {} : { rootKeyFallback }),
  });
  problems.push(...resolved.problems);
  broken = resolved.broken ?? broken;
  return {
    harness,
    settings,
    origin: (key) => origins.get(key) ?? NO_ORIGIN,
    isConfigured: (key) => origins.get(key)?.configured === true,
    connection: resolved.connection,
    problems,
    agentHome: home,
    workspaceRoot,
    files,
    ...(broken === undefined ? {} : { broken }),
  };
}
