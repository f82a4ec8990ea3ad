/**
 * Temporary folders of a test file, removed when it ends.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";

const made: string[] = [];
after(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A fresh folder without links in its path. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ov-test-")));
  made.push(folder);
  return folder;
}

/** Writes a file with its folders; returns its path. */
export function writeIn(folder: string, path: string, content = ""): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}
