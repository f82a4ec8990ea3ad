/**
 * Whether the installed program can run: the launcher, what it names, and a start of it.
 *
 * @module
 */
import { FileError, type Files, type ProcessRuntime } from "../../lib/runtime/types.ts";
import { launcherPath, readPointer, versionOf } from "./deploy.ts";
import { digestOf } from "./digest.ts";

/** Milliseconds a start of the launcher may take. */
const START_TIMEOUT_MS = 30_000;

/** Why nothing that a host starts can run from the agent home `home`; `undefined` when it can. */
export async function programFault(
  runtime: ProcessRuntime,
  home: string,
): Promise<string | undefined> {
  try {
    return await lookAt(runtime, home);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return error.message;
  }
}

async function lookAt(runtime: ProcessRuntime, home: string): Promise<string | undefined> {
  const { files } = runtime;
  const launcher = launcherPath(home);
  const launcherFault = executableFault(files, launcher);
  if (launcherFault !== undefined) return launcherFault;

  const pointer = readPointer(files, home);
  if (pointer === undefined) return `${home}/current does not name a version`;

  const engine = `${home}/runtime/${pointer.runtime}/deno`;
  const engineFault = executableFault(files, engine);
  if (engineFault !== undefined) return engineFault;
  if (await versionOf(runtime, engine) === undefined) return `${engine} does not start`;

  const folder = `${home}/versions/${pointer.program}`;
  if (files.stat(folder)?.kind !== "directory") return `${folder} is not there`;
  const names = files.list(folder).filter((name) => name.endsWith(".js"));
  const bundles = new Map(names.map((name) => [name, files.readText(`${folder}/${name}`)]));
  // The folder's name ends with what its bundles were.
  if (!pointer.program.endsWith(`-${(await digestOf(bundles)).slice(0, 8)}`)) {
    return `${folder} does not hold what install wrote`;
  }
  return await startFault(runtime, launcher);
}

function executableFault(files: Files, path: string): string | undefined {
  const stat = files.stat(path);
  if (stat === undefined) return `${path} is not there`;
  if (stat.kind !== "file") return `${path} is not a file`;
  if (stat.size === 0) return `${path} is empty`;
  return (stat.mode & 0o100) === 0 ? `${path} is not executable` : undefined;
}

/** A launcher that was cut short ends well and says nothing. */
async function startFault(runtime: ProcessRuntime, launcher: string): Promise<string | undefined> {
  try {
    const done = await runtime.run([launcher, "--version"], { timeoutMs: START_TIMEOUT_MS });
    if (done.code === 0 && done.stdout.trim() !== "") return undefined;
    const [why = ""] = done.stderr.trim().split("\n");
    return `${launcher} does not start${why === "" ? "" : `: ${why}`}`;
  } catch (error) {
    return `${launcher} does not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}
