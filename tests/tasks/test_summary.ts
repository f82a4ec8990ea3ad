/**
 * What a test run came to, in lines for a person and one closing line for a program.
 *
 * @module
 */
import type { SkipRecord } from "../support/requirements.ts";
import type { TestRun } from "./test_run.ts";

/** The end of a test run. */
export interface TestSummary {
  readonly ok: boolean;
  /** Failed and skipped tests by name. */
  readonly lines: readonly string[];
  /** `N passed, N failed, N skipped`. */
  readonly closing: string;
}

/** Adds up `runs`. A run without tests, a crashed one and, with `full`, any skip is a failure. */
export function summarize(
  runs: readonly TestRun[],
  skips: readonly SkipRecord[],
  full: boolean,
): TestSummary {
  const cases = runs.flatMap((run) => run.cases);
  const reasons = new Map(skips.map((skip) => [skip.name, skip.reason]));
  const failed = cases.filter((test) => test.state === "failed");
  const skipped = cases.filter((test) =>
    test.state === "skipped" || (test.state === "passed" && reasons.has(test.name))
  );
  const crashed = runs.filter((run) =>
    run.exitCode !== 0 && !run.cases.some((test) => test.state === "failed")
  );
  const passed = cases.length - failed.length - skipped.length;
  const empty = passed === 0 && failed.length === 0 && crashed.length === 0;
  const lines = [
    ...failed.map((test) => `failed: ${test.name} (${test.file}) ${test.message}`),
    ...crashed.map((run) => `failed: the tests of ${run.group} ended with code ${run.exitCode}`),
    ...(empty ? ["failed: no test was executed"] : []),
    ...skipped.map((test) =>
      `skipped: ${test.name} - ${reasons.get(test.name) ?? "switched off in the test"}`
    ),
  ];
  const failures = failed.length + crashed.length + (empty ? 1 : 0);
  return {
    ok: failures === 0 && (!full || skipped.length === 0),
    lines: full && skipped.length > 0 ? [...lines, "failed: a full run skips nothing"] : lines,
    closing: `${passed} passed, ${failures} failed, ${skipped.length} skipped`,
  };
}
