/**
 * Which test files there are, and which of them may run beside each other.
 *
 * @module
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Test files that run in one `deno test`. */
export interface TestGroup {
  readonly name: string;
  readonly files: readonly string[];
  /** Whether the files may run at the same time. */
  readonly parallel: boolean;
}

/** Folders whose tests install, build, start hosts or measure: one after another, after the others. */
const SERIAL_FOLDERS: readonly string[] = [
  "install",
  "docs",
  "build",
  "cli",
  "contract",
  "chaos",
  "bench",
  "e2e",
];

/** Paths of test files from `root`, sorted; `selected` narrows them to files or folders. */
export function collectTestFiles(root: string, selected: readonly string[]): string[] {
  const starts = selected.length === 0
    ? ["tests"]
    : selected.map((path) => path.replace(/\/$/, ""));
  const files: string[] = [];
  function visit(path: string): void {
    if (statSync(join(root, path)).isDirectory()) {
      if (path === "tests/fixtures") return;
      for (const name of readdirSync(join(root, path))) visit(`${path}/${name}`);
    } else if (path.endsWith("_test.ts")) files.push(path);
  }
  for (const start of starts) visit(start);
  return [...new Set(files)].sort();
}

/** Groups files: first those that may run beside each other, then each serial folder by itself. */
export function groupTestFiles(files: readonly string[]): TestGroup[] {
  const serial = (path: string) =>
    SERIAL_FOLDERS.find((folder) => path.startsWith(`tests/${folder}/`));
  const groups: TestGroup[] = [
    { name: "parallel", files: files.filter((path) => serial(path) === undefined), parallel: true },
    ...SERIAL_FOLDERS.map((folder) => ({
      name: folder,
      files: files.filter((path) => serial(path) === folder),
      parallel: false,
    })),
  ];
  return groups.filter((group) => group.files.length > 0);
}
