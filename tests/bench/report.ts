/**
 * The result of a benchmark as data, and as a table.
 *
 * @module
 */

/** One measured row. */
export interface BenchResult {
  readonly name: string;
  /** Median, milliseconds. */
  readonly ms: number;
  /** Median over the median of an empty Deno process of the same run. */
  readonly ratio: number;
  /** Ratio promised, `null` where none is. */
  readonly limit: number | null;
  /** MiB, `null` where it cannot be seen. */
  readonly peak_mib: number | null;
}

/** A whole benchmark. */
export interface BenchReport {
  readonly version: string;
  readonly deno: string;
  readonly platform: string;
  readonly rounds: number;
  readonly messages: number;
  readonly rows: readonly BenchResult[];
}

/** Rows that passed their limit. */
export function rowsOverLimit(report: BenchReport): BenchResult[] {
  return report.rows.filter((row) => row.limit !== null && row.ratio > row.limit);
}

/** The table, with the limits and what passed them. */
export function renderReport(report: BenchReport): string {
  const title = "whole process";
  const width = Math.max(...[title, ...report.rows.map((row) => row.name)].map((n) => n.length));
  const line = (name: string, ms: string, ratio: string, limit: string, peak: string, note = "") =>
    `${name.padEnd(width)}  ${ms.padStart(8)}  ${ratio.padStart(5)}  ${limit.padStart(5)}  ${
      peak.padStart(8)
    }  ${note}`.trimEnd();
  return [
    `${report.rounds} rounds, ${report.messages} messages, Deno ${report.deno}, ${report.platform}`,
    line(title, "median", "ratio", "limit", "peak"),
    ...report.rows.map((row) =>
      line(
        row.name,
        `${row.ms.toFixed(1)} ms`,
        row.ratio.toFixed(2),
        row.limit?.toFixed(2) ?? "",
        row.peak_mib === null ? "" : `${row.peak_mib.toFixed(0)} MiB`,
        rowsOverLimit(report).includes(row) ? "over its limit" : "",
      )
    ),
  ].join("\n");
}
