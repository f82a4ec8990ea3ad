/**
 * Whether a host is on this machine, and which version of it. Reads files only; starts nothing.
 *
 * @module
 */
import type { Files, Runtime } from "../lib/runtime/types.ts";
import type { HostManifest } from "../lib/manifest.ts";
import { folderOf, locate } from "./state/current_file.ts";

/** What was found. */
export interface Detection {
  readonly detected: boolean;
  /** `null` when no file tells it. */
  readonly version: string | null;
}

/** Folders below the home folder where hosts install programs without touching the PATH of a service. */
const USUAL_FOLDERS: readonly string[] = [".local/bin", "bin", ".claude/local", ".npm-global/bin"];

/** Looks for a host's programs, files and folders. */
export function detectHost(runtime: Runtime, home: string, manifest: HostManifest): Detection {
  const { files } = runtime;
  const folders = [
    ...(runtime.env("PATH") ?? "").split(":").filter((folder) => folder.startsWith("/")),
    ...USUAL_FOLDERS.map((folder) => `${home}/${folder}`),
  ];
  const program = manifest.detect.programs
    .flatMap((name) => folders.map((folder) => `${folder}/${name}`))
    .find((path) => isFile(files, path));
  const located = manifest.detect.locations.some((location) =>
    exists(files, locate(files, (name) => runtime.env(name), home, location))
  );
  return {
    detected: located || program !== undefined,
    version: program === undefined ? null : versionOfProgram(files, program),
  };
}

function exists(files: Files, path: string): boolean {
  try {
    return files.stat(path) !== undefined;
  } catch {
    return false; // not ours to look into
  }
}

function isFile(files: Files, path: string): boolean {
  try {
    return files.stat(path)?.kind === "file";
  } catch {
    return false;
  }
}

/** Version from the path of the real program (`…/versions/1.2.3`), else from a package.json above it. */
function versionOfProgram(files: Files, program: string): string | null {
  try {
    const real = files.realPath(program);
    const named = /\/versions\/v?(\d+\.\d+\.\d+[^/]*)/.exec(real);
    if (named?.[1] !== undefined) return named[1];
    let folder = folderOf(real);
    for (let up = 0; up < 4 && folder !== "/"; up++) {
      const path = `${folder}/package.json`;
      if (isFile(files, path)) {
        const { version } = JSON.parse(files.readText(path)) as { version?: unknown };
        return typeof version === "string" ? version : null;
      }
      folder = folderOf(folder);
    }
  } catch { /* the version is a courtesy */ }
  return null;
}
