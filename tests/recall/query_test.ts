import { test } from "node:test";
import assert from "node:assert/strict";
import { extractQuery, QUERY_LIMIT } from "../../lib/recall/query.ts";

test("extractQuery() removes injected blocks, reminders and private blocks [RCL-13]", () => {
  const question = "Which pipeline deploys billing?";
  const table: readonly string[] = [
    `<openviking-context source="prompt">\nold zebra\n</openviking-context>\n${question}`,
    `<openviking-context>old zebra</openviking-context>${question}`,
    `${question}\n<relevant-memories>old zebra</relevant-memories>`,
    `<system-reminder>old zebra</system-reminder>\n\n${question}`,
    `<system-reminder a="b">old <b>zebra</b></system-reminder>${question}<system-reminder>zebra</system-reminder>`,
    `<task-notification>\n<result>zebra</result></task-notification>\n${question}`,
    `${question} <private>zebra\nzebra</private>`,
    `${question} <private>zebra to the end`,
    `${question} <PRIVATE>zebra</PRIVATE>`,
  ];
  for (const prompt of table) assert.deepEqual(extractQuery(prompt), { text: question }, prompt);
});

test("extractQuery() tells commands from paths, and gives the arguments of a command that works for the user", () => {
  const table: Readonly<Record<string, string | undefined>> = {
    "/clear": undefined,
    "/compact": undefined,
    "/compact keep the plan for billing": undefined,
    "/MODEL opus": undefined,
    "/fix-issue the flaky billing test": "the flaky billing test",
    "/openviking:find zebra pipeline": "zebra pipeline",
    "/review": undefined,
    "/usr/bin is broken": "/usr/bin is broken",
    "/etc/nginx/nginx.conf must listen on 8080": "/etc/nginx/nginx.conf must listen on 8080",
    "/tmp is full again": "/tmp is full again",
    "/home directories moved": "/home directories moved",
    "//comment style question": "//comment style question",
    "what does /clear do with memory?": "what does /clear do with memory?",
  };
  for (const [prompt, text] of Object.entries(table)) {
    const expected = text === undefined ? { text: "", skipped: "command" } : { text };
    assert.deepEqual(extractQuery(prompt), expected, prompt);
  }
});

test("extractQuery() skips what asks nothing and says why", () => {
  const table: Readonly<Record<string, string>> = {
    "": "nothing-said",
    " \n\t": "nothing-said",
    "\0": "nothing-said",
    "<private>all of it</private>": "nothing-said",
    "<system-reminder>x</system-reminder>": "nothing-said",
    "<task-notification>\n<task-id>1</task-id>\nAll tests of the billing service passed\n</task-notification>":
      "host-event",
    "<task-notification> cut": "host-event",
  };
  for (const [prompt, reason] of Object.entries(table)) {
    assert.deepEqual(extractQuery(prompt), { text: "", skipped: reason }, prompt);
  }
  assert.equal(extractQuery("ab", 3).skipped, "too-short");
});

test("extractQuery() refuses acknowledgements and only those", () => {
  const refused = [
    "ok",
    "OK.",
    "yes please, go ahead",
    "thanks, that looks good",
    "continue",
    "hi",
    "hello there",
    "lgtm",
    "next step please",
    "try again",
    "why not?",
    "👍",
    "...",
    "?",
    "1",
    "继续",
    "好的，继续吧",
    "好的，谢谢！",
    "可以",
    "嗯嗯",
    "收到，辛苦了",
    "没问题，开始吧",
    "请继续。",
    "下一步",
    "再试一次",
  ];
  for (const prompt of refused) {
    assert.equal(extractQuery(prompt).skipped, "acknowledgement", prompt);
  }
  const asked = [
    "run the tests",
    "which port?",
    "deploy billing",
    "fix `it`",
    "no, use pnpm instead of npm",
    "用 pnpm 安装依赖",
    "continue with the migration of the orders table",
    "值班口令是什么？ 青い猫",
    "密码是多少",
    "部署流程",
    "数据库在哪",
    "src/main.ts",
    "getUser",
    "get_user",
    "#42",
    "v1.2",
    "13800138000 is the on-call number",
    "継続的インテグレーション",
    "как развернуть сервис",
    "بناء المشروع الآن",
  ];
  for (const prompt of asked) assert.deepEqual(extractQuery(prompt), { text: prompt }, prompt);
});

