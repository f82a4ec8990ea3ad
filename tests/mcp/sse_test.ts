import { test } from "node:test";
import assert from "node:assert/strict";
import { createSseDecoder } from "../../lib/mcp/_sse.ts";

const TABLE: readonly (readonly [name: string, text: string, data: readonly string[]])[] = [
  ["one event", "data: a\n\n", ["a"]],
  ["carriage returns", "event: message\r\ndata: a\r\n\r\n", ["a"]],
  ["no space after the colon", "data:a\n\n", ["a"]],
  ["several data lines", "data: a\ndata: b\n\n", ["a\nb"]],
  ["comments and unknown fields", ": hi\nfoo: x\ndata: a\n\n", ["a"]],
  ["a field without value", "data\ndata: a\n\n", ["\na"]],
  ["other events", "event: ping\ndata: a\n\nevent: message\ndata: b\n\n", ["b"]],
  ["an empty event", "data:\n\n\n\ndata: a\n\n", ["a"]],
  ["an event cut by the end", "data: a\n\ndata: b", ["a", "b"]],
  ["an event with its line but not its end", "data: a\r\n", ["a"]],
];

test("createSseDecoder() gives the same events however the text is cut [MCP-10]", () => {
  for (const [name, text, expected] of TABLE) {
    for (const step of [1, 2, 3, text.length]) {
      const decoder = createSseDecoder();
      const data: string[] = [];
      for (let at = 0; at < text.length; at += step) {
        data.push(...decoder.push(text.slice(at, at + step)).map((event) => event.data));
      }
      data.push(...decoder.end().map((event) => event.data));
      assert.deepEqual(data, expected, `${name}, ${step} at a time`);
    }
  }
});

test("createSseDecoder() keeps the last id and the retry time", () => {
  const decoder = createSseDecoder();
  const [event] = decoder.push("id: 7\nretry: 250\ndata: a\n\nretry: soon\ndata: b\n\n");
  assert.deepEqual(event, { data: "a", lastId: "7" });
  assert.equal(decoder.lastId, "7");
  assert.equal(decoder.retryMs, 250);
});
