/**
 * `deno task build`: builds the bundles of this checkout and prints where they lie.
 *
 * @module
 */
import { denoProcessRuntime } from "../lib/runtime/deno_process.ts";
import { bundleSourceFor } from "./bundles.ts";
import { InstallError } from "./types.ts";

/** Builds and prints one line per bundle; the exit code. */
async function main(): Promise<number> {
  try {
    const bundles = await bundleSourceFor(denoProcessRuntime, import.meta.url).load();
    for (const [name, text] of bundles) {
      denoProcessRuntime.writeStdout(`${name}  ${Math.ceil(text.length / 1024)} KiB\n`);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    denoProcessRuntime.writeStderr(`${error.failure.message}\n${error.failure.fix}\n`);
    return 1;
  }
}

if (import.meta.main) denoProcessRuntime.exit(await main());
