/**
 * The stages that read or write memory: configuration for the payload's directory, gates, then the
 * stage.
 *
 * @module
 */
import type { HookInput, StageName } from "./types.ts";
import { type Cause, type HookHost, silent, type StageContext, type StageResult } from "./stage.ts";
import { buildPluginConfig } from "../config/plugin_config.ts";
import { bypassReason, isCaptureEnabled, isRecallEnabled } from "../config/enabled.ts";
import { deriveHarnessSessionId, nativeSessionIdOf } from "../identity/session_id.ts";
import { resolveSessionPeer } from "../identity/session_peer.ts";
import { type CaptureEvent, noteCapture } from "../outbox/pauses.ts";
import { firstDelivery, firstNotice } from "./once.ts";

const READ_STAGES: readonly StageName[] = ["session-start", "prompt"];

function sessionOf(host: HookHost, input: HookInput): { session: string; parentSession?: string } {
  const { sessionPrefix } = host.adapter;
  const native = nativeSessionIdOf(input);
  const main = deriveHarnessSessionId(sessionPrefix, native);
  if (input.subagent === undefined) return { session: main };
  return {
    session: deriveHarnessSessionId(sessionPrefix, native, `subagent:${input.subagent.id}`),
    parentSession: main,
  };
}

const BEGINNINGS: Partial<Record<StageName, CaptureEvent["kind"]>> = {
  prompt: "prompt",
  "session-start": "start",
  "subagent-start": "start",
};

/** Adds the one notice per session and cause to an answer that has room for it. */
function withNotice(
  context: StageContext,
  result: StageResult,
  cause: Cause | undefined,
): StageResult {
  const { host, config, session, stage } = context;
  const { answer } = result;
  if (cause === undefined || !READ_STAGES.includes(stage) || !config.settings.notices) {
    return result;
  }
  if (answer.kind !== "none" && answer.kind !== "context") return result;
  const { runtime, adapter } = host;
  if (!firstNotice(runtime, config.agentHome, adapter.id, session, cause.name)) return result;
  const notice = `OpenViking memory: ${cause.text}. Run \`openviking-agent doctor\`.`;
  return { ...result, answer: { ...answer, notice } };
}

/** Runs a stage other than the guard. */
export async function runMemoryStage(
  host: HookHost,
  stage: StageName,
  input: HookInput,
  startedAt: number,
): Promise<StageResult> {
  const { runtime, adapter } = host;
  const cwd = input.cwd ?? "";
  const config = buildPluginConfig(adapter.id, { runtime, ...(cwd === "" ? {} : { cwd }) });
  const ids = sessionOf(host, input);
  const { session } = ids;
  const { debug } = config.settings;
  const gated = (result: StageResult): StageResult => ({ ...result, session, debug });

  const bypass = config.settings.enabled
    ? bypassReason(config, { runtime, session, cwd })
    : undefined;
  // What a broken configuration says about capture is not known.
  if (config.broken === undefined) {
    noteCapture(runtime, config.agentHome, {
      session,
      isCaptured: isCaptureEnabled(config) && bypass === undefined,
      kind: BEGINNINGS[stage] ?? "end",
      at: startedAt,
      transcriptPath: input.subagent === undefined
        ? input.transcriptPath
        : input.subagent.transcriptPath,
    });
  }
  if (!config.settings.enabled) return gated(silent("disabled", "enabled is false"));
  if (bypass !== undefined) return gated(silent("bypassed", bypass));
  const peer = config.broken === undefined
    ? resolveSessionPeer({
      runtime,
      agentHome: config.agentHome,
      session,
      cwd,
      explicitPeer: config.connection.peer,
      workspacePeer: config.settings.workspacePeer,
    }).id
    : "";
  const context: StageContext = { host, stage, input, config, ...ids, cwd, peer, startedAt };

  const written = isCaptureEnabled(config) && stage !== "prompt"
    ? await host.stages.write?.(context)
    : undefined;
  const lost: Cause | undefined = written?.outcome === "enqueue_failed"
    ? { name: "queue", text: written.detail ?? "the event could not be kept" }
    : undefined;
  if (config.broken !== undefined) {
    const cause = { name: "configuration", text: config.broken };
    const result = written ?? silent("error", config.broken);
    return gated(withNotice(context, result, cause));
  }
  if (!READ_STAGES.includes(stage)) {
    return gated(written ?? silent("disabled", "autoCapture is false"));
  }
  if (!isRecallEnabled(config)) {
    return gated(withNotice(context, written ?? silent("disabled", "autoRecall is false"), lost));
  }
  if (stage === "prompt") {
    const event = { id: input.eventId, text: input.prompt ?? "" };
    if (!firstDelivery(runtime, config.agentHome, adapter.id, session, event)) {
      return gated(silent("empty", "This prompt was answered already"));
    }
  }
  const read = await host.stages.read?.(context) ??
    { result: silent("error", `This entry cannot run ${host.event}`) };
  // What could not be kept matters more than what was not found.
  const result = lost === undefined
    ? read.result
    : { ...read.result, outcome: "enqueue_failed" as const, detail: lost.text };
  return gated(withNotice(context, result, lost ?? read.cause));
}
