/**
 * The isolated surroundings of a test run: a home, a temporary folder and an environment in which
 * nothing of the developer's own agents can be read or touched.
 *
 * @module
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { projectRoot } from "../support/project.ts";
import type { SkipRecord } from "../support/requirements.ts";

/** One run's surroundings. */
export interface TestHome {
  readonly environment: Readonly<Record<string, string>>;
  /** Folder for JUnit files; the ledger reads them from there. */
  readonly results: string;
  skipRecords(): SkipRecord[];
  /** Ends processes that tests left behind, and removes the folder. */
  remove(): Promise<void>;
}

/** Makes the surroundings. `full` makes a missing requirement a failure. */
export async function createTestHome(options: { readonly full: boolean }): Promise<TestHome> {
  const root = mkdtempSync(join(tmpdir(), "openviking-tests-"));
  const folder = (name: string) => {
    mkdirSync(join(root, name), { mode: 0o700 });
    return join(root, name);
  };
  const skips = join(root, "skips.jsonl");
  const results = resultsFolder(root);
  writeFileSync(skips, "");
  const environment = {
    ...await isolatedEnvironment(folder("home")),
    TMPDIR: folder("tmp"),
    OPENVIKING_TEST_SKIPS: skips,
    OPENVIKING_TEST_FULL: options.full ? "1" : "0",
  };
  return {
    environment,
    results,
    skipRecords: () =>
      readFileSync(skips, "utf8").split("\n").filter((line) => line !== "")
        .map((line) => JSON.parse(line) as SkipRecord),
    async remove() {
      for (const pid of processesOf(root)) {
        try {
          Deno.kill(pid, "SIGKILL");
        } catch { /* it ended by itself */ }
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      makeWritable(root);
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** `dist/test-results/` of the checkout, emptied; a folder of this run when the checkout is read-only. */
function resultsFolder(root: string): string {
  const folder = join(projectRoot, "dist", "test-results");
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch {
    return root;
  }
}

/** Living processes whose environment names `root`: only this run started such. Linux only. */
function processesOf(root: string): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== Deno.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, "utf8").includes(`${root}/`);
      } catch {
        return false;
      }
    }).map(Number);
}

/** Tests leave read-only folders when they fail half-way. */
function makeWritable(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    try {
      Deno.chmodSync(path, 0o700);
      makeWritable(path);
    } catch { /* removing it will tell */ }
  }
}
