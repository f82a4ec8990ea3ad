import { test } from "node:test";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import type { IncomingMessage } from "node:http";
import { classify } from "../../lib/http/classify.ts";
import { createFetchTransport } from "../../lib/http/fetch_transport.ts";
import { serveLoopback } from "../support/loopback_server.ts";

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const GET = { method: "GET", headers: {} } as const;

test("createFetchTransport() sends JSON to the configured address, prefix kept", async () => {
  const seen: unknown[] = [];
  const server = await serveLoopback(async (request, response) => {
    const body = await read(request);
    seen.push([
      request.method,
      request.url,
      request.headers["content-type"],
      request.headers["x-a"],
      body,
    ]);
    response.setHeader("X-Request-ID", "r1");
    response.end('{"result":1}');
  });
  const send = createFetchTransport(`${server.url}/prefix`);
  const answer = await send({
    method: "POST",
    path: "/api?x=1",
    headers: { "x-a": "b" },
    body: { t: "é" },
  });
  await send({ method: "POST", path: "/none", headers: {} });
  await send({ ...GET, path: "/get" });
  assert.deepEqual([answer.status, answer.body, answer.headers["x-request-id"]], [200, {
    result: 1,
  }, "r1"]);
  assert.deepEqual(seen, [
    ["POST", "/prefix/api?x=1", "application/json", "b", '{"t":"é"}'],
    ["POST", "/prefix/none", undefined, undefined, ""],
    ["GET", "/prefix/get", undefined, undefined, ""],
  ]);
});

test("createFetchTransport() sends a POST once when a pooled connection is cut", async () => {
  for (const body of [{ n: 1 }, undefined]) {
    let posts = 0;
    const served = new WeakSet();
    const server = await serveLoopback(async (request, response) => {
      await read(request);
      posts++;
      if (served.has(request.socket)) return void request.socket.destroy();
      served.add(request.socket);
      response.end("{}");
    });
    const send = createFetchTransport(server.url);
    const request = {
      method: "POST",
      path: "/",
      headers: {},
      ...(body === undefined ? {} : { body }),
    } as const;
    await send(request);
    await send(request).catch(() => {});
    assert.equal(posts, 2, JSON.stringify(body) ?? "no body");
  }
});

test("createFetchTransport() follows no redirect, so no key leaves the configured address", async () => {
  let elsewhere = 0;
  const other = await serveLoopback((_request, response) => {
    elsewhere++;
    response.end('{"result":"stolen"}');
  });
  const server = await serveLoopback((request, response) => {
    response.writeHead(Number(request.url?.slice(1)), { location: other.url });
    response.end("moved");
  });
  const send = createFetchTransport(server.url);
  for (const status of [301, 302, 303, 307, 308]) {
    for (const method of ["GET", "POST"] as const) {
      const response = await send({
        method,
        path: `/${status}`,
        headers: { authorization: "Bearer x" },
      });
      assert.equal(response.status, status);
      assert.equal(classify({ response }).category, "protocol");
    }
  }
  assert.equal(elsewhere, 0);
});

test("createFetchTransport() bounds an answer, whether or not it says its length", async () => {
  const server = await serveLoopback((request, response) => {
    const text = JSON.stringify({ result: "x".repeat(5000) });
    if (request.url === "/length") response.setHeader("content-length", text.length);
    if (request.url === "/gzip") {
      response.setHeader("content-encoding", "gzip");
      return void response.end(gzipSync(text));
    }
    response.write(text.slice(0, 100));
    response.end(text.slice(100));
  });
  for (const path of ["/length", "/chunked", "/gzip"]) {
    await assert.rejects(
      createFetchTransport(server.url, { maxBytes: 1000 })({ ...GET, path }),
      /larger than 1000 bytes/,
    );
    const whole = await createFetchTransport(server.url)({ ...GET, path });
    assert.equal((whole.body as { result: string }).result.length, 5000, path);
  }
});

test("createFetchTransport() gives text where the answer is no JSON, and throws where it is cut", async () => {
  const server = await serveLoopback((request, response) => {
    if (request.url === "/html") return void response.end("<html>");
    if (request.url === "/empty") return void response.writeHead(204).end();
    response.writeHead(200, { "content-length": "500" });
    response.write('{"status":"ok","resu');
    response.socket?.end();
  });
  const send = createFetchTransport(server.url);
  assert.equal((await send({ ...GET, path: "/html" })).body, "<html>");
  assert.equal((await send({ ...GET, path: "/empty" })).body, "");
  const error = await send({ ...GET, path: "/cut" }).then(() => undefined, (thrown) => thrown);
  assert.deepEqual([classify({ error }).category, classify({ error }).ambiguous], [
    "unreachable",
    true,
  ]);
});

test("createFetchTransport() tells a dead server and a slow one apart", async () => {
  const server = await serveLoopback(() => {});
  const send = createFetchTransport(server.url);
  const slow = await send({ ...GET, path: "/", signal: AbortSignal.timeout(30) }).then(
    () => undefined,
    (thrown) => thrown,
  );
  assert.equal(classify({ error: slow }).category, "timeout");
  await server.close();
  const dead = await send({ ...GET, path: "/" }).then(() => undefined, (thrown) => thrown);
  const failure = classify({ error: dead });
  assert.deepEqual([failure.category, failure.ambiguous, failure.message], [
    "unreachable",
    false,
    "Cannot reach the server: connection refused",
  ]);
});
