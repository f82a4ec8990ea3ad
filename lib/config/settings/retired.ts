/**
 * Names of earlier plugins that are recognised and have no effect, each with its reason.
 *
 * @module
 */

/** Why a name is not offered. */
export interface RetiredSetting {
  /** Environment variables that went with it. */
  readonly env: readonly string[];
  /** Why it has no effect. */
  readonly reason: string;
}

const COMPRESSION = "compression is not part of this version; what is found is given unchanged";
const TAKEOVER = "taking over the host's own context is not part of this version";

/** Retired setting names. */
export const RETIRED_SETTINGS: Readonly<Record<string, RetiredSetting>> = {
  captureMode: {
    env: ["OPENVIKING_CAPTURE_MODE"],
    reason: "everything said is kept; a filter by key words loses turns",
  },
  captureLastAssistantOnStop: {
    env: ["OPENVIKING_CAPTURE_LAST_ASSISTANT_ON_STOP"],
    reason: "it never had an effect; answers come from the transcript",
  },
  captureToolResults: {
    env: [],
    reason: "tool calls are kept with their results; captureToolMaxChars bounds them",
  },
  commitTurnThreshold: {
    env: ["OPENVIKING_COMMIT_TURN_THRESHOLD"],
    reason:
      "sessions are committed by commitTokenThreshold, at their end and when idle, on every host",
  },
  resumeArchiveMaxChars: {
    env: ["OPENVIKING_RESUME_ARCHIVE_MAX_CHARS"],
    reason: "resumeContextBudget says it in tokens",
  },
  logRankingDetails: { env: ["OPENVIKING_LOG_RANKING_DETAILS"], reason: "debug logs what matters" },
  logLevel: { env: [], reason: "debug logs what matters" },
  debugLogPath: {
    env: ["OPENVIKING_DEBUG_LOG", "OV_DEBUG_LOG"],
    reason: "hooks may write only below the agent folder; the log is in its `logs`",
  },
  skillExperience: {
    env: ["OPENVIKING_SKILL_EXPERIENCE"],
    reason: "no hook runs after a tool read",
  },
  skillExperienceLimit: {
    env: ["OPENVIKING_SKILL_EXPERIENCE_LIMIT"],
    reason: "no hook runs after a tool read",
  },
  repoContext: { env: [], reason: "the prompt is searched for in every project's memory anyway" },
  takeover: { env: [], reason: TAKEOVER },
  takeoverEnabled: { env: [], reason: TAKEOVER },
  recallCompress: { env: ["OPENVIKING_RECALL_COMPRESS"], reason: COMPRESSION },
  recallRewrite: { env: ["OPENVIKING_RECALL_REWRITE"], reason: COMPRESSION },
  recallCompressModel: { env: ["OPENVIKING_RECALL_COMPRESS_MODEL"], reason: COMPRESSION },
  recallCompressThinking: {
    env: ["OPENVIKING_RECALL_COMPRESS_THINKING", "OPENVIKING_RECALL_COMPRESS_REASONING_EFFORT"],
    reason: COMPRESSION,
  },
  recallCompressReasoningEffort: { env: [], reason: COMPRESSION },
  recallCompressBaseUrl: { env: ["OPENVIKING_RECALL_COMPRESS_BASE_URL"], reason: COMPRESSION },
  recallCompressTimeoutMs: { env: ["OPENVIKING_RECALL_COMPRESS_TIMEOUT_MS"], reason: COMPRESSION },
  recallCompressMinInputChars: {
    env: ["OPENVIKING_RECALL_COMPRESS_MIN_INPUT_CHARS"],
    reason: COMPRESSION,
  },
  recallCompressMaxInputChars: {
    env: ["OPENVIKING_RECALL_COMPRESS_MAX_INPUT_CHARS"],
    reason: COMPRESSION,
  },
  recallCompressMaxBullets: {
    env: ["OPENVIKING_RECALL_COMPRESS_MAX_BULLETS"],
    reason: COMPRESSION,
  },
  recallCompressDetectOnStartup: {
    env: ["OPENVIKING_RECALL_COMPRESS_DETECT_ON_STARTUP"],
    reason: COMPRESSION,
  },
  recallCompressDetectTimeoutMs: {
    env: ["OPENVIKING_RECALL_COMPRESS_DETECT_TIMEOUT_MS"],
    reason: COMPRESSION,
  },
  recallCompressDetectTtlMs: {
    env: ["OPENVIKING_RECALL_COMPRESS_DETECT_TTL_MS"],
    reason: COMPRESSION,
  },
};