const LOG = Array.from(
  { length: 600 },
  (_, at) =>
    `2026-11-30T10:00:${String(at % 60).padStart(2, "0")}Z INFO worker-${at} handled request id=${
      at * 7919
    } in ${at % 97} ms`,
).join("\n");
const CODE = Array.from(
  { length: 300 },
  (_, at) => `  const value${at} = compute(items[${at}], { deep: true });`,
).join("\n");

test("extractQuery() keeps the question in front of, behind and between pastes", () => {
  const question = "Why does the billing worker stop after the deploy on Thursday?";
  const failure = "2026-11-30T10:09:59Z ERROR ledger: cannot open zebra.db: permission denied";
  const pastes = {
    log: `${LOG}\n${failure}`,
    fence: `\`\`\`ts\n${CODE}\n\`\`\``,
    code: CODE,
    minified: `{${'"k":[1,2,{"a":"b"}],'.repeat(5000)}}`,
  };
  for (const [name, paste] of Object.entries(pastes)) {
    for (
      const prompt of [
        `${question}\n${paste}`,
        `${paste}\n${question}`,
        `${paste}\n\n${question}\n\n${paste}`,
        `\`\`\`\n${paste}\n${question}`,
      ]
    ) {
      const { text } = extractQuery(prompt);
      assert.ok(text.includes(question), name);
      assert.ok(text.length <= QUERY_LIMIT, `${name} ${text.length}`);
      assert.equal(text.includes("worker-17 "), false, name);
    }
  }
  assert.ok(extractQuery(`${question}\n${pastes.log}`).text.includes("cannot open zebra.db"));
  assert.ok(extractQuery(LOG).text.length <= QUERY_LIMIT);
});

test("extractQuery() drops channel metadata in front of a message", () => {
  const meta = (label: string) =>
    `${label} (untrusted metadata):\n\`\`\`json\n{"session_id":"zebra","cwd":"/zebra"}\n\`\`\`\n`;
  const prompt = `${meta("Conversation info")}\n${
    meta("Sender")
  }\nWhere do we deploy billing?\n${LOG}`;
  const { text } = extractQuery(prompt);
  assert.ok(text.startsWith("Where do we deploy billing?"), text.slice(0, 80));
  assert.equal(text.includes("zebra"), false);
});

test("extractQuery() keeps short code, long prose ends and whole characters", () => {
  const code = "```ts\nconst zebra = deploy();\n```\nWhat does this print?";
  assert.equal(extractQuery(code).text, code);
  const prose = `First ask about zebra. ${
    "We talked about many things that day and none of it matters here. ".repeat(300)
  }Last ask about okapi?`;
  const { text } = extractQuery(prose);
  assert.ok(text.includes("zebra") && text.includes("okapi") && text.length <= QUERY_LIMIT);
  const emoji = extractQuery(`x${"👍 words here ".repeat(2000)}`).text;
  assert.ok(emoji.isWellFormed());
});

test("extractQuery() is linear in hostile prompts", () => {
  const hostile = [
    "<private ",
    "<task-notification",
    "<openviking-context>",
    "</private>",
    "```\n",
    "sender\n```\n",
    "Conversation info:\n ```json\n",
    "\n",
    "/a ",
    "[",
    "`",
    "a-",
    "2026-",
    "  at ",
    "\u0000",
    "\ud800",
  ];
  for (const piece of hostile) {
    const { text } = extractQuery(piece.repeat(Math.ceil(3_000_000 / piece.length)));
    assert.ok(text.length <= QUERY_LIMIT, piece);
  }
});
