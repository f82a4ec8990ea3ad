/**
 * A server that answers searches as a test says, and keeps every request it was sent.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type LoopbackServer, serveLoopback } from "./loopback_server.ts";

/** A request as it came. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a request is answered; `hang` is never answered. */
export type Answer = "hang" | {
  readonly status?: number;
  readonly body: unknown;
  readonly type?: string;
  readonly afterMs?: number;
};

/** Answers a request; `undefined` leaves it to the default: nothing is there. */
export type Answering = (asked: Asked) => Answer | undefined;

/** The running server. */
export interface RecallServer extends LoopbackServer {
  readonly asked: Asked[];
  /** Searches among what was asked. */
  searches(): Asked[];
  answering: Answering;
}

/** A successful answer's envelope. */
export function okay(result: unknown): Answer {
  return { body: { status: "ok", result, error: null } };
}

/** A context search's answer with these texts. */
export function entries(...texts: readonly string[]): Answer {
  return okay({
    entries: texts.map((text, n) => ({
      uri: `viking://user/default/memories/events/e${n}.md`,
      category: "events",
      score: 0.9 - n / 100,
      detail: "full",
      text,
      origin: "self",
    })),
    rendered: texts.join("\n"),
    stats: {},
  });
}

function absent(asked: Asked): Answer {
  if (asked.path === "/health") {
    return { body: { status: "ok", healthy: true, account_id: "acme", user_id: "alice" } };
  }
  if (asked.path.startsWith("/api/v1/search/")) return okay({ entries: [], memories: [] });
  return {
    status: 404,
    body: { status: "error", result: null, error: { code: "NOT_FOUND", message: "not there" } },
  };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const piece of request) text += piece;
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Starts one. */
export async function serveRecall(answering: Answering = () => undefined): Promise<RecallServer> {
  const asked: Asked[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "", headers } = request;
    const one: Asked = { method, path: url, headers, body: await readBody(request) };
    asked.push(one);
    const answer = server.answering(one) ?? absent(one);
    if (answer === "hang") return;
    if (answer.afterMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, answer.afterMs));
    }
    response.writeHead(answer.status ?? 200, { "content-type": answer.type ?? "application/json" });
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
  };
  const loopback = await serveLoopback((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const server: RecallServer = {
    ...loopback,
    asked,
    answering,
    searches: () => asked.filter(({ path }) => path.startsWith("/api/v1/search/")),
  };
  return server;
}
