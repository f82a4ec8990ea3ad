/**
 * Shapes of the MCP bridge. Nothing here knows a host or an SDK.
 *
 * @module
 */
import type { ConfigClient, Connection } from "../config/types.ts";
import type { Files, JsonObject, StdinLine } from "../runtime/types.ts";

/** What the bridge takes from the resolved configuration. */
export interface McpProxySettings {
  /** Whose configuration it is; named in `User-Agent`. */
  readonly harness: ConfigClient;
  /** Engine, URL and identity, as the hooks have them. */
  readonly connection: Connection;
  /** False when the user switched memory off: the bridge then answers, but offers no tool. */
  readonly enabled: boolean;
  /** Why the configuration cannot be used; the bridge then answers every call with it. */
  readonly broken?: string;
  /** `actor` limits reads to one peer; `all` sends no peer at all. */
  readonly peerScope: "all" | "actor";
  /** Tools that are neither listed nor called; `*` stands for any characters. */
  readonly hiddenTools: readonly string[];
  /** False when projects have no peers of their own. */
  readonly workspacePeer: boolean;
  /** What is taken out of texts that an engine is told to keep. */
  readonly redact: { readonly enabled: boolean; readonly patterns: readonly string[] };
  /** Milliseconds for one tool call. */
  readonly toolCallMs: number;
  /** Folder of everything ours. */
  readonly agentHome: string;
  /** Files whose change can change this configuration. */
  readonly watchedFiles: readonly string[];
}

/** {@linkcode McpProxySettings} in the form the bridge runs on. */
export interface McpProxyConfig extends McpProxySettings {
  /** Where requests go; a fixed address without meaning on the embedded engine. */
  readonly mcpUrl: string;
  /** Folder-safe name of engine, URL, account and user, as the outbox names it. */
  targetId(): Promise<string>;
  /** Equal for two configurations under which the same requests leave. */
  readonly fingerprint: string;
  /** Identity headers, with the actor peer when there is one. */
  headers(actorPeer: string): Readonly<Record<string, string>>;
  /** Texts that must not appear in a message: the key. */
  readonly secrets: readonly string[];
}

/** The part of `fetch` that the bridge uses. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** The embedded engine's `/mcp`, in this process. */
export interface LocalMcpEndpoint {
  /** Answers a request without leaving the process. */
  readonly fetch: FetchLike;
  /** Closes the engine. */
  close(): void;
}

/** What a server says of itself in the answer to `initialize`. */
export interface ServerIntroduction {
  /** For programs. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Semantic version. */
  readonly version: string;
  /** Told to the model by hosts that pass it on. */
  readonly instructions?: string;
}

/** A tool that runs in the bridge itself. */
export interface LocalTool {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** Told to the model. */
  readonly description: string;
  /** JSON schema of type `object`. */
  readonly inputSchema: JsonObject;
  /** Returns the text of the result; a rejection becomes a tool error. */
  call(args: JsonObject): Promise<string>;
}

/**
 * Where local tools come from. `fallback` offers them only while the server's own list is not to be
 * had, `always` beside it. A tool named like one of the server's is refused in both.
 */
export interface LocalToolProvider {
  /** When they are offered. */
  readonly scope: "fallback" | "always";
  /** What is offered. */
  readonly tools: readonly LocalTool[];
}

/** Time limits of the bridge, in milliseconds. */
export interface McpProxyLimits {
  /** The host's `initialize` is answered by the bridge itself after this. Codex waits about 1 s. @default 500 */
  readonly initializeAnswerMs: number;
  /** One `initialize` at the server. @default 10000 */
  readonly initializeMs: number;
  /** `tools/list` when an earlier list is at hand and the server was slow to initialise. @default 400 */
  readonly listPatienceMs: number;
  /** Every request but `tools/call`. @default 60000 */
  readonly requestMs: number;
  /** How long a stream may stay open after its answer before it is cut. @default 1000 */
  readonly lingerMs: number;
  /** After stdin closed: end when nothing was answered for this long. @default 2000 */
  readonly drainQuietMs: number;
  /** After stdin closed: end in any case. @default 8000 */
  readonly drainMs: number;
}

/** What the bridge is connected to. */
export interface McpProxyOptions {
  /** The host's lines. */
  readonly input: AsyncIterable<StdinLine>;
  /** Writes text to the host; called one at a time, with one message and its line end. */
  readonly output: (text: string) => Promise<void>;
  /** Takes one-line warnings, without secrets; never the host's protocol stream. */
  readonly warn: (text: string) => void;
  /** Resolves the configuration anew; see `readProxyConfig`. */
  readonly readConfig: () => McpProxyConfig;
  /** For watched configuration files and for the tool lists kept under `agent/state/mcp-tools/`. */
  readonly files: Files;
  /** Reaches the server. */
  readonly fetch: FetchLike;
  /** Opens the embedded engine's `/mcp`; called when the first request needs it. */
  readonly openLocal: (config: McpProxyConfig) => Promise<LocalMcpEndpoint>;
  /** Introduces the embedded engine before it is loaded; its `initialize` is never forwarded. */
  readonly localIntroduction: ServerIntroduction;
  /** Tools of the process itself; none when absent. */
  readonly localToolProvider?: LocalToolProvider;
  /** Peer of a project folder that the host named, "" when it has none. */
  readonly resolvePeer?: (folder: string) => string;
  /** Where in a request's `_meta` this host names the project; a fact of the host. */
  readonly projectMetaPath?: readonly string[];
  /** Time limits that differ from `MCP_PROXY_LIMITS`. */
  readonly limits?: Partial<McpProxyLimits>;
}
