/**
 * `deno task test [PATH…]` and `deno task test:full`: runs the tests in an isolated home, and says
 * at the end what passed, failed and was skipped, and why.
 *
 * @module
 */
import { collectTestFiles, groupTestFiles } from "./test_files.ts";
import { createTestHome } from "./test_home.ts";
import { runTestGroup } from "./test_run.ts";
import { summarize } from "./test_summary.ts";
import { projectRoot } from "../support/project.ts";
import { printLine } from "../support/terminal.ts";

/** Runs the tests; the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const full = args.includes("--full");
  const files = collectTestFiles(projectRoot, args.filter((arg) => !arg.startsWith("--")));
  const home = await createTestHome({ full });
  const startedAt = performance.now();
  try {
    const runs = [];
    for (const group of groupTestFiles(files)) {
      printLine(`# ${group.name}: ${group.files.length} files`);
      runs.push(await runTestGroup(group, home));
    }
    const summary = summarize(runs, home.skipRecords(), full);
    for (const line of summary.lines) printLine(line);
    printLine(`# ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    printLine(summary.closing);
    return summary.ok ? 0 : 1;
  } finally {
    await home.remove();
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
