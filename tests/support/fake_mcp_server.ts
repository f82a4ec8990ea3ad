/**
 * A server's `/mcp` on loopback that can misbehave: sessions that expire, keys that change, answers
 * that are late, cut, huge or not MCP at all.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { serveLoopback } from "./loopback_server.ts";

/** One JSON-RPC message. */
export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly method?: string;
  // deno-lint-ignore no-explicit-any
  readonly params?: any;
  // deno-lint-ignore no-explicit-any
  readonly result?: any;
  // deno-lint-ignore no-explicit-any
  readonly error?: any;
}

/** One request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly message: Message | undefined;
  /** True when the connection was cut before the answer was whole. */
  cut: boolean;
}

/** How the next requests are answered; change it at any time. */
export interface Behaviour {
  form: "json" | "sse" | "sse-open";
  /** Only for methods other than `initialize` and notifications. */
  fault:
    | undefined
    | "drop"
    | "html"
    | "500"
    | "429"
    | "truncated"
    | "empty"
    | "foreign-id"
    | "error-body"
    | "redirect"
    | "ended-stream";
  /** Keys that are let in; `undefined` lets everyone in. */
  keys: string[] | undefined;
  sessions: boolean;
  /** Status and words for a session that is not known. */
  lost: { status: number; message: string };
  /** Answered to `initialize`; `undefined` takes the client's. */
  version: string | undefined;
  capabilities: Record<string, unknown>;
  // deno-lint-ignore no-explicit-any
  tools: any[];
  /** Sent before the answer of a call that carries a progress token. */
  progress: number;
  /** Messages sent before every answer. */
  before: Message[];
  /** Characters of a tool's text. */
  textSize: number;
}

