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

/** Whose configuration is asked for: a host's, or that of commands and worker, which have no section of their own. */
export type ConfigClient = HarnessKey | "cli";

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
  /** The layer that decided. */
  readonly layer: LayerName;
  /** Environment variable or file path; "" for defaults. */
  readonly source: string;
  /** True when some layer set the value, even to the default. */
  readonly configured: boolean;
}

/** Something in the configuration that did not take effect, told by file, key and value. */
export interface ConfigProblem {
  /** What kind of trouble. */
  readonly kind:
    | "unreadable"
    | "invalid"
    | "unknown-key"
    | "forbidden"
    | "interpolation"
    | "outside"
    /** A name of an earlier plugin that has no effect any more. */
    | "not-offered"
    /** A URL or key that is not used, because it would meet one of another source. */
    | "connection";
  /** File path or `environment`. */
  readonly source: string;
  /** The name as it stands there. */
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
  /** The engine in force. */
  readonly engine: EngineName;
  /** Why that engine: an explicit choice, a configured URL, or neither. */
  readonly engineSource: "plugin.engine" | "OPENVIKING_ENGINE" | "url" | "nothing-configured";
  /** Normalised, without trailing slash; "" on the embedded engine. */
  readonly baseUrl: string;
  /** Address of the server's MCP endpoint; "" on the embedded engine. */
  readonly mcpUrl: string;
  /** Where the URL came from: a variable name or a file path, "" when none. */
  readonly urlSource: string;
  /** "" when none. */
  readonly apiKey: string;
  /** Account asserted in headers, "" when none. */
  readonly account: string;
  /** User asserted in headers, "" when none. */
  readonly user: string;
  /** Explicit peer, "" when none was configured. */
  readonly peer: string;
  /** Whether account and user are sent. */
  readonly sendIdentityHeaders: boolean;
  /** More headers for every request, names in lower case. May hold secrets. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** Mode of `OPENVIKING_CREDENTIAL_SOURCE`. */
  readonly credentialSource: "auto" | "cli" | "env";
  /** Where the key in use came from: a variable name or a file path, "" when there is no key. */
  readonly apiKeySource: string;
  /** A configured URL that is not used because the embedded engine was chosen explicitly. */
  readonly unusedUrl?: string;
  /** Files whose change can change the connection. */
  readonly watchedFiles: readonly string[];
}

/** A configuration file that was looked at; `refused` when following it would leave the repository. */
export interface ConfigFile {
  /** Where it is looked for. */
  readonly path: string;
  /** The layer it belongs to. */
  readonly layer: LayerName;
  /** What was found. */
  readonly state: "absent" | "ok" | "unreadable" | "refused";
}

/**
 * What a host's SDK may pin. `baseUrl` with `apiKey`, `account` and `user` replaces the whole
 * connection, whatever the credential source; `peer` alone pins the peer and leaves the connection.
 */
export interface HostInput {
  /** URL of the server. */
  readonly baseUrl?: string;
  /** Key for that URL. */
  readonly apiKey?: string;
  /** Account for that URL. */
  readonly account?: string;
  /** User for that URL. */
  readonly user?: string;
  /** Explicit peer. */
  readonly peer?: string;
}
