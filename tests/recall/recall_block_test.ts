import { test } from "node:test";
import assert from "node:assert/strict";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import type { Transport, WireRequest, WireResponse } from "../../lib/http/types.ts";
import { createBreaker } from "../../lib/http/breaker.ts";
import { createOvHttp } from "../../lib/http/client.ts";
import { createFaceMemory } from "../../lib/recall/face_memory.ts";
import {
  buildRecallBlock,
  buildRecallBlockDetailed,
  type RecallBlockOptions,
} from "../../lib/recall/recall_block.ts";
import type { RecallSettings } from "../../lib/recall/types.ts";
import { recordedAnswer } from "../support/read_path_fixture.ts";
import { tempFolder } from "../support/temp_folder.ts";

const QUESTION = "tabs or spaces in Go code";
const SETTINGS: RecallSettings = {
  limit: 10,
  tokenBudget: 2000,
  maxContentChars: 500,
  preferAbstract: true,
  minQueryLength: 3,
  peerScope: "all",
  queryExpansion: "off",
  send: {},
};

type Answer = WireResponse | ((request: WireRequest) => WireResponse | Promise<WireResponse>);

/** Answers by the end of the path, or by a function; everything asked is kept. */
function engine(answers: Readonly<Record<string, Answer>>) {
  const asked: WireRequest[] = [];
  const transport: Transport = async (request) => {
    asked.push(request);
    const route = Object.keys(answers).find((end) => request.path.split("?")[0]?.endsWith(end)) ??
      "";
    const answer = answers[route] ?? recordedAnswer("unknown-route");
    return typeof answer === "function" ? await answer(request) : answer;
  };
  return { asked, http: createOvHttp({ transport, headers: {}, timeoutMs: 1000 }) };
}

function options(
  http: RecallBlockOptions["http"],
  more: Partial<RecallBlockOptions> = {},
): RecallBlockOptions {
  return {
    enabled: true,
    prompt: QUESTION,
    http,
    mayCreateSession: true,
    settings: SETTINGS,
    redact: (text) => text,
    ...more,
  };
}

function context(entries: readonly unknown[], stats: Record<string, unknown> = {}): WireResponse {
  return {
    status: 200,
    headers: { "x-request-id": "r1" },
    body: { status: "ok", result: { entries, rendered: "x", digest: "", stats } },
  };
}

function refusal(...fields: string[]): WireResponse {
  const validation_errors = fields.map((name) => ({
    loc: ["body", name],
    type: "extra_forbidden",
    message: "Extra inputs are not permitted",
  }));
  return {
    status: 400,
    headers: {},
    body: {
      status: "error",
      error: {
        code: "INVALID_ARGUMENT",
        message: `Invalid request parameters: body.${fields[0]}: Extra inputs are not permitted`,
        details: { validation_errors },
      },
    },
  };
}

const memory = (at: number, text = `memory ${at}`) => ({
  uri: `viking://~/memories/events/${at}.md`,
  category: "events",
  score: 0.7,
  text,
});

test("buildRecallBlockDetailed() shows what the real server found, without folders and their overviews [RCL-01]", async () => {
  const { http, asked } = engine({ "/search/search": recordedAnswer("search-context-after") });
  const result = await buildRecallBlockDetailed(
    options(http, { session: "cc-1", peer: "my-repo" }),
  );
  assert.deepEqual([result.outcome, result.count, result.detail], ["ok", 2, ""]);
  assert.deepEqual(result.entries.map(({ uri }) => uri), [
    "viking://user/alice/memories/events/2026/11/30/decided_ship_billing_release.md",
    "viking://user/alice/memories/preferences/user/tabs_over_spaces.md",
  ]);
  assert.match(result.block, /I prefer tabs over spaces in Go code/);
  assert.match(result.block, /events, 2026-11-30/);
  assert.doesNotMatch(result.block, /Overview|0\.87/);
  assert.equal(result.traceId, recordedAnswer("search-context-after").headers["x-request-id"]);
  assert.equal(asked.length, 1, "a status line needs no request of its own [RCL-02]");
});

