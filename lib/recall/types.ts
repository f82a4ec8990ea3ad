/**
 * Shapes of recall.
 *
 * @module
 */
import type { OvFailure } from "../http/types.ts";

/** One memory that an engine returned, in one spelling whatever route it came from. */
export interface RecallEntry {
  /** As the engine wrote it; "" when it named none. */
  readonly uri: string;
  /** Kind of memory, for example `events`. */
  readonly category: string;
  readonly text: string;
  /** ISO 8601 as the engine wrote it. */
  readonly createdAt?: string;
  /** Who said it, where the engine keeps words as they were said. */
  readonly role?: string;
  /** True when it belongs to another project. */
  readonly otherPeer: boolean;
}

/** Settings of recall; a field of `send` is there only when some layer configured it. */
export interface RecallSettings {
  /** Entries at most. */
  readonly limit: number;
  /** Tokens of the whole injected block. */
  readonly tokenBudget: number;
  /** Characters of an entry on servers without context search. */
  readonly maxContentChars: number;
  /** On such servers: show an entry's abstract rather than read its content. */
  readonly preferAbstract: boolean;
  /** Characters below which a prompt is not looked up. */
  readonly minQueryLength: number;
  /** `actor` leaves other projects out. */
  readonly peerScope: "all" | "actor";
  /** `auto` lets the server's model widen the query, and creates the session there. */
  readonly queryExpansion: "off" | "auto";
  readonly send: {
    readonly limit?: number;
    readonly maxTokens?: number;
    readonly scoreThreshold?: number;
    readonly dedupTurns?: number;
  };
}

/** How a read stage ended, in the words of outcome records. */
export type ReadOutcome = "ok" | "empty" | "disabled" | "timeout" | "auth" | "breaker" | "error";

/** The outcome that stands for a failed request. */
export function outcomeOf(failure: OvFailure): ReadOutcome {
  return failure.category === "timeout" || failure.category === "auth" ? failure.category : "error";
}
