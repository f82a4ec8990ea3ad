/**
 * Shapes of doctor's report; the JSON keys are the command line's contract.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type { Connection, HarnessKey } from "../config/types.ts";
import type { PluginConfig } from "../config/plugin_config.ts";
import type { OvHttp } from "../http/types.ts";

/** How a check ended. `skip` was not looked at, and says why. */
export type CheckState = "ok" | "warn" | "fail" | "skip";

/** One thing that was looked at. */
export interface Check {
  readonly id: string;
  /** Host id, "" for what concerns all hosts. */
  readonly host: string;
  readonly state: CheckState;
  readonly message: string;
  /** The next step, "" when there is none. */
  readonly fix: string;
}

/** What a host adds to the common diagnosis. */
export interface HostSpec {
  readonly id: HarnessKey;
  /** Version of the host where its files tell it, else `null`. */
  readonly version: string | null;
  readonly form: string;
  /** Where its MCP entry is written. */
  readonly mcp: string;
  /** Time limits written for the host, by event, in its own unit. */
  readonly budgets: Readonly<Record<string, number>>;
  /** What the host demands before it runs our hooks. */
  readonly trust: string;
  /** Looks at what is installed; never touches the network. */
  inspect(): Promise<readonly Check[]>;
}

/** The whole report. `ok` is false exactly when a check is `fail`. */
export interface DoctorReport {
  readonly version: string;
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly config: readonly {
    readonly key: string;
    readonly value: unknown;
    readonly source: string;
    readonly file: string;
    readonly configured: boolean;
  }[];
  readonly connection: {
    readonly engine: string;
    readonly url: string;
    readonly credentialSource: string;
    readonly apiKeySource: string;
    readonly account: string;
    readonly user: string;
  };
  readonly peer: { readonly id: string; readonly source: string };
  readonly hosts: readonly {
    readonly id: string;
    readonly version: string | null;
    readonly form: string;
    readonly mcp: string;
    readonly budgets: Readonly<Record<string, number>>;
    readonly trust: string;
  }[];
  readonly queue: {
    readonly pending: number;
    readonly held: number;
    readonly dead: number;
    readonly oldest_seconds: number;
    readonly reasons: readonly string[];
  };
  readonly sessions: readonly {
    readonly session: string;
    readonly pending: number;
    readonly commit: string;
  }[];
}

/** What doctor looks at. */
export interface DoctorOptions {
  readonly runtime: Runtime;
  readonly version: string;
  /** Configuration of the host asked for, in the directory asked for. */
  readonly config: PluginConfig;
  readonly cwd: string;
  /** No connection of any kind. */
  readonly offline: boolean;
  readonly hosts: readonly HostSpec[];
  /** Opens the engine in force; closes it with the returned function. */
  openEngine(connection: Connection): Promise<{ readonly http: OvHttp; close(): void }>;
}

/** A check of the common kind. */
export function check(id: string, state: CheckState, message: string, fix = "", host = ""): Check {
  return { id, host, state, message, fix };
}
