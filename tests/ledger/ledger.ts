/**
 * The requirements ledger as data, and which of its rows passing tests name.
 *
 * @module
 */
import { type JUnitCase, rowsOf } from "../support/junit.ts";

/** One requirement. */
export interface LedgerRow {
  /** For example `CFG-03`. */
  readonly id: string;
  /** What stands before the number: `CFG`, `HOST-CC`. */
  readonly area: string;
  readonly requirement: string;
  /** Given up: struck through in the ledger. */
  readonly struck: boolean;
  /** Only a person can judge it; left out of the figures. */
  readonly review: boolean;
}

/** One area with its rows. */
export interface LedgerArea {
  readonly area: string;
  /** Rows that a test can prove. */
  readonly rows: readonly LedgerRow[];
  readonly proven: readonly LedgerRow[];
  readonly missing: readonly LedgerRow[];
  readonly review: readonly LedgerRow[];
}

/** The whole ledger, counted. */
export interface CountedLedger {
  readonly areas: readonly LedgerArea[];
  /** Ids that tests name and the ledger does not have; `BR-` are cases of the fault collection. */
  readonly unknown: readonly string[];
  /** Ids that only failing or skipped tests name. */
  readonly unproven: readonly string[];
}

/** Reads the rows of the ledger's tables. */
export function parseLedger(markdown: string): LedgerRow[] {
  const rows: LedgerRow[] = [];
  for (const line of markdown.split("\n")) {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const id = /^(~~)?([A-Z]+(?:-[A-Z]+)?-\d+)(~~)?$/.exec(cells[1] ?? "");
    if (!line.startsWith("|") || id === null) continue;
    const [, before, name = ""] = id;
    rows.push({
      id: name,
      area: name.slice(0, name.lastIndexOf("-")),
      requirement: (cells[2] ?? "").replaceAll("~~", ""),
      struck: before !== undefined || (cells[2] ?? "").startsWith("~~"),
      review: /^review\b/.test(cells.at(-2) ?? ""),
    });
  }
  return rows;
}

/** Counts, per area, the rows whose id stands in the title of a test that passed. */
export function countLedger(
  rows: readonly LedgerRow[],
  tests: readonly JUnitCase[],
): CountedLedger {
  const proven = new Set(
    tests.filter((test) => test.state === "passed").flatMap((test) => rowsOf(test.name)),
  );
  const named = new Set(tests.flatMap((test) => rowsOf(test.name)));
  const known = new Set(rows.map((row) => row.id));
  const areas = [...new Set(rows.map((row) => row.area))].map((area) => {
    const own = rows.filter((row) => row.area === area && !row.struck);
    const testable = own.filter((row) => !row.review);
    return {
      area,
      rows: testable,
      proven: testable.filter((row) => proven.has(row.id)),
      missing: testable.filter((row) => !proven.has(row.id)),
      review: own.filter((row) => row.review),
    };
  });
  return {
    areas,
    unknown: [...named].filter((id) => !known.has(id) && !id.startsWith("BR-")).sort(),
    unproven: [...named].filter((id) => known.has(id) && !proven.has(id)).sort(),
  };
}

/** The figures as a table for a terminal. */
export function renderLedger(counted: CountedLedger): string {
  const width = Math.max(...counted.areas.map((area) => area.area.length), 5);
  const row = (area: string, rows: string, proven: string, missing: string) =>
    `${area.padEnd(width)}  ${rows.padStart(4)}  ${proven.padStart(6)}  ${missing}`.trimEnd();
  const numbers = (areas: readonly LedgerArea[], pick: (area: LedgerArea) => number) =>
    areas.reduce((sum, area) => sum + pick(area), 0).toString();
  return [
    row("area", "rows", "proven", "missing"),
    ...counted.areas.map((area) =>
      row(
        area.area,
        `${area.rows.length}`,
        `${area.proven.length}`,
        area.missing.map((each) => each.id.slice(area.area.length + 1)).join(" "),
      )
    ),
    row(
      "all",
      numbers(counted.areas, (area) => area.rows.length),
      numbers(counted.areas, (area) => area.proven.length),
      `and ${numbers(counted.areas, (area) => area.review.length)} rows for a reviewer`,
    ),
    ...(counted.unproven.length === 0
      ? []
      : [`named by failing or skipped tests only: ${counted.unproven.join(" ")}`]),
    ...(counted.unknown.length === 0 ? [] : [`not in the ledger: ${counted.unknown.join(" ")}`]),
  ].join("\n");
}

/** The missing rows of an area with their texts. */
export function renderMissing(area: LedgerArea): string {
  if (area.missing.length === 0) return `${area.area}: every row has a passing test`;
  return area.missing.map((row) => `${row.id}  ${row.requirement}`).join("\n");
}
