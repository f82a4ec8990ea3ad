/**
 * The permissions of an installed bundle, in one place for the launcher and for the hook that starts
 * the worker.
 *
 * @module
 */

/** Deno splits permission lists at commas and knows no escape (2.9.6): such a path needs the open form. */
function flagFor(name: string, path: string): string {
  return path.includes(",") ? name : `${name}=${path}`;
}

/**
 * Flags between `deno run` and the bundle: no project file has a say, nothing is fetched, and only
 * `agentHome` can be written. Reading is open because hooks read the project the host works in.
 */
export function bundleFlags(agentHome: string, runtimePath: string): string[] {
  return [
    "--no-config",
    "--no-lock",
    "--no-remote",
    "--no-npm",
    "--no-prompt",
    "--quiet",
    "--allow-read",
    "--allow-env",
    "--allow-net",
    flagFor("--allow-write", agentHome),
    flagFor("--allow-run", runtimePath),
  ];
}

/**
 * Flags of a hook's bundle: everything in it runs once and for milliseconds. So all of it is compiled
 * at once and comes from the code cache the next time (Deno 2.9.6 caches what was compiled when the
 * module was loaded), nothing is compiled further, and the nursery is never collected.
 */
export const HOOK_V8_FLAGS =
  "--v8-flags=--no-lazy,--single-threaded,--no-sparkplug,--min-semi-space-size=8";

/** Flags of the MCP bundle: a small nursery keeps a process that lives for days at its size. */
export const MCP_V8_FLAGS = "--v8-flags=--max-semi-space-size=1";

/**
 * Flags of the worker: what a long read leaves behind is collected at once and not when the heap has
 * grown to it. No bound on the heap: a single row may be large.
 */
export const WORKER_V8_FLAGS = "--v8-flags=--max-semi-space-size=1,--optimize-for-size";
