/**
 * The pure parts of the embedded engine's search: candidates, ranking, windows.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { bestOf, intersect, tally, tallyMore } from "../../local/ranking/candidates.ts";
import { type Hit, inverseFrequency, rankHits } from "../../local/ranking/rank.ts";
import { chooseRarest, readQuestion } from "../../local/ranking/question.ts";
import { bestWindow } from "../../local/ranking/window.ts";
import { SESSION_SPAN } from "../../local/store/layout.ts";
import type { StoredMessage } from "../../local/messages/message_row.ts";
import { tokenWeight } from "../../local/text/tokens.ts";
import { cutPassages } from "../../local/passages/passages.ts";

test("tally() adds weights and bits when passages stand in several lists", () => {
  const sums = tally([
    { ids: [2, 5, 9], weight: 2, mask: 1 },
    { ids: [5, 7], weight: 3, mask: 2 },
  ]);
  assert.deepEqual(sums.ids, [2, 5, 9, 7]);
  assert.deepEqual(sums.sums, [2, 5, 2, 3]);
  assert.deepEqual(sums.masks, [1, 3, 1, 2]);
  tallyMore([{ ids: [1, 7, 9], weight: 1, mask: 4 }], sums, [1, 3]);
  assert.deepEqual(sums.sums, [2, 5, 2, 4]);
  assert.deepEqual(sums.masks, [1, 3, 1, 6]);
});

test("bestOf() keeps the best and of equals the newest when there are too many", () => {
  const many = tally([
    { ids: Array.from({ length: 1000 }, (_, at) => at), weight: 1, mask: 1 },
    { ids: [3, 500], weight: 1, mask: 2 },
  ]);
  const best = bestOf(many, 4).map((place) => many.ids[place]);
  assert.deepEqual(new Set(best), new Set([3, 500, 999, 998]));
  assert.equal(bestOf(tally([]), 4).length, 0);
});

test("intersect() finds common ids whatever the lengths", () => {
  assert.deepEqual(intersect([1, 4, 6, 9], [4, 9]), [4, 9]);
  assert.deepEqual(intersect([4, 9], [1, 4, 6, 9]), [4, 9]);
  assert.deepEqual(intersect([], [1]), []);
});

test("chooseRarest() takes rare words first and at least one when the budget is small", () => {
  const frequency: Record<string, number> = { common: 9000, rare: 3, some: 400, never: 0 };
  const words = ["common", "never", "rare", "some"];
  const of = (word: string): number => frequency[word] ?? 0;
  assert.deepEqual(chooseRarest(words, of, 10_000), ["rare", "some", "common"]);
  assert.deepEqual(chooseRarest(words, of, 500), ["rare", "some"]);
  assert.deepEqual(chooseRarest(["common"], of, 10), ["common"]);
  assert.deepEqual(chooseRarest(["never"], of, 10), []);
});

test("readQuestion() leaves function words out and bounds what is looked up", () => {
  assert.deepEqual(readQuestion("where is the deploy script?").terms, ["deploy", "script"]);
  assert.deepEqual(readQuestion("部署脚本在哪里").terms, ["部署", "署脚", "脚本", "本在"]);
  const long = readQuestion(Array.from({ length: 400 }, (_, at) => `word${at}x`).join(" "));
  assert.ok(long.terms.length <= 96);
  assert.ok(long.terms.includes("word399x"), "the end of a long question counts");
});

function hit(source: number, fields: Partial<Hit>): Hit {
  return {
    passage: Math.abs(source),
    source,
    part: 0,
    start: 0,
    stop: 10,
    length: 20,
    created: 1000,
    peer: 0,
    words: 0,
    mask: 0,
    translated: 0,
    translatedMask: 0,
    ...fields,
  };
}

const SESSION = SESSION_SPAN;

test("rankHits() takes in the neighbours of a hit when an answer shares no word with the question", () => {
  const ranked = rankHits({
    hits: [hit(SESSION + 5, { words: 4, mask: 1 }), hit(-3, { words: 1, mask: 1 })],
    terms: [4],
    peer: undefined,
  });
  assert.equal(ranked[0]?.source, SESSION + 5);
  const sources = ranked.map(({ source }) => source);
  assert.ok(sources.includes(SESSION + 6) && sources.includes(SESSION + 4));
  assert.ok(sources.indexOf(SESSION + 6) < sources.indexOf(-3));
});

test("rankHits() prefers the newer of two equals and counts another peer's a little less", () => {
  const equal = { words: 3, mask: 1 };
  const newer = rankHits({
    hits: [
      hit(SESSION * 2 + 1, { ...equal, created: 1000 }),
      hit(SESSION * 3 + 1, { ...equal, created: 9000 }),
    ],
    terms: [3],
    peer: undefined,
  });
  assert.equal(newer[0]?.source, SESSION * 3 + 1);
  const own = rankHits({
    hits: [
      hit(SESSION * 2 + 1, { ...equal, peer: 7 }),
      hit(SESSION * 3 + 1, { ...equal, peer: 8, created: 9000 }),
    ],
    terms: [3],
    peer: 7,
  });
  assert.equal(own[0]?.source, SESSION * 2 + 1);
});

test("rankHits() says how much of the question was found", () => {
  const [best] = rankHits({
    hits: [
      hit(SESSION + 1, { words: 2, mask: 0b01 }),
      hit(SESSION + 2, { words: 2, mask: 0b10 }),
    ],
    terms: [2, 2],
    peer: undefined,
  });
  assert.equal(best?.coverage, (2 + 0.6 * 2) / 4);
  assert.equal(inverseFrequency(0, 10) > inverseFrequency(5, 10), true);
  assert.ok(inverseFrequency(10, 10) > 0);
});

function message(parts: StoredMessage["parts"]): StoredMessage {
  return {
    id: 1,
    seq: 1,
    role: "assistant",
    peer: 0,
    created: 0,
    createdAt: "",
    tokens: 0,
    passage: null,
    parts,
  };
}

test("bestWindow() shows the passages that match when a message is long", () => {
  const filler = "Nothing of interest is said in this paragraph of the answer. ".repeat(12);
  const text = `${filler}\n\nThe port is 7443, as agreed.\n\n${filler}`;
  const passages = cutPassages(text);
  const { start, end } = passages.find((one) => text.slice(one.start, one.end).includes("7443")) ??
    { start: 0, end: 0 };
  const found = hit(1, { start, stop: end });
  const shown = bestWindow(message([{ type: "text", text }]), [found], 150);
  assert.match(shown, /7443/);
  assert.ok(tokenWeight(shown) <= 160);
  const head = bestWindow(message([{ type: "text", text }]), [], 50);
  assert.ok(head.startsWith("Nothing of interest") && head.endsWith("[...]"));
});

test("bestWindow() heads a piece of tool output with the call when the output is long", () => {
  const output = Array.from({ length: 200 }, (_, at) => `row ${at} of the listing`).join("\n");
  const parts = [{
    type: "tool",
    tool_name: "Bash",
    tool_input: { command: "psql -c 'select 1'" },
    tool_output: output,
  }];
  const at = output.indexOf("row 120");
  const shown = bestWindow(message(parts), [hit(1, { part: 2, start: at, stop: at + 60 })], 60);
  assert.match(shown, /^Bash: psql -c 'select 1'\n/);
  assert.match(shown, /row 120/);
});
