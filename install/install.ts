/**
 * Installation of several hosts: everything is read, planned and built before anything is written.
 *
 * The order of writing makes an interruption harmless: the program first (nothing names it yet), then
 * the record that can undo both the old and the new form, then ovcli.conf, then one host after the
 * other, then the final record. What fails before a host was written, or leaves no host, is taken back.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { Files, ProcessRuntime } from "../lib/runtime/types.ts";
import type { HostManifest, ManifestPart } from "../lib/manifest.ts";
import { normaliseUrl } from "../lib/config/url.ts";
import { VERSION } from "../lib/version.ts";
import {
  type Candidate,
  installFailureOf,
  isFailure,
  NOT_DETECTED,
  reportOf,
} from "./candidate.ts";
import { applyHost, type HostPlan, planHostInstall } from "./apply.ts";
import {
  asInstallError,
  missingFolders,
  readCurrent,
  removeEmptyFolders,
  replaceCurrent,
} from "./state/current_file.ts";
import { detectHost } from "./detect.ts";
import { type ConnectionChoice, type EnginePlan, planConnection } from "./ovcli.ts";
import { LOCK_NAME, lockInstallation, type Places } from "./state/places.ts";
import { deploy, launcherPath, pruneOld, readPointer } from "./program/deploy.ts";
import { type Earlier, lookEarlier, takeBack } from "./program/take_back.ts";
import {
  type HostInstallation,
  type Installation,
  mergeFileRecords,
  readRecord,
  writeRecord,
} from "./state/record.ts";
import {
  type Bundles,
  type BundleSource,
  type EditReport,
  type HostReport,
  InstallError,
  type InstallFailure,
  type InstallReport,
} from "./types.ts";

/** What to install where. */
export interface InstallRequest {
  readonly places: Places;
  readonly manifests: readonly HostManifest[];
  readonly hosts: ReadonlyMap<HarnessKey, readonly ManifestPart[]>;
  readonly connection: ConnectionChoice;
  readonly dryRun: boolean;
  readonly bundles: BundleSource;
  readonly lockWaitMs: number | undefined;
}

/** A host that shall be installed. */
interface InstallCandidate extends Candidate {
  readonly parts: readonly ManifestPart[];
}

/** Everything a run will write but for the program. */
interface WholePlan {
  readonly known: Installation | undefined;
  readonly warnings: readonly string[];
  readonly connection: EnginePlan;
  readonly candidates: readonly InstallCandidate[];
}

/** `value` with its URL in normal form and its key checked. */
function checkedChoice(choice: ConnectionChoice): ConnectionChoice {
  const refuse = (message: string, fix: string) =>
    new InstallError({ code: "invalid-option", message, fix });
  if (choice.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(choice.apiKey)) {
    throw refuse("Cannot use the API key: it is empty or holds a blank", "Give the key alone");
  }
  if (choice.server === undefined) return choice;
  const url = normaliseUrl(choice.server);
  if (url.ok) return { ...choice, server: url.url };
  throw refuse(
    `Cannot use the server URL: ${url.why}`,
    "Give a URL such as http://127.0.0.1:1933",
  );
}

function planAll(runtime: ProcessRuntime, request: InstallRequest): WholePlan {
  const { files } = runtime;
  const { places } = request;
  const read = readRecord(files, places.agent);
  const known = read.state === "found" ? read.record : undefined;
  const ovcli = readCurrent(files, places.ovcli);
  const connection = planConnection(
    ovcli,
    request.connection,
    known?.engine?.file.path === ovcli.path ? known.engine : undefined,
    missingFolders(files, ovcli.target),
  );
  const candidates = [...request.hosts].map(([id, parts]): InstallCandidate => {
    const manifest = request.manifests.find((m) => m.id === id);
    if (manifest === undefined) {
      return { id, parts, detection: NOT_DETECTED, plan: unsupported(id) };
    }
    const detection = detectHost(runtime, places.home, manifest);
    const input = {
      runtime,
      home: places.home,
      launcher: launcherPath(places.agent),
      manifest,
      known: known?.hosts[id],
    };
    try {
      return { id, parts, detection, plan: planHostInstall(input, parts) };
    } catch (error) {
      return { id, parts, detection, plan: installFailureOf(error) };
    }
  });
  return {
    known,
    warnings: read.state === "unreadable"
      ? [`The record of the last installation cannot be used: ${read.reason}`]
      : [],
    connection,
    candidates,
  };
}

