/**
 * One server as the bridge sees it: its session, the protocol version it speaks, and the recovery of
 * a session it no longer knows.
 *
 * @module
 */
import type { JsonObject } from "../runtime/types.ts";
import type { FetchLike, McpProxyConfig, McpProxyLimits } from "./types.ts";
import type { RequestId } from "./_json_rpc.ts";
import { exchange } from "./_exchange.ts";
import type { ExchangeOutcome } from "./_outcome.ts";
import { timeoutSignal, withDeadline } from "./_deadline.ts";
import { isPushing, listenToServer } from "./_server_stream.ts";

/** What `initialize` left. `sessionId` is absent on servers without sessions. */
export interface Epoch {
  readonly sessionId?: string;
  readonly version?: string;
  /** Result of `initialize`; absent when the host never asked for one. */
  readonly result?: JsonObject;
}

/** Outcome of one `initialize`: the server's answer as it came, or why there is none. */
export type Opening =
  | {
    readonly ok: true;
    readonly epoch: Epoch;
    readonly text: string;
    /** Settled when the server was told that the session is in use; messages wait for it. */
    readonly ready: Promise<unknown>;
  }
  | { readonly ok: false; readonly outcome: ExchangeOutcome };

/** One message to pass on. */
export interface Forward {
  readonly body: string;
  readonly requestId?: RequestId;
  readonly actorPeer: string;
  readonly signal: AbortSignal;
}

/** A server, or the embedded engine's `/mcp`. */
export interface Upstream {
  readonly config: McpProxyConfig;
  /** Sends the host's own `initialize`; the answer comes back untouched. */
  initialize(body: string, id: RequestId): Promise<Opening>;
  /** Sends a message in the current session; opens one first when the host has initialised. */
  forward(message: Forward): Promise<ExchangeOutcome>;
  /** What the last successful `initialize` left. */
  epoch(): Epoch | undefined;
  /** Ends the session at the server, if it has sessions. */
  close(): Promise<void>;
}

/** What an upstream needs from the bridge. */
export interface UpstreamContext {
  readonly config: McpProxyConfig;
  readonly fetch: FetchLike;
  readonly limits: McpProxyLimits;
  /** Parameters of the host's `initialize`; absent until it came. */
  readonly helloParams: () => JsonObject | undefined;
  /** Takes messages that are no answer. */
  readonly onMessage: (text: string) => void;
}

/** For a session that must be opened though the host never asked: some servers insist on one. */
const OWN_HELLO: JsonObject = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "openviking-agent", version: "0" },
};

interface Attempt {
  readonly promise: Promise<Opening>;
  state: "pending" | "open" | "failed";
}

