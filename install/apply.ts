/**
 * Carries out planned edits of one host: all of them, or none.
 *
 * @module
 */
import type { Files, Runtime } from "../lib/runtime/types.ts";
import type { HostManifest, ManifestFile, ManifestPart } from "../lib/manifest.ts";
import { parseDocument } from "./json/document.ts";
import {
  asInstallError,
  type CurrentFile,
  locate,
  missingFolders,
  readCurrent,
  removeEmptyFolders,
  replaceCurrent,
} from "./state/current_file.ts";
import { sameJson, valueAt } from "./edit_json.ts";
import { planInstallFile, type PlannedEdit, planUninstallFile } from "./plan.ts";
import type { FileRecord, HostInstallation } from "./state/record.ts";
import { InstallError, type InstallFailure } from "./types.ts";

/** A planned edit that can be planned anew when its file has changed meanwhile. */
export interface HostEdit {
  readonly edit: PlannedEdit;
  readonly again: (file: CurrentFile) => PlannedEdit;
}

/** One host's plan. */
export interface HostPlan {
  readonly edits: readonly HostEdit[];
  readonly warnings: readonly string[];
}

/** Everything a host's plan is made from. */
export interface HostPlanInput {
  readonly runtime: Runtime;
  readonly home: string;
  readonly launcher: string;
  readonly manifest: HostManifest;
  readonly known: HostInstallation | undefined;
}

function pathOf(input: HostPlanInput, file: ManifestFile): string {
  const { runtime, home } = input;
  return locate(runtime.files, (name) => runtime.env(name), home, file.location);
}

/**
 * Plans an installation: reads and parses every file of the host first.
 *
 * @throws {InstallError} for the first file that stands in the way.
 */
export function planHostInstall(input: HostPlanInput, parts: readonly ManifestPart[]): HostPlan {
  const { files } = input.runtime;
  const edits = input.manifest.files.map((manifest): HostEdit => {
    const path = pathOf(input, manifest);
    const record = input.known?.files.find((file) => file.path === path);
    const again = (file: CurrentFile) =>
      planInstallFile({
        file,
        manifest,
        parts,
        launcher: input.launcher,
        record,
        missingFolders: missingFolders(files, file.target),
      });
    return { edit: again(readCurrent(files, path)), again };
  });
  const warnings = [
    ...edits.flatMap(({ edit }) => edit.warnings),
    ...(parts.includes("hooks") ? conflictsOf(input) : []),
  ];
  return { edits, warnings };
}

/** Other installations of ours that are active beside this one. */
function conflictsOf(input: HostPlanInput): string[] {
  const { runtime, home, manifest } = input;
  return manifest.conflicts.filter((conflict) => {
    const path = locate(runtime.files, (name) => runtime.env(name), home, conflict.location);
    const { text } = readCurrent(runtime.files, path);
    if (text === undefined || text.trim() === "") return false;
    const value = valueAt(parseDocument(path, text), conflict.path);
    return value !== undefined && sameJson(value, conflict.value);
  }).map((conflict) => conflict.message);
}

/**
 * Plans taking everything of ours out of a host's files, those of an earlier configuration folder included.
 *
 * @throws {InstallError} for the first file that stands in the way.
 */
export function planHostUninstall(input: HostPlanInput): HostPlan {
  const { files } = input.runtime;
  const searched = input.manifest.files.flatMap((file) => file.searched);
  const paths = new Set([
    ...input.manifest.files.map((file) => pathOf(input, file)),
    ...input.known?.files.map((file) => file.path) ?? [],
  ]);
  const edits = [...paths].map((path): HostEdit => {
    const record = input.known?.files.find((file) => file.path === path);
    const again = (file: CurrentFile) => planUninstallFile(file, { searched }, record);
    return { edit: again(readCurrent(files, path)), again };
  });
  return { edits, warnings: [] };
}

/** What became of a host. After a failure its files are as they were, unless `restored` is false. */
export type Applied =
  | { readonly ok: true; readonly records: readonly FileRecord[] }
  | { readonly ok: false; readonly failure: InstallFailure; readonly restored: boolean };

/**
 * Writes a host's files. A file that changed since it was planned is planned again, so that nothing
 * a host wrote meanwhile is lost.
 */
export function applyHost(files: Files, plan: HostPlan): Applied {
  const written: { readonly before: CurrentFile; readonly edit: PlannedEdit }[] = [];
  const records: FileRecord[] = [];
  try {
    for (const { edit: planned, again } of plan.edits) {
      const now = readCurrent(files, planned.path);
      const edit = now.text === planned.before.text ? planned : again(now);
      if (edit.action !== "none") {
        written.push({ before: now, edit });
        replaceCurrent(files, edit.before, edit.after);
        if (edit.after === undefined && edit.record !== undefined) {
          removeEmptyFolders(files, edit.record.folders);
        }
      }
      if (edit.record !== undefined) records.push(edit.record);
    }
    return { ok: true, records };
  } catch (error) {
    const cause = asInstallError(error);
    if (!(cause instanceof InstallError)) throw error;
    const stuck = rollBack(files, written);
    if (stuck.length === 0) return { ok: false, failure: cause.failure, restored: true };
    const failure = {
      ...cause.failure,
      message: `${cause.failure.message}; ${stuck.join(", ")} could not be put back`,
      fix: "Run uninstall for this host once its files can be written",
    };
    return { ok: false, failure, restored: false };
  }
}

/** Puts the written files back; returns those that could not be. */
function rollBack(
  files: Files,
  written: readonly { readonly before: CurrentFile; readonly edit: PlannedEdit }[],
): string[] {
  const stuck: string[] = [];
  for (const { before, edit } of written.toReversed()) {
    try {
      if (readCurrent(files, before.path).text !== before.text) {
        replaceCurrent(files, before, before.text);
      }
      if (before.text === undefined && edit.record !== undefined) {
        removeEmptyFolders(files, edit.record.folders);
      }
    } catch {
      stuck.push(before.path);
    }
  }
  return stuck;
}
