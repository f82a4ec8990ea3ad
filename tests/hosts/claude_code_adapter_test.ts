import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { claudeCode } from "../../hosts/claude_code/adapter.ts";
import { claudeCodeManifest } from "../../hosts/claude_code/manifest.ts";
import { claudeCodeRecord } from "../../hosts/claude_code/record.ts";
import type { HookAnswer } from "../../lib/hook/types.ts";
import { projectRoot } from "../support/project.ts";

function payload(name: string) {
  const file = join(projectRoot, "tests/fixtures/claude-code-2.1.332/hooks", `${name}.json`);
  return JSON.parse(readFileSync(file, "utf8"));
}

test("claudeCode.normaliseInput() reads recorded payloads [TST-09] [HOST-CC-05]", () => {
  const start = claudeCode.normaliseInput("SessionStart", payload("SessionStart.resume"));
  assert.equal(start?.source, "resume");
  assert.equal(start?.nativeSessionId, "5a4be63e-14d5-4a38-a883-f813ee757ec3");
  assert.equal(start?.cwd, "/home/dev/project");

  const prompt = claudeCode.normaliseInput("UserPromptSubmit", payload("UserPromptSubmit"));
  assert.equal(prompt?.prompt, "What is the secret word in notes.txt?");
  assert.equal(prompt?.eventId, "4b8898bc-14fb-4fd5-982f-4a96e2e07c84");

  const tool = claudeCode.normaliseInput("PreToolUse", payload("PreToolUse.Read"));
  assert.equal(tool?.toolName, "Read");
  assert.deepEqual(tool?.toolInput, { file_path: "/home/dev/project/notes.txt" });

  const end = claudeCode.normaliseInput("SessionEnd", payload("SessionEnd.clear"));
  assert.equal(end?.endReason, "clear");

  const subagent = claudeCode.normaliseInput("SubagentStop", payload("SubagentStop"))?.subagent;
  assert.equal(subagent?.id, "a3c6cd322e9a1ae46");
  assert.match(subagent?.transcriptPath ?? "", /subagents\/agent-a3c6cd322e9a1ae46\.jsonl$/);
});

test("claudeCode.normaliseInput() ignores the agent that compaction runs [CAP-13]", () => {
  assert.equal(
    claudeCode.normaliseInput("SubagentStop", payload("SubagentStop.compaction")),
    undefined,
  );
});

test("claudeCode.normaliseInput() drops fields of the wrong type [HOOK-07]", () => {
  for (const odd of [null, 5, [], {}, true]) {
    const input = claudeCode.normaliseInput("UserPromptSubmit", {
      session_id: odd,
      cwd: odd,
      prompt: odd,
      transcript_path: odd,
      tool_input: odd === null || Array.isArray(odd) ? odd : null,
    });
    assert.deepEqual(input, {});
  }
});

const ENVELOPES: readonly [string, HookAnswer, unknown][] = [
  ["Stop", { kind: "none" }, ""],
  ["SessionEnd", { kind: "context", text: "x" }, ""],
  ["PreCompact", { kind: "context", text: "x", notice: "n" }, ""],
  ["SubagentStop", { kind: "context", text: "x" }, ""],
  ["UserPromptSubmit", { kind: "none" }, ""],
  ["UserPromptSubmit", { kind: "none", notice: "n" }, { systemMessage: "n" }],
  ["UserPromptSubmit", { kind: "context", text: "x" }, {
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "x" },
  }],
  ["SessionStart", { kind: "context", text: "x", notice: "n" }, {
    hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "x" },
    systemMessage: "n",
  }],
  ["PreToolUse", { kind: "deny", reason: "r" }, {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "r",
    },
  }],
  ["PreToolUse", { kind: "tool-notice", text: "t" }, {
    hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "t" },
  }],
];

test("claudeCode.envelope() gives each event only what it accepts [HOOK-03] [BR-044]", () => {
  for (const [event, answer, expected] of ENVELOPES) {
    const text = claudeCode.envelope(event, answer);
    if (expected === "") assert.equal(text, "", `${event} ${answer.kind}`);
    else assert.deepEqual(JSON.parse(text), expected, `${event} ${answer.kind}`);
  }
});

test("claudeCodeManifest starts the entry that has an event's stage [HOOK-01]", () => {
  const partOf = { "pre-tool": "guard", "session-start": "start", "prompt": "prompt" } as const;
  const expected: Record<string, string[]> = { guard: [], prompt: [], start: [], write: [] };
  for (const [event, stage] of Object.entries(claudeCode.stages)) {
    expected[partOf[stage as keyof typeof partOf] ?? "write"]?.push(event);
  }
  assert.deepEqual(claudeCodeManifest.hookEvents, expected);
});

test("claudeCode registers only events that the record says are emitted [HOST-03] [HOST-CC-01]", () => {
  const { registered, emitted } = claudeCodeRecord.events;
  assert.deepEqual(Object.keys(claudeCode.stages).sort(), [...registered].sort());
  for (const event of registered) assert.ok(emitted.value?.includes(event), event);
});
