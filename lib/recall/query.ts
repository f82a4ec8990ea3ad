/**
 * From a submitted prompt to the words to look for: what the user meant, without what hosts, hooks
 * and pastes added.
 *
 * @module
 */
import { stripInjected } from "../capture/filters.ts";
import { removePrivate } from "../capture/redact.ts";
import { cutEnds } from "./_cut.ts";
import { reducePaste } from "./_paste.ts";
import { holdsQuestion } from "./question.ts";

/** Why a prompt is not looked up. */
export type SkipReason =
  | "nothing-said"
  | "host-event"
  | "command"
  | "too-short"
  | "acknowledgement";

/** A query, or the reason why there is none; `text` is "" then. */
export interface RecallQuery {
  readonly text: string;
  readonly skipped?: SkipReason;
}

/** Characters of a query at most. */
export const QUERY_LIMIT = 4000;
/** Characters of a prompt that are looked at; of a longer one, its ends. */
const PROMPT_LIMIT = 200_000;

/** Commands of hosts that speak to the host, with or without arguments. */
const HOST_COMMANDS =
  " agents bug clear compact config context cost doctor exit export fork help hooks ide init login " +
  "logout mcp memory model new output-style permissions plugin quit release-notes resume rewind settings status " +
  "statusline tasks theme todos undo usage vim ";
/** First segments of paths that a person may well write alone. */
const PATH_ROOTS =
  " applications bin boot dev etc home lib library mnt opt private proc root run sbin srv sys system tmp " +
  "users usr var volumes ";

/** Cuts the events that a host submits as a prompt (Claude Code 2.1.332: a finished background task). */
function withoutHostEvents(text: string): string {
  let rest = text.trimStart();
  const close = "</task-notification>";
  while (/^<task-notification[\s>]/.test(rest)) {
    const end = rest.indexOf(close);
    rest = end < 0 ? "" : rest.slice(end + close.length).trimStart();
  }
  return rest;
}

/** `Sender (untrusted metadata):` and its like, with the fenced block below (OpenClaw's channels). */
function withoutMetadata(text: string): string {
  return text.replace(
    /^(?:sender|conversation (?:info|metadata))\b[^\n]{0,100}\n\s{0,20}```[^\n]{0,20}\n[\s\S]{0,4000}?\n[ \t]{0,20}```[ \t]*$/gim,
    "",
  );
}

/** What follows a slash command, "" for the host's own; `undefined` when the text is none. */
function commandArguments(text: string): string | undefined {
  const name = /^\/([A-Za-z][A-Za-z0-9_:-]{0,63})(?=\s|$)/.exec(text)?.[1];
  if (name === undefined) return undefined;
  const lower = ` ${name.toLowerCase()} `;
  if (PATH_ROOTS.includes(lower)) return undefined;
  return HOST_COMMANDS.includes(lower) ? "" : text.slice(name.length + 1).trim();
}

/**
 * Makes the query of a prompt. Private blocks, injected context and host events are removed, slash
 * commands give their arguments (the host's own commands nothing), long logs and code are reduced to
 * what stands around them, and the rest is cut to {@linkcode QUERY_LIMIT} characters. Prompts that
 * ask nothing are skipped. Linear in the prompt's length.
 *
 * @param minLength Characters below which a prompt is not looked up.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(extractQuery("/usr/bin is broken"), { text: "/usr/bin is broken" });
 * assert.deepEqual(extractQuery("/clear"), { text: "", skipped: "command" });
 * ```
 */
export function extractQuery(prompt: string, minLength = 1): RecallQuery {
  const skipped = (reason: SkipReason): RecallQuery => ({ text: "", skipped: reason });
  const said = withoutHostEvents(stripInjected(removePrivate(prompt)).replaceAll("\0", "")).trim();
  if (said === "") {
    return skipped(prompt.trimStart().startsWith("<task-") ? "host-event" : "nothing-said");
  }
  const rest = commandArguments(said);
  if (rest === "") return skipped("command");
  const plain = withoutMetadata(cutEnds(rest ?? said, PROMPT_LIMIT)).replace(/\r\n?/g, "\n");
  const text = cutEnds(reducePaste(plain).replace(/\n{3,}/g, "\n\n").trim(), QUERY_LIMIT);
  if (text === "") return skipped("nothing-said");
  if (text.length < minLength) return skipped("too-short");
  return holdsQuestion(text) ? { text: text.toWellFormed() } : skipped("acknowledgement");
}
