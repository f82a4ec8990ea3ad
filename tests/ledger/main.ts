/**
 * `deno task ledger [--missing AREA] [--junit FILE]… [--spec FILE]`: which rows of the requirements
 * ledger have a passing test, from the JUnit files of the last test run.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseJUnit } from "../support/junit.ts";
import { projectRoot } from "../support/project.ts";
import { printErrorLine, printLine } from "../support/terminal.ts";
import { countLedger, parseLedger, renderLedger, renderMissing } from "./ledger.ts";

const USAGE = "usage: deno task ledger [--missing AREA] [--junit FILE]... [--spec FILE]";

interface Options {
  readonly spec: string;
  readonly junit: readonly string[];
  readonly missing: string | undefined;
}

function parseOptions(args: readonly string[]): Options | undefined {
  const junit: string[] = [];
  let spec = join(projectRoot, "..", "shared", "spec", "requirements.md");
  let missing: string | undefined;
  for (let i = 0; i < args.length; i += 2) {
    const value = args[i + 1];
    if (value === undefined) return undefined;
    if (args[i] === "--junit") junit.push(value);
    else if (args[i] === "--spec") spec = value;
    else if (args[i] === "--missing") missing = value;
    else return undefined;
  }
  return { spec, junit: junit.length > 0 ? junit : lastResults(), missing };
}

function lastResults(): string[] {
  const folder = join(projectRoot, "dist", "test-results");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith(".xml")).map((name) =>
    join(folder, name)
  );
}

/** Prints the table, or the missing rows of one area; the exit code. */
export function main(args: readonly string[]): number {
  const options = parseOptions(args);
  if (options === undefined) {
    printErrorLine(USAGE);
    return 2;
  }
  if (!existsSync(options.spec)) {
    printErrorLine(`Cannot read ${options.spec}: not found. Name the ledger with --spec FILE`);
    return 1;
  }
  if (options.junit.length === 0) {
    printErrorLine("Cannot count the ledger: no test results. Run `deno task test` first");
    return 1;
  }
  const rows = parseLedger(readFileSync(options.spec, "utf8"));
  const counted = countLedger(
    rows,
    options.junit.flatMap((file) => parseJUnit(readFileSync(file, "utf8"))),
  );
  if (options.missing === undefined) printLine(renderLedger(counted));
  else {
    const area = options.missing.toUpperCase();
    const found = counted.areas.find((each) => each.area === area);
    if (found === undefined) {
      printErrorLine(
        `Cannot show "${options.missing}": no such area. One of ${
          counted.areas.map((each) => each.area).join(" ")
        }`,
      );
      return 2;
    }
    printLine(renderMissing(found));
  }
  return 0;
}

if (import.meta.main) Deno.exit(main(Deno.args));
