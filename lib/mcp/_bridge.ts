/**
 * What the bridge does with each message of the host.
 *
 * @module
 */
import type { Json, JsonObject } from "../runtime/types.ts";
import type { McpProxyConfig, McpProxyLimits, McpProxyOptions } from "./types.ts";
import { type Call, createCalls } from "./_calls.ts";
import { cleanCall } from "./_clean_call.ts";
import { withDeadline, within } from "./_deadline.ts";
import type { AbortCause, ExchangeOutcome } from "./_outcome.ts";
import { blocked, explainOutcome, failureReply } from "./_failure.ts";
import { createHostProject } from "./_host_project.ts";
import {
  classifyMessage,
  errorText,
  type Incoming,
  type RequestId,
  resultText,
  RPC_CODE,
  type RpcMessage,
} from "./_json_rpc.ts";
import { ownInitializeResult } from "./_own_initialize.ts";
import { createTargets } from "./_targets.ts";
import { createToolLister } from "./_tool_lister.ts";
import { createUpstream, type Upstream } from "./_upstream.ts";

/** The bridge between one host and the target in force. */
export interface Bridge {
  /** Handles one message; the text of the answer, or `undefined` when there is none. */
  handle(value: unknown, text: string): Promise<string | undefined>;
  /** Ends every request in flight with an error. */
  abortAll(cause: AbortCause): void;
  close(): Promise<void>;
}

const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

/** An answered or failed exchange with the configuration it happened under. */
interface Forwarded {
  readonly outcome: ExchangeOutcome;
  readonly config: McpProxyConfig;
}

