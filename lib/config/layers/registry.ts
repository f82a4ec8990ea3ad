/**
 * The machine's workspace registry as a layer: what the user decided for a folder without writing
 * into it. The file is `agent/workspaces.json`:
 * `{"version": 1, "workspaces": {"/path/of/a/workspace": {"autoCapture": false}}}`.
 *
 * @module
 */
import type { JsonObject, Runtime } from "../../runtime/types.ts";
import type { ConfigFile } from "../types.ts";
import type { Layer, LayerPlace, Report } from "./layers.ts";
import type { Workspace } from "./workspace_root.ts";
import { isJsonObject } from "../jsonc.ts";
import { agentPath } from "../paths.ts";
import { readObjectFile } from "../read_file.ts";
import { layerFromObject, reportUnknown } from "./layers.ts";

/** Values by workspace path. */
export type WorkspaceEntries = Readonly<Record<string, JsonObject>>;

/** What the registry file holds, or why it cannot be used. */
export type ReadRegistry =
  | { readonly state: "absent" }
  | { readonly state: "ok"; readonly workspaces: WorkspaceEntries }
  | { readonly state: "unreadable"; readonly message: string };

/** Reads the registry file at `path`. */
export function readRegistry(runtime: Runtime, path: string): ReadRegistry {
  const read = readObjectFile(runtime, path);
  if (read.state !== "ok") return read;
  const { workspaces } = read.value;
  if (!isJsonObject(workspaces) || !Object.values(workspaces).every(isJsonObject)) {
    return { state: "unreadable", message: `Cannot read ${path}: it has no table of workspaces` };
  }
  return { state: "ok", workspaces: workspaces as WorkspaceEntries };
}

/** The longest registered path that is `directory` or an ancestor of it. */
function entryFor(workspaces: WorkspaceEntries, directory: string): JsonObject | undefined {
  const paths = Object.keys(workspaces)
    .filter((path) => directory === path || directory.startsWith(`${path.replace(/\/$/, "")}/`))
    .sort((a, b) => b.length - a.length);
  return paths[0] === undefined ? undefined : workspaces[paths[0]];
}

/** What the registry says about a workspace. */
export interface RegistryLayer {
  /** Its layer, when something is registered for this workspace. */
  readonly layer?: Layer;
  /** The file, whether it exists or not. */
  readonly file: ConfigFile;
  /** Why the registry cannot be used, when that is so. */
  readonly broken?: string;
}

/** Reads the layer for the directory of `workspace`. */
export function readRegistryLayer(
  runtime: Runtime,
  home: string,
  workspace: Workspace,
  report: Report,
): RegistryLayer {
  const path = agentPath(home, "workspaces");
  const read = readRegistry(runtime, path);
  const file: ConfigFile = { path, layer: "workspace-registry", state: read.state };
  if (read.state === "unreadable") {
    report({ kind: "unreadable", source: path, message: read.message });
    return { file, broken: read.message };
  }
  const values = read.state === "ok" ? entryFor(read.workspaces, workspace.directory) : undefined;
  if (values === undefined) return { file };
  const place: LayerPlace = { name: "workspace-registry", source: path };
  const onOther: Parameters<typeof layerFromObject>[3] = (key, raw) =>
    reportUnknown(place, key, raw, report);
  return { file, layer: layerFromObject(place, values, report, onOther) };
}