test("buildRecallBlockDetailed() carries session and peer, and sends a setting only when it is configured [RCL-03]", async () => {
  const { http, asked } = engine({ "/search/search": context([]) });
  await buildRecallBlockDetailed(options(http, { session: "cc-1", peer: "p" }));
  await buildRecallBlockDetailed(options(http, {
    session: "cc-1",
    settings: {
      ...SETTINGS,
      peerScope: "actor",
      queryExpansion: "auto",
      send: { limit: 3, maxTokens: 800, scoreThreshold: 0, dedupTurns: 0 },
    },
  }));
  await buildRecallBlockDetailed(
    options(http, {
      session: "cc-1",
      mayCreateSession: false,
      settings: { ...SETTINGS, queryExpansion: "auto", send: { dedupTurns: 5 } },
    }),
  );
  await buildRecallBlockDetailed(options(http));
  const query = QUESTION;
  assert.deepEqual(asked.map(({ body }) => body), [
    { query, mode: "context", session_id: "cc-1", query_expansion: "off" },
    {
      query,
      mode: "context",
      session_id: "cc-1",
      query_expansion: "auto",
      limit: 3,
      max_tokens: 800,
      score_threshold: 0,
      dedup_turns: 0,
      peer_scope: "actor",
    },
    { query, mode: "context", session_id: "cc-1", query_expansion: "off" },
    { query, mode: "context" },
  ]);
  assert.deepEqual(asked.map(({ headers }) => headers["x-openviking-actor-peer"]), [
    "p",
    undefined,
    undefined,
    undefined,
  ]);
});

test("buildRecallBlockDetailed() sends nothing when it is off, bypassed by the prompt, or nothing is asked [RCL-03]", async () => {
  const { http, asked } = engine({});
  const off = await buildRecallBlockDetailed(options(http, { enabled: false }));
  assert.equal(off.outcome, "disabled");
  for (
    const prompt of [
      "ok, go on",
      "继续",
      "/clear",
      "",
      "<system-reminder>tabs or spaces in Go code</system-reminder>",
    ]
  ) {
    const result = await buildRecallBlockDetailed(options(http, { prompt }));
    assert.deepEqual([result.outcome, result.block, result.count], ["empty", "", 0]);
    assert.notEqual(result.detail, "");
  }
  assert.deepEqual(asked, []);
});

test("buildRecallBlockDetailed() asks with the user's redacted words only [RCL-13]", async () => {
  const { http, asked } = engine({ "/search/search": context([]) });
  const secret = ["s", "k-", "0123456789"].join("");
  await buildRecallBlock(options(http, {
    prompt:
      `<openviking-context source="prompt">old</openviking-context>deploy with ${secret} <private>hidden</private> now`,
    redact: (text) => text.replaceAll(secret, "[redacted]"),
  }));
  assert.deepEqual(asked.map(({ body }) => (body as { query: string }).query), [
    "deploy with [redacted]  now",
  ]);
});

test("buildRecallBlockDetailed() injects nothing for every form of nothing [RCL-04]", async () => {
  const empty: readonly WireResponse[] = [
    recordedAnswer("search-context-before"),
    recordedAnswer("find-before"),
    context([]),
    context([memory(1)], { rewrite: "no_relevant" }),
    context([
      memory(1, "NO_RELEVANT_MEMORY"),
      memory(2, "No matching context found."),
      memory(3, " \n"),
    ]),
    { status: 200, headers: {}, body: { status: "ok", result: null } },
    {
      status: 200,
      headers: {},
      body: { status: "ok", result: { rendered: "No relevant memory found." } },
    },
    {
      status: 200,
      headers: {},
      body: { status: "ok", result: { entries: [1, null, "x", {}, { uri: 5, text: 7 }] } },
    },
    { status: 200, headers: {}, body: { status: "ok", result: [] } },
  ];
  for (const answer of empty) {
    const { http } = engine({ "/search/search": answer });
    const result = await buildRecallBlockDetailed(options(http));
    assert.deepEqual(
      [result.block, result.outcome, result.count],
      ["", "empty", 0],
      JSON.stringify(answer.body).slice(0, 200),
    );
  }
});

test("buildRecallBlockDetailed() shows an address and a text once [BR-100]", async () => {
  const { http } = engine({
    "/search/search": context([
      memory(1, "Use zebra."),
      memory(1, "Use zebra, again."),
      memory(2, "  use   ZEBRA.\n"),
      memory(3, "Other"),
    ]),
  });
  const { entries } = await buildRecallBlockDetailed(options(http));
  assert.deepEqual(entries.map(({ text }) => text), ["Use zebra.", "Other"]);
});

test("buildRecallBlockDetailed() counts distinct addresses that were injected, scores aside [RCL-02]", async () => {
  const { http } = engine({
    "/search/search": context([memory(1), memory(2), { text: "without address" }]),
  });
  const { count, entries, block } = await buildRecallBlockDetailed(
    options(http, { settings: { ...SETTINGS, limit: 3 } }),
  );
  assert.deepEqual([count, entries.length, new Set(block.match(/viking:\/\/\S+/g)).size], [
    2,
    3,
    2,
  ]);
});

