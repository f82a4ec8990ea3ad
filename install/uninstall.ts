/**
 * Takes out what install wrote, and nothing else. Never needs the network.
 *
 * Host files go first, so that nothing names a program that is gone; the program follows when no
 * host is left; memory, queue and credentials stay unless they are purged.
 *
 * @module
 */
import type { Files, ProcessRuntime } from "../lib/runtime/types.ts";
import type { HarnessKey } from "../lib/config/types.ts";
import type { HostManifest } from "../lib/manifest.ts";
import { AGENT_LAYOUT } from "../lib/config/paths.ts";
import { VERSION } from "../lib/version.ts";
import { applyHost, type HostPlanInput, planHostUninstall } from "./apply.ts";
import {
  type Candidate,
  installFailureOf,
  isFailure,
  NOT_DETECTED,
  reportOf,
} from "./candidate.ts";
import { readCurrent, removeEmptyFolders, replaceCurrent } from "./state/current_file.ts";
import { detectHost } from "./detect.ts";
import { planConnectionRemoval } from "./ovcli.ts";
import { LOCK_NAME, lockInstallation, type Places } from "./state/places.ts";
import { launcherPath, PROGRAM_NAMES } from "./program/deploy.ts";
import { stopWorkers } from "./program/workers.ts";
import { type Installation, readRecord, RECORD_NAME, writeRecord } from "./state/record.ts";
import type { EditReport, HostReport, InstallFailure, Loss, UninstallReport } from "./types.ts";

/** What to take out. */
export interface UninstallRequest {
  readonly places: Places;
  readonly manifests: readonly HostManifest[];
  readonly hosts: readonly HarnessKey[] | "installed";
  readonly purge: boolean;
  readonly dryRun: boolean;
  readonly lockWaitMs: number | undefined;
}

function planAll(
  runtime: ProcessRuntime,
  request: UninstallRequest,
  record: Installation | undefined,
): Candidate[] {
  const { places, manifests, hosts } = request;
  const recorded = Object.keys(record?.hosts ?? {}) as HarnessKey[];
  const named = hosts === "installed"
    ? [...new Set([...manifests.map((manifest) => manifest.id), ...recorded])]
    : hosts;
  const candidates = named.map((id): Candidate => {
    const manifest = manifests.find((m) => m.id === id);
    if (manifest === undefined) {
      const plan = recorded.includes(id) ? unknownHost(id) : { edits: [], warnings: [] };
      return { id, detection: NOT_DETECTED, plan };
    }
    const detection = detectHost(runtime, places.home, manifest);
    const input: HostPlanInput = {
      runtime,
      home: places.home,
      launcher: launcherPath(places.agent),
      manifest,
      known: record?.hosts[id],
    };
    try {
      return { id, detection, plan: planHostUninstall(input) };
    } catch (error) {
      return { id, detection, plan: installFailureOf(error) };
    }
  });
  if (hosts !== "installed") return candidates;
  return candidates.filter(({ id, plan }) =>
    record?.hosts[id] !== undefined || isFailure(plan) ||
    plan.edits.some(({ edit }) => edit.action !== "none")
  );
}

/** A newer program installed for this host: its files are not ours to guess. */
function unknownHost(id: HarnessKey): InstallFailure {
  return {
    code: "unsupported-host",
    message: `Cannot uninstall from ${id}: this version does not know that host`,
    fix: "Run uninstall with the version that was installed",
  };
}

/** The parts of a report that grow while the work goes on. */
interface Progress {
  hosts: readonly HostReport[];
  edits: readonly EditReport[];
  warnings: string[];
  losses: readonly Loss[];
}

/** Uninstalls, or only tells what would be done. Expected failures are in the report. */
export async function uninstallHosts(
  runtime: ProcessRuntime,
  request: UninstallRequest,
): Promise<UninstallReport> {
  const progress: Progress = { hosts: [], edits: [], warnings: [], losses: [] };
  let error: InstallFailure | undefined;
  try {
    error = await work(runtime, request, progress);
  } catch (cause) {
    error = installFailureOf(cause);
  }
  return {
    version: VERSION,
    ok: error === undefined && progress.hosts.every((host) => host.error === undefined),
    dryRun: request.dryRun,
    ...progress,
    ...(error === undefined ? {} : { error }),
  };
}

async function work(
  runtime: ProcessRuntime,
  request: UninstallRequest,
  progress: Progress,
): Promise<InstallFailure | undefined> {
  const { files } = runtime;
  const { agent } = request.places;
  const isThere = files.stat(agent) !== undefined;
  const lock = request.dryRun || !isThere
    ? undefined
    : await lockInstallation(runtime, agent, request.lockWaitMs);
  try {
    const read = readRecord(files, agent);
    if (read.state === "unreadable") {
      progress.warnings.push(
        `The record of the installation cannot be used: ${read.reason}. Entries of ours are found without it, empty sections may stay`,
      );
    }
    const record = read.state === "found" ? read.record : undefined;
    const candidates = planAll(runtime, request, record);
    const reports = candidates.map((candidate): HostReport => {
      if (request.dryRun || isFailure(candidate.plan)) return reportOf(candidate);
      const applied = applyHost(files, candidate.plan);
      return reportOf(candidate, applied.ok ? undefined : applied.failure);
    });
    progress.hosts = reports;
    progress.warnings.push(...reports.flatMap((report) => report.warnings));
    const left = hostsLeft(record, reports);
    if (record !== undefined && !request.dryRun) {
      const hosts = Object.fromEntries(
        Object.entries(record.hosts).filter(([id]) => left.includes(id)),
      );
      writeRecord(files, agent, { ...record, hosts });
    }
    if (left.length > 0) {
      return request.purge ? stillInUse(left) : undefined;
    }
    if (isThere) await removeProgram(runtime, request, record, progress);
    return undefined;
  } finally {
    lock?.release();
  }
}

