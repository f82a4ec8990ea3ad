/**
 * Which workspace a directory belongs to, and which of its ancestors holds the workspace's files.
 *
 * @module
 */
import type { Runtime } from "../../runtime/types.ts";
import { agentHome, homeDir } from "../paths.ts";

/** The workspace of a directory. Paths are absolute and without links, "" where there is none. */
export interface Workspace {
  /** The directory itself, or its nearest existing ancestor. */
  readonly directory: string;
  /** Root of the repository; the directory itself outside a repository. */
  readonly root: string;
  /** Nearest folder from the directory up to the root that holds `.openviking`. */
  readonly configFolder: string;
  /** The repository's `.git`, "" outside a repository. */
  readonly git: string;
}

const NO_WORKSPACE: Workspace = { directory: "", root: "", configFolder: "", git: "" };

/** The folder above, "" above a root. */
function parentOf(path: string): string {
  const cut = path.lastIndexOf("/");
  if (cut > 0) return path.slice(0, cut);
  return cut === 0 && path.length > 1 ? "/" : "";
}

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** True when something is at `path`; what cannot be looked at counts as not there. */
function exists(runtime: Runtime, path: string): boolean {
  try {
    return runtime.files.lstat(path) !== undefined;
  } catch {
    return false;
  }
}

function realExisting(runtime: Runtime, path: string): string {
  for (let at = path; at !== ""; at = parentOf(at)) {
    try {
      const real = runtime.files.realPath(at);
      return runtime.platform === "windows" ? real.replaceAll("\\", "/") : real;
    } catch { /* gone or not to be entered: its parent stands for it */ }
  }
  return "";
}

/** Folders whose `.openviking` is the user's or ours and no workspace's. */
function ownFolders(runtime: Runtime): readonly string[] {
  const home = homeDir(runtime);
  return [home, realExisting(runtime, home), parentOf(parentOf(agentHome(runtime)))];
}

/**
 * Finds the workspace of `cwd`. Inside a Git repository the search for `.openviking` ends at its
 * root; outside, only the directory itself counts, so that nobody's folder further up has a say.
 * The home folder's `.openviking` is never a workspace's.
 */
export function findWorkspace(runtime: Runtime, cwd: string): Workspace {
  const path = runtime.platform === "windows" ? cwd.replaceAll("\\", "/") : cwd;
  if (!path.startsWith("/") && !/^[A-Za-z]:\//.test(path)) return NO_WORKSPACE;
  const directory = realExisting(runtime, path);
  if (directory === "") return NO_WORKSPACE;
  let configFolder = "";
  for (let at = directory; at !== ""; at = parentOf(at)) {
    if (configFolder === "" && exists(runtime, join(at, ".openviking"))) {
      configFolder = ownFolders(runtime).includes(at) ? "" : at;
    }
    const git = join(at, ".git");
    if (exists(runtime, git)) return { directory, root: at, configFolder, git };
  }
  return {
    directory,
    root: directory,
    configFolder: configFolder === directory ? directory : "",
    git: "",
  };
}
