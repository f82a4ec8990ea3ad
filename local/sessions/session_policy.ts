/**
 * Policies a client may set on a session.
 *
 * @module
 */
import type { AutoCommitPolicy } from "./session_row.ts";
import { invalidArgument, validationError } from "../wire.ts";

/** Default and largest value of each threshold (server 0.5.2). */
const AUTO_COMMIT: readonly (readonly [keyof AutoCommitPolicy, number, number])[] = [
  ["pending_token_threshold", 150_000, 1_000_000],
  ["message_count_threshold", 100, 1000],
  ["idle_timeout_seconds", 86_400, 604_800],
  ["keep_recent_count", 0, 1000],
  ["min_commit_interval_seconds", 0, 604_800],
];

const MEMORY_TYPES: ReadonlySet<string> = new Set(
  "profile preferences entities events identity soul cases experiences trajectories tools skills"
    .split(" "),
);

/** Reads `auto_commit_policy`: null switches it off, absent fields get defaults, large ones are clamped. */
export function readAutoCommitPolicy(value: unknown): AutoCommitPolicy | null {
  const loc = ["body", "auto_commit_policy"];
  if (value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) {
    throw validationError(
      loc,
      "Input should be a valid dictionary or object to extract fields from",
      "model_attributes_type",
    );
  }
  const given = value as Record<string, unknown>;
  for (const key of Object.keys(given)) {
    if (!AUTO_COMMIT.some(([known]) => known === key)) {
      throw validationError([...loc, key], "Extra inputs are not permitted", "extra_forbidden");
    }
    if (typeof given[key] !== "number" || !Number.isInteger(given[key])) {
      throw validationError(
        loc,
        "Value error, auto_commit_policy fields must be integers; use auto_commit_policy=null to disable automatic commits",
        "value_error",
      );
    }
  }
  const idle = given["idle_timeout_seconds"];
  if (typeof idle === "number" && idle !== 0 && idle < 300) {
    throw validationError(
      [...loc, "idle_timeout_seconds"],
      "Value error, auto_commit_policy.idle_timeout_seconds must be 0 or at least 300",
      "value_error",
    );
  }
  const read = AUTO_COMMIT.map(([key, fallback, max]) => {
    const number = given[key];
    return [key, typeof number === "number" ? Math.min(Math.max(number, 0), max) : fallback];
  });
  return Object.fromEntries(read) as AutoCommitPolicy;
}

/** Reads `memory_policy`: kept as sent; only its `working_memory` has an effect here. */
export function readMemoryPolicy(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw validationError(
      ["body", "memory_policy"],
      "Input should be a valid dictionary",
      "dict_type",
    );
  }
  const types = (value as { memory_types?: unknown }).memory_types;
  const unknown = Array.isArray(types) ? types.filter((type) => !MEMORY_TYPES.has(type)) : [];
  if (unknown.length > 0) {
    throw invalidArgument(`Unknown memory_policy.memory_types: ${unknown.join(", ")}`);
  }
  return value;
}
