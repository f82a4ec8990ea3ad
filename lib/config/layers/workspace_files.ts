/**
 * Reads `.openviking/config.json` and `.openviking/config.local.json`, and is the only place that
 * says what such files may carry: behaviour settings as literal values, never a connection or
 * credential field, and nothing that leads out of the repository.
 *
 * @module
 */
import type { Json, JsonObject, Runtime } from "../../runtime/types.ts";
import type { ConfigFile, ConfigProblem } from "../types.ts";
import type { SettingSpec, WorkspaceRule } from "../schema.ts";
import type { Layer, LayerPlace, Report } from "./layers.ts";
import type { Workspace } from "./workspace_root.ts";
import { isConnectionField } from "./connection_fields.ts";
import { isTracked } from "./_git_index.ts";
import { readObjectFile } from "../read_file.ts";
import { layerFromObject, reportUnknown } from "./layers.ts";
import { shown } from "./value.ts";

/** What a workspace's files gave. */
export interface WorkspaceLayers {
  /** The local file's layer before the committed one's. */
  readonly layers: readonly Layer[];
  /** Files that were looked for. */
  readonly files: readonly ConfigFile[];
  /** Why the user's own local file cannot be used, when that is so. */
  readonly broken?: string;
}

const COMMITTED_FILE = ".openviking/config.json";
const LOCAL_FILE = ".openviking/config.local.json";

const committedRule = (spec: SettingSpec): WorkspaceRule => spec.workspace;
const localRule = (spec: SettingSpec): WorkspaceRule => spec.local ?? "set";

/** Text in which a shell or a templating program would replace something. */
const LOOKS_INTERPOLATED = /\$\{[^}]*\}|\$[A-Za-z_]\w*|%[A-Za-z_]\w*%|\{(?:env|file):[^}]*\}/;

function holdsInterpolation(raw: Json): boolean {
  if (typeof raw === "string") return LOOKS_INTERPOLATED.test(raw.slice(0, 1000));
  return Array.isArray(raw) && raw.slice(0, 200).some(holdsInterpolation);
}

function reportInterpolation(source: string, entries: JsonObject, report: Report): void {
  for (const [key, raw] of Object.entries(entries).slice(0, 200)) {
    if (isConnectionField(key) || !holdsInterpolation(raw)) continue;
    report({
      kind: "interpolation",
      source,
      key,
      value: shown(raw),
      message: `Cannot expand ${key} in ${source}: values of workspace files are taken as written`,
    });
  }
}

function onOtherKey(place: LayerPlace, report: Report): (key: string, raw: Json) => void {
  return (key, raw) => {
    if (!isConnectionField(key)) return reportUnknown(place, key, raw, report);
    report({
      kind: "forbidden",
      source: place.source,
      key,
      value: "****",
      message:
        `Cannot set ${key} from ${place.source}: it is ignored, a file of the workspace may not carry connection or credential fields`,
    });
  };
}

/** What is wrong with the place of `path`, when following it would leave the repository. */
function outside(runtime: Runtime, root: string, path: string): ConfigProblem | undefined {
  let real: string;
  try {
    if (runtime.files.lstat(path) === undefined) return undefined;
    real = runtime.files.realPath(path);
  } catch {
    return undefined; // reading says what is wrong
  }
  if (runtime.platform === "windows") real = real.replaceAll("\\", "/");
  const inside = root.endsWith("/") ? root : `${root}/`;
  if (real.startsWith(inside)) return undefined;
  return {
    kind: "outside",
    source: path,
    message: `Cannot use ${path}: it is refused because it leads outside the repository`,
  };
}

/** True when a local file did not come with the repository: it is no link and not tracked. */
function isOwn(runtime: Runtime, workspace: Workspace, path: string): boolean {
  try {
    const real = runtime.files.realPath(path);
    const plain = runtime.platform === "windows" ? real.replaceAll("\\", "/") : real;
    return plain === path && !isTracked(runtime, workspace, LOCAL_FILE);
  } catch {
    return false;
  }
}

/** Reads the files of `workspace`. */
export function readWorkspaceFiles(
  runtime: Runtime,
  workspace: Workspace,
  report: Report,
): WorkspaceLayers {
  const layers: Layer[] = [];
  const files: ConfigFile[] = [];
  let broken: string | undefined;
  if (workspace.configFolder === "") return { layers, files };
  for (const layer of ["workspace-local", "workspace"] as const) {
    const name = layer === "workspace" ? COMMITTED_FILE : LOCAL_FILE;
    const path = `${workspace.configFolder}/${name}`;
    const refusal = outside(runtime, workspace.root, path);
    if (refusal !== undefined) {
      report(refusal);
      files.push({ path, layer, state: "refused" });
      continue;
    }
    const read = readObjectFile(runtime, path);
    files.push({ path, layer, state: read.state });
    if (read.state === "absent") continue;
    const own = layer === "workspace-local" && isOwn(runtime, workspace, path);
    if (read.state === "unreadable") {
      report({ kind: "unreadable", source: path, message: read.message });
      if (own) broken = read.message;
      continue;
    }
    const place: LayerPlace = { name: layer, source: path };
    reportInterpolation(path, read.value, report);
    const other = onOtherKey(place, report);
    layers.push(
      layerFromObject(place, read.value, report, other, own ? localRule : committedRule),
    );
  }
  return broken === undefined ? { layers, files } : { layers, files, broken };
}
