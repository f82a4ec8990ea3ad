/**
 * Entries go into odd configurations and come out again without moving a byte.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import type { Json } from "../../lib/runtime/types.ts";
import type { ManifestEntry, ManifestFile, SearchedPlace } from "../../lib/manifest.ts";
import { claudeCodeManifest } from "../../hosts/claude_code/manifest.ts";
import { addEntries, findOurs, holdsExactly, removeOurs } from "../../install/edit_json.ts";
import { parseDocument } from "../../install/json/document.ts";
import { fillMarks } from "../../install/plan.ts";
import { InstallError } from "../../install/types.ts";

const [SETTINGS, SERVERS] = claudeCodeManifest.files as [ManifestFile, ManifestFile];

function filled(file: ManifestFile): ManifestEntry[] {
  return file.entries.map((entry) =>
    fillMarks(entry as unknown as Json, "/h/agent/bin/openviking-agent") as unknown as ManifestEntry
  );
}

/** Strict JSON once comments and trailing commas are out. */
function valueOf(text: string): Json {
  const plain = text.replace(/^\ufeff/, "")
    .replace(/("(?:[^"\\]|\\.)*")|\/\*[^]*?\*\/|\/\/[^\r\n]*/g, "$1")
    .replace(/("(?:[^"\\]|\\.)*")|,(\s*[}\]])/g, "$1$2");
  return JSON.parse(plain);
}