test("buildRecallBlockDetailed() leaves other projects out, or names them [BR-128]", async () => {
  const found = context([
    { ...memory(1), origin: "other_peer" },
    { uri: "viking://user/a/peers/other/memories/events/2.md", text: "two" },
    { uri: "viking://user/a/peers/mine/memories/events/3.md", text: "three" },
    { ...memory(4), origin: "self" },
  ]);
  const { http } = engine({ "/search/search": found });
  const own = await buildRecallBlockDetailed(
    options(http, { peer: "mine", settings: { ...SETTINGS, peerScope: "actor" } }),
  );
  assert.deepEqual(own.entries.map(({ text }) => text).sort(), ["memory 4", "three"]);
  const all = await buildRecallBlockDetailed(options(http, { peer: "mine" }));
  assert.equal(all.block.match(/other project/g)?.length, 2);
});

test("buildRecallBlockDetailed() shows who said what and when, and keeps addresses without a file extension [RCL-12]", async () => {
  const { http } = engine({
    "/search/search": context([
      {
        uri: "viking://user/default/sessions/cc-1/messages/7",
        category: "messages",
        text: "zebra",
        created_at: "2026-11-30T08:00:00+08:00",
        role: "user",
        session: "cc-1",
        detail: "full",
        score: 3,
      },
    ]),
  });
  assert.match(
    await buildRecallBlock(options(http)),
    /- viking:\/\/user\/default\/sessions\/cc-1\/messages\/7 \(user, 2026-11-30 08:00 \+08:00\)\n {2}zebra/,
  );
});

test("buildRecallBlockDetailed() falls back to older routes and remembers what a server can do [RCL-10]", async () => {
  const agentHome = tempFolder();
  const clock = { ms: 1_000_000 };
  const faces = createFaceMemory({
    runtime: { files: denoRuntime.files, now: () => clock.ms },
    agentHome,
    target: "srv",
  });
  const find = {
    status: 200,
    headers: {},
    body: {
      status: "ok",
      result: {
        memories: [{
          uri: "viking://~/memories/events/9.md",
          level: 2,
          score: 0.6,
          abstract: `zebra ${"x".repeat(600)}`,
        }, { uri: "viking://~/memories/.overview.md", level: 1, score: 0.9, abstract: "no" }],
        resources: [],
        skills: [],
        total: 2,
      },
    },
  };
  const servers: Readonly<
    Record<string, { answers: Record<string, Answer>; routes: string[]; again: string[] }>
  > = {
    "0.4.8: no context mode": {
      answers: { "/search/search": refusal("mode"), "/search/recall": recordedAnswer("recall") },
      routes: ["search", "recall"],
      again: ["recall"],
    },
    "before 0.4.8: no recall": {
      answers: { "/search/search": recordedAnswer("search-mode-unknown"), "/search/find": find },
      routes: ["search", "recall", "find"],
      again: ["find"],
    },
    "no search route": {
      answers: {
        "/search/search": { status: 405, headers: {}, body: { detail: "Method Not Allowed" } },
        "/search/recall": recordedAnswer("unknown-route"),
        "/search/find": find,
      },
      routes: ["search", "recall", "find"],
      again: ["find"],
    },
    "bare 422": {
      answers: {
        "/search/search": {
          status: 422,
          headers: {},
          body: { detail: [{ loc: ["body", "mode"], msg: "extra", type: "extra_forbidden" }] },
        },
        "/search/recall": recordedAnswer("recall"),
      },
      routes: ["search", "recall"],
      again: ["recall"],
    },
    "mode ignored": { answers: { "/search/search": find }, routes: ["search"], again: ["search"] },
    "a field too many": {
      answers: {
        "/search/search": (request) =>
          "query_expansion" in (request.body as object)
            ? refusal("query_expansion", "session_id")
            : recordedAnswer("search-context-after"),
      },
      routes: ["search", "search"],
      again: ["search"],
    },
  };
  for (const [what, { answers, routes, again }] of Object.entries(servers)) {
    clock.ms += 7 * 3_600_000; // what was learned about the server before is forgotten
    for (const expected of [routes, again]) {
      const { http, asked } = engine(answers);
      const result = await buildRecallBlockDetailed(options(http, { faces, session: "cc-1" }));
      assert.deepEqual(asked.map(({ path }) => path.split("/").at(-1)), expected, what);
      assert.equal(result.outcome, "ok", `${what}: ${result.detail}`);
      assert.doesNotMatch(result.block, /overview/i, what);
      assert.ok(result.block.length < 2500, what);
    }
  }
});

