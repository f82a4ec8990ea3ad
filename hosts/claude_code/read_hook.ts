/**
 * Installed hook entry of Claude Code for session start and prompt.
 *
 * @module
 */
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { main } from "./hook.ts";

if (import.meta.main) await main(denoRuntime, denoRuntime.args.join(" "));
