/**
 * The token reader on the corners of the language that decide whether a rule sees code or text.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { tokenize } from "./tokens.ts";

const CASES: readonly (readonly [what: string, source: string, tokens: string])[] = [
  ["comments", "a // b\n/* c\n*/ d", "a d"],
  ["a hash-bang line", "#!/usr/bin/env x y\nz", "z"],
  ["strings with quotes and escapes", '\'a"b\' + "c\\"d"', "'a\"b' + 'c\\\"d'"],
  ["a template with nested templates", "`a${b + `c${d}e`}f`", "`a` ${ b + `c` ${ d } `e` } `f`"],
  ["braces inside a template's expression", "`${{ a: { b } }}c`", "`` ${ { a : { b } } } `c`"],
  ["a division after a value", "a / b / (c) / 2 / x", "a / b / ( c ) / 2 / x"],
  ["a pattern after an operator", "x = /[/'\"]\\/`/gu.test(y)", "x = /[/'\"]\\/`/gu . test ( y )"],
  ["a pattern after return", "return /'/;", "return /'/ ;"],
  ["private names", "this.#process", "this . #process"],
  ["numbers", "1_000 0x1f 1.5e3", "1_000 0x1f 1.5e3"],
];

for (const [what, source, expected] of CASES) {
  test(`tokenize() reads ${what}`, () => {
    const shown = tokenize(source).map((token) =>
      token.kind === "string"
        ? `'${token.text}'`
        : token.kind === "template"
        ? `\`${token.text}\``
        : token.text
    );
    assert.equal(shown.join(" "), expected);
  });
}

test("tokenize() counts lines through comments, templates and strings", () => {
  const tokens = tokenize("a\n/* \n */ b `\n\n` c\n'd\\\n' e");
  assert.deepEqual(tokens.map((token) => token.line), [1, 3, 3, 5, 7, 7]);
});

for (const source of ["'a\n'", '"a', "`a ${b}", "/* a", "x = /a\n/"]) {
  test(`tokenize() throws when ${JSON.stringify(source)} does not end`, () => {
    assert.throws(() => tokenize(source), SyntaxError);
  });
}
