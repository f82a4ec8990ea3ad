/**
 * The reading half of a session start: profile, preferences, and where the project stopped.
 *
 * @module
 */
import { readLastSession } from "../outbox/last_session.ts";
import { buildProfileBlockDetailed } from "../recall/profile.ts";
import { endCoolDown } from "./cool_down.ts";
import { openReadEngine, toReadResult, withoutThrowing } from "./read_engine.ts";
import { type ReadResult, silent, type StageContext } from "./stage.ts";

async function atSessionStart(context: StageContext): Promise<ReadResult> {
  const { config, host, input, peer, session } = context;
  const { settings, agentHome } = config;
  if (settings.noAutoInject) return { result: silent("disabled", "noAutoInject is true") };
  const engine = await openReadEngine(context, settings.sessionStartBudgetMs);
  if (engine === undefined) return { result: silent("empty", "Nothing is remembered yet") };
  if (settings.recallDedupTurns > 0) endCoolDown(host.runtime, agentHome, session);
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
  return toReadResult(context, block);
}

/** Builds what a session starts with; never throws. */
export function profileAtStart(context: StageContext): Promise<ReadResult> {
  return withoutThrowing(() => atSessionStart(context));
}
