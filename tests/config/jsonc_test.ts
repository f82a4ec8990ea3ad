import { test } from "node:test";
import assert from "node:assert/strict";
import { parseJsonc } from "../../lib/config/jsonc.ts";

const VALUES: readonly (readonly [text: string, value: unknown])[] = [
  ['{"a":1}', { a: 1 }],
  ['\ufeff{"a":1}', { a: 1 }],
  ['{ // word\n "a": 1, /* more\n lines */ "b": [1, 2,], }', { a: 1, b: [1, 2] }],
  ['// before\n{"url": "http://x//y"} // after', { url: "http://x//y" }],
  ['{"a": "/* no comment */", "b": "// nor this",}', {
    a: "/* no comment */",
    b: "// nor this",
  }],
  ['{"a": "\\u00e9\\n\\"",}', { a: 'é\n"' }],
  ["[true, false, null, -1.5e3, ]", [true, false, null, -1500]],
  ["{ /* nothing */ }", {}],
  ["[ ]", []],
  ["7 // seven", 7],
];

for (const [text, value] of VALUES) {
  test(`parseJsonc() reads ${JSON.stringify(text)}`, () => {
    assert.deepEqual(parseJsonc(text), { ok: true, value });
  });
}

const FAULTS: readonly (readonly [text: string, line: number, column: number, why: RegExp])[] = [
  ["", 1, 1, /ends too early/],
  ['{"url": ', 1, 9, /ends too early/],
  ['{"a": tru', 1, 7, /"tru" is no JSON value/],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /unexpected/],
  ['{"a": 1,, }', 1, 9, /unexpected/],
  ["[,]", 1, 2, /unexpected/],
  ["{a: 1}", 1, 2, /unexpected/],
  ["{'a': 1}", 1, 2, /unexpected/],
  ['{"a": "x\n"}', 1, 7, /not closed/],
  ['{"a": "\\x"}', 1, 7, /escape/],
  ['{"a": 1} /* ', 1, 10, /comment is not closed/],
  ['{"a": 1} {', 1, 10, /unexpected/],
  ['{"a": 01}', 1, 7, /no JSON value/],
  ["[".repeat(300), 1, 202, /too deeply/],
];

for (const [text, line, column, why] of FAULTS) {
  test(`parseJsonc() names line and column of ${JSON.stringify(text).slice(0, 40)} [CFG-19]`, () => {
    const result = parseJsonc(text);
    assert.ok(!result.ok);
    assert.deepEqual([result.line, result.column], [line, column]);
    assert.match(result.message, why);
  });
}

test("parseJsonc() takes __proto__ for an ordinary key", () => {
  for (const text of ['{"__proto__": {"url": 1}}', '{"__proto__": {"url": 1},}']) {
    const result = parseJsonc(text);
    assert.ok(result.ok);
    const value = result.value as Record<string, unknown>;
    assert.equal(value["url"], undefined);
    assert.ok(Object.hasOwn(value, "__proto__"));
  }
});

test("parseJsonc() reads a large text with comments in one pass", () => {
  const text = `{${'"key": "value", // comment\n'.repeat(20_000)}}`;
  assert.deepEqual(parseJsonc(text), { ok: true, value: { key: "value" } });
});
