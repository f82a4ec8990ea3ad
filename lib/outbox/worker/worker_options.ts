/**
 * What a worker is given.
 *
 * @module
 */
import type { CreateDecoder } from "../../capture/model.ts";
import type { OvHttp } from "../../http/types.ts";
import type { ProcessRuntime } from "../../runtime/types.ts";
import type { SpoolRecord, Target } from "../types.ts";

/** A usable connection to a target, or why there is none now. */
export type Connected =
  | {
    readonly http: OvHttp;
    /** Of the key in use, as in {@linkcode Target}; a change of it ends a pause after a refusal. */
    readonly keyFingerprint?: string;
    /** Values that must never be stored or sent, such as the key itself. */
    readonly secrets?: readonly string[];
  }
  | { readonly held: string };

/** What a worker needs. */
export interface WorkerOptions {
  readonly runtime: ProcessRuntime;
  readonly agentHome: string;
  readonly targetId: string;
  /** Decoders by the name in a transcript pointer. */
  readonly decoders: Readonly<Record<string, CreateDecoder>>;
  /**
   * Reads the configuration and gives a client of this target, or the reason why the target is held
   * (for example: the configuration now names another one). Called at every turn; must be cheap.
   */
  readonly connect: (target: Target) => Promise<Connected>;
  /** How long to wait for the next event before ending; 0 ends when nothing is due. */
  readonly lingerMs: number;
  /** How long a session rests after an ambiguous outcome. @default 40 */
  readonly settleSeconds?: number;
  /** A session with uncommitted messages and no event for this long is committed. @default 30 */
  readonly idleMinutes?: number;
  /** Days after which a message that waits is exported and given up; 0 is never. @default 0 */
  readonly maxAgeDays?: number;
  /** Bytes that may wait; beyond them the oldest are exported and given up; 0 is no limit. @default 0 */
  readonly maxBytes?: number;
  /** Milliseconds between two looks at the spool. @default 150 */
  readonly pollMs?: number;
  /** Asks the worker to end soon; SIGTERM does the same. */
  readonly signal?: AbortSignal;
  /** Goes on while something waits, past `lingerMs`, until this time (milliseconds since the epoch). */
  readonly untilDelivered?: number;
  /** In [0, 1); for pauses. @default Math.random */
  readonly random?: () => number;
  /** Told of each event that was taken into the store. */
  readonly onTakenIn?: (record: SpoolRecord) => void;
  /** Called at named points; a test throws here to play a kill. */
  readonly checkpoint?: (name: string) => void;
}
