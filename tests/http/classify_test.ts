import { test } from "node:test";
import assert from "node:assert/strict";
import type { WireResponse } from "../../lib/http/types.ts";
import { AnswerTooLarge, classify, type ClassifyHints } from "../../lib/http/classify.ts";

const NOW = Date.parse("2026-11-30T10:00:00Z");

function error(status: number, message: string, details?: unknown, code = "X"): WireResponse {
  return {
    status,
    headers: { "x-request-id": "r1" },
    body: { status: "error", result: null, error: { code, message, details } },
  };
}

type Row = readonly [what: string, response: WireResponse, verdict: string, hints?: ClassifyHints];

/** `action category`, with `!` when ambiguous. */
function verdict(response: WireResponse, hints: ClassifyHints = {}): string {
  const { action, category, ambiguous } = classify({ response }, { now: NOW, ...hints });
  return `${action} ${category}${ambiguous ? "!" : ""}`;
}

const RETRYABLE: readonly Row[] = [
  ["408", error(408, "timeout"), "retry timeout!"],
  ["425", error(425, "early"), "retry busy"],
  ["429", error(429, "slow down"), "retry busy"],
  ...[500, 502, 503, 504, 599].map((
    status,
  ): Row => [`${status}`, error(status, "down"), "retry server!"]),
  ["500 page", { status: 500, headers: {}, body: "<html>" }, "retry server!"],
  ["412", error(412, "user is being deleted"), "retry server"],
];

const CONFLICTS: readonly Row[] = [
  [
    "retryable",
    error(409, "busy", { retryable: true, conflict_type: "path_busy" }, "CONFLICT"),
    "retry busy",
  ],
  ["retryable as text", error(409, "busy", { retryable: "true" }), "refuse refused"],
  ["not retryable", error(409, "busy", { retryable: false }), "refuse refused"],
  ["exists", error(409, "session exists", { type: "session" }, "ALREADY_EXISTS"), "refuse refused"],
];

const REFUSALS: readonly Row[] = [
  ["401", error(401, "Invalid API key"), "hold auth"],
  ["403", error(403, "ROOT API keys cannot access tenant-scoped data APIs"), "hold auth"],
  ["401 page of a proxy", { status: 401, headers: {}, body: "<html>" }, "hold auth"],
  [
    "403 place",
    error(403, "Access denied for viking://user/bob: read permission required"),
    "refuse refused",
  ],
  ["403 session id", error(403, "Unsafe URI drive-prefixed component 'a:b'"), "refuse refused"],
  [
    "400 identity",
    error(400, "Trusted mode requests must include X-OpenViking-Account"),
    "hold auth",
  ],
  ["400 root", error(400, "ROOT requests to tenant-scoped APIs must include"), "hold auth"],
  ["400", error(400, "Session privacy text limit exceeded"), "refuse refused"],
  ["400 batch", error(400, "Invalid request parameters"), "split refused", { batch: true }],
  ["413 page, batch", { status: 413, headers: {}, body: "<html>" }, "split refused", {
    batch: true,
  }],
  ["413 page", { status: 413, headers: {}, body: "<html>" }, "refuse refused"],
  [
    "422 bare",
    { status: 422, headers: {}, body: { detail: [{ loc: ["body", "x"] }] } },
    "refuse refused",
  ],
  ["422 batch", error(422, "message rejected"), "split refused", { batch: true }],
];

const OTHERS: readonly Row[] = [
  ["model 401", error(401, "Upstream model", { upstream_status_code: 401 }), "retry upstream"],
  ["model 429", error(429, "quota", { upstream_status_code: 429 }), "retry upstream"],
  ["model 503", error(503, "model", { upstream_status_code: 500 }), "retry upstream!"],
  [
    "400 of a session",
    error(400, "Invalid live message JSONL at line 2"),
    "fallback broken-session",
    { sessionRead: true },
  ],
  ["400 identity of a session", error(400, "Trusted mode requests must include x"), "hold auth", {
    sessionRead: true,
  }],
  ["route", error(404, "Not Found", undefined, "NOT_FOUND"), "fallback missing-route"],
  [
    "route, old",
    { status: 404, headers: {}, body: { detail: "Not Found" } },
    "fallback missing-route",
  ],
  ["entity", error(404, "Session nope not found"), "refuse not-found"],
  ["entity of that name", error(404, "Not Found", { resource: "x" }), "refuse not-found"],
  ["404 page", { status: 404, headers: {}, body: "<html>nginx" }, "retry protocol"],
  ["404 of a gateway", { status: 404, headers: {}, body: { note: "no route" } }, "retry protocol"],
  ["400 page", { status: 400, headers: {}, body: "<html>" }, "retry protocol"],
  ["405", error(405, "Method Not Allowed", undefined, "UNKNOWN"), "fallback missing-route"],
  ["501", error(501, "no"), "fallback missing-route"],
  ["410", error(410, "expired"), "refuse not-found"],
  ["301", { status: 301, headers: { location: "http://x/" }, body: "" }, "retry protocol"],
  ["303", { status: 303, headers: {}, body: "" }, "retry protocol!"],
  ["200 page", { status: 200, headers: {}, body: "<!doctype html>" }, "retry protocol!"],
  ["200 half", { status: 200, headers: {}, body: '{"status":"ok","resu' }, "retry protocol!"],
  ["200 list", { status: 200, headers: {}, body: "[]" }, "retry protocol!"],
  ["200 refused", error(200, "no", undefined, "INVALID_ARGUMENT"), "refuse refused"],
  ["200 auth", error(200, "no", undefined, "UNAUTHENTICATED"), "hold auth"],
  ["200 busy", error(200, "no", undefined, "RESOURCE_EXHAUSTED"), "retry busy"],
  ["200 unknown code", error(200, "no", undefined, "PROCESSING_ERROR"), "retry server!"],
];

