/**
 * `deno task ok`: the gate. Every step runs, each is timed, and one that fails fails the gate.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project.ts";
import { printLine } from "../support/terminal.ts";
import { main as runTests } from "./run_tests.ts";

/** One step of the gate: a name and what it runs. */
interface Step {
  readonly name: string;
  run(): Promise<number>;
}

async function deno(...args: string[]): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), { args, cwd: projectRoot, stdin: "null" });
  return (await child.spawn().status).code;
}

/** Files behind the package's exports. */
function entries(): string[] {
  const manifest = JSON.parse(readFileSync(join(projectRoot, "deno.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  return Object.values(manifest.exports);
}

const STEPS: readonly Step[] = [
  { name: "format", run: () => deno("fmt", "--check", "--quiet") },
  { name: "lint", run: () => deno("lint", "--quiet") },
  { name: "types", run: () => deno("check", "--quiet", ".") },
  {
    name: "documentation of the exports",
    run: () => deno("doc", "--lint", "--quiet", ...entries()),
  },
  { name: "structure", run: () => runTests(["tests/structure"]) },
  { name: "tests", run: () => runTests([]) },
  {
    name: "publish dry run",
    run: () => deno("publish", "--dry-run", "--allow-dirty", "--quiet"),
  },
];

/** Runs every step; the exit code. */
export async function main(): Promise<number> {
  const failed: string[] = [];
  for (const step of STEPS) {
    printLine(`## ${step.name}`);
    const startedAt = performance.now();
    const code = await step.run();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    printLine(`## ${step.name}: ${code === 0 ? "ok" : `FAILED (${code})`}, ${seconds} s`);
    if (code !== 0) failed.push(step.name);
  }
  printLine(
    failed.length === 0 ? "The gate is open." : `The gate is closed: ${failed.join(", ")}`,
  );
  return failed.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
