/**
 * The parts of the benchmark that must not lie: the corpus, the middle value, the table.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { createCorpus } from "./corpus.ts";
import { median } from "./measure.ts";
import { renderReport, rowsOverLimit } from "./report.ts";
import { isOverLimit, renderTranscripts } from "./transcripts.ts";

test("createCorpus() gives the same messages when the seed is the same", () => {
  assert.deepEqual(createCorpus(60, 3), createCorpus(60, 3));
  assert.notDeepEqual(createCorpus(60, 3).messages, createCorpus(60, 4).messages);
});

test("createCorpus() spreads words as texts do: few make most of it, many are rare", () => {
  const words = createCorpus(600).messages.flatMap((message) => message.text.split(/\W+/));
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts.values()].sort((a, b) => b - a);
  const top = sorted.slice(0, 100).reduce((sum, count) => sum + count, 0);
  assert.ok(top / words.length > 0.35 && top / words.length < 0.7, `${top / words.length}`);
  assert.ok(sorted.filter((count) => count === 1).length > sorted.length / 5);
});

for (
  const [values, expected] of [[[3], 3], [[4, 1, 2], 2], [[4, 1, 2, 3], 2.5], [[], NaN]] as const
) {
  test(`median() of [${values}] is ${expected}`, () => assert.equal(median(values), expected));
}

test("renderReport() marks the rows that pass their limit", () => {
  const row = { ms: 20, limit: null, peak_mib: 30 };
  const report = {
    version: "1",
    deno: "2",
    platform: "linux x64",
    rounds: 5,
    messages: 10,
    rows: [
      { ...row, name: "empty", ratio: 1 },
      { ...row, name: "slow", ratio: 1.31, limit: 1.3 },
      { ...row, name: "fast", ratio: 1.3, limit: 1.3, peak_mib: null },
    ],
  };
  assert.deepEqual(rowsOverLimit(report).map((each) => each.name), ["slow"]);
  assert.equal(
    renderReport(report),
    [
      "5 rounds, 10 messages, Deno 2, linux x64",
      "whole process    median  ratio  limit      peak",
      "empty           20.0 ms   1.00           30 MiB",
      "slow            20.0 ms   1.31   1.30    30 MiB  over its limit",
      "fast            20.0 ms   1.30   1.30",
    ].join("\n"),
  );
});

test("renderTranscripts() marks what takes too much memory or too much more CPU", () => {
  const row = { cpu_ms: 50, ratio: null, limit: null, peak_mib: 90, peak_limit_mib: 95 };
  const rows = [
    { ...row, name: "first" },
    { ...row, name: "greedy", peak_mib: 96 },
    { ...row, name: "slow", ratio: 1.2, limit: 1.1 },
    { ...row, name: "one", ratio: 1.1, limit: 1.1 },
  ];
  assert.deepEqual(rows.map(isOverLimit), [false, true, true, false]);
  assert.equal(
    renderTranscripts(rows),
    [
      "worker         CPU  ratio  limit      peak     limit",
      "first      50.0 ms                  90 MiB    95 MiB",
      "greedy     50.0 ms                  96 MiB    95 MiB  over its limit",
      "slow       50.0 ms   1.20   1.10    90 MiB    95 MiB  over its limit",
      "one        50.0 ms   1.10   1.10    90 MiB    95 MiB",
    ].join("\n"),
  );
});
