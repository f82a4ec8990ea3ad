/**
 * The reading half of a prompt: what it brings to mind.
 *
 * @module
 */
import { isCaptureEnabled } from "../config/enabled.ts";
import { createRedactor } from "../capture/redact.ts";
import { createFaceMemory } from "../recall/face_memory.ts";
import { buildRecallBlockDetailed } from "../recall/recall_block.ts";
import { recallSettingsOf } from "../recall/settings.ts";
import { openCoolDown } from "./cool_down.ts";
import { openReadEngine, toReadResult, withoutThrowing } from "./read_engine.ts";
import { type ReadResult, silent, type StageContext } from "./stage.ts";

async function atPrompt(context: StageContext): Promise<ReadResult> {
  const { config, host, input, peer, session } = context;
  const { settings, agentHome } = config;
  const engine = await openReadEngine(context, settings.recallBudgetMs);
  if (engine === undefined) return { result: silent("empty", "Nothing is remembered yet") };
  const { http, breaker, targetId } = engine;
  // A server keeps its own record of what it showed.
  const cools = settings.recallDedupTurns > 0 && config.connection.engine === "local";
  const coolDown = cools
    ? openCoolDown(host.runtime, agentHome, session, settings.recallDedupTurns)
    : undefined;
  const block = await buildRecallBlockDetailed({
    enabled: true,
    http,
    prompt: input.prompt ?? "",
    session,
    peer,
    settings: recallSettingsOf(config),
    mayCreateSession: isCaptureEnabled(config),
    ...(coolDown === undefined ? {} : { excludeUris: coolDown.recent }),
    // Asked of the embedded engine, the query never leaves this process and is kept nowhere.
    redact: createRedactor({
      enabled: settings.redact && config.connection.engine === "server",
      patterns: settings.redactPatterns,
      secrets: [config.connection.apiKey],
    }),
    ...(breaker === undefined ? {} : {
      breaker,
      faces: createFaceMemory({ runtime: host.runtime, agentHome, target: targetId }),
    }),
  });
  if (block.outcome === "ok") coolDown?.note(block.entries.map(({ uri }) => uri));
  return toReadResult(context, block);
}

/** Recalls at a prompt; never throws. */
export function recallAtPrompt(context: StageContext): Promise<ReadResult> {
  return withoutThrowing(() => atPrompt(context));
}
