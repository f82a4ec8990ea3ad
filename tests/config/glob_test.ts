import { test } from "node:test";
import assert from "node:assert/strict";
import { matchesGlob } from "../../lib/config/_glob.ts";

const CASES: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
  ["/w/app", "/w/app", true],
  ["/w/app", "/w/app2", false],
  ["/w/*", "/w/app", true],
  ["/w/*", "/w/app/src", false],
  ["/w/*/src", "/w/app/src", true],
  ["/w/**", "/w/app/src", true],
  ["/w/**", "/w/", true],
  ["**/secret", "/a/b/secret", true],
  ["**/secret", "/a/b/secret/c", false],
  ["test-*", "test-1", true],
  ["*", "", true],
  ["", "", true],
  ["", "a", false],
  ["a.c", "abc", false],
  ["[ab]", "[ab]", true],
  ["/w/***x", "/w/a/bx", true],
];

for (const [pattern, text, matches] of CASES) {
  test(`matchesGlob() is ${matches} for ${pattern} and ${JSON.stringify(text)}`, () => {
    assert.equal(matchesGlob(pattern, text), matches);
  });
}

test("matchesGlob() stays linear on a pattern that would make a backtracking matcher hang", () => {
  assert.equal(matchesGlob("**a".repeat(300), "a".repeat(290)), false);
});