for (
  const [name, rows] of [
    ["retries what passes [RTY-01]", RETRYABLE],
    ["retries a conflict only if the server says so [RTY-02]", CONFLICTS],
    ["holds on refused credentials and refuses bad payloads [RTY-03]", REFUSALS],
    ["tells models, routes, sessions, proxies and redirects apart", OTHERS],
  ] as const
) {
  test(`classify() ${name}`, () => {
    for (const [what, response, expected, hints] of rows) {
      assert.equal(verdict(response, hints), expected, what);
    }
  });
}

test("classify() knows what a transport throws, and whether the server may have applied it [RTY-01]", () => {
  const named = (name: string) => Object.assign(new Error("x"), { name });
  const caused = (code: string) =>
    new TypeError("fetch failed", { cause: Object.assign(new Error("c"), { code }) });
  const table: readonly (readonly [unknown, string])[] = [
    [named("TimeoutError"), "timeout!"],
    [named("AbortError"), "timeout!"],
    [
      new TypeError(
        "error sending request for url (http://127.0.0.1:9/): client error (Connect): tcp connect error: Connection refused (os error 111)",
      ),
      "unreachable",
    ],
    [
      new TypeError("client error (Connect): dns error: failed to lookup address information"),
      "unreachable",
    ],
    [
      new TypeError("client error (Connect): invalid peer certificate: UnknownIssuer"),
      "unreachable",
    ],
    [caused("ECONNREFUSED"), "unreachable"],
    [caused("ENOTFOUND"), "unreachable"],
    [caused("UND_ERR_CONNECT_TIMEOUT"), "unreachable"],
    [caused("ECONNRESET"), "unreachable!"],
    [caused("UND_ERR_SOCKET"), "unreachable!"],
    [new TypeError("error reading a body from connection"), "unreachable!"],
    [new AnswerTooLarge("too large"), "protocol!"],
    ["a string", "unreachable!"],
    [undefined, "unreachable!"],
  ];
  for (const [thrown, expected] of table) {
    const failure = classify({ error: thrown });
    assert.equal(`${failure.category}${failure.ambiguous ? "!" : ""}`, expected, String(thrown));
    assert.deepEqual([failure.action, failure.status], ["retry", 0]);
    assert.doesNotMatch(failure.message, /127\.0\.0\.1/);
  }
});

test("classify() reads Retry-After as seconds or date and caps it at an hour", () => {
  const wait = (header: string) =>
    classify({ response: { ...error(429, "x"), headers: { "retry-after": header } } }, { now: NOW })
      .retryAfterMs;
  const table = {
    "4": 4000,
    "0": 0,
    " 1.5 ": 1500,
    "3600000": 3_600_000,
    "Mon, 30 Nov 2026 10:00:30 GMT": 30_000,
    "Mon, 30 Nov 2026 09:00:00 GMT": 0,
    "Fri, 01 Jan 2100 00:00:00 GMT": 3_600_000,
    soon: undefined,
    "": undefined,
  };
  for (const [header, ms] of Object.entries(table)) assert.equal(wait(header), ms, header);
});

test("classify() keeps the trace id, the code and a message that says what to do [CRD-13]", () => {
  const failure = classify({ response: error(400, "no", { field: "x" }, "INVALID_ARGUMENT") });
  assert.deepEqual([failure.traceId, failure.code, failure.message, failure.details], [
    "r1",
    "INVALID_ARGUMENT",
    "no",
    { field: "x" },
  ]);
  const moved = classify({
    response: {
      status: 302,
      headers: { location: "https://sso.example/login?token=abc" },
      body: "",
    },
  });
  assert.match(moved.message, /redirects to https:\/\/sso\.example;/);
  assert.doesNotMatch(moved.message, /token/);
  assert.match(
    classify({ response: { status: 200, headers: {}, body: " <html>" } }).message,
    /HTML/,
  );
});

test("classify() survives answers of any shape", () => {
  for (
    const body of [
      null,
      undefined,
      7,
      true,
      [],
      [1],
      { status: "error" },
      { status: "error", error: "x" },
      { status: "error", error: { message: {}, code: 5, details: 3 } },
      { error: { details: [] } },
      { detail: { a: 1 } },
    ]
  ) {
    for (const status of [0, 100, 200, 204, 299, 304, 400, 404, 500, 999]) {
      assert.equal(classify({ response: { status, headers: {}, body } }).ok, false);
    }
  }
});