/** The running server. */
export interface FakeMcpServer {
  readonly url: string;
  readonly behaviour: Behaviour;
  readonly arrived: Arrived[];
  /** Requests that carried this method. */
  of(method: string): Arrived[];
  /** Known sessions. */
  readonly sessions: Set<string>;
  /** Lets go what waits: calls of the tool `wait`, and `initialize` while {@linkcode holdInitialize} is set. */
  release(): void;
  holdInitialize: boolean;
  /** Writes to every open `GET` stream. */
  push(message: Message): void;
  readonly streams: Set<ServerResponse>;
  /** Resolves when `condition` holds; checked at every arrival and end of a request. */
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

const TOOLS = [
  {
    name: "find",
    description: "Finds",
    inputSchema: { type: "object", properties: { query: { type: "string" } } },
    annotations: { readOnlyHint: true },
  },
  { name: "remember", description: "Stores", inputSchema: { type: "object" } },
];

/** Starts a server; it is closed when the test file ends. */
export async function startFakeMcpServer(changes: Partial<Behaviour> = {}): Promise<FakeMcpServer> {
  const behaviour: Behaviour = {
    form: "json",
    fault: undefined,
    keys: undefined,
    sessions: false,
    lost: { status: 404, message: "Session not found" },
    version: undefined,
    capabilities: { tools: { listChanged: false } },
    tools: TOOLS,
    progress: 0,
    before: [],
    textSize: 0,
    ...changes,
  };
  const arrived: Arrived[] = [];
  const sessions = new Set<string>();
  const streams = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  const conditions = new Set<() => void>();
  const check = (): void => conditions.forEach((look) => look());

  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const record: Arrived = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      message: body === "" ? undefined : JSON.parse(body) as Message,
      cut: false,
    };
    arrived.push(record);
    response.on("close", () => {
      record.cut = !response.writableFinished;
      streams.delete(response);
      check();
    });
    check();
    await answer(record, response);
  };

  async function answer(record: Arrived, response: ServerResponse): Promise<void> {
    const json = (status: number, value: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(value));
    };
    const refuse = (status: number, message: string, id: string | null = "server-error"): void =>
      json(status, { jsonrpc: "2.0", id, error: { code: -32600, message } });
    const key = /^Bearer (.+)$/.exec(record.headers.authorization ?? "")?.[1];
    if (behaviour.keys !== undefined && !behaviour.keys.includes(key ?? "")) {
      return refuse(401, `Invalid API key: Bearer ${key}`, null);
    }
    if (record.method === "DELETE") {
      sessions.delete(String(record.headers["mcp-session-id"]));
      return json(200, {});
    }
    if (record.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": open\n\n");
      streams.add(response);
      return check();
    }
    const { message } = record;
    const session = record.headers["mcp-session-id"];
    if (behaviour.sessions && message?.method !== "initialize") {
      if (session === undefined) return refuse(400, "Bad Request: Missing session ID");
      if (!sessions.has(String(session))) {
        return refuse(behaviour.lost.status, behaviour.lost.message);
      }
    }
    if (message?.method === undefined || message.id === undefined || message.id === null) {
      response.writeHead(202);
      return void response.end();
    }
    const { fault } = behaviour;
    if (fault !== undefined && message.method !== "initialize") {
      return misbehave(fault, message, response);
    }
    const held = message.method === "initialize"
      ? server.holdInitialize
      : message.params?.name === "wait";
    if (held) await new Promise<void>((resolve) => waiting.add(resolve));
    if (response.destroyed) return;
    const headers: Record<string, string> = {};
    if (message.method === "initialize" && behaviour.sessions) {
      headers["mcp-session-id"] = randomUUID();
      sessions.add(headers["mcp-session-id"]);
    }
    const reply = { jsonrpc: "2.0", id: message.id, ...resultOf(message) };
    if (behaviour.form === "json") return json(200, reply, headers);
    response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    const event = (value: unknown): void => {
      response.write(`event: message\r\ndata: ${JSON.stringify(value)}\r\n\r\n`);
    };
    behaviour.before.forEach(event);
    const token = message.params?._meta?.progressToken;
    for (let step = 1; token !== undefined && step <= behaviour.progress; step++) {
      const params = { progressToken: token, progress: step };
      event({ jsonrpc: "2.0", method: "notifications/progress", params });
    }
    event(reply);
    if (behaviour.form === "sse") response.end();
  }

  function resultOf(message: Message): Pick<Message, "result" | "error"> {
    switch (message.method) {
      case "initialize":
        return {
          result: {
            protocolVersion: behaviour.version ?? message.params?.protocolVersion,
            capabilities: behaviour.capabilities,
            serverInfo: { name: "fake", version: "1" },
          },
        };
      case "tools/list":
        return { result: { tools: behaviour.tools } };
      case "tools/call": {
        const said = JSON.stringify(message.params?.arguments ?? {});
        const text = behaviour.textSize > 0 ? "z".repeat(behaviour.textSize) : `said ${said}`;
        return { result: { content: [{ type: "text", text }] } };
      }
      default:
        return { error: { code: -32602, message: "Invalid request parameters", data: "" } };
    }
  }

  function misbehave(
    fault: NonNullable<Behaviour["fault"]>,
    message: Message,
    response: ServerResponse,
  ): void {
    const send = (status: number, type: string, body: string): void => {
      response.writeHead(status, { "content-type": type });
      response.end(body);
    };
    const reply = { jsonrpc: "2.0", id: message.id, ...resultOf(message) };
    switch (fault) {
      case "drop":
        return void response.destroy();
      case "html":
        return send(200, "text/html", "<html>login</html>");
      case "500":
        return send(500, "application/json", '{"error":{"message":"boom"}}');
      case "429":
        return send(429, "text/plain", "slow down");
      case "truncated":
        response.writeHead(200, { "content-type": "application/json", "content-length": "9999" });
        return void response.write('{"jsonrpc":"2.0",', () => response.destroy());
      case "empty":
        return send(200, "application/json", "");
      case "foreign-id":
        return send(200, "application/json", JSON.stringify({ ...reply, id: String(message.id) }));
      case "error-body": {
        const error = { code: -32600, message: "Not Acceptable" };
        return send(
          406,
          "application/json",
          JSON.stringify({ jsonrpc: "2.0", id: "server-error", error }),
        );
      }
      case "redirect":
        response.writeHead(307, { location: "http://127.0.0.1:9/elsewhere" });
        return void response.end();
      case "ended-stream":
        return send(200, "text/event-stream", ": nothing\n\n");
    }
  }

  const { url, close } = await serveLoopback((request, response) => {
    listener(request, response).catch(() => response.destroy());
  });
  const server: FakeMcpServer = {
    url,
    behaviour,
    arrived,
    sessions,
    streams,
    holdInitialize: false,
    of: (method) => arrived.filter((record) => record.message?.method === method),
    release() {
      waiting.forEach((resolve) => resolve());
      waiting.clear();
    },
    push(message) {
      for (const stream of streams) stream.write(`data: ${JSON.stringify(message)}\n\n`);
    },
    until(condition) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return;
          conditions.delete(look);
          resolve();
        };
        conditions.add(look);
        look();
      });
    },
    close,
  };
  return server;
}
