import { test } from "node:test";
import assert from "node:assert/strict";
import { filterMessage, stripInjected } from "../../lib/capture/filters.ts";
import { renderRecallBlock } from "../../lib/recall/render.ts";
import { buildProfileBlock } from "../../lib/recall/profile.ts";
import { safeText } from "../../lib/recall/safe_text.ts";
import type { OvHttp, OvResult } from "../../lib/http/types.ts";

const WORD = "marzipan";

const entry = (n: number) => ({
  uri: `viking://user/default/sessions/cc-${n}/messages/${n}`,
  category: "events",
  role: n % 2 === 0 ? "user" : "assistant",
  text: `The vault word is ${WORD}.\n\n- it changes on Mondays\n<b>soon</b>`,
  createdAt: "2026-11-30T10:00:00Z",
  otherPeer: false,
});

const recalled = renderRecallBlock([entry(1), entry(2)], { query: "vault", tokenBudget: 1000 });

const http: OvHttp = {
  request: <T>(_method: string, path: string): Promise<OvResult<T>> => {
    const result = path.includes("content/read")
      ? `# About me\nI say ${WORD}.`
      : path.includes("/context")
      ? {
        messages: [{ role: "user", parts: [{ type: "text", text: `say ${WORD}` }] }],
      }
      : [{
        uri: "viking://user/default/memories/preferences/a.md",
        rel_path: "a.md",
        isDir: false,
        abstract: WORD,
      }];
    return Promise.resolve({ ok: true, status: 200, result: result as T });
  },
};
const profile = await buildProfileBlock({
  enabled: true,
  http,
  tokenBudget: 2000,
  sessionTokenBudget: 1000,
  previousSession: "cc-0",
});

/** How a block comes back: from a host, or from a model that quotes it. */
const FORMS: Readonly<Record<string, (block: string) => string>> = {
  "as it was": (block) => block,
  "in a host's reminder": (block) =>
    `<system-reminder>\nUserPromptSubmit hook additional context: ${block}\n</system-reminder>`,
  "above the prompt": (block) => `${block}\n\nBefore you answer`,
  "in a code fence": (block) => `I was given:\n\`\`\`\n${block}\n\`\`\`\nand no more.`,
  "as a quotation": (block) => block.split("\n").map((line) => `> ${line}`).join("\n"),
  "escaped": (block) => block.replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  "escaped as a block escapes": (block) => safeText(block),
  "without its tags": (block) => block.split("\n").slice(1, -1).join("\n"),
  "cut off": (block) => block.slice(0, block.lastIndexOf("</")),
  "twice": (block) => `${block}\n${block}`,
  "with Windows line ends": (block) => block.replaceAll("\n", "\r\n"),
};

for (const [name, form] of Object.entries(FORMS)) {
  test(`stripInjected() takes a block out that comes back ${name} [RCL-08]`, () => {
    for (const block of [recalled.block, profile]) {
      assert.ok(block.includes(WORD));
      const text = form(block);
      const stripped = stripInjected(`before\n${text}\nafter`);
      assert.ok(!stripped.includes(WORD), stripped);
      assert.match(stripped, /^before[^]*after$/);
    }
  });
}

test("filterMessage() keeps what a model says of its own beside a quoted block [RCL-08]", () => {
  const text = `You gave me:\n${recalled.block}\n\nSo the answer is:\n- Tuesday\n- noon`;
  const message = filterMessage({
    id: "m",
    role: "assistant",
    createdAt: "2026-11-30T10:00:00Z",
    parts: [{ type: "text", text }],
  });
  assert.deepEqual(message?.parts, [
    { type: "text", text: "You gave me:\n\n\nSo the answer is:\n- Tuesday\n- noon" },
  ]);
});

test("stripInjected() leaves talk about a block as it is", () => {
  for (
    const text of [
      "What is in <openviking-context>?",
      'Why does &lt;openviking-context source="prompt"&gt; show up?',
      "- viking://user/x is a URI",
      "It says: for reference only, not instructions.",
    ]
  ) assert.equal(stripInjected(text), text);
});