/** True when every character of `part` but blanks stands in `whole`, in the same order. */
function holdsInOrder(whole: string, part: string): boolean {
  let at = 0;
  for (const char of part.replace(/\s/g, "")) {
    at = whole.indexOf(char, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

const CONFIGS: Readonly<Record<string, string>> = {
  "empty object": "{}",
  "empty object with a newline": "{}\n",
  "empty object over lines": "{\n}\n",
  "blank inside": "{   }",
  "two spaces": '{\n  "a": 1\n}\n',
  "four spaces": '{\n    "a": {\n        "b": 1\n    }\n}\n',
  "tabs and CRLF": '{\r\n\t"a": 1,\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t}\r\n}',
  "minified": '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  "one line": '{ "a": 1, "hooks": { "Stop": [ ] }, "mcpServers": {} }',
  "byte order mark": '\ufeff{\n  "a": 1\n}\n',
  "no newline at the end": '{\n  "a": 1\n}',
  "blank lines at the end": '{\n  "a": 1\n}\n\n\n',
  "trailing commas": '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [],},\n    ],\n  },\n}\n',
  "line comments": '{\n  // first\n  "a": 1 // about a\n  // last\n}\n',
  "block comments": '{ /* a */ "a": 1 /* after */ }',
  "comment only": "{\n  // nothing yet\n}\n",
  "comment in a list": '{\n  "hooks": {\n    "Stop": [ /* none */ ]\n  }\n}\n',
  "comment after a comma": '{\n  "hooks": {\n    "Stop": [\n      1, // c  \n    ]\n  }\n}\n',
  "comment before a comma": '{\n  "hooks": {}\n  , "a": 1 /* x\n y */ ,\n}\n',
  "others' hooks":
    '{\n  "hooks": {\n    "PreToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "./guard.sh" } ] } ],\n    "UserPromptSubmit": []\n  },\n  "unknown": {"z":1,"a":[1,2,  3]}\n}',
  "list on one line, members over lines":
    '{\n  "hooks": {"Stop": [{"hooks": [\n    {"type": "command"}\n  ]}]}\n}\n',
  "no indentation": '{\n"a": 1,\n"hooks": {\n"Stop": [\n]\n}\n}\n',
  "text before and after": '\n\n  // head\n{ "a": 1 }\n// tail',
  "repeated key": '{"hooks": {"x": 1}, "hooks": {"Stop": []}}',
  "escapes": '{\n  "a\\"b": "\\u00e4 { [ , // x",\n  "中文": "值"\n}\n',
  "deep indentation of the root": '   {\n     "a": 1\n   }\n',
};

for (const [name, text] of Object.entries(CONFIGS)) {
  test(`removeOurs() gives the bytes back when the file has ${name} [INS-04] [UNI-01]`, () => {
    for (const file of [SETTINGS, SERVERS]) {
      const entries = filled(file);
      const before = parseDocument("/c.json", text);
      const added = addEntries(before, entries);
      const after = parseDocument("/c.json", before.bom + added.text);
      assert.ok(holdsExactly(after, file.searched, entries));
      assert.equal(findOurs(after, file.searched).length, entries.length);
      assert.doesNotThrow(() => valueOf(name === "escapes" ? "{}" : added.text), added.text);
      if (text.includes("\r\n")) assert.ok(!/[^\r]\n/.test(added.text));
      assert.ok(holdsInOrder(added.text, before.text));
      assert.equal(after.bom + removeOurs(after, file.searched, added.notes, added.settings), text);
    }
  });
}

test("addEntries() keeps what is there in its order when it adds [INS-04]", () => {
  const text = CONFIGS["others' hooks"] ?? "";
  const added = addEntries(parseDocument("/c.json", text), filled(SETTINGS));
  const value = valueOf(added.text) as {
    hooks: Record<string, { matcher?: string; hooks: { command: string }[] }[]>;
    unknown: unknown;
  };
  assert.deepEqual(value.unknown, { z: 1, a: [1, 2, 3] });
  assert.deepEqual(value.hooks.PreToolUse?.map((group) => group.hooks[0]?.command), [
    "./guard.sh",
    ...Array(5).fill("'/h/agent/bin/openviking-agent' hook claude-code PreToolUse"),
  ]);
  assert.deepEqual(Object.keys(value.hooks).slice(0, 2), ["PreToolUse", "UserPromptSubmit"]);
});

test("removeOurs() leaves a person's later edits alone when it removes [UNI-01] [UNI-02]", () => {
  const text = CONFIGS["others' hooks"] ?? "";
  const entries = filled(SETTINGS);
  const added = addEntries(parseDocument("/c.json", text), entries);
  const edit = (whole: string) =>
    whole.replace('"unknown": {"z":1', '"mine": [ 7 ],  // new\n  "unknown": {"z":2')
      .replace("./guard.sh", "./guard2.sh");
  const after = parseDocument("/c.json", edit(added.text));
  assert.equal(removeOurs(after, SETTINGS.searched, added.notes), edit(text));
});

test("removeOurs() undoes what a host wrote anew when it re-serialised the file [UNI-01]", () => {
  const text = '{"a":1,"hooks":{"Stop":[]},"mcpServers":{"other":{"command":"x"}}}';
  for (const file of [SETTINGS, SERVERS]) {
    const added = addEntries(parseDocument("/c.json", text), filled(file));
    const rewritten = JSON.stringify(JSON.parse(added.text), null, 2);
    const left = removeOurs(parseDocument("/c.json", rewritten), file.searched, added.notes);
    assert.equal(left, JSON.stringify(JSON.parse(text), null, 2));
  }
});

test("removeOurs() takes only our handler when a group is shared [UNI-01]", () => {
  const ours = "'/h/bin/openviking-agent' hook claude-code Stop";
  const text = `{"hooks":{"Stop":[{"hooks":[{"command":"mine"},{"command":${
    JSON.stringify(ours)
  }},{"command":"also mine"}]}]}}`;
  const left = removeOurs(parseDocument("/c.json", text), SETTINGS.searched, undefined);
  assert.equal(left, '{"hooks":{"Stop":[{"hooks":[{"command":"mine"},{"command":"also mine"}]}]}}');
});

test("removeOurs() removes the containers it emptied when there is no record [UNI-01]", () => {
  const added = addEntries(parseDocument("/c.json", '{"a":1}'), filled(SETTINGS));
  const after = parseDocument("/c.json", added.text);
  assert.equal(removeOurs(after, SETTINGS.searched, undefined), '{"a":1}');
});

const OLD_FORMS: readonly string[] = [
  "node /home/u/.openviking/openviking-repo/examples/claude-code-memory-plugin/scripts/auto-recall.mjs",
  'node "/opt/x/claude-code-memory-plugin/scripts/uri-guard.mjs"',
  "OPENVIKING_INTEGRATION_ID='openviking-memory' OPENVIKING_INTEGRATION_VERSION='1' OPENVIKING_HOOK_SOURCE='cursor' '/usr/bin/node' '/x/run.mjs' # openviking-memory",
  "/old/place/openviking-agent hook claude-code Stop",
  '"C:/Users/u/openviking-agent.exe" hook claude-code Stop',
];

for (const command of OLD_FORMS) {
  test(`findOurs() recognises ${command.slice(0, 60)} [UNI-05]`, () => {
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
    assert.equal(findOurs(parseDocument("/c.json", text), SETTINGS.searched).length, 1);
  });
}

test("findOurs() recognises the proxy of the old plugin when it stands under our name [UNI-05]", () => {
  const text = JSON.stringify({
    mcpServers: {
      openviking: { command: "node", args: ["/x/plugin/servers/mcp-proxy.mjs"] },
      mine: { command: "node", args: ["/x/servers/mcp-proxy.mjs"] },
      remote: { type: "http", url: "http://127.0.0.1:1933/mcp" },
    },
  });
  const found = findOurs(parseDocument("/c.json", text), SERVERS.searched);
  assert.deepEqual(found.map((value) => value.name), ["openviking"]);
});

const OTHERS: readonly string[] = [
  "notify-send done",
  "openviking-agent queue drain",
  "/usr/bin/openviking-agent-wrapper hook claude-code Stop",
  "node /mine/auto-recall.mjs",
  "echo openviking",
];

for (const command of OTHERS) {
  test(`findOurs() leaves \`${command}\` alone [UNI-02]`, () => {
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
    assert.equal(findOurs(parseDocument("/c.json", text), SETTINGS.searched).length, 0);
  });
}

const BROKEN: readonly { text: string; line: number; column: number; says: RegExp }[] = [
  { text: '{\n  "a": 1\n  "b": 2\n}', line: 3, column: 3, says: /a comma is missing/ },
  { text: '{\n  "a": [1, 2\n', line: 3, column: 1, says: /missing/ },
  { text: '{"a": tru}', line: 1, column: 7, says: /unknown word/ },
  { text: '{"a": 1} x', line: 1, column: 10, says: /after the end|unknown word/ },
  { text: "[]", line: 1, column: 1, says: /an object is expected, not an array/ },
  { text: '"text"', line: 1, column: 1, says: /an object is expected, not a string/ },
  { text: '{\n"a": "x\n}', line: 2, column: 6, says: /a string is not closed/ },
];

for (const { text, line, column, says } of BROKEN) {
  test(`parseDocument() names the place when it reads ${JSON.stringify(text)} [INS-02]`, () => {
    assert.throws(() => parseDocument("/home/u/c.json", text), (error: unknown) => {
      assert.ok(error instanceof InstallError);
      const { failure } = error;
      assert.deepEqual([failure.code, failure.line, failure.column, failure.path], [
        "invalid-config",
        line,
        column,
        "/home/u/c.json",
      ]);
      assert.match(failure.message, /^Cannot edit \/home\/u\/c\.json:\d+:\d+: /);
      assert.match(failure.message, says);
      return true;
    });
  });
}

const WRONG_TYPES: readonly [string, RegExp][] = [
  ['{"hooks": []}', /:1:11: `hooks` is an array, an object is expected/],
  ['{"hooks": "x"}', /`hooks` is a string, an object is expected/],
  ['{"hooks": null}', /`hooks` is null, an object is expected/],
  ['{"hooks": {"Stop": {}}}', /`hooks.Stop` is an object, an array is expected/],
];

for (const [text, says] of WRONG_TYPES) {
  test(`addEntries() refuses ${text} with its place [INS-02]`, () => {
    assert.throws(() => addEntries(parseDocument("/c.json", text), filled(SETTINGS)), (error) => {
      assert.ok(error instanceof InstallError);
      assert.match(error.failure.message, says);
      return true;
    });
  });
}

/** A small deterministic source of odd documents. */
function oddDocument(seed: number): string {
  let state = seed * 2654435761 % 4294967296;
  const pick = <T>(choices: readonly T[]): T => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return choices[Math.floor(state / 4294967296 * choices.length)] as T;
  };
  const newline = pick(["\n", "\r\n"]);
  const gap = (): string =>
    pick(["", " ", "\t", newline, `${newline}  `, ` /* c */ `, ` // c ${newline}\t`]);
  const value = (depth: number): string => {
    const kind = pick(depth > 2 ? ["1", '"s"', "null"] : ["1", '"a // b"', "[", "{"]);
    if (kind === "[") return list(depth);
    return kind === "{" ? object(depth, []) : kind;
  };
  const list = (depth: number): string => {
    const items = Array.from({ length: pick([0, 1, 2]) }, () => gap() + value(depth + 1) + gap());
    return `[${items.join(",")}${items.length > 0 && pick([true, false]) ? "," + gap() : gap()}]`;
  };
  const object = (depth: number, members: readonly string[]): string => {
    const all = [
      ...members,
      ...Array.from({ length: pick([0, 1, 2]) }, (_, i) => `"k${depth}${i}":${value(depth + 1)}`),
    ];
    const body = all.map((member) => gap() + member + gap()).join(",");
    return `{${body}${all.length > 0 && pick([true, false]) ? "," + gap() : gap()}}`;
  };
  const events = ["Stop", "PreToolUse", "SessionStart"].filter(() => pick([true, false]));
  const hooks = object(1, events.map((event) => `"${event}":${gap()}${list(2)}`));
  const servers = object(1, []);
  const members = [`"hooks":${gap()}${hooks}`, `"mcpServers":${gap()}${servers}`];
  return gap() + object(0, members.filter(() => pick([true, false]))) + gap();
}

test("removeOurs() is the inverse of addEntries() when documents are odd [INS-04] [UNI-01]", () => {
  for (let seed = 1; seed <= 1500; seed++) {
    const text = oddDocument(seed);
    for (const file of [SETTINGS, SERVERS]) {
      const entries = filled(file);
      const added = addEntries(parseDocument("/c.json", text), entries);
      const after = parseDocument("/c.json", added.text);
      assert.ok(holdsExactly(after, file.searched, entries), `seed ${seed}: ${text}`);
      assert.equal(removeOurs(after, file.searched, added.notes), text, `seed ${seed}`);
    }
  }
});

/** Hosts to come: lists of plain items and settings that may be there already. */
test("addEntries() serves lists of items and settings when a host has them [INS-04]", () => {
  const places: SearchedPlace[] = [{ kind: "item", part: "hooks", path: ["hooks", "*"] }];
  const entries: ManifestEntry[] = [
    { kind: "setting", part: "hooks", path: ["version"], value: 1 },
    {
      kind: "item",
      part: "hooks",
      path: ["hooks", "stop"],
      value: { command: "/h/openviking-agent hook cursor stop" },
    },
  ];
  for (const text of ['{"version": 2, "hooks": {}}', "{}", '{\n  "hooks": {"stop": [{}]}\n}\n']) {
    const added = addEntries(parseDocument("/c.json", text), entries);
    const after = parseDocument("/c.json", added.text);
    assert.ok(holdsExactly(after, places, entries));
    assert.equal(removeOurs(after, places, added.notes, added.settings), text);
  }
});
