/**
 * What a host's adapter tells the shared stages: data and pure functions, no effects.
 *
 * @module
 */
import type { JsonObject } from "../runtime/types.ts";
import type { HarnessKey } from "../config/types.ts";

/** The stages every host's events map to. */
export type StageName =
  | "session-start"
  | "prompt"
  | "pre-tool"
  | "turn-end"
  | "pre-compact"
  | "session-end"
  | "subagent-start"
  | "subagent-end";

/** A host's payload in shared terms. Absent fields were absent or of the wrong type. */
export interface HookInput {
  readonly nativeSessionId?: string;
  readonly cwd?: string;
  readonly transcriptPath?: string;
  /** What the user submitted. */
  readonly prompt?: string;
  /** Id of the prompt event, where the host gives one. */
  readonly eventId?: string;
  readonly source?: "startup" | "resume" | "clear" | "compact" | "fork";
  /** Why the session ended, in the host's words. */
  readonly endReason?: string;
  readonly toolName?: string;
  readonly toolInput?: JsonObject;
  readonly subagent?: {
    readonly id: string;
    readonly type: string;
    readonly transcriptPath?: string;
  };
}

/** The single answer of a stage. */
export type HookAnswer =
  | { readonly kind: "none"; readonly notice?: string }
  | { readonly kind: "context"; readonly text: string; readonly notice?: string }
  | { readonly kind: "deny"; readonly reason: string }
  /** Shown to the model beside a tool call that goes ahead. */
  | { readonly kind: "tool-notice"; readonly text: string };

/** What the virtual-path guard needs to know of a host's tools. */
export interface GuardTools {
  /** File tools by name, with the argument that holds a path and the MCP tool to use instead. */
  readonly fileTools: Readonly<
    Record<string, { readonly pathArguments: readonly string[]; readonly instead: string }>
  >;
  /** Shell tools by name, with the argument that holds the command. */
  readonly shellTools: Readonly<Record<string, { readonly commandArgument: string }>>;
}

/** One host, as data and pure functions. */
export interface HostAdapter {
  readonly id: HarnessKey;
  /** Prefix of session ids on the engine, for example `cc-`. */
  readonly sessionPrefix: string;
  /** Host event name to stage. */
  readonly stages: Readonly<Record<string, StageName>>;
  /** Name under which the worker finds this host's transcript decoder. */
  readonly decoder: string;
  readonly guard: GuardTools;
  /** Payload to shared terms; `undefined` when this event concerns nobody (for example an internal agent). */
  normaliseInput(event: string, payload: JsonObject): HookInput | undefined;
  /** The host's answer for an event; "" is the no-op. */
  envelope(event: string, answer: HookAnswer): string;
}

/** Outcomes as `status` prints them. */
export type Outcome =
  | "ok"
  | "empty"
  | "disabled"
  | "bypassed"
  | "timeout"
  | "auth"
  | "breaker"
  | "error"
  | "queued"
  | "enqueue_failed"
  | "commit_failed";

/** The last outcome of one stage of one session, as kept under `agent/state/outcomes/`. */
export interface OutcomeRecord {
  readonly host: string;
  readonly session: string;
  /** Stage name, or the host's event name when there is no stage for it. */
  readonly stage: string;
  readonly outcome: Outcome;
  /** Milliseconds the stage took. */
  readonly ms: number;
  /** ISO 8601. */
  readonly at: string;
  readonly trace_id: string;
  /** One line that says why, "" when there is nothing to say. */
  readonly detail: string;
}
