/**
 * Puts the program in its place: an immutable folder per version, a runtime of our own, the launcher,
 * and the pointer that names what is in force. Nothing in use is ever changed.
 *
 * ```
 * agent/versions/<version>-<hash8>/   hook-<host>.js worker.js mcp.js cli.js
 * agent/runtime/deno-<version>/deno
 * agent/bin/openviking-agent          names only the pointer
 * agent/current                       two lines: the version's folder, the runtime's folder
 * ```
 *
 * @module
 */
import { FileError, type Files, type ProcessRuntime } from "../../lib/runtime/types.ts";
import { type Bundles, type EditReport, InstallError } from "../types.ts";
import { digestOf } from "./digest.ts";
import { launcherText } from "./launcher.ts";
import { MANIFESTS } from "../manifests.ts";

/** Path of the launcher in an agent home. */
export function launcherPath(home: string): string {
  return `${home}/bin/openviking-agent`;
}

/** Names in an agent home that belong to the program and not to what it remembers. */
export const PROGRAM_NAMES: readonly string[] = ["bin", "versions", "runtime", "cache", "current"];

const POINTER_LINE = /^[A-Za-z0-9.+_-]+$/;

/** Folder names of a program, below `versions/`, and of its runtime, below `runtime/`. */
export interface Pointer {
  readonly program: string;
  readonly runtime: string;
}

/** The pointer in force; `undefined` when there is no valid one. */
export function readPointer(files: Files, home: string): Pointer | undefined {
  let text: string;
  try {
    text = files.readText(`${home}/current`);
  } catch {
    return undefined;
  }
  const [program = "", runtime = ""] = text.split("\n");
  return POINTER_LINE.test(program) && POINTER_LINE.test(runtime)
    ? { program, runtime }
    : undefined;
}

/** What was deployed. */
export interface Deployed extends Pointer {
  readonly edits: readonly EditReport[];
}

/**
 * Deploys `bundles` as `version` and puts them in force.
 *
 * @param home Absolute path; made when it is not there.
 * @throws {InstallError} `runtime` when the runtime cannot be run from its place.
 * @throws {FileError} when something cannot be written; the pointer is as it was then.
 */
export async function deploy(
  runtime: ProcessRuntime,
  home: string,
  version: string,
  bundles: Bundles,
): Promise<Deployed> {
  const { files } = runtime;
  const edits: EditReport[] = [];
  const note = (path: string, before: boolean, changed: boolean, reason: string) =>
    edits.push({ path, action: changed ? before ? "edit" : "create" : "none", reason });

  const program = `${version}-${(await digestOf(bundles)).slice(0, 8)}`;
  const folder = `${home}/versions/${program}`;
  const hadProgram = files.stat(folder) !== undefined;
  note(folder, hadProgram, placeProgram(runtime, folder, bundles), "the program");

  const engine = await placeRuntime(runtime, home);
  note(engine.path, engine.before, engine.changed, "the runtime");

  const launcher = launcherPath(home);
  const hadLauncher = files.stat(launcher) !== undefined;
  const text = launcherText(files.realPath(home), MANIFESTS);
  note(launcher, hadLauncher, placeText(files, launcher, text, 0o700), "the launcher");

  const pointer = `${home}/current`;
  const hadPointer = files.stat(pointer) !== undefined;
  const lines = `${program}\n${engine.name}\n`;
  note(pointer, hadPointer, placeText(files, pointer, lines, 0o600), "names the version in force");
  return { program, runtime: engine.name, edits };
}

/** Writes `text` unless it stands there already; true when something was written. */
function placeText(files: Files, path: string, text: string, mode: number): boolean {
  const stat = files.stat(path);
  if (stat !== undefined && stat.mode === mode && files.readText(path) === text) return false;
  files.makeDir(path.slice(0, path.lastIndexOf("/")));
  files.writeAtomic(path, text, { mode });
  return true;
}

/** A whole folder appears at once; files missing from one that is there are put back. */
function placeProgram(runtime: ProcessRuntime, folder: string, bundles: Bundles): boolean {
  const { files } = runtime;
  if (files.stat(folder) === undefined) {
    const fresh = `${folder}.${runtime.pid}.${runtime.randomId().slice(0, 8)}.tmp`;
    files.makeDir(fresh);
    try {
      for (const [name, text] of bundles) files.writeAtomic(`${fresh}/${name}`, text);
      files.rename(fresh, folder);
    } finally {
      files.removeTree(fresh);
    }
    return true;
  }
  let changed = false;
  for (const [name, text] of bundles) {
    changed = placeText(files, `${folder}/${name}`, text, 0o600) || changed;
  }
  return changed;
}

/** Version that the Deno at `program` tells; `undefined` when it does not run. */
export async function versionOf(
  runtime: ProcessRuntime,
  program: string,
): Promise<string | undefined> {
  try {
    const { stdout } = await runtime.run([program, "--version"], {
      env: { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
      timeoutMs: 30_000,
    });
    return /^deno (\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

/** A link to, or a copy of, the running Deno: package caches and version managers take theirs away. */
async function placeRuntime(
  runtime: ProcessRuntime,
  home: string,
): Promise<{ path: string; name: string; before: boolean; changed: boolean }> {
  const { files } = runtime;
  const source = runtime.execPath();
  const version = await versionOf(runtime, source);
  if (version === undefined) throw cannotRun(source, "it is no Deno, or does not start");
  const name = `deno-${version}`;
  const path = `${home}/runtime/${name}/deno`;
  const there = files.stat(path);
  const before = there !== undefined;
  if (
    there?.kind === "file" && there.size === files.stat(source)?.size &&
    await versionOf(runtime, path) === version
  ) {
    return { path, name, before, changed: false };
  }
  files.makeDir(`${home}/runtime/${name}`);
  const fresh = `${path}.tmp`; // one name: an interrupted installation leaves no more than one
  try {
    linkOrCopy(files, source, fresh);
    if (await versionOf(runtime, fresh) !== version) {
      throw cannotRun(fresh, "programs may not be started in that folder");
    }
    files.rename(fresh, path);
  } finally {
    files.remove(fresh);
  }
  return { path, name, before, changed: true };
}

function linkOrCopy(files: Files, source: string, target: string): void {
  files.remove(target);
  try {
    files.link(files.realPath(source), target);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    files.copy(source, target);
    files.chmod(target, 0o700);
  }
}

function cannotRun(path: string, state: string): InstallError {
  return new InstallError({
    code: "runtime",
    message: `Cannot run ${path}: ${state}`,
    fix: "Name another place with OPENVIKING_AGENT_HOME, then run the command again",
    path,
  });
}

/** Removes what an interrupted installation left, and programs and runtimes that nothing names. */
export function pruneOld(files: Files, home: string, keep: readonly (Pointer | null)[]): void {
  const current = readPointer(files, home);
  if (current === undefined) return;
  const kept = new Set(
    [current, ...keep].flatMap((pointer) =>
      pointer === null ? [] : [pointer.program, pointer.runtime]
    ),
  );
  for (const [folder, ours] of [["versions", /-[0-9a-f]{8}$/], ["runtime", /^deno-\d/]] as const) {
    for (const name of files.list(`${home}/${folder}`)) {
      const stale = name.endsWith(".tmp") || (ours.test(name) && !kept.has(name));
      if (stale) files.removeTree(`${home}/${folder}/${name}`);
    }
  }
}
