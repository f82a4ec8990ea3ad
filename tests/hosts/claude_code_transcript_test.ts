import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { CapturedMessage } from "../../lib/capture/model.ts";
import type { Json } from "../../lib/runtime/types.ts";
import { createClaudeDecoder } from "../../hosts/claude_code/transcript.ts";

const fixture = (name: string): string[] =>
  readFileSync(
    new URL(`../fixtures/claude-code-2.1.332/transcripts/${name}.jsonl`, import.meta.url),
    "utf8",
  ).trim().split("\n");

function decodeAll(rows: readonly string[], state: Json = null): CapturedMessage[] {
  const decoder = createClaudeDecoder(state);
  return rows.flatMap((row) => {
    const decoded = decoder.decode(row);
    return decoded.kind === "messages" ? decoded.messages : [];
  });
}

/** Role and words of a message, tools as `name(status)`. */
const brief = ({ role, parts }: CapturedMessage): string =>
  `${role}: ${
    parts.map((part) => part.type === "text" ? part.text : `${part.toolName}(${part.status})`).join(
      " + ",
    )
  }`;

let clock = Date.parse("2026-11-30T09:00:00Z");
const row = (type: string, content: unknown, over: Record<string, unknown> = {}): string =>
  JSON.stringify({
    type,
    uuid: `id-${clock}`,
    timestamp: new Date(clock += 1000).toISOString(),
    message: { role: type, content },
    ...over,
  });

test("createClaudeDecoder() gives words and tools of a recorded session [CAP-05] [CAP-06] [CAP-08] [HOST-CC-06]", () => {
  const messages = decodeAll(fixture("base"));
  assert.deepEqual(messages.map(brief), [
    "user: What is the secret word in notes.txt?",
    "assistant: I will look.",
    "assistant: Bash(completed)",
    "assistant: Read(completed)",
    "assistant: mcp__lab__lab_recall(completed)",
    "assistant: First answer: PLUGH.",
    "user: And again please",
    "assistant: Second answer after resume.",
  ]);
  assert.deepEqual(messages[2]?.parts, [{
    type: "tool",
    toolId: "toolu_f6b67d520a8beb767f92def1",
    toolName: "Bash",
    input: { command: "echo hello-from-bash", description: "Say hello" },
    output: "hello-from-bash",
    status: "completed",
  }]);
  const [first, , , , , answer, second] = messages;
  assert.equal(first?.createdAt, "2026-11-30T10:28:48.386Z");
  assert.equal(answer?.turnId, first?.turnId);
  assert.notEqual(second?.turnId, first?.turnId);
  assert.equal(first?.id, "ba9bddb0-c9ac-408d-8079-796d789698e2");
});

test("createClaudeDecoder() passes over commands, recaps and injected context [CAP-02] [RCL-08]", () => {
  assert.deepEqual(decodeAll(fixture("many_things")).map(brief), [
    "user: Do several things",
    "assistant: Bash(error)",
    "assistant: Bash(error)",
    "assistant: Agent(completed)",
    "assistant: Main done.",
    "assistant: Hello world.",
    "user: after compaction",
    "assistant: Post-compact answer.",
    "user: this will fail",
    "assistant: Nothing more to do.",
    "user: two tools at once",
    "assistant: Bash(error)",
    "assistant: Bash(completed)",
    "assistant: Both.",
  ]);
});

test("createClaudeDecoder() gives a fork the same ids as its parent [IDN-05]", () => {
  const parent = new Set(decodeAll(fixture("many_things")).map(({ id }) => id));
  const own = decodeAll(fixture("fork")).filter(({ id }) => !parent.has(id));
  assert.deepEqual(own.map(brief), ["user: continue session", "assistant: Forked."]);
});

test("createClaudeDecoder() reads a subagent's rows only in the subagent's file [CAP-13]", () => {
  assert.deepEqual(decodeAll(fixture("subagent")).map(brief), [
    "user: SUBAGENT PROMPT look",
    "assistant: Read(completed)",
    "assistant: Subagent result: saw notes.",
  ]);
  const mixed = [...fixture("base"), ...fixture("subagent")];
  assert.equal(decodeAll(mixed).length, decodeAll(fixture("base")).length);
});