function unsupported(id: HarnessKey): InstallFailure {
  return {
    code: "unsupported-host",
    message: `Cannot install for ${id}: this version does not know that host yet`,
    fix: "Leave it out, or upgrade",
  };
}

function finish(
  request: InstallRequest,
  plan: Pick<WholePlan, "warnings"> | undefined,
  hosts: readonly HostReport[],
  edits: readonly EditReport[],
  error?: InstallFailure,
): InstallReport {
  return {
    version: VERSION,
    ok: error === undefined && hosts.every((host) => host.error === undefined),
    dryRun: request.dryRun,
    hosts,
    edits,
    warnings: plan?.warnings ?? [],
    ...(error === undefined ? {} : { error }),
  };
}

function connectionEdit({ path, action, reason }: EnginePlan): EditReport {
  return { path, action, reason };
}

/** Installs, or only tells what would be done. Expected failures are in the report. */
export async function installHosts(
  runtime: ProcessRuntime,
  request: InstallRequest,
): Promise<InstallReport> {
  let plan: WholePlan | undefined;
  try {
    const checked = { ...request, connection: checkedChoice(request.connection) };
    plan = planAll(runtime, checked);
    const reports = plan.candidates.map((candidate) => reportOf(candidate));
    if (request.dryRun) {
      const launcher = launcherPath(request.places.agent);
      const program: EditReport = {
        path: launcher,
        action: runtime.files.stat(launcher) === undefined ? "create" : "edit",
        reason: `starts version ${VERSION}`,
      };
      return finish(checked, plan, reports, [program, connectionEdit(plan.connection)]);
    }
    if (reports.every((host) => host.error !== undefined)) {
      return finish(checked, plan, reports, []); // nobody is left who would use the program
    }
    return await write(runtime, checked, await request.bundles.load());
  } catch (error) {
    return finish(request, plan, [], [], installFailureOf(error));
  }
}

/** Writes under the lock what is planned anew under it. */
async function write(
  runtime: ProcessRuntime,
  request: InstallRequest,
  bundles: Bundles,
): Promise<InstallReport> {
  const { files } = runtime;
  const { agent } = request.places;
  const folders = missingFolders(files, `${agent}/${VERSION}`);
  const hadLock = files.stat(`${agent}/${LOCK_NAME}`) !== undefined;
  files.makeDir(agent);
  const lock = await lockInstallation(runtime, agent, request.lockWaitMs);
  let earlier: Earlier | undefined;
  let connection: EnginePlan | undefined;
  const progress: Progress = { hostsBegun: false, inUse: false };
  try {
    earlier = lookEarlier(files, agent, { folders, hadLock });
    const plan = planAll(runtime, request);
    // The plan tightens the mode; what is put back has its own.
    connection = { ...plan.connection, before: readCurrent(files, request.places.ovcli) };
    const before = readPointer(files, agent);
    const deployed = await deploy(runtime, agent, VERSION, bundles);
    const previous = before === undefined || before.program === deployed.program
      ? plan.known?.previous ?? null
      : before;
    const record: Installation = {
      schema: 1,
      version: VERSION,
      previous,
      hosts: plan.known?.hosts ?? {},
      ...(plan.known?.engine === undefined ? {} : { engine: plan.known.engine }),
      folders: folders.length > 0 ? folders : plan.known?.folders ?? [],
    };
    const reports = writeConfigurations(runtime, request, plan, record, progress);
    if (!progress.inUse) {
      const stuck = putBack(files, earlier, connection);
      const warnings = [...plan.warnings, notUsed(agent, stuck)];
      return finish(request, { warnings }, reports, []);
    }
    pruneOld(files, agent, [previous]);
    return finish(request, plan, reports, [...deployed.edits, connectionEdit(plan.connection)]);
  } catch (error) {
    const stuck = earlier === undefined || progress.hostsBegun
      ? []
      : putBack(files, earlier, connection);
    const cause = asInstallError(error);
    if (stuck.length === 0 || !(cause instanceof InstallError)) throw error;
    const message = `${cause.message}; ${stuck.join(", ")} could not be taken back`;
    throw new InstallError({ ...cause.failure, message }, error);
  } finally {
    lock.release();
  }
}

