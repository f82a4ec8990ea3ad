import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GuardTools } from "../../lib/hook/types.ts";
import {
  evaluateUriGuard,
  evaluateUriNotice,
  preToolUseOutput,
} from "../../lib/guard/uri_guard.ts";
import { projectRoot } from "../support/project.ts";

const TOOLS: GuardTools = {
  fileTools: {
    Read: { pathArguments: ["file_path"], instead: "mcp__openviking__read" },
    Glob: { pathArguments: ["path"], instead: "mcp__openviking__list" },
    Grep: { pathArguments: ["path"], instead: "mcp__openviking__search" },
    Edit: { pathArguments: ["file_path", "paths"], instead: "mcp__openviking__remember" },
  },
  shellTools: { Bash: { commandArgument: "command" } },
};
const CWD = "/home/dev/project";

function answer(toolName: unknown, toolInput: unknown, cwd: unknown = CWD) {
  return preToolUseOutput(
    TOOLS,
    { toolName, toolInput, cwd } as Parameters<typeof preToolUseOutput>[1],
  );
}

test("evaluateUriGuard() denies a file tool whose path is a viking URI and names the tool to use [GRD-01] [GRD-08]", () => {
  const table: readonly (readonly [string, string, Record<string, unknown>, string, string?])[] = [
    [
      "as written",
      "Read",
      { file_path: "viking://user/default/memories/x.md" },
      "viking://user/default/memories/x.md",
    ],
    ["as Claude Code 2.1.332 hands it over", "Read", {
      file_path: `${CWD}/viking:/user/default/x.md`,
    }, "viking://user/default/x.md"],
    ["the root", "Glob", { pattern: "*.md", path: `${CWD}/viking:` }, "viking://"],
    ["the root as written", "Glob", { path: "viking://" }, "viking://"],
    ["another directory", "Read", { file_path: "/elsewhere/viking:/~/a" }, "viking://~/a"],
    ["scheme in capitals", "Read", { file_path: "VIKING://user/x" }, "viking://user/x"],
    ["tool in lower case", "read", { file_path: "viking://user/x" }, "viking://user/x"],
    ["white space", "Read", { file_path: "  viking://user/x" }, "viking://user/x"],
    ["Windows", "Read", { file_path: "C:\\w\\viking:\\user\\x" }, "viking://user/x", "C:\\w"],
    ["Windows, the root", "Glob", { path: "C:\\w\\viking:" }, "viking://", "C:\\w\\"],
    ["a list of paths", "Edit", { paths: ["a.md", "viking://user/x"] }, "viking://user/x"],
    [
      "Edit",
      "Edit",
      { file_path: "viking://user/x.md", old_string: "a", new_string: "b" },
      "viking://user/x.md",
    ],
  ];
  for (const [what, tool, input, uri, cwd = CWD] of table) {
    const denial = evaluateUriGuard(TOOLS, { toolName: tool, toolInput: input, cwd });
    assert.equal(denial?.uri, uri, what);
    assert.ok(denial.reason.includes(uri) && denial.reason.includes(denial.instead), what);
    assert.match(denial.instead, /^mcp__openviking__/);
    assert.deepEqual(answer(tool, input, cwd), { kind: "deny", reason: denial.reason });
  }
});

test("evaluateUriNotice() lets a shell command run and tells the model about the URI [GRD-02]", () => {
  for (
    const command of [
      "echo viking://user/x",
      "viking://x",
      'curl -d \'{"u":"VIKING://a"}\' http://h',
      "a\nov read viking://x",
      ["bash", "-lc", "cat viking://x"],
    ]
  ) {
    const notice = evaluateUriNotice(TOOLS, { toolName: "Bash", toolInput: { command }, cwd: CWD });
    assert.match(notice?.text ?? "", /viking:\/\/.*MCP/s);
    assert.deepEqual(answer("bash", { command }), { kind: "tool-notice", text: notice?.text });
  }
});

test("preToolUseOutput() says nothing about ordinary calls [GRD-03] [GRD-06]", () => {
  const ordinary: readonly (readonly [string, Record<string, unknown>])[] = [
    ["Read", { file_path: `${CWD}/notes.txt` }],
    ["Read", { file_path: `${CWD}/viking.md` }],
    ["Read", { file_path: `${CWD}/my-viking:/x` }],
    ["Read", { file_path: `${CWD}/viking:x` }],
    ["Read", { file_path: "https://h/viking/x" }],
    ["Bash", { command: "ls" }],
    ["Bash", { command: "echo notviking://x", description: "viking://x" }],
    ["Bash", { command: "grep viking: /w" }],
    ["WebFetch", { url: "viking://user/x" }],
    ["mcp__openviking__read", { uris: ["viking://user/x"], file_path: "viking://user/x" }],
    ["Task", { prompt: "read viking://user/x" }],
    ["toString", { file_path: "viking://user/x" }],
  ];
  for (const [tool, input] of ordinary) {
    assert.deepEqual(answer(tool, input), { kind: "none" }, `${tool} ${JSON.stringify(input)}`);
  }
  const folder = join(projectRoot, "tests/fixtures/claude-code-2.1.332/hooks");
  const recorded = readdirSync(folder).filter((name) => name.startsWith("PreToolUse"));
  assert.ok(recorded.length > 0);
  for (const name of recorded) {
    const payload = JSON.parse(readFileSync(join(folder, name), "utf8"));
    assert.deepEqual(
      answer(payload.tool_name, payload.tool_input, payload.cwd),
      { kind: "none" },
      name,
    );
  }
});

test("evaluateUriGuard() looks at path arguments only [GRD-04]", () => {
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ["Grep", { pattern: "viking://user", path: "/repo/src" }],
    ["Glob", { pattern: "viking://**", path: "/repo" }],
    ["Edit", { file_path: "/a.md", old_string: "viking://a", new_string: "viking://b" }],
    ["Read", { file_path: "/a.md", note: { path: "viking://x" } }],
    ["Read", { path: "viking://x" }],
  ];
  for (const [tool, input] of calls) {
    assert.deepEqual(answer(tool, input), { kind: "none" }, JSON.stringify(input));
  }
});

test("preToolUseOutput() survives hostile input [GRD-06]", () => {
  const values = [
    null,
    undefined,
    7,
    true,
    {},
    [],
    [[]],
    [null, {}],
    "",
    "\0",
    "viking",
    "/".repeat(3_000_000),
    "viking:".repeat(400_000),
    `/xviking:`.repeat(400_000),
    "x".repeat(3_000_000),
    Array(100_000).fill("a"),
  ];
  for (const value of values) {
    for (
      const tool of ["Read", "Bash", "", "x".repeat(1000), 5, null, {}, "__proto__", "constructor"]
    ) {
      const argument = tool === "Bash" ? "command" : "file_path";
      assert.equal(answer(tool, { [argument]: value }).kind, "none");
      assert.equal(answer(tool, value).kind, "none");
      assert.equal(answer(tool, { [argument]: value }, value).kind, "none");
    }
  }
  const far = answer("Bash", { command: `${"x".repeat(3_000_000)} viking://a` });
  assert.equal(far.kind, "tool-notice");
  const evil = evaluateUriGuard(TOOLS, {
    toolName: "Read",
    toolInput: { file_path: `viking://a\n\u001b[2J\u202e<b>"${"y".repeat(9000)}` },
    cwd: CWD,
  });
  assert.match(evil?.uri ?? "", /^viking:\/\/a\[2Jby{100,200}$/);
});
