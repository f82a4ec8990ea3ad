/**
 * The reading stages: what a session begins with, and what a prompt brings to mind.
 *
 * @module
 */
import type { OvFailure, OvHttp } from "../http/types.ts";
import type { ReadOutcome } from "../recall/types.ts";
import { FileError } from "../runtime/types.ts";
import { isCaptureEnabled } from "../config/enabled.ts";
import { agentPath } from "../config/paths.ts";
import { type Breaker, createBreaker } from "../http/breaker.ts";
import { createOvHttp } from "../http/client.ts";
import { createFetchTransport } from "../http/fetch_transport.ts";
import { buildOvHeaders } from "../http/headers.ts";
import { targetFor } from "../outbox/target.ts";
import { readLastSession } from "../outbox/last_session.ts";
import { createRedactor } from "../capture/redact.ts";
import { createFaceMemory } from "../recall/face_memory.ts";
import { buildProfileBlockDetailed } from "../recall/profile.ts";
import { buildRecallBlockDetailed } from "../recall/recall_block.ts";
import { recallSettingsOf } from "../recall/settings.ts";
import { VERSION } from "../version.ts";
import { type ReadResult, silent, type StageContext, type StageResult } from "./stage.ts";

interface Engine {
  readonly http: OvHttp;
  readonly targetId: string;
  readonly breaker?: Breaker;
}

/** A client of the engine in force whose calls all end within the stage's budget; `undefined` when nothing was ever stored. */
async function openEngine(context: StageContext, budgetMs: number): Promise<Engine | undefined> {
  const { host, config, startedAt } = context;
  const { runtime } = host;
  const { connection, agentHome } = config;
  const deadline = startedAt + budgetMs;
  const sender = { harness: host.adapter.id, version: VERSION };
  const headers = buildOvHeaders(connection, sender);
  const client = { headers, timeoutMs: budgetMs, deadline, now: runtime.now };
  if (connection.engine === "local") {
    if (host.openLocal === undefined) throw new Error(`This entry cannot run ${host.event}`);
    try {
      const transport = await host.openLocal(agentPath(agentHome, "localDatabase"));
      return { http: createOvHttp({ ...client, transport }), targetId: "local" };
    } catch (error) {
      if (error instanceof FileError && error.code === "not-found") return undefined;
      throw error;
    }
  }
  const target = await targetFor(connection);
  const transport = createFetchTransport(connection.baseUrl);
  return {
    http: createOvHttp({ ...client, transport }),
    targetId: target.id,
    breaker: createBreaker({
      runtime,
      agentHome,
      target: target.id,
      credential: target.keyFingerprint,
    }),
  };
}

/** What a block's end means for the host and for the user. */
function toResult(
  context: StageContext,
  block: {
    readonly block: string;
    readonly outcome: ReadOutcome;
    readonly detail: string;
    readonly failure?: OvFailure;
    readonly traceId?: string;
  },
): ReadResult {
  const { outcome, detail, failure, traceId } = block;
  const result: StageResult = {
    answer: block.block === "" ? { kind: "none" } : { kind: "context", text: block.block },
    outcome,
    detail,
    ...(traceId === undefined ? {} : { traceId }),
  };
  if (outcome === "ok" || outcome === "empty" || outcome === "disabled") return { result };
  const where = context.config.connection.baseUrl || "the embedded engine";
  const name = failure?.category === "auth" ? "auth" : "engine";
  const what = name === "auth" ? "refuses the credentials" : "did not answer";
  return { result, cause: { name, text: `${where} ${what} (${detail})` } };
}

async function atPrompt(context: StageContext): Promise<ReadResult> {
  const { config, host, input, peer, session } = context;
  const { settings, agentHome } = config;
  const engine = await openEngine(context, settings.recallBudgetMs);
  if (engine === undefined) return { result: silent("empty", "Nothing is remembered yet") };
  const { http, breaker, targetId } = engine;
  const block = await buildRecallBlockDetailed({
    enabled: true,
    http,
    prompt: input.prompt ?? "",
    session,
    peer,
    settings: recallSettingsOf(config),
    mayCreateSession: isCaptureEnabled(config),
    redact: createRedactor({
      enabled: settings.redact,
      patterns: settings.redactPatterns,
      secrets: [config.connection.apiKey],
    }),
    ...(breaker === undefined ? {} : {
      breaker,
      faces: createFaceMemory({ runtime: host.runtime, agentHome, target: targetId }),
    }),
  });
  return toResult(context, block);
}

async function atSessionStart(context: StageContext): Promise<ReadResult> {
  const { config, host, input, peer, session } = context;
  const { settings, agentHome } = config;
  if (settings.noAutoInject) return { result: silent("disabled", "noAutoInject is true") };
  const engine = await openEngine(context, settings.sessionStartBudgetMs);
  if (engine === undefined) return { result: silent("empty", "Nothing is remembered yet") };
  const goesOn = input.source === "resume" || input.source === "compact";
  const previous = goesOn || peer === ""
    ? undefined
    : readLastSession(host.runtime, agentHome, peer)?.session;
  const block = await buildProfileBlockDetailed({
    enabled: true,
    http: engine.http,
    peer,
    tokenBudget: settings.profileTokenBudget,
    sessionTokenBudget: settings.resumeArchiveInject ? settings.resumeContextBudget : 0,
    ...(engine.breaker === undefined ? {} : { breaker: engine.breaker }),
    ...(goesOn ? { ownSession: session } : {}),
    ...(previous === undefined || previous === session ? {} : { previousSession: previous }),
  });
  return toResult(context, block);
}

/** Runs the reading half of a stage; never throws. */
export async function readMemory(context: StageContext): Promise<ReadResult> {
  try {
    return context.stage === "prompt" ? await atPrompt(context) : await atSessionStart(context);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { result: silent("error", text), cause: { name: "engine", text } };
  }
}
