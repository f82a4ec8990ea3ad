import { test } from "node:test";
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import {
  openTranscript,
  type ReadLimits,
  type TranscriptCursor,
  type TranscriptRow,
} from "../../lib/capture/jsonl_reader.ts";
import { tempFolder } from "../support/temp_folder.ts";

const { files } = denoRuntime;

function read(
  path: string,
  cursor?: TranscriptCursor,
  limits?: ReadLimits,
): { change: string; rows: string[]; cursor: TranscriptCursor } {
  const opened = openTranscript(files, path, cursor, limits);
  assert.ok(opened.kind === "open", opened.kind);
  const rows: string[] = [];
  const show = (row: TranscriptRow): string =>
    row.kind === "row" ? row.text : `(${row.bytes} bytes)`;
  for (let row = opened.reader.next(); row !== undefined; row = opened.reader.next()) {
    rows.push(show(row));
  }
  const result = { change: opened.reader.change, rows, cursor: opened.reader.cursor() };
  opened.reader.close();
  return result;
}

const long = (n: number): string => JSON.stringify({ n, text: "x".repeat(3000) });

test("openTranscript() goes on where the last read stopped", () => {
  const path = `${tempFolder()}/t.jsonl`;
  writeFileSync(path, `${long(1)}\n${long(2)}\n`);
  const first = read(path);
  assert.deepEqual([first.change, first.rows], ["new", [long(1), long(2)]]);
  assert.deepEqual(read(path, first.cursor).change, "unchanged");
  appendFileSync(path, `${long(3)}\n`);
  const second = read(path, first.cursor);
  assert.deepEqual([second.change, second.rows, second.cursor.generation], ["grown", [long(3)], 0]);
});

const CHANGES: readonly (readonly [string, string, string])[] = [
  ["truncated", "truncated", `${long(1)}\n`],
  ["rewritten at the same length", "rewritten", `${long(1)}\n${long(9)}\n`],
  ["cut and grown past the old end", "rewritten", `${long(1)}\n${long(7)}\n${long(8)}\n`],
  ["given another start", "rewritten", `${long(9)}\n${long(2)}\n`],
];
for (const [name, change, content] of CHANGES) {
  test(`openTranscript() reads a file again that was ${name} [CUR-11]`, () => {
    const path = `${tempFolder()}/t.jsonl`;
    writeFileSync(path, `${long(1)}\n${long(2)}\n`);
    const { cursor } = read(path);
    writeFileSync(path, content);
    const again = read(path, cursor);
    assert.equal(again.change, change);
    assert.deepEqual(again.rows, content.trim().split("\n"));
    assert.equal(again.cursor.generation, 1);
  });
}

test("openTranscript() goes on in an equal copy with another inode [CUR-11]", () => {
  const path = `${tempFolder()}/t.jsonl`;
  writeFileSync(path, `${long(1)}\n`);
  const { cursor } = read(path);
  rmSync(path);
  writeFileSync(path, `${long(1)}\n${long(2)}\n`);
  assert.deepEqual(read(path, cursor).rows, [long(2)]);
});

test("openTranscript() waits for the rest of a half-written row [CUR-12]", () => {
  const path = `${tempFolder()}/t.jsonl`;
  const row = JSON.stringify({ text: "über 密码 😀" });
  const bytes = new TextEncoder().encode(row);
  for (let cut = 1; cut < bytes.length; cut++) {
    writeFileSync(path, "1\n");
    appendFileSync(path, bytes.subarray(0, cut));
    const first = read(path);
    assert.deepEqual(first.rows, ["1"], `cut at ${cut}`);
    appendFileSync(path, bytes.subarray(cut));
    const whole = read(path, first.cursor);
    assert.deepEqual(whole.rows, [row]);
    appendFileSync(path, "\n2\n");
    assert.deepEqual(read(path, whole.cursor).rows, ["2"]);
  }
});

test("openTranscript() reads CRLF, a BOM, empty lines and broken UTF-8", () => {
  const path = `${tempFolder()}/t.jsonl`;
  writeFileSync(path, "\ufeff1\r\n\r\n\n2\r\n");
  appendFileSync(path, Uint8Array.of(0xff, 0xfe, 0xc3, 0x28, 10));
  assert.deepEqual(read(path).rows, ["1", "2", "\ufffd\ufffd\ufffd("]);
});

test("openTranscript() joins rows over block ends and passes over an oversized one", () => {
  const path = `${tempFolder()}/t.jsonl`;
  const rows = ["a", "b".repeat(10), "c".repeat(100), "d", "é".repeat(20)];
  writeFileSync(path, rows.map((row) => row + "\n").join(""));
  for (const blockBytes of [1, 2, 3, 7, 16, 64]) {
    assert.deepEqual(read(path, undefined, { blockBytes }).rows, rows);
    const bounded = read(path, undefined, { blockBytes, maxRowBytes: 50 });
    assert.deepEqual(bounded.rows, ["a", "b".repeat(10), "(100 bytes)", "d", "é".repeat(20)]);
    assert.equal(bounded.cursor.offset, read(path).cursor.offset);
  }
});

test("openTranscript() tells missing, unreadable and empty apart [CAP-03]", () => {
  const folder = tempFolder();
  mkdirSync(`${folder}/dir`);
  writeFileSync(`${folder}/empty`, "");
  assert.equal(openTranscript(files, `${folder}/none`, undefined).kind, "missing");
  assert.equal(openTranscript(files, `${folder}/dir`, undefined).kind, "unreadable");
  assert.deepEqual(read(`${folder}/empty`).rows, []);
});

test("openTranscript() reads no devices", { skip: Deno.build.os !== "linux" }, () => {
  for (const path of ["/dev/zero", "/dev/stdin", "/dev/null"]) {
    assert.equal(openTranscript(files, path, undefined).kind, "unreadable", path);
  }
  const memory = openTranscript(files, "/proc/self/mem", undefined);
  if (memory.kind === "open") {
    assert.equal(memory.reader.next(), undefined);
    memory.reader.close();
  }
});
