/**
 * An HTTP server on Node and Bun with web requests and responses.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpServer, ServeOptions } from "./types.ts";
import { builtin } from "./_node_builtins.ts";

async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array[] = [];
  for await (const piece of incoming) pieces.push(piece as Uint8Array);
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (size === 0) return undefined;
  const body = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
}

async function toRequest(incoming: IncomingMessage, base: string): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const method = incoming.method ?? "GET";
  const body = method === "GET" || method === "HEAD" ? undefined : await readBody(incoming);
  return new Request(new URL(incoming.url ?? "/", base), {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body !== null) {
    const reader = response.body.getReader();
    outgoing.on("close", () => void reader.cancel().catch(() => {}));
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      outgoing.write(value);
    }
  }
  outgoing.end();
}

/** Listens; see {@linkcode HttpServer}. */
export function serveHttp(options: ServeOptions): Promise<HttpServer> {
  const hostname = options.hostname ?? "127.0.0.1";
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  let url = `http://${host}`;
  const server = builtin("node:http").createServer((incoming, outgoing) => {
    toRequest(incoming, url)
      .then(options.handler)
      .then((response) => sendResponse(response, outgoing))
      .catch(() => {
        if (!outgoing.headersSent) outgoing.writeHead(500);
        outgoing.end();
      });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, hostname, () => {
      url = `http://${host}:${(server.address() as AddressInfo).port}`;
      resolve({
        url,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}
