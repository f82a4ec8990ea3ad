import { test } from "node:test";
import assert from "node:assert/strict";
import { filterMessage, RECALLED_OUTPUT, stripInjected } from "../../lib/capture/filters.ts";
import type { CapturedMessage, MessagePart } from "../../lib/capture/model.ts";

const message = (...parts: MessagePart[]): CapturedMessage => ({
  id: "1",
  role: "user",
  createdAt: "2026-11-30T10:00:00Z",
  parts,
});

const TABLE: readonly (readonly [string, string, string])[] = [
  ["our block", '<openviking-context source="prompt">\nold\n</openviking-context>\nhello', "hello"],
  ["a bare block", "<relevant-memories>x</relevant-memories>hello", "hello"],
  ["a reminder", "hello<system-reminder>y</system-reminder>", "hello"],
  [
    "a host's heading",
    "SessionStart hook additional context:\n<openviking-context>x</openviking-context>",
    "",
  ],
  [
    "two kinds",
    "<system-reminder>a <openviking-context>b</openviking-context></system-reminder>c",
    "c",
  ],
  [
    "a block behind a lone tag",
    "the tag <system-reminder> is odd <openviking-context>x</openviking-context>",
    "the tag <system-reminder> is odd",
  ],
];
for (const [name, text, stripped] of TABLE) {
  test(`stripInjected() removes ${name} [RCL-08] [RCL-13]`, () =>
    assert.equal(stripInjected(text), stripped));
}

test("stripInjected() returns what a person wrote as it is", () => {
  for (const text of ["  a < b  ", "<div>x</div>\n", "what does <system-reminder> mean?", ""]) {
    assert.equal(stripInjected(text), text);
  }
});

test("filterMessage() cleans every part alike and drops what is empty [CAP-09] [CAP-14]", () => {
  const block = "<openviking-context>old</openviking-context>";
  const tool: MessagePart = {
    type: "tool",
    toolId: "t",
    toolName: "Bash",
    input: { command: `echo ${block}`, list: [block] },
    output: `${block}done`,
    status: "completed",
  };
  assert.deepEqual(filterMessage(message({ type: "text", text: block }, tool))?.parts, [
    { ...tool, input: { command: "echo", list: [""] }, output: "done" },
  ]);
  assert.equal(filterMessage(message({ type: "text", text: ` ${block} ` })), undefined);
});

test("filterMessage() does not store recalled memory again", () => {
  const part = (toolName: string): MessagePart => ({
    type: "tool",
    toolId: "t",
    toolName,
    output: "memory",
    status: "completed",
  });
  const outputs = [
    "mcp__openviking__find",
    "mcp__openviking__remember",
    "mcp__lab__lab_recall",
    "Read",
  ]
    .map((name) => filterMessage(message(part(name)))?.parts[0])
    .map((found) => found?.type === "tool" ? found.output : "");
  assert.deepEqual(outputs, [RECALLED_OUTPUT, "memory", "memory", "memory"]);
});
