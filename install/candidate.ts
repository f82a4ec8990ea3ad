/**
 * A host on its way through a run: its plan, or why there is none, and what is reported of it.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { HostPlan } from "./apply.ts";
import type { Detection } from "./detect.ts";
import { asInstallError } from "./state/current_file.ts";
import { type HostReport, InstallError, type InstallFailure } from "./types.ts";

/** One host's place in a run. */
export interface Candidate {
  readonly id: HarnessKey;
  readonly detection: Detection;
  readonly plan: HostPlan | InstallFailure;
}

/** A host that was not looked for. */
export const NOT_DETECTED: Detection = { detected: false, version: null };

/** True when there is no plan. */
export function isFailure(plan: HostPlan | InstallFailure): plan is InstallFailure {
  return "code" in plan;
}

/** The failure of an {@linkcode InstallError} or of a failed file operation; other errors pass. */
export function installFailureOf(error: unknown): InstallFailure {
  const known = asInstallError(error);
  if (known instanceof InstallError) return known.failure;
  throw error;
}

/** What is told of a host; `failure` is why its plan could not be carried out. */
export function reportOf({ id, detection, plan }: Candidate, failure?: InstallFailure): HostReport {
  const error = failure ?? (isFailure(plan) ? plan : undefined);
  const edits = isFailure(plan) || failure !== undefined ? [] : plan.edits;
  return {
    id,
    ...detection,
    edits: edits.map(({ edit: { path, action, reason } }) => ({ path, action, reason })),
    warnings: isFailure(plan) ? [] : plan.warnings,
    ...(error === undefined ? {} : { error }),
  };
}