/** Makes the bridge. `send` writes one message to the host. */
export function createBridge(
  options: McpProxyOptions,
  limits: McpProxyLimits,
  send: (text: string) => void,
): Bridge {
  const calls = createCalls();
  const warned = new Set<string>();
  const lister = createToolLister(options, warnOnce);
  const project = createHostProject(options, warnOnce);
  let hello: RpcMessage | undefined;
  let ownAnswer = false;
  let announcesLists = false;

  const targets = createTargets({
    files: options.files,
    readConfig: options.readConfig,
    fetch: options.fetch,
    openLocal: options.openLocal,
    connect: (config, fetch) =>
      createUpstream({
        config,
        fetch,
        limits,
        helloParams: () => hello === undefined ? undefined : hello.params ?? {},
        onMessage: send,
      }),
    onChange: () => announceList(),
  });

  function warnOnce(text: string): void {
    // Bounded: a host need not read stderr, and a full pipe would hold the process up.
    if (warned.has(text) || warned.size >= 100) return;
    warned.add(text);
    options.warn(text);
  }

  /** Tells the host that the list it has is no longer the one in force, if it was told to expect that. */
  function announceList(): void {
    if (!announcesLists || lister.shown() === "none") return;
    lister.forgetShown();
    send(LIST_CHANGED);
  }

  /** Sends a request to the target in force; credentials refused there are read anew once. */
  async function forward(
    call: Call,
    message: RpcMessage,
    text: string,
    ms: number,
  ): Promise<Forwarded> {
    return await withDeadline(ms, async (signal) => {
      const attempt = async (upstream: Upstream): Promise<Forwarded> => {
        call.upstream = upstream;
        const outcome = await upstream.forward({
          body: text,
          requestId: call.id,
          actorPeer: project.peerFor(message, upstream.config),
          signal,
        });
        return { outcome, config: upstream.config };
      };
      const used = targets.current();
      const first = await attempt(used);
      if (!isAuthFailure(first.outcome)) return first;
      const renewed = targets.insteadOf(used);
      return renewed === undefined ? first : await attempt(renewed);
    }, call.signal);
  }

  /** The server's answer as it came, or a failure in words. */
  function replyOf({ outcome, config }: Forwarded, call: Call, method: string): string | undefined {
    if (outcome.kind === "answered") {
      if (lister.shown() === "seen" || lister.shown() === "local") announceList();
      return outcome.text;
    }
    return failureReply(method, call.id, explainOutcome(outcome, config));
  }

  async function initialize(call: Call, message: RpcMessage, text: string): Promise<string> {
    hello = message;
    const upstream = targets.current();
    const failure = blocked(upstream.config);
    if (failure === undefined && upstream.config.connection.engine === "local") {
      announcesLists = true;
      return resultText(call.id, ownInitializeResult(message.params, options.localIntroduction));
    }
    const opening = failure === undefined
      ? await within(limits.initializeAnswerMs, upstream.initialize(text, call.id))
      : undefined;
    if (opening?.ok === true) {
      const { tools } = (opening.epoch.result?.["capabilities"] ?? {}) as Record<string, unknown>;
      announcesLists = (tools as { listChanged?: unknown } | undefined)?.listChanged === true;
      return opening.text;
    }
    // The server's own refusal, for example of a protocol version, is the host's to see.
    if (opening?.outcome.kind === "answered") return opening.outcome.text;
    if (failure !== undefined) warnOnce(failure.message);
    else if (opening !== undefined) {
      warnOnce(explainOutcome(opening.outcome, upstream.config).message);
    }
    ownAnswer = true;
    announcesLists = true;
    return resultText(call.id, ownInitializeResult(message.params));
  }

  async function listTools(
    call: Call,
    message: RpcMessage,
    text: string,
  ): Promise<string | undefined> {
    const upstream = targets.current();
    const { config } = upstream;
    if (config.broken !== undefined) return await lister.fallback(call.id, config);
    if (!config.enabled) return lister.empty(call.id);
    const isFirstPage = message.params?.["cursor"] === undefined;
    const pending = forward(call, message, text, limits.requestMs);
    const impatient = isFirstPage && ownAnswer && upstream.epoch() === undefined &&
      await lister.hasSeen(config);
    const result = impatient ? await within(limits.listPatienceMs, pending) : await pending;
    if (result === undefined) {
      void pending.then(async (late) => {
        if (late.outcome.kind !== "answered") return;
        await lister.fromServer(
          call.id,
          late.outcome.message,
          late.outcome.text,
          late.config,
          isFirstPage,
        );
        announceList();
      });
      return await lister.fallback(call.id, config);
    }
    const { outcome } = result;
    if (outcome.kind === "answered") {
      return await lister.fromServer(
        call.id,
        outcome.message,
        outcome.text,
        result.config,
        isFirstPage,
      );
    }
    if (call.cancelled || !isFirstPage) return replyOf(result, call, "tools/list");
    warnOnce(explainOutcome(outcome, result.config).message);
    return await lister.fallback(call.id, result.config);
  }

  async function callTool(
    call: Call,
    message: RpcMessage,
    text: string,
  ): Promise<string | undefined> {
    const { config } = targets.current();
    const failure = blocked(config);
    const name = message.params?.["name"];
    const local = typeof name === "string" ? lister.localTool(name) : undefined;
    if (local !== undefined) {
      const given = message.params?.["arguments"];
      return await local(call.id, isObject(given) ? given : {});
    }
    if (failure !== undefined) return failureReply("tools/call", call.id, failure);
    if (typeof name === "string" && lister.isHidden(name, config)) {
      const words = `NOT_FOUND: The tool ${name} is hidden by the setting mcpHiddenTools.`;
      return resultText(call.id, { content: [{ type: "text", text: words }], isError: true });
    }
    const clean = cleanCall(message, text, config);
    return replyOf(await forward(call, message, clean, config.toolCallMs), call, "tools/call");
  }

  async function passOn(
    call: Call,
    message: RpcMessage,
    text: string,
  ): Promise<string | undefined> {
    const method = message.method ?? "";
    const failure = blocked(targets.current().config);
    if (failure !== undefined) return failureReply(method, call.id, failure);
    return replyOf(await forward(call, message, text, limits.requestMs), call, method);
  }

  async function request(
    id: RequestId,
    message: RpcMessage,
    text: string,
  ): Promise<string | undefined> {
    if (message.method === "ping") return resultText(id, {});
    // Asked first by clients of 2026-07-28, which wait for an answer before they try `initialize`.
    if (message.method === "server/discover") {
      return errorText(id, RPC_CODE.methodNotFound, "Method not found: server/discover");
    }
    const call = calls.open(id);
    try {
      const answer = message.method === "initialize"
        ? await initialize(call, message, text)
        : message.method === "tools/list"
        ? await listTools(call, message, text)
        : message.method === "tools/call"
        ? await callTool(call, message, text)
        : await passOn(call, message, text);
      return call.cancelled ? undefined : answer;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return errorText(id, RPC_CODE.server, `Cannot handle ${message.method}: ${words}`);
    } finally {
      calls.close(call);
    }
  }

  /** Passes on a message that gets no answer; a failure is only worth a warning. */
  async function post(text: string, upstream: Upstream = targets.current()): Promise<void> {
    if (blocked(upstream.config) !== undefined) return;
    const outcome = await withDeadline(
      limits.initializeMs,
      (signal) => upstream.forward({ body: text, actorPeer: "", signal }),
    );
    if (outcome.kind !== "accepted") warnOnce(explainOutcome(outcome, upstream.config).message);
  }

  async function cancel(message: RpcMessage, text: string): Promise<void> {
    const id = message.params?.["requestId"];
    const call = typeof id === "string" || typeof id === "number" ? calls.get(id) : undefined;
    if (call === undefined) return;
    call.cancelled = true;
    // The server hears of it first; cutting the connection reaches the servers that keep no state.
    if (call.upstream !== undefined) await within(1000, post(text, call.upstream));
    call.abort("cancelled");
  }

  function askRoots(): void {
    const text = project.rootsRequest(targets.current().config, hello?.params);
    if (text !== undefined) send(text);
  }

  async function notification(message: RpcMessage, text: string): Promise<void> {
    switch (message.method) {
      case "notifications/initialized":
        return askRoots(); // the upstream has sent its own
      case "notifications/cancelled":
        return await cancel(message, text);
      case "notifications/roots/list_changed":
        askRoots();
        return await post(text);
      default:
        return await post(text);
    }
  }

  async function response(message: RpcMessage, text: string): Promise<void> {
    if (!project.takeResponse(message)) await post(text);
  }

  return {
    async handle(value, text) {
      const incoming: Incoming = classifyMessage(value);
      switch (incoming.kind) {
        case "request":
          return await request(incoming.id, incoming.message, text);
        case "notification":
          await notification(incoming.message, text);
          return undefined;
        case "response":
          await response(incoming.message, text);
          return undefined;
        case "invalid":
          return errorText(incoming.id, incoming.code, incoming.message);
      }
    },
    abortAll: (cause) => calls.abortAll(cause),
    close: () => targets.close(),
  };
}

function isAuthFailure(outcome: ExchangeOutcome): boolean {
  return outcome.kind === "http" && (outcome.status === 401 || outcome.status === 403);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
