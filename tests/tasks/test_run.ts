/**
 * Runs one group of test files in a `deno test`.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type JUnitCase, parseJUnit } from "../support/junit.ts";
import { projectRoot } from "../support/project.ts";
import { printLine } from "../support/terminal.ts";
import type { TestGroup } from "./test_files.ts";
import type { TestHome } from "./test_home.ts";

/** What one `deno test` came to. */
export interface TestRun {
  readonly group: string;
  readonly exitCode: number;
  readonly cases: readonly JUnitCase[];
}

/** The reporter writes a line with one sign per test when it writes to no terminal. */
async function printWithoutDots(output: ReadableStream<Uint8Array>): Promise<void> {
  let rest = "";
  for await (const text of output.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (!/^[.,!]?$/.test(line)) printLine(line);
  }
  if (rest !== "") printLine(rest);
}

/** Runs `group`; its output goes to the terminal. */
export async function runTestGroup(group: TestGroup, home: TestHome): Promise<TestRun> {
  const junit = join(home.results, `${group.name}.xml`);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "-A",
      "--no-check",
      "--reporter=dot",
      `--junit-path=${junit}`,
      ...(group.parallel ? ["--parallel"] : []),
      ...group.files,
    ],
    cwd: projectRoot,
    env: { ...home.environment },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
  }).spawn();
  await printWithoutDots(child.stdout);
  const { code } = await child.status;
  const cases = existsSync(junit) ? parseJUnit(readFileSync(junit, "utf8")) : [];
  return { group: group.name, exitCode: code, cases };
}