test("createClaudeDecoder() goes on from its state between any two rows [CAP-07]", () => {
  const rows = fixture("many_things");
  const whole = decodeAll(rows);
  for (let cut = 0; cut <= rows.length; cut += 3) {
    const first = createClaudeDecoder(null);
    const messages = rows.slice(0, cut).flatMap((line) => {
      const decoded = first.decode(line);
      return decoded.kind === "messages" ? decoded.messages : [];
    });
    const state = JSON.parse(JSON.stringify(first.state()));
    assert.deepEqual([...messages, ...decodeAll(rows.slice(cut), state)], whole, `cut at ${cut}`);
  }
});

test("createClaudeDecoder() flushes a call that got no result, and takes a late result [CAP-06]", () => {
  const decoder = createClaudeDecoder(null);
  decoder.decode(
    row("assistant", [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "x" } }]),
  );
  const [open] = decoder.flush();
  assert.deepEqual(open?.parts, [
    { type: "tool", toolId: "t1", toolName: "Bash", input: { command: "x" }, status: "running" },
  ]);
  const late = decoder.decode(
    row("user", [{ type: "tool_result", tool_use_id: "t1", content: "y" }]),
  );
  assert.equal(late.kind, "messages");
  assert.deepEqual(decoder.flush(), []);
});

test("createClaudeDecoder() flattens results and marks media", () => {
  const decoder = createClaudeDecoder(null);
  decoder.decode(row("assistant", [{ type: "tool_use", id: "t", name: "Read", input: {} }]));
  const decoded = decoder.decode(row("user", [{
    type: "tool_result",
    tool_use_id: "t",
    content: [
      { type: "text", text: "a" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "nested", content: [{ type: "text", text: "b" }] },
    ],
  }]));
  assert.ok(decoded.kind === "messages");
  const [part] = decoded.messages[0]?.parts ?? [];
  assert.equal(part?.type === "tool" ? part.output : "", "a\n[image image/png]\nb");
});

const WORDS = [
  "/etc/nginx/nginx.conf must listen on 8080",
  "13800138000 is the on-call number",
  "用 pnpm",
  "no",
  "what does <command-name> mean in a transcript?",
  "2026-08-14 10:00:00 fix it",
  "  leading and trailing spaces  ",
];
for (const words of WORDS) {
  test(`createClaudeDecoder() keeps what a person typed as it is: ${JSON.stringify(words)}`, () => {
    const [message] = decodeAll([row("user", words)]);
    assert.deepEqual(message?.parts, [{ type: "text", text: words }]);
  });
}

const OTHERS: readonly (readonly [string, string, string])[] = [
  ["not JSON", "not json at all", "unknown"],
  ["a bare value", "42", "unknown"],
  ["a list", "[]", "unknown"],
  ["an object without a type", '{"a":1}', "unknown"],
  ["NULs", "\0\0\0", "unknown"],
  ["a cut row", '{"type":"user","message":{"role":"us', "unknown"],
  ["a user row without a message", '{"type":"user"}', "ignored"],
  [
    "strange content",
    '{"type":"user","message":{"content":[{"type":"weird"},null,7]},"uuid":"x"}',
    "ignored",
  ],
  ["a meta row", row("user", "x", { isMeta: true }), "ignored"],
  [
    "an error of the API",
    row("assistant", [{ type: "text", text: "API Error" }], { isApiErrorMessage: true }),
    "ignored",
  ],
  ["another type", '{"type":"summary","summary":"s"}', "ignored"],
];
for (const [name, line, kind] of OTHERS) {
  test(`createClaudeDecoder() takes ${name} for ${kind}`, () => {
    assert.equal(createClaudeDecoder(null).decode(line).kind, kind);
  });
}

test("createClaudeDecoder() survives any state", () => {
  for (
    const state of [1, "x", [], {}, { calls: 3 }, { calls: { a: null, b: { name: 7 } } }, {
      turn: {},
    }] as Json[]
  ) {
    assert.deepEqual(decodeAll([row("user", "hello")], state).map(brief), ["user: hello"]);
  }
});