/** Makes the view of one target. Nothing is sent until it is used. */
export function createUpstream(context: UpstreamContext): Upstream {
  const { config, limits } = context;
  let attempt: Attempt | undefined;
  let lastEpoch: Epoch | undefined;
  let listening: AbortController | undefined;
  let count = 0;

  function headers(epoch: Epoch | undefined, actorPeer: string): Record<string, string> {
    return {
      ...config.headers(actorPeer),
      ...(epoch?.version === undefined ? {} : { "mcp-protocol-version": epoch.version }),
      ...(epoch?.sessionId === undefined ? {} : { "mcp-session-id": epoch.sessionId }),
    };
  }

  function send(epoch: Epoch | undefined, message: Forward): Promise<ExchangeOutcome> {
    return exchange({
      fetch: context.fetch,
      url: config.mcpUrl,
      headers: headers(epoch, message.actorPeer),
      body: message.body,
      ...(message.requestId === undefined ? {} : { requestId: message.requestId }),
      signal: message.signal,
      lingerMs: limits.lingerMs,
      onMessage: context.onMessage,
    });
  }

  async function initializeOnce(body: string, requestId: RequestId): Promise<Opening> {
    // No `setTimeout` on this path: it would be the first of the process and cost 5 ms.
    const outcome = await send(undefined, {
      body,
      requestId,
      actorPeer: "",
      signal: timeoutSignal(limits.initializeMs),
    });
    if (outcome.kind !== "answered" || outcome.message.error !== undefined) {
      return { ok: false, outcome };
    }
    const result = (outcome.message.result ?? {}) as JsonObject;
    const { protocolVersion } = result;
    const epoch: Epoch = {
      result,
      ...(outcome.sessionId === undefined ? {} : { sessionId: outcome.sessionId }),
      ...(typeof protocolVersion === "string" ? { version: protocolVersion } : {}),
    };
    const ready = send(epoch, {
      body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      actorPeer: "",
      signal: timeoutSignal(limits.initializeMs),
    }).then(() => listen(epoch, result));
    lastEpoch = epoch;
    return { ok: true, epoch, text: outcome.text, ready };
  }

  /** Opens the server's own stream where it may have something to say: it keeps sessions, or announces it. */
  function listen(epoch: Epoch, result: JsonObject): void {
    listening?.abort("stopped");
    listening = undefined;
    if (lastEpoch !== epoch) return;
    if (epoch.sessionId === undefined && !isPushing(result)) return;
    listening = new AbortController();
    void listenToServer({
      fetch: context.fetch,
      url: config.mcpUrl,
      headers: headers(epoch, ""),
      signal: listening.signal,
      onMessage: context.onMessage,
    });
  }

  function start(body: string, id: RequestId): Attempt {
    const started: Attempt = { promise: initializeOnce(body, id), state: "pending" };
    attempt = started;
    void started.promise.then((opening) => {
      started.state = opening.ok ? "open" : "failed";
    });
    return started;
  }

  function startOwn(): Attempt {
    const id = `openviking-agent-initialize-${++count}`;
    const params = context.helloParams() ?? OWN_HELLO;
    return start(JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params }), id);
  }

  /** The attempt to use: the current one, or a new one after a failure. None when the host never initialised. */
  function usable(): Attempt | undefined {
    if (config.connection.engine === "local") return undefined; // it keeps no sessions
    if (attempt !== undefined && attempt.state !== "failed") return attempt;
    return attempt !== undefined || context.helloParams() !== undefined ? startOwn() : undefined;
  }

  return {
    config,
    initialize: (body, id) => start(body, id).promise,
    async forward(message) {
      const used = usable();
      const opening = await used?.promise;
      if (opening !== undefined && !opening.ok) return opening.outcome;
      await opening?.ready;
      if (message.signal.aborted) return abortedBeforeSending(message.signal);
      const outcome = await send(opening?.epoch, message);
      if (!isSessionLost(outcome, opening?.epoch)) return outcome;
      // The server refused before doing anything, so the same message may leave once more. Whoever
      // comes first renews the session for all.
      const renewed = attempt === used ? startOwn() : attempt;
      const again = await renewed?.promise;
      if (again === undefined || !again.ok) return again?.outcome ?? outcome;
      await again.ready;
      return await send(again.epoch, message);
    },
    epoch: () => lastEpoch,
    async close() {
      listening?.abort("stopped");
      const opening = attempt?.state === "open" ? await attempt.promise : undefined;
      if (opening === undefined || !opening.ok || opening.epoch.sessionId === undefined) return;
      const { epoch } = opening;
      await withDeadline(300, async (signal) => {
        const response = await context.fetch(config.mcpUrl, {
          method: "DELETE",
          headers: headers(epoch, ""),
          redirect: "manual",
          signal,
        });
        await response.body?.cancel();
      }).catch(() => {});
    },
  };
}

function abortedBeforeSending(signal: AbortSignal): ExchangeOutcome {
  const category = signal.reason as "cancelled" | "timeout" | "stopped";
  return { kind: "failed", category, message: category, sent: false };
}

/**
 * True when the server does not know the session or the version it once agreed on. Servers say so with
 * 404, with 400 and a sentence, or with 401 although the key is good.
 */
export function isSessionLost(outcome: ExchangeOutcome, epoch: Epoch | undefined): boolean {
  if (outcome.kind !== "http") return false;
  const { status, message } = outcome;
  if ((status === 404 || status === 401) && epoch?.sessionId !== undefined) return true;
  return (status === 400 || status === 404) &&
    /\bsession\b|protocol version|not initiali[sz]ed/i.test(message);
}
