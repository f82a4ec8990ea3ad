/**
 * A stateful engine behind a `Transport`, with the faults of a server and of the way to it.
 *
 * Shapes and rules are those of the real server 0.5.2 as far as a queue sees them: no idempotency,
 * batches whole or not at all, our ids given back, archives made by commits.
 *
 * @module
 */
import type { Transport, WireRequest, WireResponse } from "../../lib/http/types.ts";

/** What can go wrong with one request. */
export type Fault =
  /** No answer and nothing applied; `after` applies first; `late` applies after that many ms. */
  | { readonly kind: "drop"; readonly after?: boolean; readonly late?: number }
  /** An answer of that status in the server's envelope; `after` applies first. */
  | {
    readonly kind: "status";
    readonly status: number;
    readonly after?: boolean;
    readonly message?: string;
    readonly details?: unknown;
    readonly retryAfter?: number;
  }
  | { readonly kind: "html"; readonly status?: number };

/** A message as the engine keeps it. */
export interface KeptMessage {
  readonly n: number;
  readonly session: string;
  readonly role: string;
  readonly text: string;
  readonly sourceIds: readonly string[];
  readonly raw: Record<string, unknown>;
}

/** One session's lists. */
export interface KeptSession {
  live: KeptMessage[];
  archives: KeptMessage[][];
  keep: number;
  broken: boolean;
}

/** A commit that reached the engine; `at` counts the messages that came before. */
export interface KeptCommit {
  readonly session: string;
  readonly at: number;
  readonly live: number;
  readonly body: Record<string, unknown>;
}

type Body = Record<string, unknown>;

