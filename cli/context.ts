/**
 * What every command gets.
 *
 * @module
 */
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import type { Output } from "./output.ts";

/** The machine a command runs on and where it prints. */
export interface CommandContext {
  readonly runtime: ProcessRuntime;
  readonly output: Output;
}
