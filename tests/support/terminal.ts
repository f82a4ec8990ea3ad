/**
 * Lines on the terminal, for the programs under `tests/`.
 *
 * @module
 */
import { writeSync } from "node:fs";

/** Writes one line to stdout. */
export function printLine(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Writes one line to stderr. */
export function printErrorLine(line: string): void {
  writeSync(2, `${line}\n`);
}
