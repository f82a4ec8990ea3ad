/**
 * The foreground of a write: one spool file, then a look for the worker.
 *
 * @module
 */
import type { CaptureSettings, SpoolRecord, TranscriptPointer } from "../outbox/types.ts";
import type { StageContext, StageResult } from "./stage.ts";
import { targetFor, UNRESOLVED_TARGET } from "../outbox/target.ts";
import { maybeDetach, writeSpoolRecord } from "../outbox/spool.ts";

function captureSettings(context: StageContext): CaptureSettings {
  const { settings } = context.config;
  return {
    captureAssistantTurns: settings.captureAssistantTurns,
    captureToolMaxChars: settings.captureToolMaxChars,
    captureMaxLength: settings.captureMaxLength,
    redact: settings.redact,
    redactPatterns: settings.redactPatterns,
    commitTokenThreshold: settings.commitTokenThreshold,
    commitKeepRecentCount: settings.commitKeepRecentCount,
  };
}

function pointer(context: StageContext): TranscriptPointer | undefined {
  const { host, input, stage } = context;
  const path = stage === "subagent-start" || stage === "subagent-end"
    ? input.subagent?.transcriptPath
    : input.transcriptPath;
  if (path === undefined) return undefined;
  let size = 0;
  let inode = 0;
  try {
    const stat = host.runtime.files.stat(path);
    if (stat?.kind === "file") ({ size, inode } = stat);
  } catch { /* the worker says what is wrong with it */ }
  return { path, size, inode, decoder: host.adapter.decoder };
}

function begins(context: StageContext): SpoolRecord["begins"] {
  if (context.stage === "subagent-start") return "start";
  if (context.stage !== "session-start") return undefined;
  switch (context.input.source) {
    case "resume":
      return "resume";
    case "clear":
      return "clear";
    case "compact":
      return undefined; // the same session goes on
    default:
      return "start";
  }
}

function boundary(context: StageContext): SpoolRecord["boundary"] {
  switch (context.stage) {
    case "pre-compact":
      return context.config.settings.autoCommitOnCompact
        ? { reason: "pre-compact", keepRecentCount: 0 }
        : undefined;
    case "session-end":
      return {
        reason: context.input.endReason === "clear" ? "clear" : "session-end",
        keepRecentCount: 0,
      };
    case "subagent-end":
      return { reason: "subagent-end", keepRecentCount: 0 };
    default:
      return undefined;
  }
}

/** Whether the worker notes the outcome: not where the stage reads as well, or delivers by itself. */
function leavesOutcome({ stage, config }: StageContext): boolean {
  const { writePathAsync, debug } = config.settings;
  return stage !== "session-start" && config.broken === undefined && writePathAsync && !debug;
}

function spoolRecord(context: StageContext): SpoolRecord {
  const { host, session, parentSession, cwd, peer } = context;
  const optional = {
    parentSession,
    begins: begins(context),
    peer: peer === "" ? undefined : peer,
    transcript: pointer(context),
    boundary: boundary(context),
  };
  return {
    version: 1,
    host: host.adapter.id,
    event: host.event,
    at: new Date(context.startedAt).toISOString(),
    session,
    cwd,
    settings: captureSettings(context),
    ...(leavesOutcome(context)
      ? { noteOutcome: { stage: context.stage, ms: host.runtime.now() - context.startedAt } }
      : {}),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}

/** Without a background: the worker runs in the stage's own time, and what it leaves stays queued. */
async function deliverNow(context: StageContext, targetId: string): Promise<StageResult> {
  const { host, config, startedAt } = context;
  const { runtime } = host;
  const left = config.settings.captureTimeoutMs - (runtime.now() - startedAt);
  const command = host.workerCommand?.(config.agentHome, targetId) ?? [];
  const env = { OPENVIKING_WORKER_LINGER_MS: "0" };
  let delivered = false;
  try {
    delivered = left > 0 && await runtime.runQuietly(command, env, left);
  } catch { /* the event is on disk */ }
  return {
    answer: { kind: "none" },
    outcome: delivered ? "ok" : "queued",
    detail: delivered ? "" : "Not delivered within captureTimeoutMs",
  };
}

/** Writes the event to its target's spool and makes sure that a worker lives. */
export async function enqueueEvent(context: StageContext): Promise<StageResult> {
  const { host, config } = context;
  const { runtime } = host;
  const target = config.broken === undefined
    ? await targetFor(config.connection)
    : UNRESOLVED_TARGET;
  const spooled = writeSpoolRecord(runtime, config.agentHome, target, spoolRecord(context));
  if (!spooled.ok) {
    return { answer: { kind: "none" }, outcome: "enqueue_failed", detail: spooled.reason };
  }
  if (config.broken !== undefined) {
    return { answer: { kind: "none" }, outcome: "queued", detail: config.broken };
  }
  if (!config.settings.writePathAsync) return await deliverNow(context, target.id);
  const command = () => host.workerCommand?.(config.agentHome, target.id) ?? [];
  const worker = maybeDetach(runtime, config.agentHome, target.id, command);
  const { detail } = worker;
  return {
    answer: { kind: "none" },
    outcome: "queued",
    ...(detail === undefined ? { noted: leavesOutcome(context) } : { detail }),
  };
}
