import { test } from "node:test";
import assert from "node:assert/strict";
import type { WireRequest, WireResponse } from "../../lib/http/types.ts";
import { createOvHttp, type OvHttpOptions } from "../../lib/http/client.ts";

const key = ["secret", "key", "42"].join("-");

function client(
  answer: (request: WireRequest) => WireResponse | Promise<WireResponse>,
  options: Partial<OvHttpOptions> = {},
) {
  const seen: WireRequest[] = [];
  const http = createOvHttp({
    transport: async (request) => {
      seen.push(request);
      return await answer(request);
    },
    headers: { authorization: `Bearer ${key}`, "user-agent": "x" },
    timeoutMs: 1000,
    ...options,
  });
  return { http, seen };
}

test("createOvHttp() unwraps every form of a good answer and keeps the trace id [CRD-13]", async () => {
  const table: readonly (readonly [number, unknown, unknown])[] = [
    [200, { status: "ok", result: { a: 1 } }, { a: 1 }],
    [200, { status: "ok", result: "text", error: null }, "text"],
    [200, { status: "ok", result: [1], has_more: false }, [1]],
    [200, { status: "ok", result: null }, null],
    [200, { status: "ok", healthy: true, version: "0.5.2" }, {
      status: "ok",
      healthy: true,
      version: "0.5.2",
    }],
    [202, "", null],
    [204, undefined, null],
  ];
  for (const [status, body, result] of table) {
    const { http } = client(() => ({ status, headers: { "x-request-id": "r9" }, body }));
    assert.deepEqual(await http.request("GET", "/x"), { ok: true, status, result, traceId: "r9" });
  }
});

test("createOvHttp() sends headers, body and the peer of a call", async () => {
  const { http, seen } = client(() => ({ status: 200, headers: {}, body: { result: 1 } }));
  await http.request("POST", "/a?b=c", { body: { q: 1 }, actorPeer: "p" });
  await http.request("GET", "/d");
  assert.deepEqual(seen.map(({ method, path, body }) => [method, path, body]), [["POST", "/a?b=c", {
    q: 1,
  }], ["GET", "/d", undefined]]);
  assert.equal(seen[0]?.headers["x-openviking-actor-peer"], "p");
  assert.equal("x-openviking-actor-peer" in (seen[1]?.headers ?? {}), false);
});

test("createOvHttp() never throws and gives hints by the route", async () => {
  const refuse = () => ({
    status: 400,
    headers: {},
    body: { status: "error", error: { code: "INVALID_ARGUMENT", message: "bad" } },
  });
  const { http } = client(refuse);
  const kinds = [];
  for (
    const [method, path] of [
      ["GET", "/api/v1/sessions/cc-1"],
      ["POST", "/api/v1/sessions/cc-1/messages/batch"],
      ["POST", "/api/v1/sessions/cc-1/messages"],
      ["GET", "/api/v1/sessions/cc-1/context?token_budget=1"],
    ] as const
  ) {
    const result = await http.request(method, path);
    kinds.push(result.ok ? "ok" : `${result.action} ${result.category}`);
  }
  assert.deepEqual(kinds, [
    "fallback broken-session",
    "split refused",
    "refuse refused",
    "refuse refused",
  ]);
  const thrown = await client(() => Promise.reject(new Error("socket"))).http.request("GET", "/");
  assert.equal(thrown.ok ? "" : thrown.category, "unreachable");
});

test("createOvHttp() gives up in time and sends nothing when the time is over", async () => {
  const hang = (request: WireRequest) =>
    new Promise<WireResponse>((_, reject) =>
      request.signal!.onabort = () => reject(request.signal!.reason)
    );
  const slow = await client(hang, { timeoutMs: 20 }).http.request("GET", "/");
  assert.deepEqual([slow.ok ? "" : slow.category, slow.ok ? "" : slow.ambiguous], [
    "timeout",
    true,
  ]);
  const perCall = await client(hang, { timeoutMs: 60_000 }).http.request("GET", "/", {
    timeoutMs: 20,
  });
  assert.equal(perCall.ok ? "" : perCall.category, "timeout");
  const byDeadline = await client(hang, { timeoutMs: 60_000, deadline: 1020, now: () => 1000 }).http
    .request("GET", "/", { timeoutMs: 90_000 });
  assert.equal(byDeadline.ok ? "" : byDeadline.category, "timeout");

  const late = client(hang, { deadline: 999, now: () => 1000 });
  const result = await late.http.request("GET", "/");
  assert.deepEqual([
    result.ok ? "" : result.category,
    result.ok ? "" : result.ambiguous,
    late.seen.length,
  ], ["timeout", false, 0]);
});

test("createOvHttp() masks credentials that a server echoes", async () => {
  const body = {
    status: "error",
    error: {
      code: "UNAUTHENTICATED",
      message: `Invalid: Bearer ${key}`,
      details: { headers: [key] },
    },
  };
  const result = await client(() => ({ status: 401, headers: {}, body })).http.request("GET", "/");
  assert.equal(JSON.stringify(result).includes(key), false);
  assert.match(JSON.stringify(result), /Invalid: Bearer \*\*\*\*/);
});
