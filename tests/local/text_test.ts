/**
 * The pure text parts of the embedded engine: tokens, stems, passages.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { tokenise } from "../../local/text/tokenise.ts";
import { stem } from "../../local/text/stem.ts";
import { cutPassages, PASSAGE_TOKENS } from "../../local/passages/passages.ts";
import { cutAtTokens, tokenWeight } from "../../local/text/tokens.ts";
import { GLOSSARY_VERSION, glossaryPairs } from "../../local/text/glossary.ts";
import { estimateTokens } from "../../lib/recall/tokens.ts";

const TOKENS: readonly (readonly [text: string, tokens: readonly string[]])[] = [
  ["", []],
  ["the cache is full", ["cach", "full"]],
  ["handleStripeEvent", ["handl", "strip", "event", "handlestripeevent"]],
  ["handle_stripe_event", ["handl", "strip", "event", "handlestripeevent"]],
  ["HTTPServer", ["http", "server", "httpserver"]],
  ["utf8 sha256", ["utf8", "utf", "sha256", "sha"]],
  ["v17.3.1, not 17.3", ["17.3.1", "17.3"]],
  ["src/lib/main.ts", ["src", "lib", "main", "ts", "maint"]],
  ["don't, Mel's and O'Brien", ["mel", "o", "brien"]],
  ["Café naïve", ["caf", "naiv"]],
  ["\uff28\uff45\uff4c\uff4c\uff4f", ["hello"]],
  ["数据库回滚", ["数据", "据库", "库回", "回滚"]],
  ["用React写", ["用", "react", "写"]],
  ["こんにちは", ["こん", "んに", "にち", "ちは"]],
  ["🍵 ok 🍵", ["ok"]],
  ["a\u0000b", ["b"]],
  ["привет Мир", ["привет", "мир"]],
];

test("tokenise() makes the same tokens of every spelling when a text is indexed or asked", () => {
  for (const [text, tokens] of TOKENS) assert.deepEqual(tokenise(text), tokens, text);
});

test("tokenise() keeps data short when a chunk is no word", () => {
  const blob = "QWxhZGRpbjpvcGVuIHNlc2FtZQ".repeat(60);
  assert.equal(tokenise(blob).length, 1);
  assert.ok(tokenise("x".repeat(500_000)).join("").length <= 80);
  for (const token of tokenise(`${"deeply-nested-".repeat(400)}name`)) {
    assert.ok(token.length <= 80);
    assert.match(token, /^[\p{L}\p{N}.]+$/u);
  }
});

test("tokenise() gives only letters, digits and dots when the text is hostile", () => {
  const hostile = `"a" OR b* NEAR(c) {body}: ^d -- ; DROP TABLE x '"' \ud800 \u202e e\u0301 ...`;
  for (const token of tokenise(hostile)) assert.match(token, /^[\p{L}\p{N}.]+$/u);
});

test("stem() brings inflections together when they mean one word", () => {
  const families = [
    "cache caches cached caching",
    "deploy deploys deployed deploying deployment deployments",
    "migrate migrates migrated migrating migration migrations",
    "configure configured configuring configuration",
    "retry retries retried retrying",
    "run runs running",
    "query queries",
    "box boxes",
    "use used uses using",
    "embed embeds embedded embedding",
  ];
  for (const family of families) {
    assert.equal(new Set(family.split(" ").map(stem)).size, 1, family);
  }
  const whole = ["string", "status", "redis", "class", "need", "format", "as"];
  for (const word of whole) assert.equal(stem(word), word);
});

test("tokenWeight() agrees with the server's estimate when scripts are mixed", () => {
  for (const text of ["four char", "部署", "a部b署", "🍵🍵", "", "x".repeat(999)]) {
    assert.equal(Math.ceil(tokenWeight(text)), estimateTokens(text), text);
  }
  assert.equal(tokenWeight("abcd部署efgh", 2, 6), 0.5 + 3);
});

test("cutAtTokens() never cuts a surrogate pair when the budget ends inside it", () => {
  assert.equal(cutAtTokens("ab🍵cd", 1), 2);
  assert.equal(cutAtTokens("ab🍵cd", 2.5), 4);
  assert.equal(cutAtTokens("short", 100), 5);
});

test("cutPassages() covers the text in pieces within the limit when it is long", () => {
  const sentence = "The deploy of the billing service needs the new certificate first. ";
  const texts = [
    "one line",
    sentence.repeat(80),
    Array.from({ length: 300 }, (_, at) => `line ${at} of a log with some words`).join("\n"),
    "数据库迁移之后需要重启服务。".repeat(60),
    "x".repeat(3000),
    `# One\n\n${sentence.repeat(5)}\n\n# Two\n\n${sentence.repeat(5)}`,
    "🍵".repeat(400),
  ];
  for (const text of texts) {
    const spans = cutPassages(text);
    let at = 0;
    for (const { start, end } of spans) {
      assert.equal(text.slice(at, start).trim(), "", "nothing but blanks between passages");
      assert.ok(tokenWeight(text, start, end) <= PASSAGE_TOKENS + 24);
      assert.ok(text.slice(start, end).isWellFormed());
      at = end;
    }
    assert.equal(text.slice(at).trim(), "");
  }
  assert.deepEqual(cutPassages(""), []);
  assert.deepEqual(cutPassages(" \n\n "), []);
});

test("cutPassages() cuts before a heading when the passage is full enough", () => {
  const body = "Words that explain something at a little length. ".repeat(8);
  const text = `# First\n${body}\n\n# Second\n${body}`;
  const [first, second] = cutPassages(text);
  assert.ok(first !== undefined && second !== undefined);
  assert.ok(text.slice(second.start).startsWith("# Second"));
});

test("glossaryPairs() knows both directions of every concept", () => {
  const pairs = glossaryPairs();
  assert.ok(GLOSSARY_VERSION >= 1);
  assert.ok(pairs.get("deploy")?.has("部署"));
  assert.ok(pairs.get("回滚")?.has("rollback"));
  for (const [word, others] of pairs) {
    for (const other of others) assert.ok(pairs.get(other)?.has(word), `${word} - ${other}`);
  }
});