/** Hosts that still need the program: recorded and not taken out, or taken out in vain. */
function hostsLeft(record: Installation | undefined, reports: readonly HostReport[]): string[] {
  const gone = reports.filter((report) => report.error === undefined).map(({ id }) => id);
  const failed = reports.filter((report) => report.error !== undefined).map(({ id }) => id);
  const recorded = Object.keys(record?.hosts ?? {}) as HarnessKey[];
  return [...new Set([...recorded, ...failed])].filter((id) => !gone.includes(id));
}

function stillInUse(hosts: readonly string[]): InstallFailure {
  return {
    code: "invalid-option",
    message: `Cannot purge: ${hosts.join(", ")} still uses this program`,
    fix: "Uninstall with --all --purge",
  };
}

/** Everything that is in force only for hosts: workers, program, `plugin.engine`; with purge all the rest. */
async function removeProgram(
  runtime: ProcessRuntime,
  request: UninstallRequest,
  record: Installation | undefined,
  progress: Progress,
): Promise<void> {
  const { files } = runtime;
  const { agent, home } = request.places;
  const edits: EditReport[] = [];
  const remove = (path: string, reason: string) => {
    if (files.lstat(path) === undefined) return;
    edits.push({ path, action: "remove", reason });
    if (!request.dryRun) files.removeTree(path);
  };
  progress.edits = edits;
  const standard = isSameFolder(files, agent, `${home}/.openviking/agent`);
  const isOurs = (name: string) => standard || nameOfData(name) !== undefined;
  if (request.purge) progress.losses = lossesOf(files, agent, isOurs);
  if (!request.dryRun) {
    const stuck = await stopWorkers(runtime, agent);
    if (stuck.length > 0) progress.warnings.push(`Workers that did not end: ${stuck.join(", ")}`);
  }
  if (record?.engine !== undefined) {
    const plan = planConnectionRemoval(
      readCurrent(files, record.engine.file.path),
      record.engine,
    );
    if (plan.action !== "none") {
      edits.push({ path: plan.path, action: plan.action, reason: plan.reason });
      if (!request.dryRun) {
        replaceCurrent(files, plan.before, plan.after);
        if (plan.after === undefined) removeEmptyFolders(files, record.engine.file.folders);
      }
    }
  }
  for (const name of PROGRAM_NAMES) remove(`${agent}/${name}`, "the program");
  if (request.purge) {
    for (const name of files.list(agent).sort()) {
      if (name === RECORD_NAME || name === LOCK_NAME || PROGRAM_NAMES.includes(name)) continue;
      if (isOurs(name)) {
        remove(`${agent}/${name}`, nameOfData(name) ?? "other data of ours");
      } else progress.warnings.push(`${agent}/${name} is not known and stays`);
    }
  }
  remove(`${agent}/${RECORD_NAME}`, "the record of the installation");
  remove(`${agent}/${LOCK_NAME}`, "the lock of the installation");
  if (!request.dryRun) {
    const above = (record?.folders ?? []).filter((folder) => folder !== agent);
    removeEmptyFolders(files, [...above, agent]);
  }
}

/** The launcher names the agent home without links, whatever HOME leads through. */
function isSameFolder(files: Files, one: string, other: string): boolean {
  return one === other ||
    files.stat(other) !== undefined && files.realPath(one) === files.realPath(other);
}

const DATA: Readonly<Record<string, string>> = {
  [AGENT_LAYOUT.outbox]: "messages that were not delivered yet",
  [AGENT_LAYOUT.localDatabase.split("/")[0] ?? ""]: "the embedded engine's memory",
  [AGENT_LAYOUT.state]: "outcomes and bypassed sessions",
  [AGENT_LAYOUT.logs]: "logs",
  [AGENT_LAYOUT.workspaces]: "the registry of workspaces",
  [AGENT_LAYOUT.bypass]: "where nothing is remembered",
};

/** What a name in an agent home holds that is not the program. */
function nameOfData(name: string): string | undefined {
  return DATA[name];
}

/** What of ours is below an agent home beside the program, with its size. */
function lossesOf(files: Files, agent: string, isOurs: (name: string) => boolean): Loss[] {
  const program = new Set([...PROGRAM_NAMES, RECORD_NAME, LOCK_NAME]);
  return files.list(agent).filter((name) => !program.has(name) && isOurs(name)).sort().map(
    (name) => {
      const path = `${agent}/${name}`;
      const size = { files: 0, bytes: 0 };
      const measure = (at: string) => {
        const stat = files.lstat(at);
        if (stat?.kind === "directory") {
          files.list(at).forEach((child) => measure(`${at}/${child}`));
        } else if (stat !== undefined) {
          size.files++;
          size.bytes += stat.size;
        }
      };
      measure(path);
      return { path, what: nameOfData(name) ?? "other data of ours", ...size };
    },
  );
}
