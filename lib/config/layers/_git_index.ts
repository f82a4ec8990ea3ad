/**
 * Tells whether a file is tracked by Git, from the index file alone.
 *
 * @module
 */
import type { Runtime } from "../../runtime/types.ts";
import type { Workspace } from "./workspace_root.ts";

/** Path of the index: in `.git`, or where the `gitdir:` of a worktree or submodule points. */
function indexPath(runtime: Runtime, workspace: Workspace): string {
  const { git, root } = workspace;
  if (runtime.files.stat(git)?.kind !== "file") return `${git}/index`;
  const folder = /^gitdir:\s*(.+?)\s*$/m.exec(runtime.files.readText(git))?.[1] ?? "";
  const absolute = folder.startsWith("/") || /^[A-Za-z]:/.test(folder);
  return `${absolute ? folder : `${root}/${folder}`}/index`;
}

/**
 * True when a path that ends in `name` stands in the repository's index, in any case of letters, or
 * when that cannot be told (the index is unreadable, or of version 4, which shortens names): a wrong
 * "tracked" only makes a file less trusted.
 */
export function isTracked(runtime: Runtime, workspace: Workspace, name: string): boolean {
  if (workspace.git === "") return false;
  try {
    const index = indexPath(runtime, workspace);
    const kind = runtime.files.stat(index)?.kind;
    if (kind === undefined) return false; // nothing was ever added
    if (kind !== "file") return true;
    const bytes = runtime.files.readBytes(index);
    if (bytes[7] === 4) return true;
    return includesName(bytes, new TextEncoder().encode(name));
  } catch {
    return true;
  }
}

function includesName(bytes: Uint8Array, name: Uint8Array): boolean {
  const first = name[0] ?? 0;
  const last = bytes.length - name.length;
  for (let at = bytes.indexOf(first); at !== -1 && at <= last; at = bytes.indexOf(first, at + 1)) {
    let same = 1;
    while (same < name.length && isSameLetter(bytes[at + same], name[same])) same++;
    if (same === name.length) return true;
  }
  return false;
}

/** Compares two ASCII characters; letters of either case are the same. */
function isSameLetter(a: number | undefined, b: number | undefined): boolean {
  return ((a ?? 0) | 0x20) === ((b ?? 0) | 0x20);
}
