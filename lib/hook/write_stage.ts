/**
 * The foreground of a write: one spool file, then a look for the worker.
 *
 * @module
 */
import type { CaptureSettings, SpoolRecord, TranscriptPointer } from "../outbox/types.ts";
import type { StageContext, StageResult } from "./stage.ts";
import { OUTBOX_LAYOUT } from "../outbox/types.ts";
import { targetFor, UNRESOLVED_TARGET } from "../outbox/target.ts";
import { maybeDetach, writeSpoolRecord } from "../outbox/spool.ts";

/** The settings of a configuration that travel with an event. */
export function captureSettings(settings: StageContext["config"]["settings"]): CaptureSettings {
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
    settings: captureSettings(context.config.settings),
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

/** Whether the host reads memory as soon as this event is over. */
function isReadBackAtOnce({ stage, input, config }: StageContext): boolean {
  return config.settings.drainWaitMs > 0 &&
    (stage === "pre-compact" || (stage === "session-end" && input.endReason === "clear"));
}

/** Waits until the worker takes the mark away: the session is drained, or it cannot be now. */
function waitForDrain(context: StageContext, mark: string, hasWorker: boolean): void {
  const { host: { runtime: { files, now } }, config, startedAt } = context;
  const until = hasWorker ? startedAt + config.settings.drainWaitMs : 0;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (now() < until && files.stat(mark) !== undefined) {
    Atomics.wait(cell, 0, 0, 20); // a hook may have no timer, and has nothing else to do
  }
  files.remove(mark);
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
  const mark = isReadBackAtOnce(context) ? spooled.file + OUTBOX_LAYOUT.awaited : undefined;
  if (mark !== undefined) runtime.files.overwrite(mark, "");
  const command = () => host.workerCommand?.(config.agentHome, target.id) ?? [];
  const { detail } = maybeDetach(runtime, config.agentHome, target.id, command);
  if (mark !== undefined) waitForDrain(context, mark, detail === undefined);
  return {
    answer: { kind: "none" },
    outcome: "queued",
    ...(detail === undefined ? { noted: leavesOutcome(context) } : { detail }),
  };
}