test("buildRecallBlockDetailed() gives up on a refusal that teaches nothing, in one request [RCL-10]", async () => {
  for (
    const answer of [recordedAnswer("search-context-unknown-field"), {
      status: 400,
      headers: {},
      body: { status: "error", error: { code: "X", message: "the model mode is unexpected" } },
    }, refusal("query")]
  ) {
    const { http, asked } = engine({ "/search/search": answer });
    const result = await buildRecallBlockDetailed(options(http));
    assert.deepEqual([result.outcome, result.failure?.status, asked.length], ["error", 400, 1]);
  }
  const stubborn = engine({
    "/search/search": refusal("session_id"),
    "/search/recall": refusal("mode"),
  });
  await buildRecallBlockDetailed(options(stubborn.http, { session: "s" }));
  assert.ok(stubborn.asked.length <= 6);
});

test("buildRecallBlockDetailed() reads contents on older servers when abstracts are not wanted", async () => {
  const { http, asked } = engine({
    "/search/search": refusal("mode"),
    "/search/find": {
      status: 200,
      headers: {},
      body: {
        status: "ok",
        result: {
          memories: [{ uri: "viking://~/m/a b.md", level: 2, score: 1, abstract: "short" }],
        },
      },
    },
    "/content/read": {
      status: 200,
      headers: {},
      body: { status: "ok", result: "whole zebra text" },
    },
  });
  const block = await buildRecallBlock(
    options(http, { settings: { ...SETTINGS, preferAbstract: false } }),
  );
  assert.match(block, /whole zebra text/);
  assert.equal(asked.at(-1)?.path, "/api/v1/content/read?uri=viking%3A%2F%2F~%2Fm%2Fa%20b.md");
});

test("buildRecallBlockDetailed() says how it failed and never shows a failure as nothing found", async () => {
  const table: readonly (readonly [Answer, string, string])[] = [
    [recordedAnswer("key-status-wrong"), "auth", "auth"],
    [recordedAnswer("search-context-embedder-500"), "error", "upstream"],
    [recordedAnswer("find-embedder-401"), "error", "upstream"],
    [{ status: 200, headers: {}, body: "<html>" }, "error", "protocol"],
    [{ status: 302, headers: {}, body: "" }, "error", "protocol"],
    [
      {
        status: 503,
        headers: {},
        body: { status: "error", error: { code: "UNAVAILABLE", message: "down" } },
      },
      "error",
      "server",
    ],
    [
      () => Promise.reject(Object.assign(new Error(), { name: "TimeoutError" })),
      "timeout",
      "timeout",
    ],
    [() => Promise.reject(new TypeError("Connection refused")), "error", "unreachable"],
  ];
  for (const [answer, outcome, category] of table) {
    const { http } = engine({ "/search/search": answer });
    const result = await buildRecallBlockDetailed(options(http));
    assert.deepEqual([result.block, result.outcome, result.failure?.category], [
      "",
      outcome,
      category,
    ]);
    assert.notEqual(result.detail, "");
  }
});

test("buildRecallBlockDetailed() asks a sick server once per pause, whatever the fault, and a well one again at once", async () => {
  const sick: readonly Answer[] = [
    () => Promise.reject(Object.assign(new Error(), { name: "TimeoutError" })),
    () => Promise.reject(new TypeError("Connection refused")),
    { status: 500, headers: {}, body: "" },
    { status: 401, headers: {}, body: "" },
    { status: 200, headers: {}, body: "<html>" },
    { status: 429, headers: { "retry-after": "3600" }, body: "" },
  ];
  for (const answer of sick) {
    const agentHome = tempFolder();
    const clock = { ms: 1_000_000 };
    const runtime = { files: denoRuntime.files, now: () => clock.ms };
    const ask = async (of: Answer) => {
      const { http, asked } = engine({ "/search/search": of });
      const breaker = createBreaker({ runtime, agentHome, target: "srv" });
      const { outcome, detail, failure } = await buildRecallBlockDetailed(
        options(http, { breaker }),
      );
      return { outcome, detail, category: failure?.category, requests: asked.length };
    };
    const first = await ask(answer);
    assert.equal(first.requests, 1);
    const during = [await ask(answer), await ask(answer)];
    assert.deepEqual(during.map(({ outcome, requests }) => [outcome, requests]), [["breaker", 0], [
      "breaker",
      0,
    ]]);
    assert.match(during[0]?.detail ?? "", /recent failure/);
    assert.equal(during[0]?.category, first.category, "the cause stays the same");
    clock.ms += 3_600_000;
    const all = await Promise.all(Array.from({ length: 5 }, () => ask(context([memory(1)]))));
    assert.equal(all.filter(({ requests }) => requests === 1).length, 1, "one caller tries again");
    assert.equal((await ask(context([memory(1)]))).outcome, "ok");
  }
});
