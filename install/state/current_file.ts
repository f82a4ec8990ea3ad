/**
 * A configuration file as it is now, and how it is replaced without changing what it is.
 *
 * @module
 */
import { FileError, type Files } from "../../lib/runtime/types.ts";
import type { HostLocation } from "../../lib/manifest.ts";
import { InstallError, type InstallErrorCode } from "../types.ts";

/** What a path holds at one moment. */
export interface CurrentFile {
  readonly path: string;
  /** Where the bytes are: links followed, a dangling one too. */
  readonly target: string;
  /** `undefined` when nothing is there. */
  readonly text: string | undefined;
  /** Permission bits; those for a new file when nothing is there. */
  readonly mode: number;
  readonly writable: boolean;
}

/** The folder that holds `path`. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

/** `path` seen from `base`, with `.` and `..` folded. */
function joinPath(base: string, path: string): string {
  const kept: string[] = [];
  for (const segment of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

/** Where a host keeps a file: of the alternatives the first that exists, else the last. */
export function locate(
  files: Files,
  env: (name: string) => string | undefined,
  home: string,
  location: HostLocation,
): string {
  const folder = location.variable === undefined ? undefined : env(location.variable);
  const paths = folder === undefined || folder === ""
    ? location.inHome.map((path) => joinPath(home, path))
    : (location.inVariable ?? []).map((path) => joinPath(joinPath(home, folder), path));
  return paths.find((path) => files.stat(path) !== undefined) ?? paths.at(-1) ?? home;
}

/** Follows links to the place where a write must go. */
function targetOf(files: Files, path: string): string {
  let target = path;
  for (let hops = 0; hops < 16; hops++) {
    if (files.lstat(target)?.kind !== "symlink") return target;
    target = joinPath(folderOf(target), files.readLink(target));
  }
  throw new FileError("loop", "follow the links of", path);
}

/** An {@linkcode InstallError} for a failed file operation; other errors pass as they are. */
export function asInstallError(error: unknown): unknown {
  if (!(error instanceof FileError)) return error;
  const code: InstallErrorCode = error.code === "read-only" ? "read-only" : "file";
  const fix = `${stepFor(error)}, then run the command again`;
  return new InstallError({ code, message: error.message, fix, path: error.path }, error);
}

function stepFor({ code, path }: FileError): string {
  switch (code) {
    case "full":
      return `Free space for ${folderOf(path)}`;
    case "read-only":
    case "permission":
      return `Allow access to ${path} and to its folder ${folderOf(path)}`;
    case "loop":
      return `Remove the link at ${path} that leads back to itself`;
    default:
      return `Make ${path} usable`;
  }
}

/**
 * Reads `path`.
 *
 * @throws {InstallError} `file` when it cannot be read, `invalid-config` when it is not UTF-8.
 */
export function readCurrent(files: Files, path: string): CurrentFile {
  try {
    const target = targetOf(files, path);
    const stat = files.stat(target);
    if (stat === undefined) return { path, target, text: undefined, mode: 0o600, writable: true };
    if (stat.kind !== "file") throw new FileError("is-directory", "read", path);
    const bytes = files.readBytes(target);
    return {
      path,
      target,
      text: decode(path, bytes),
      mode: stat.mode,
      writable: stat.mode === 0 || (stat.mode & 0o200) !== 0,
    };
  } catch (error) {
    throw asInstallError(error);
  }
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InstallError({
      code: "invalid-config",
      message: `Cannot read ${path}: it is not UTF-8 text`,
      fix: `Save ${path} as UTF-8, then run the command again`,
      path,
    });
  }
}

/** Folders on the way to `path` that are not there, outermost first. */
export function missingFolders(files: Files, path: string): string[] {
  const missing: string[] = [];
  let folder = folderOf(path);
  while (folder !== "/" && files.stat(folder) === undefined) {
    missing.unshift(folder);
    folder = folderOf(folder);
  }
  return missing;
}

/** Puts `text` where `file` is, with its mode and behind its links; `undefined` removes it. */
export function replaceCurrent(files: Files, file: CurrentFile, text: string | undefined): void {
  if (text === undefined) return files.remove(file.target);
  files.makeDir(folderOf(file.target));
  files.writeAtomic(file.target, text, { mode: file.mode });
  // The umask may have taken bits away that the file had.
  if (file.mode !== 0 && files.stat(file.target)?.mode !== file.mode) {
    files.chmod(file.target, file.mode);
  }
}

/** Removes those of `folders` that are empty, innermost first. */
export function removeEmptyFolders(files: Files, folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    if (files.stat(folder)?.kind !== "directory" || files.list(folder).length > 0) return;
    files.removeTree(folder);
  }
}
