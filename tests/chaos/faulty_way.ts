/**
 * A proxy on loopback that behaves as badly as a network, a gateway or a server can.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What happens to requests that write (`writes`) or to all of them. */
export interface WayFault {
  readonly kind: FaultKind;
  readonly only: "all" | "writes";
  /** How many requests it meets; then the way is good again. */
  readonly times: number;
}

/** `-after` is applied by the engine first. `late` is applied after the client gave up. */
export type FaultKind =
  | "drop"
  | "drop-after"
  | "500-after"
  | "503"
  | "429"
  | "401"
  | "html"
  | "truncated-after"
  | "late"
  | "hang";

/** All kinds. */
export const FAULT_KINDS: readonly FaultKind[] = [
  "drop",
  "drop-after",
  "500-after",
  "503",
  "429",
  "401",
  "html",
  "truncated-after",
  "late",
  "hang",
];

/** The way to an engine. */
export interface FaultyWay {
  readonly url: string;
  /** Where the engine is now; "" when it is down. */
  target: string;
  fault: WayFault | undefined;
  /** Requests that met a fault, by kind. */
  readonly met: Record<string, number>;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

const ERRORS: Readonly<Record<string, readonly [status: number, code: string]>> = {
  "500-after": [500, "INTERNAL"],
  "503": [503, "UNAVAILABLE"],
  "429": [429, "RESOURCE_EXHAUSTED"],
  "401": [401, "UNAUTHENTICATED"],
};

/** Opens a way that is good until told otherwise. */
export async function openFaultyWay(): Promise<FaultyWay> {
  const way = { target: "", fault: undefined as WayFault | undefined, met: {} as FaultyWay["met"] };
  const forward = async (request: IncomingMessage, body: Uint8Array<ArrayBuffer>) => {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (!/^(host|connection|content-length|transfer-encoding)$/.test(name)) {
        headers.set(name, String(value));
      }
    }
    const answer = await fetch(way.target + (request.url ?? "/"), {
      method: request.method ?? "GET",
      headers,
      ...(body.length === 0 ? {} : { body: new Blob([body]) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    const fault = faultFor(request);
    const cut = () => request.socket.destroy();
    if (way.target === "" || fault === "drop") return cut();
    if (fault === "hang") return void setTimeout(cut, 20_000).unref();
    if (fault === "late") {
      cut();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await forward(request, body);
      return;
    }
    if (fault === "html") {
      response.writeHead(200, { "content-type": "text/html" });
      return response.end("<!doctype html><html></html>");
    }
    const error = ERRORS[fault ?? ""];
    if (fault !== undefined && error !== undefined && !fault.endsWith("-after")) {
      return fail(response, error);
    }
    const { status, text } = await forward(request, body);
    if (fault === "drop-after") return cut();
    if (error !== undefined) return fail(response, error);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(fault === "truncated-after" ? text.slice(0, text.length >> 1) : text);
  };
  const faultFor = (request: IncomingMessage): FaultKind | undefined => {
    const { fault } = way;
    if (fault === undefined || (fault.only === "writes" && request.method !== "POST")) {
      return undefined;
    }
    way.fault = fault.times > 1 ? { ...fault, times: fault.times - 1 } : undefined;
    way.met[fault.kind] = (way.met[fault.kind] ?? 0) + 1;
    return fault.kind;
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(way, {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function fail(response: ServerResponse, [status, code]: readonly [number, string]): void {
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 429 ? { "retry-after": "1" } : {}),
  });
  const error = { code, message: "made to fail" };
  response.end(JSON.stringify({ status: "error", result: null, error }));
}
