/**
 * What the stages share: the host that runs them, their result, and the event with everything they need.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type { Transport } from "../http/types.ts";
import type { PluginConfig } from "../config/plugin_config.ts";
import type { HookAnswer, HookInput, HostAdapter, Outcome, StageName } from "./types.ts";

/** What a host's hook entry hands to the shared runner. */
export interface HookHost {
  readonly runtime: Runtime;
  readonly adapter: HostAdapter;
  /** The host's own event name. */
  readonly event: string;
  /** The stages this entry can run; an entry carries only the code of its own. */
  readonly stages: StageRunners;
  /** The embedded engine over an existing database; throws `not-found` when there is none yet. */
  openLocal?(databasePath: string): Promise<Transport>;
  /** The command that runs the worker of a target. */
  workerCommand?(agentHome: string, targetId: string): readonly string[];
}

/** Runs stages other than the guard, which is part of every entry. */
export interface StageRunners {
  readonly memory?: (
    host: HookHost,
    stage: StageName,
    input: HookInput,
    startedAt: number,
  ) => Promise<StageResult>;
  readonly write?: (context: StageContext) => Promise<StageResult>;
  readonly read?: (context: StageContext) => Promise<ReadResult>;
}

/** What a stage came to. */
export interface StageResult {
  readonly answer: HookAnswer;
  readonly outcome: Outcome;
  readonly detail?: string;
  readonly traceId?: string;
  /** Session id on the engine, where it is known. */
  readonly session?: string;
  /** The worker notes this outcome when it takes the event in. */
  readonly noted?: boolean;
  /** The setting `debug`: this run goes to the log as well. */
  readonly debug?: boolean;
}

/** One event with everything the stages need. */
export interface StageContext {
  readonly host: HookHost;
  readonly stage: StageName;
  readonly input: HookInput;
  readonly config: PluginConfig;
  /** Session id on the engine. */
  readonly session: string;
  /** Session id of the parent when the event is a subagent's. */
  readonly parentSession?: string;
  readonly cwd: string;
  /** Project peer of the session, "" when there is none. */
  readonly peer: string;
  /** Milliseconds since the epoch at which the hook began. */
  readonly startedAt: number;
}

/** A failure that the user should hear of once per session. */
export interface Cause {
  /** Word that tells causes apart. */
  readonly name: string;
  readonly text: string;
}

/** What the reading half of a stage came to. */
export interface ReadResult {
  readonly result: StageResult;
  readonly cause?: Cause;
}

/** No answer, for this reason. */
export function silent(outcome: Outcome, detail = ""): StageResult {
  return { answer: { kind: "none" }, outcome, detail };
}
