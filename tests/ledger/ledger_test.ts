/**
 * The ledger program counts what tests prove.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { parseJUnit, rowsOf } from "../support/junit.ts";
import { countLedger, parseLedger, renderLedger, renderMissing } from "./ledger.ts";

const LEDGER = `
| id | requirement | source | observed |
|---|---|---|---|
| ABC-01 | First \\| with a bar. | D§1 | wire |
| ABC-02 | Second. | D§1 | graph: x; review |
| ABC-03 | Third. | D§1 | review |
| ~~ABC-04~~ | ~~Given up.~~ 0007 | D§1 | wire |
| HOST-CC-01 | Fourth. | D§1 | review with a checklist |
| HOST-CC-02 | Fifth. | D§1 | out |
`;

const JUNIT = `<?xml version="1.0"?>
<testsuites><testsuite name="./a_test.ts">
  <testcase name="one() works [ABC-01] [XYZ-09]" classname="./a_test.ts" time="0.1"></testcase>
  <testcase name="two &gt; inner &quot;q&quot; [HOST-CC-02]" classname="./a_test.ts"><skipped/></testcase>
  <testcase name="three [ABC-02]" classname="./b_test.ts">
    <failure message="Uncaught Error: a &lt; b

more">trace</failure>
  </testcase>
  <testcase name="four" classname="./b_test.ts"/>
</testsuite></testsuites>`;

test("parseJUnit() reads names, files, states and messages", () => {
  assert.deepEqual(parseJUnit(JUNIT), [
    { name: "one() works [ABC-01] [XYZ-09]", file: "./a_test.ts", state: "passed", message: "" },
    {
      name: 'two > inner "q" [HOST-CC-02]',
      file: "./a_test.ts",
      state: "skipped",
      message: "",
    },
    {
      name: "three [ABC-02]",
      file: "./b_test.ts",
      state: "failed",
      message: "Uncaught Error: a < b",
    },
    { name: "four", file: "./b_test.ts", state: "passed", message: "" },
  ]);
});

test("rowsOf() finds ids in square brackets only", () => {
  assert.deepEqual(rowsOf("x [CFG-03] CFG-04 [HOST-CC-05] [cfg-06] [CFG-]"), [
    "CFG-03",
    "HOST-CC-05",
  ]);
});

test("countLedger() takes passing tests only, and leaves out struck and review rows", () => {
  const counted = countLedger(parseLedger(LEDGER), parseJUnit(JUNIT));
  const figures = counted.areas.map((area) => [
    area.area,
    area.rows.map((row) => row.id),
    area.proven.map((row) => row.id),
    area.review.map((row) => row.id),
  ]);
  assert.deepEqual(figures, [
    ["ABC", ["ABC-01", "ABC-02"], ["ABC-01"], ["ABC-03"]],
    ["HOST-CC", ["HOST-CC-02"], [], ["HOST-CC-01"]],
  ]);
  assert.deepEqual(counted.unknown, ["XYZ-09"]);
  assert.deepEqual(counted.unproven, ["ABC-02", "HOST-CC-02"]);
});

test("renderLedger() prints a line per area and the sum", () => {
  assert.equal(
    renderLedger(countLedger(parseLedger(LEDGER), parseJUnit(JUNIT))),
    [
      "area     rows  proven  missing",
      "ABC         2       1  02",
      "HOST-CC     1       0  02",
      "all         3       1  and 2 rows for a reviewer",
      "named by failing or skipped tests only: ABC-02 HOST-CC-02",
      "not in the ledger: XYZ-09",
    ].join("\n"),
  );
});

test("renderMissing() prints the texts of an area's missing rows", () => {
  const [abc] = countLedger(parseLedger(LEDGER), parseJUnit(JUNIT)).areas;
  assert.ok(abc);
  assert.equal(renderMissing(abc), "ABC-02  Second.");
});
