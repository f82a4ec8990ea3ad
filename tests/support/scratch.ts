/**
 * A temporary folder with a home and a project in it, and a runtime that sees only them.
 *
 * @module
 */
import { after } from "node:test";
import { realpathSync } from "node:fs";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import type { ProcessRuntime } from "../../lib/runtime/types.ts";

/** A scratch folder; removed when the test file ends. */
export interface Scratch {
  /** Without links. */
  readonly dir: string;
  /** `HOME` of {@linkcode Scratch.runtime}, exists. */
  readonly home: string;
  /** The real files, and an environment of `HOME` and `variables` alone. */
  runtime(variables?: Readonly<Record<string, string>>): ProcessRuntime;
  /** Writes a file with its folders below the scratch folder; objects become JSON. Returns its path. */
  write(path: string, content: unknown): string;
}

/** Creates a scratch folder. */
export function createScratch(): Scratch {
  const { files } = denoProcessRuntime;
  const dir = realpathSync(denoProcessRuntime.makeTempDir("ov-scratch-"));
  after(() => files.removeTree(dir));
  const home = `${dir}/home`;
  files.makeDir(home);
  return {
    dir,
    home,
    runtime(variables = {}) {
      const environment: Record<string, string> = { HOME: home, ...variables };
      return {
        ...denoProcessRuntime,
        env: (name) => environment[name],
        envAll: () => ({ ...environment }),
        cwd: () => "/",
      };
    },
    write(path, content) {
      const full = `${dir}/${path}`;
      files.makeDir(full.slice(0, full.lastIndexOf("/")));
      const text = typeof content === "string" ? content : JSON.stringify(content);
      files.writeAtomic(full, text, { sync: false });
      return full;
    },
  };
}
