/**
 * Shapes of the resolved configuration.
 *
 * @module
 */

/** Registered host ids, hyphenated; underscores and `claude` are accepted where a person types one. */
export type HarnessKey =
  | "claude-code"
  | "codex"
  | "cursor"
  | "trae"
  | "trae-cn"
  | "trae-cli"
  | "zcode"
  | "opencode"
  | "dsh"
  | "pi"
  | "openclaw"
  | "agent-plugins";

/** The layers of behaviour settings, highest first. */
export type LayerName =
  | "environment"
  | "workspace-registry"
  | "workspace-local"
  | "workspace"
  | "ovcli-host"
  | "ovcli"
  | "ov.conf"
  | "default";

/** Where a value came from. `configured` is false for defaults only. */
export interface Origin {
  readonly layer: LayerName;
  /** Environment variable or file path; "" for defaults. */
  readonly source: string;
  readonly configured: boolean;
}

/** Something in the configuration that did not take effect, told by file, key and value. */
export interface ConfigProblem {
  readonly kind:
    | "unreadable"
    | "invalid"
    | "unknown-key"
    | "forbidden"
    | "interpolation"
    | "outside";
  /** File path or `environment`. */
  readonly source: string;
  readonly key?: string;
  /** The value as text, secrets masked. */
  readonly value?: string;
  /** One sentence with the next step. */
  readonly message: string;
}

/** Which engine is in force. */
export type EngineName = "local" | "server";

/** How credentials were looked up, and where the key in use came from. */
export interface Connection {
  readonly engine: EngineName;
  /** Why that engine: an explicit choice, a configured URL, or neither. */
  readonly engineSource: "plugin.engine" | "OPENVIKING_ENGINE" | "url" | "nothing-configured";
  /** Normalised, without trailing slash; "" on the embedded engine. */
  readonly baseUrl: string;
  readonly mcpUrl: string;
  /** Where the URL came from: a variable name or a file path, "" when none. */
  readonly urlSource: string;
  /** "" when none. */
  readonly apiKey: string;
  readonly account: string;
  readonly user: string;
  /** Explicit peer, "" when none was configured. */
  readonly peer: string;
  readonly sendIdentityHeaders: boolean;
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly credentialSource: "auto" | "cli" | "env";
  /** Where the key in use came from: a variable name or a file path, "" when there is no key. */
  readonly apiKeySource: string;
  /** Files whose change can change the connection. */
  readonly watchedFiles: readonly string[];
}
