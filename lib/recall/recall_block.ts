/**
 * Recall at a prompt: query, request, block. One implementation for every host and both engines.
 *
 * @module
 */
import type { Breaker } from "../http/breaker.ts";
import type { OvFailure } from "../http/types.ts";
import type { SkipReason } from "./query.ts";
import type { RecallRequest } from "./request.ts";
import type { ReadOutcome, RecallEntry } from "./types.ts";
import { extractQuery } from "./query.ts";
import { renderRecallBlock } from "./render.ts";
import { recall } from "./request.ts";
import { openBreaker } from "./_open_breaker.ts";
import { outcomeOf } from "./types.ts";

/** What {@linkcode buildRecallBlockDetailed} needs. The client carries the deadline of the stage. */
export interface RecallBlockOptions extends Omit<RecallRequest, "query"> {
  /** The final guard: false sends nothing. */
  readonly enabled: boolean;
  /** What the user submitted, as the host gave it. */
  readonly prompt: string;
  /** Takes credentials and private blocks out before the query leaves the process. */
  readonly redact: (text: string) => string;
  /** Absent for the embedded engine, which is never sick. */
  readonly breaker?: Breaker;
}

/** What came of a recall; `block` is "" unless `outcome` is `ok`. */
export interface RecallBlock {
  readonly block: string;
  readonly outcome: ReadOutcome;
  /** Distinct `viking://` addresses in the block. */
  readonly count: number;
  /** What stands in the block, in its order. */
  readonly entries: readonly RecallEntry[];
  /** One line that says why there is no block, "" when there is one. */
  readonly detail: string;
  /** What failed; with an open breaker, what had failed. */
  readonly failure?: OvFailure;
  readonly traceId?: string;
}

const SKIPPED: Readonly<Record<SkipReason, string>> = {
  "nothing-said": "The prompt holds no words of the user",
  "host-event": "The prompt is an event of the host",
  command: "The prompt is a command to the host",
  "too-short": "The prompt is shorter than minQueryLength",
  acknowledgement: "The prompt asks nothing",
};

function without(outcome: ReadOutcome, detail: string, failure?: OvFailure): RecallBlock {
  const traceId = failure?.traceId;
  return {
    block: "",
    outcome,
    count: 0,
    entries: [],
    detail,
    ...(failure === undefined ? {} : { failure }),
    ...(traceId === undefined ? {} : { traceId }),
  };
}

/**
 * Builds the block for a prompt and says what came of it. Never throws. Nothing found, nothing asked
 * and nothing shown are `empty`; an open breaker costs no request.
 */
export async function buildRecallBlockDetailed(options: RecallBlockOptions): Promise<RecallBlock> {
  const { settings, breaker } = options;
  if (!options.enabled) return without("disabled", "Recall is switched off");
  // Redacted before anything is cut: half a credential is not recognised.
  const { text: query, skipped } = extractQuery(
    options.redact(options.prompt),
    settings.minQueryLength,
  );
  if (skipped !== undefined) return without("empty", SKIPPED[skipped]);

  const open = openBreaker(breaker);
  if (open !== undefined) return without("breaker", open.message, open);
  const answer = await recall({ ...options, query });
  if (!answer.ok) {
    // A server that refuses this request is up.
    if (breaker?.recordFailure(answer.failure) === false) breaker.recordSuccess();
    return without(outcomeOf(answer.failure), answer.failure.message, answer.failure);
  }
  breaker?.recordSuccess();
  const rendered = renderRecallBlock(answer.entries, { query, tokenBudget: settings.tokenBudget });
  const { traceId } = answer;
  if (rendered.block === "") {
    const detail = answer.entries.length === 0
      ? "Nothing related was found"
      : "Nothing fits the budget";
    return { ...without("empty", detail), ...(traceId === undefined ? {} : { traceId }) };
  }
  return {
    block: rendered.block,
    outcome: "ok",
    count: new Set(rendered.entries.map(({ uri }) => uri).filter((uri) => uri !== "")).size,
    entries: rendered.entries,
    detail: "",
    ...(traceId === undefined ? {} : { traceId }),
  };
}

/** The block alone, "" when there is none; see {@linkcode buildRecallBlockDetailed}. */
export async function buildRecallBlock(options: RecallBlockOptions): Promise<string> {
  return (await buildRecallBlockDetailed(options)).block;
}
