/**
 * The embedded engine over HTTP.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { request } from "node:http";
import { isLoopback } from "../../local/loopback_guard.ts";
import { serveLocal, type ServeLocalOptions } from "../../local/serve.ts";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { nodeProcessRuntime } from "../../lib/runtime/node_process.ts";
import type { ProcessRuntime } from "../../lib/runtime/types.ts";

async function serving(
  runtime: ProcessRuntime,
  options: Partial<ServeLocalOptions>,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const dataDir = Deno.makeTempDirSync();
  const server = await serveLocal(runtime, { port: 0, dataDir, ...options });
  try {
    await work(server.url);
  } finally {
    await server.close();
    Deno.removeSync(dataDir, { recursive: true });
  }
}

// What only a made-up test key looks like; assembled so that no scanner takes it for one.
const KEY = ["test", "key", "7"].join("-");

for (const runtime of [denoProcessRuntime, nodeProcessRuntime]) {
  test(`serveLocal() answers over loopback HTTP when it runs on ${runtime.name}`, async () => {
    await serving(runtime, {}, async (url) => {
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
      const post = await fetch(`${url}/api/v1/sessions/s1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-request-id": "abc-1" },
        body: JSON.stringify({ role: "user", content: "ünï 🍵" }),
      });
      assert.equal(post.headers.get("x-request-id"), "abc-1");
      assert.equal((await post.json()).result.message_count, 1);
      const read = await fetch(`${url}/api/v1/content/read?uri=viking://~/sessions/s1/messages/1`);
      assert.equal((await read.json()).result, "ünï 🍵");
      const health = await fetch(`${url}/health`);
      assert.equal((await health.json()).engine, "local");
      const bad = await fetch(`${url}/api/v1/nothing`, { method: "PUT", body: "x" });
      assert.equal(bad.status, 404);
      await bad.body?.cancel();
    });
  });
}

test("serveLocal() lets nobody in without the key when there is one", async () => {
  await serving(denoProcessRuntime, { key: KEY }, async (url) => {
    const status = async (path: string, headers: Record<string, string>): Promise<number> => {
      const response = await fetch(url + path, { headers });
      await response.body?.cancel();
      return response.status;
    };
    const bearer = { authorization: `Bearer ${KEY}` };
    assert.equal(await status("/api/v1/sessions", {}), 401);
    assert.equal(await status("/api/v1/sessions", { "x-api-key": "wrong" }), 401);
    assert.equal(await status("/api/v1/sessions", { authorization: KEY }), 401);
    assert.equal(await status("/api/v1/sessions", bearer), 200);
    assert.equal(await status("/api/v1/sessions", { "x-api-key": KEY }), 200);
    assert.equal(await status("/health", {}), 200);
    assert.equal(await status("/health", { "x-api-key": "wrong" }), 401);
    assert.equal(await status("/mcp", {}), 401);
  });
});

test("serveLocal() refuses an address of the network when there is no key", async () => {
  const dataDir = Deno.makeTempDirSync();
  for (const hostname of ["0.0.0.0", "192.168.1.7", "::", "example.test"]) {
    await assert.rejects(
      serveLocal(denoProcessRuntime, { port: 0, dataDir, hostname }),
      /other machines could read the memory/,
    );
    assert.equal(isLoopback(hostname), false);
  }
  Deno.removeSync(dataDir, { recursive: true });
  for (const hostname of ["127.0.0.1", "127.8.0.1", "localhost", "::1"]) {
    assert.equal(isLoopback(hostname), true);
  }
});

/** Status of a request with headers that `fetch` does not let through. */
function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    }).on("error", reject).end();
  });
}

for (const runtime of [denoProcessRuntime, nodeProcessRuntime]) {
  test(`serveLocal() refuses what a web page may have sent when it runs on ${runtime.name}`, async () => {
    await serving(runtime, {}, async (url) => {
      const port = new URL(url).port;
      const cases: readonly (readonly [headers: Record<string, string>, allowed: boolean])[] = [
        [{}, true],
        [{ host: `localhost:${port}` }, true],
        [{ host: "LOCALHOST" }, true],
        [{ host: `127.0.0.1:${Number(port) - 1}` }, true],
        [{ host: "[::1]:80" }, true],
        [{ origin: "http://localhost:6274" }, true],
        [{ origin: url }, true],
        [{ host: `evil.example:${port}` }, false],
        [{ host: `localhost.evil.example:${port}` }, false],
        [{ host: "127.0.0.1.evil.example" }, false],
        [{ host: "evil.example@127.0.0.1.example" }, false],
        [{ host: "192.168.1.7" }, false],
        [{ host: "0.0.0.0" }, false],
        [{ origin: "https://evil.example" }, false],
        [{ origin: "null" }, false],
        [{ origin: "chrome-extension://localhost" }, false],
        [{ host: `evil.example:${port}`, origin: url }, false],
      ];
      for (const path of ["/health", "/ready", "/api/v1/sessions", "/mcp", "/mcp/", "/x"]) {
        const plain = await statusOf(url + path, {});
        assert.notEqual(plain, 403);
        for (const [headers, allowed] of cases) {
          const status = await statusOf(url + path, headers);
          assert.equal(status, allowed ? plain : 403, `${path} ${JSON.stringify(headers)}`);
        }
      }
    });
  });
}
