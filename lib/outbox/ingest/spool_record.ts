/**
 * Reads a spool file back. Only what hooks of ours wrote is one.
 *
 * @module
 */
import type { SpoolRecord } from "../types.ts";

const DEFAULTS: SpoolRecord["settings"] = {
  captureAssistantTurns: true,
  captureToolMaxChars: 1_000_000,
  captureMaxLength: 0,
  redact: true,
  redactPatterns: [],
  commitTokenThreshold: 20_000,
  commitKeepRecentCount: 10,
};

/** The record, or `undefined` when the text is none. */
export function parseSpoolRecord(json: string): SpoolRecord | undefined {
  let value: Partial<SpoolRecord> | null;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || value.version !== 1) return undefined;
  if (typeof value.session !== "string" || value.session === "") return undefined;
  if (typeof value.host !== "string" || typeof value.at !== "string") return undefined;
  return {
    ...(value as SpoolRecord),
    event: String(value.event ?? ""),
    cwd: typeof value.cwd === "string" ? value.cwd : "",
    settings: { ...DEFAULTS, ...value.settings },
  };
}
