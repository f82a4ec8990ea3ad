/**
 * Shapes that cross the boundary between the foreground and the worker: the spool record on disk,
 * and the layout of a target's folder.
 *
 * @module
 */
import type { CapturedMessage } from "../capture/model.ts";
import type { EngineName, HarnessKey } from "../config/types.ts";

/**
 * Who receives the writes: one folder, one queue and one worker each. The key is never stored, only
 * a fingerprint as a hint.
 */
export interface Target {
  /** Folder name, `local` or `<host>-<hash>`; safe in a path. */
  readonly id: string;
  readonly engine: EngineName;
  /** Normalised URL, "" for the embedded engine. */
  readonly url: string;
  readonly account: string;
  readonly user: string;
  /** First 16 hex digits of SHA-256 of the key, "" without one. */
  readonly keyFingerprint: string;
}

/** Why a session is committed; `idle` and `threshold` come from the worker. */
export type BoundaryReason =
  | "session-end"
  | "pre-compact"
  | "clear"
  | "subagent-end"
  | "turn-end"
  | "threshold"
  | "idle";

/** The settings in force when the event happened; the worker obeys them and resolves none itself. */
export interface CaptureSettings {
  readonly captureAssistantTurns: boolean;
  /** Characters after which a tool output is cut with a mark. */
  readonly captureToolMaxChars: number;
  /** Characters after which a text is cut with a mark. */
  readonly captureMaxLength: number;
  readonly redact: boolean;
  /** Patterns added to redaction (regular expressions as text). */
  readonly redactPatterns: readonly string[];
  readonly commitTokenThreshold: number;
  readonly commitKeepRecentCount: number;
}

/** A transcript to read from where the last read stopped. */
export interface TranscriptPointer {
  readonly path: string;
  /** Bytes at the time of the event. */
  readonly size: number;
  /** 0 where the platform has none, or when the file was not there yet. */
  readonly inode: number;
  /** Which decoder reads it; a host can have several transcript forms. */
  readonly decoder: string;
}

/** One event that has something to remember, as written to the spool. Holds nothing unredacted. */
export interface SpoolRecord {
  readonly version: 1;
  readonly host: HarnessKey;
  /** The host's own event name. */
  readonly event: string;
  /** ISO 8601. */
  readonly at: string;
  /** Session id on the engine, for example `cc-<native>`. */
  readonly session: string;
  /** Session id of the parent when this is a subagent's. */
  readonly parentSession?: string;
  /** `start`, `resume` and `clear` raise the session's generation: older end or idle commits are void. */
  readonly begins?: "start" | "resume" | "clear";
  readonly cwd: string;
  /** Peer that owns these messages; absent when there is none. */
  readonly peer?: string;
  readonly transcript?: TranscriptPointer;
  /** Already decoded, filtered and redacted messages, from hosts without a transcript. */
  readonly messages?: readonly CapturedMessage[];
  /** A commit that must follow everything said before this event. */
  readonly boundary?: { readonly reason: BoundaryReason; readonly keepRecentCount: number };
  readonly settings: CaptureSettings;
  /**
   * The stage whose outcome the worker notes as `queued` when it takes the event in, and the
   * milliseconds it took; the foreground saves that write. Absent where the stage notes its own.
   */
  readonly noteOutcome?: { readonly stage: string; readonly ms: number };
  /** Fingerprint of the key in force, added when the record is written; absent without a key. */
  readonly keyFingerprint?: string;
}

/** Names inside `agent/outbox/<target>/`. */
export const OUTBOX_LAYOUT = {
  target: "target.json",
  spool: "spool",
  /** Spool files that could not be parsed, kept for a person. */
  rejected: "rejected",
  store: "outbox.db",
  /** Size and time of the store when its last worker left it sound. */
  sound: "outbox.sound",
  /** What passed the queue's limits, as JSON lines. */
  expired: "expired.jsonl",
  /** The authority: held with BEGIN EXCLUSIVE for the worker's life. */
  lease: "worker.db",
  /** The hint that the foreground reads; holds the worker's pid as text. */
  lock: "worker.lock",
  /** Ending of the mark beside a spool file: its hook waits until the worker removes the mark. */
  awaited: ".wait",
} as const;
