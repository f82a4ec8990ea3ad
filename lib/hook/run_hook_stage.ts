/**
 * One host event from stdin to its single answer: parse, guard, gates, stage, answer, record, exit 0.
 *
 * @module
 */
import type { JsonObject } from "../runtime/types.ts";
import type { HookInput, Outcome, OutcomeRecord, StageName } from "./types.ts";
import { agentHome } from "../config/paths.ts";
import { preToolUseOutput } from "../guard/uri_guard.ts";
import { appendLog } from "./log.ts";
import { writeOutcome } from "./outcome.ts";
import { type HookHost, silent, type StageResult } from "./stage.ts";

/** Bytes of stdin that are read at most. */
const STDIN_LIMIT = 64 * 1024 * 1024;
/** Milliseconds a host may keep stdin open without a whole document. */
const SILENCE_MS = 4500;

type Payload =
  | { readonly ok: true; readonly payload: JsonObject }
  | { readonly ok: false; readonly why: string };

function parsePayload(text: string): Payload {
  if (text.trim() === "") return { ok: false, why: "Cannot read the event: stdin was empty" };
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return { ok: false, why: "Cannot read the event: stdin was not one JSON document" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ok: false, why: "Cannot read the event: stdin was not a JSON object" };
  }
  return { ok: true, payload: value as JsonObject };
}

/** The guard answers from the payload alone: no configuration, no disk, so that a denial stays one. */
function runGuard(host: HookHost, input: HookInput): StageResult {
  const answer = preToolUseOutput(host.adapter.guard, {
    toolName: input.toolName ?? "",
    toolInput: input.toolInput ?? {},
    cwd: input.cwd ?? "",
  });
  return { answer, outcome: answer.kind === "none" ? "empty" : "ok" };
}

async function runStage(
  host: HookHost,
  stage: StageName,
  input: HookInput,
  startedAt: number,
): Promise<StageResult> {
  if (stage === "pre-tool") return runGuard(host, input);
  const { memory } = host.stages;
  if (memory === undefined) return silent("error", `This entry cannot run ${host.event}`);
  return await memory(host, stage, input, startedAt);
}

/**
 * Runs one event of `host` and ends the process with exit code 0, whatever happens. Stdout carries
 * the host's answer or nothing, stderr nothing; a failure is kept as an outcome record.
 */
export async function runHookStage(host: HookHost): Promise<void> {
  const { runtime, adapter, event } = host;
  const startedAt = runtime.now();
  const stage = adapter.stages[event];
  let session = "unknown";
  const record = (outcome: Outcome, detail: string, traceId = "", debug = false) => {
    const entry: OutcomeRecord = {
      host: adapter.id,
      session,
      stage: stage ?? (event === "" ? "unknown" : event),
      outcome,
      ms: runtime.now() - startedAt,
      at: new Date(startedAt).toISOString(),
      trace_id: traceId,
      detail,
    };
    const home = agentHome(runtime);
    writeOutcome(runtime, home, entry);
    if (debug) appendLog(runtime, home, entry);
  };
  try {
    if (stage === undefined) {
      record("error", `Unknown event "${event.slice(0, 100)}"`);
      return runtime.exit(0);
    }
    const stdin = await runtime.readStdin(STDIN_LIMIT, SILENCE_MS, () => {
      record("error", "Cannot read the event: nothing whole came on stdin in time");
      runtime.exit(0);
    });
    const parsed = stdin.truncated
      ? { ok: false, why: `Cannot read the event: stdin exceeds ${STDIN_LIMIT} bytes` } as const
      : parsePayload(stdin.text);
    if (!parsed.ok) {
      record("error", parsed.why);
      return runtime.exit(0);
    }
    const input = adapter.normaliseInput(event, parsed.payload);
    if (input === undefined) return runtime.exit(0);
    const result = await runStage(host, stage, input, startedAt);
    const text = adapter.envelope(event, result.answer);
    if (text !== "") runtime.writeStdout(text);
    // A guard that lets an ordinary call pass leaves no trace: it runs at every tool call.
    if (result.noted !== true && (stage !== "pre-tool" || text !== "")) {
      session = result.session ?? input.nativeSessionId ?? session;
      record(result.outcome, result.detail ?? "", result.traceId, result.debug);
    }
  } catch (error) {
    record("error", error instanceof Error ? error.message.slice(0, 300) : "Unexpected failure");
  }
  runtime.exit(0);
}
