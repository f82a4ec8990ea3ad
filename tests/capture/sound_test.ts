import { test } from "node:test";
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../lib/runtime/types.ts";
import { MAX_TEXT_CHARS, mendText, soundDate, soundMessage } from "../../lib/capture/sound.ts";

const LIMITS = { maxTextChars: 100, maxToolChars: 1000, fallbackDate: "2026-11-30T10:00:00.000Z" };

test("mendText() mends lone surrogates and NUL, and cuts with a mark at a code point", () => {
  assert.equal(mendText("a\ud83db\0c", 100), "a\ufffdb\ufffdc");
  assert.equal(mendText("as it is", 8), "as it is");
  const cut = mendText("😀".repeat(100), 101);
  assert.ok(cut.length <= 101 && cut.isWellFormed());
  assert.match(cut, /\[\.\.\. \d+ more characters left out\]$/);
});

test("soundDate() keeps dates with a zone and replaces what is none", () => {
  const fallback = LIMITS.fallbackDate;
  const table: readonly (readonly [string, string])[] = [
    ["2026-11-30T10:28:48.386Z", "2026-11-30T10:28:48.386Z"],
    ["2026-11-30T10:28:48+08:00", "2026-11-30T10:28:48+08:00"],
    ["2026-11-30T10:28:48", fallback],
    ["yesterday", fallback],
    ["2026-13-40T99:99:99Z", fallback],
    ["", fallback],
  ];
  for (const [date, sound] of table) assert.equal(soundDate(date, fallback), sound);
});

function nested(depth: number): Json {
  let value: Json = "end";
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}
const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0;

test("soundMessage() makes tool input flat and small enough [CAP-11]", () => {
  const input = (value: JsonObject): JsonObject => {
    const [part] = soundMessage({
      id: "1",
      role: "assistant",
      createdAt: "",
      parts: [{ type: "tool", toolId: "t", toolName: "X", input: value, status: "completed" }],
    }, LIMITS).parts;
    return part?.type === "tool" ? part.input ?? {} : {};
  };
  assert.ok(depthOf(input(nested(100) as JsonObject)) <= 33);
  assert.ok(JSON.stringify(input({ text: "x".repeat(1_000_000) })).length <= 1000);
  assert.ok(JSON.stringify(input({ list: Array(10_000).fill("y") })).length <= 1000);
  assert.deepEqual(input({ keep: [1, null, true, "x"] }), { keep: [1, null, true, "x"] });
});

test("soundMessage() leaves large tool output whole and caps a pathological one with a mark [CAP-10] [CAP-11]", () => {
  const output = (text: string, maxToolChars: number): string => {
    const [part] = soundMessage({
      id: "1",
      role: "assistant",
      createdAt: "",
      parts: [{ type: "tool", toolId: "t", toolName: "X", output: text, status: "completed" }],
    }, { ...LIMITS, maxToolChars }).parts;
    return part?.type === "tool" ? part.output ?? "" : "";
  };
  const large = "x".repeat(30_000);
  assert.equal(output(large, 1_000_000), large);
  assert.match(output("x".repeat(5_000_000), 1_000_000), /more characters left out\]$/);
  assert.ok(output("x".repeat(5_000_000), 0).length <= MAX_TEXT_CHARS);
});
