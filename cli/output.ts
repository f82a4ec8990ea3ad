/**
 * What a command prints: one JSON document, or lines for a person; data on stdout, prose on stderr.
 *
 * @module
 */
import type { ProcessRuntime } from "../lib/runtime/types.ts";

/** Exit codes of the command line contract. */
export const EXIT = { done: 0, failed: 1, usage: 2, remains: 3 } as const;

/** A failure to tell a person: what is wrong and the next step. */
export class CommandError extends Error {
  /** Short machine-readable word, for example `engine_unreachable`. */
  readonly code: string;
  /** The next step, "" when there is none. */
  readonly fix: string;
  readonly exit: number;
  constructor(code: string, message: string, fix = "", exit: number = EXIT.failed) {
    super(message);
    this.name = "CommandError";
    this.code = code;
    this.fix = fix;
    this.exit = exit;
  }
}

/** Where one command writes. */
export interface Output {
  readonly json: boolean;
  /** A line of data on stdout. */
  line(text?: string): void;
  /** The one JSON document of `--json`. */
  document(value: unknown): void;
  /** A line for a person on stderr. */
  note(text: string): void;
  /** Marks text on a terminal only, never with `NO_COLOR`. */
  bold(text: string): string;
  dim(text: string): string;
}

/** Output of one command; `json` when `--json` was given. */
export function createOutput(runtime: ProcessRuntime, json: boolean): Output {
  const colours = runtime.isTerminal("stdout") && !runtime.env("NO_COLOR");
  const style = (code: number) => (text: string) =>
    colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  return {
    json,
    line: (text = "") => runtime.writeStdout(`${text}\n`),
    document: (value) => runtime.writeStdout(`${JSON.stringify(value, null, 2)}\n`),
    note: (text) => runtime.writeStderr(`${text}\n`),
    bold: style(1),
    dim: style(2),
  };
}

/** Prints a failure in the form that was asked for; returns its exit code. */
export function reportFailure(output: Output, error: unknown): number {
  // The reader of our output went away (`| head`): nobody is left to tell.
  if (
    error instanceof Error &&
    (error.name === "BrokenPipe" || "code" in error && error.code === "EPIPE")
  ) {
    return EXIT.done;
  }
  const failure = error instanceof CommandError ? error : new CommandError(
    "unexpected",
    error instanceof Error ? error.message : String(error),
    "Run `openviking-agent doctor`",
  );
  if (output.json) {
    output.document({
      error: { code: failure.code, message: failure.message, fix: failure.fix },
    });
  } else {
    output.note(`openviking-agent: ${failure.message}`);
    if (failure.fix !== "") output.note(`  ${failure.fix}`);
  }
  return failure.exit;
}

/** Text from memory for a terminal: control, format and bidirectional characters are dropped. */
export function forTerminal(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, "");
}
