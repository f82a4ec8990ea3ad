/**
 * A Git repository read as files: no git process, no hooks, no configuration of its own obeyed.
 *
 * @module
 */
import type { Files, FileStat } from "../runtime/types.ts";
import { remotesOf } from "./_git_config.ts";
import { baseName, isAbsolute, parentOf, resolveFrom, toSlashes } from "./_path.ts";
import { normaliseRemoteUrl } from "./remote_url.ts";

/** Bytes of `.git`, `commondir` and of the configuration that are read at most. */
const POINTER_LIMIT = 8 * 1024;
const CONFIG_LIMIT = 1024 * 1024;
/** No file system here holds a longer path; a longer one is not worth a walk. */
const PATH_LIMIT = 8 * 1024;

/** A repository around a directory. All paths are absolute, without links, with `/`. */
export interface GitRepository {
  /** Top of the working tree. */
  readonly root: string;
  /** Top of the main checkout when `root` is a linked worktree of it, else `root`. */
  readonly mainRoot: string;
  /** The folder that all worktrees share. */
  readonly commonDir: string;
  /** Normalised URL of `origin`, else of the first remote with a usable one. */
  readonly remote?: string;
}

/** What {@linkcode findGitRepository} found: a repository, none, or one that cannot be read. */
export type GitLookup =
  | { readonly kind: "repository"; readonly repository: GitRepository }
  | { readonly kind: "none" }
  | { readonly kind: "unreadable"; readonly message: string };

function statOf(files: Files, path: string): FileStat | undefined {
  try {
    return files.stat(path);
  } catch {
    return undefined; // a folder that may not be entered holds nothing for us
  }
}

/** Text of a regular file within `limit` bytes; throws with the reason otherwise. */
function readBounded(files: Files, path: string, limit: number): string {
  const stat = files.stat(path);
  if (stat === undefined) throw new Error(`Cannot read ${path}: not-found`);
  if (stat.kind !== "file") throw new Error(`Cannot read ${path}: not a regular file`);
  if (stat.size > limit) throw new Error(`Cannot read ${path}: larger than ${limit} bytes`);
  return files.readText(path);
}

/**
 * The nearest folder at or above `path` that exists, without links; `undefined` when not even the
 * top does. A directory may be gone before a hook about it runs.
 */
export function nearestExisting(files: Files, path: string): string | undefined {
  if (path.length > PATH_LIMIT || !isAbsolute(path)) return undefined;
  for (let at: string | undefined = toSlashes(path); at !== undefined; at = parentOf(at)) {
    if (statOf(files, at)?.kind !== "directory") continue;
    try {
      return toSlashes(files.realPath(at));
    } catch {
      return at;
    }
  }
  return undefined;
}

function realOr(files: Files, path: string): string {
  try {
    return toSlashes(files.realPath(path));
  } catch {
    return path;
  }
}

/** The git folder that `<root>/.git` names; `undefined` when it is no repository at all. */
function gitDirOf(files: Files, root: string): string | undefined {
  const path = `${root}/.git`;
  const stat = statOf(files, path);
  if (stat?.kind === "directory") {
    return statOf(files, `${path}/HEAD`) === undefined ? undefined : path;
  }
  if (stat?.kind !== "file") return undefined;
  const named = /^gitdir:\s*(.+?)\s*$/m.exec(readBounded(files, path, POINTER_LIMIT))?.[1];
  if (named === undefined) return undefined;
  const gitDir = resolveFrom(root, named);
  if (statOf(files, `${gitDir}/HEAD`) === undefined) {
    throw new Error(`Cannot read ${path}: it names ${gitDir}, which is no Git folder`);
  }
  return gitDir;
}

function commonDirOf(files: Files, gitDir: string): string {
  const path = `${gitDir}/commondir`;
  if (statOf(files, path) === undefined) return gitDir;
  return resolveFrom(gitDir, readBounded(files, path, POINTER_LIMIT).trim());
}

function remoteOf(files: Files, commonDir: string, root: string): string | undefined {
  const path = `${commonDir}/config`;
  if (statOf(files, path) === undefined) return undefined;
  const remotes = remotesOf(readBounded(files, path, CONFIG_LIMIT));
  const origin = remotes.get("origin");
  for (const url of origin === undefined ? remotes.values() : [origin]) {
    const normal = normaliseRemoteUrl(url, root);
    if (normal !== undefined) return normal;
  }
  return undefined;
}

/**
 * Finds the repository around `directory` (absolute, existing, without links; see
 * {@linkcode nearestExisting}). Linked worktrees give the folder and the remote of the repository
 * they belong to; a submodule is a repository of its own. Bare repositories are not looked for.
 */
export function findGitRepository(files: Files, directory: string): GitLookup {
  try {
    for (let at: string | undefined = directory; at !== undefined; at = parentOf(at)) {
      const gitDir = gitDirOf(files, at);
      if (gitDir === undefined) continue;
      const commonDir = realOr(files, commonDirOf(files, gitDir));
      const linked = commonDir !== realOr(files, gitDir) && baseName(commonDir) === ".git";
      const mainRoot = (linked ? parentOf(commonDir) : undefined) ?? at;
      const remote = remoteOf(files, commonDir, mainRoot);
      return {
        kind: "repository",
        repository: { root: at, mainRoot, commonDir, ...(remote === undefined ? {} : { remote }) },
      };
    }
    return { kind: "none" };
  } catch (error) {
    return { kind: "unreadable", message: (error as Error).message };
  }
}