const envelope = (status: number, result: unknown, headers = {}): WireResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: { status: "ok", result, error: null },
});
const failure = (
  status: number,
  code: string,
  message: string,
  details?: unknown,
  headers = {},
): WireResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: {
    status: "error",
    result: null,
    error: { code, message, ...(details === undefined ? {} : { details }) },
  },
});
const CODES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  409: "CONFLICT",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/** The engine. Change its fields to make it fail. */
export class FakeEngine {
  readonly sessions: Map<string, KeptSession> = new Map();
  readonly order: KeptMessage[] = [];
  readonly commits: KeptCommit[] = [];
  readonly log: WireRequest[] = [];
  readonly tasks: Map<string, { status: string; error?: string }> = new Map();
  /** Asked for every request; an answer is played instead of the normal one. */
  fault: (request: WireRequest, engine: FakeEngine) => Fault | undefined = () => undefined;
  /** Status of tasks that new commits start. */
  taskStatus: string = "completed";
  /** Give our ids back. */
  returnsIds: boolean = true;
  /** Know `/messages/batch`. */
  batch: boolean = true;
  /** Refuse fields that a commit does not know, as strict servers do. */
  strictCommit: boolean = false;
  user: string = "default";
  readonly #now: () => number;
  #late: { at: number; apply: () => void }[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The engine's front door. */
  readonly transport: Transport = async (request) => {
    await Promise.resolve();
    this.#applyLate();
    this.log.push(request);
    const fault = this.fault(request, this);
    if (fault === undefined) return this.#route(request);
    if (fault.kind === "html") {
      return { status: fault.status ?? 200, headers: {}, body: "<!doctype html><html></html>" };
    }
    if (fault.after === true) this.#route(request);
    if (fault.kind === "drop") {
      const { late } = fault;
      if (late !== undefined) {
        this.#late.push({ at: this.#now() + late, apply: () => this.#route(request) });
      }
      throw new TypeError("connection closed before message completed");
    }
    return failure(
      fault.status,
      CODES[fault.status] ?? "UNKNOWN",
      fault.message ?? "made to fail",
      fault.details,
      fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) },
    );
  };

  /** Requests that write. */
  writes(): WireRequest[] {
    return this.log.filter(({ method, path }) => method === "POST" && /messages|commit/.test(path));
  }

  /** Texts in the order in which they came, of one session or of all. */
  texts(session?: string): string[] {
    return this.order.filter((m) => session === undefined || m.session === session).map((m) =>
      m.text
    );
  }

  #applyLate(): void {
    const due = this.#late.filter(({ at }) => at <= this.#now());
    this.#late = this.#late.filter(({ at }) => at > this.#now());
    for (const { apply } of due) apply();
  }

  #session(id: string): KeptSession {
    let session = this.sessions.get(id);
    if (session === undefined) {
      this.sessions.set(id, session = { live: [], archives: [], keep: 0, broken: false });
    }
    return session;
  }

  #append(id: string, bodies: Body[]): KeptSession {
    const session = this.#session(id);
    for (const raw of bodies) {
      const parts = (raw["parts"] ?? []) as { text?: string; tool_output?: string }[];
      const message: KeptMessage = {
        n: this.order.length,
        session: id,
        role: String(raw["role"]),
        text: parts.map((part) => part.text ?? part.tool_output ?? "").join("\n"),
        sourceIds: (raw["source_message_ids"] ?? []) as string[],
        raw,
      };
      this.order.push(message);
      session.live.push(message);
    }
    return session;
  }

  #stored(message: KeptMessage): Body {
    return {
      id: `msg_${message.n}`,
      role: message.role,
      parts: message.raw["parts"],
      ...(this.returnsIds ? { source_message_ids: message.sourceIds } : {}),
    };
  }

  #pending(session: KeptSession): number {
    return session.live.slice(0, Math.max(0, session.live.length - session.keep))
      .reduce((sum, message) => sum + Math.ceil(JSON.stringify(message.raw).length / 4), 0);
  }

  #route({ method, path, body }: WireRequest): WireResponse {
    const [route = ""] = path.split("?");
    if (route === "/health") {
      return { status: 200, headers: {}, body: { status: "ok", healthy: true } };
    }
    if (route === "/api/v1/system/status") {
      return envelope(200, { initialized: true, user: this.user });
    }
    const task = /^\/api\/v1\/tasks\/(.+)$/.exec(route)?.[1];
    if (task !== undefined) {
      const known = this.tasks.get(task);
      return known === undefined
        ? failure(404, "NOT_FOUND", "Task not found or expired", { resource: task })
        : envelope(200, { task_id: task, ...known });
    }
    const [, name, sub = ""] = /^\/api\/v1\/sessions\/([^/]+)(?:\/(.+))?$/.exec(route) ?? [];
    if (name === undefined) return failure(404, "NOT_FOUND", "Not Found");
    return this.#sessionRoute(method, decodeURIComponent(name), sub, (body ?? {}) as Body);
  }

  #sessionRoute(method: string, id: string, sub: string, body: Body): WireResponse {
    if (this.sessions.get(id)?.broken) {
      return failure(400, "INVALID_ARGUMENT", "Expecting value: line 1 column 1 (char 0)", {});
    }
    if (method === "POST" && sub === "messages/batch") {
      if (!this.batch) return failure(404, "NOT_FOUND", "Not Found");
      const messages = body["messages"] as Body[];
      if (messages.length > 100) return failure(400, "INVALID_ARGUMENT", "too_long");
      return this.#appended(id, messages);
    }
    if (method === "POST" && sub === "messages") return this.#appended(id, [body]);
    const session = this.sessions.get(id);
    if (session === undefined) {
      return failure(404, "NOT_FOUND", `Session ${id} not found`, { resource: id });
    }
    if (method === "POST" && sub === "commit") return this.#commit(id, session, body);
    if (sub === "") {
      return envelope(200, {
        session_id: id,
        uri: `viking://user/default/sessions/${id}`,
        message_count: session.live.length,
        commit_count: session.archives.length,
      });
    }
    if (sub === "context") {
      return envelope(200, { messages: session.live.map((m) => this.#stored(m)) });
    }
    const archive = session.archives[Number(/^archives\/archive_(\d+)$/.exec(sub)?.[1]) - 1];
    return archive === undefined
      ? failure(404, "NOT_FOUND", "Archive not found", { resource: sub })
      : envelope(200, { messages: archive.map((m) => this.#stored(m)) });
  }

  #appended(id: string, bodies: Body[]): WireResponse {
    if (JSON.stringify(bodies).includes("POISON")) {
      return failure(422, "INVALID_ARGUMENT", "message rejected");
    }
    const session = this.#append(id, bodies);
    return envelope(200, {
      session_id: id,
      message_count: session.live.length,
      added: bodies.length,
      pending_tokens: this.#pending(session),
    });
  }

  #commit(id: string, session: KeptSession, body: Body): WireResponse {
    if (this.strictCommit && "enable_working_memory" in body) {
      return failure(400, "INVALID_ARGUMENT", "Extra inputs are not permitted");
    }
    this.commits.push({ session: id, at: this.order.length, live: session.live.length, body });
    session.keep = Number(body["keep_recent_count"] ?? 0);
    if (session.live.length <= session.keep) {
      return envelope(200, {
        status: "skipped",
        task_id: null,
        archived: false,
        reason: session.live.length > 0 ? "all_within_keep_window" : "no_messages",
      });
    }
    session.archives.push(session.live.slice(0, session.live.length - session.keep));
    session.live = session.keep > 0 ? session.live.slice(-session.keep) : [];
    const task = `task-${this.commits.length}`;
    this.tasks.set(task, { status: this.taskStatus });
    const n = String(session.archives.length).padStart(3, "0");
    return envelope(200, {
      status: "accepted",
      task_id: task,
      archived: true,
      archive_uri: `viking://user/default/sessions/${id}/history/archive_${n}`,
    });
  }
}
