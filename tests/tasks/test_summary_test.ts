/**
 * The summary of a test run never calls a run green that was not.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { summarize } from "./test_summary.ts";
import { groupTestFiles } from "./test_files.ts";
import type { JUnitCase } from "../support/junit.ts";

const tested = (name: string, state: JUnitCase["state"]): JUnitCase => ({
  name,
  state,
  file: "a_test.ts",
  message: "",
});
const run = (cases: readonly JUnitCase[], exitCode = 0) => ({ group: "g", exitCode, cases });
const skip = { name: "s", reason: "needs ../shared" };

const CASES = [
  {
    what: "all pass",
    runs: [run([tested("a", "passed")])],
    ok: true,
    closing: "1 passed, 0 failed, 0 skipped",
  },
  {
    what: "a pass is a recorded skip",
    runs: [run([tested("a", "passed"), tested("s", "passed")])],
    skips: [skip],
    ok: true,
    closing: "1 passed, 0 failed, 1 skipped",
  },
  {
    what: "a full run has a skip",
    runs: [run([tested("a", "passed"), tested("s", "passed")])],
    skips: [skip],
    full: true,
    ok: false,
    closing: "1 passed, 0 failed, 1 skipped",
  },
  {
    what: "a test fails",
    runs: [run([tested("a", "failed")], 1)],
    ok: false,
    closing: "0 passed, 1 failed, 0 skipped",
  },
  {
    what: "a group crashes beside one that passes",
    runs: [run([tested("a", "passed")]), run([], 1)],
    ok: false,
    closing: "1 passed, 1 failed, 0 skipped",
  },
  { what: "nothing runs", runs: [run([])], ok: false, closing: "0 passed, 1 failed, 0 skipped" },
  {
    what: "everything is skipped",
    runs: [run([tested("s", "passed")])],
    skips: [skip],
    ok: false,
    closing: "0 passed, 1 failed, 1 skipped",
  },
];

for (const { what, runs, skips = [], full = false, ok, closing } of CASES) {
  test(`summarize() is ${ok ? "green" : "red"} when ${what}`, () => {
    const summary = summarize(runs, skips, full);
    assert.deepEqual([summary.ok, summary.closing], [ok, closing]);
  });
}

test("groupTestFiles() runs installing tests apart and one after another [TST-04]", () => {
  const groups = groupTestFiles([
    "tests/http/a_test.ts",
    "tests/install/b_test.ts",
    "tests/e2e/c_test.ts",
  ]);
  assert.deepEqual(groups.map((group) => [group.name, group.parallel, group.files.length]), [
    ["parallel", true, 1],
    ["install", false, 1],
    ["e2e", false, 1],
  ]);
});