/** What became of the program when no host could be installed. */
function notUsed(agent: string, stuck: readonly string[]): string {
  const state = stuck.length === 0
    ? `nothing of this run stays in ${agent}`
    : `what could not be removed again stays: ${stuck.join(", ")}`;
  return `No host was installed, and ${state}. Correct the fault of the host, then run the command again`;
}

/** Takes everything of a run back; returns what is stuck. */
function putBack(files: Files, earlier: Earlier, connection: EnginePlan | undefined): string[] {
  return [...putConnectionBack(files, connection), ...takeBack(files, earlier)];
}

/** Gives ovcli.conf its text back unless somebody changed it meanwhile. */
function putConnectionBack(files: Files, connection: EnginePlan | undefined): string[] {
  if (connection === undefined || connection.action === "none") return [];
  const { path, before, after, record } = connection;
  try {
    if (readCurrent(files, path).text !== after) return [];
    replaceCurrent(files, before, before.text);
    if (before.text === undefined) removeEmptyFolders(files, record?.file.folders ?? []);
    return [];
  } catch {
    return [path];
  }
}

/** How far the writing came. */
interface Progress {
  /** True once a host's file may have been written. */
  hostsBegun: boolean;
  /** True when a host names the program. */
  inUse: boolean;
}

/** Record, ovcli.conf, hosts, record. */
function writeConfigurations(
  runtime: ProcessRuntime,
  request: InstallRequest,
  plan: WholePlan,
  start: Installation,
  progress: Progress,
): HostReport[] {
  const { files } = runtime;
  const { agent } = request.places;
  const { connection } = plan;
  let record: Installation = {
    ...start,
    ...(connection.record === undefined ? {} : { engine: connection.record }),
  };
  const planned = withPlanned(record, plan.candidates);
  writeRecord(files, agent, { ...record, hosts: planned });
  if (connection.action !== "none") replaceCurrent(files, connection.before, connection.after);
  const reports = plan.candidates.map((candidate): HostReport => {
    if (isFailure(candidate.plan)) return reportOf(candidate);
    progress.hostsBegun = true;
    const applied = applyHost(files, candidate.plan);
    if (!applied.ok) {
      const host = planned[candidate.id];
      if (!applied.restored && host !== undefined) {
        record = { ...record, hosts: { ...record.hosts, [candidate.id]: host } };
      }
      return reportOf(candidate, applied.failure);
    }
    const elsewhere = keptElsewhere(record.hosts[candidate.id], candidate.plan);
    const host: HostInstallation = {
      parts: candidate.parts,
      files: [...applied.records, ...elsewhere],
    };
    record = { ...record, hosts: { ...record.hosts, [candidate.id]: host } };
    return reportOf(candidate);
  });
  progress.inUse = Object.keys(record.hosts).length > 0;
  if (progress.inUse) writeRecord(files, agent, record);
  return reports;
}

/** Records of files that the host does not use at the moment, because its folder was moved. */
function keptElsewhere(
  known: HostInstallation | undefined,
  plan: HostPlan,
): HostInstallation["files"] {
  const paths = new Set(plan.edits.map(({ edit }) => edit.path));
  return known?.files.filter((file) => !paths.has(file.path)) ?? [];
}

/** The hosts as they were and as they will be, together. */
function withPlanned(
  record: Installation,
  candidates: readonly InstallCandidate[],
): Installation["hosts"] {
  const hosts = { ...record.hosts };
  for (const { id, parts, plan } of candidates) {
    if (isFailure(plan)) continue;
    const planned = plan.edits.flatMap(({ edit }) =>
      edit.record === undefined ? [] : [edit.record]
    );
    const known = hosts[id];
    hosts[id] = { parts, files: mergeFileRecords(known?.files ?? [], planned) };
  }
  return hosts;
}
