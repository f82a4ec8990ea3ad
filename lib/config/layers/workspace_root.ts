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

/** Bytes of a folder's own entry up to which it holds a few hundred names at most. */
const SMALL_FOLDER_BYTES = 16_384;

/**
 * Which of `names` are in `folder`; what cannot be looked at counts as not there. A small folder is
 * listed: under Deno each look at an absent file is an exception and costs more.
 */
function present(runtime: Runtime, folder: string, names: readonly string[]): readonly string[] {
  const { files } = runtime;
  try {
    const { size = 0 } = files.stat(folder) ?? {};
    if (size > 0 && size <= SMALL_FOLDER_BYTES) {
      const listed = files.list(folder);
      return names.filter((name) => listed.includes(name));
    }
  } catch { /* entered, but not readable */ }
  return names.filter((name) => {
    try {
      return files.lstat(join(folder, name)) !== undefined;
    } catch {
      return false;
    }
  });
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
    const found = present(runtime, at, [".openviking", ".git"]);
    if (configFolder === "" && found.includes(".openviking")) {
      configFolder = ownFolders(runtime).includes(at) ? "" : at;
    }
    if (found.includes(".git")) {
      return { directory, root: at, configFolder, git: join(at, ".git") };
    }
  }
  return {
    directory,
    root: directory,
    configFolder: configFolder === directory ? directory : "",
    git: "",
  };
}
