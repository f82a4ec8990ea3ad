/**
 * `install`, `uninstall` and `upgrade` as functions with structured results; the command line asks
 * and prints. None of them throws for a reason a person can mend: the report holds it.
 *
 * @module
 */
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import type { HarnessKey } from "../lib/config/types.ts";
import type { ManifestPart } from "../lib/manifest.ts";
import { VERSION } from "../lib/version.ts";
import { detectHost } from "./detect.ts";
import { installFailureOf } from "./candidate.ts";
import { installHosts } from "./install.ts";
import { MANIFESTS } from "./manifests.ts";
import { type Places, placesOf } from "./state/places.ts";
import { readRecord } from "./state/record.ts";
import type {
  InstallFailure,
  InstallOptions,
  InstallReport,
  UninstallOptions,
  UninstallReport,
  UpgradeOptions,
  UpgradeReport,
} from "./types.ts";
import { uninstallHosts } from "./uninstall.ts";

const PARTS: Readonly<Record<"all" | "hooks" | "mcp", readonly ManifestPart[]>> = {
  all: ["hooks", "mcp"],
  hooks: ["hooks"],
  mcp: ["mcp"],
};

function placesOrFailure(runtime: ProcessRuntime): Places | InstallFailure {
  try {
    return placesOf(runtime);
  } catch (error) {
    return installFailureOf(error);
  }
}

function failedInstall(error: InstallFailure, dryRun: boolean): InstallReport {
  return { version: VERSION, ok: false, dryRun, hosts: [], edits: [], warnings: [], error };
}

/**
 * Installs for hosts: program, launcher, `plugin.engine`, and each host's entries. A second run
 * changes nothing. One host's failure leaves that host as it was and the others installed.
 */
export async function runInstall(
  runtime: ProcessRuntime,
  options: InstallOptions,
): Promise<InstallReport> {
  const dryRun = options.dryRun ?? false;
  const places = placesOrFailure(runtime);
  if ("code" in places) return failedInstall(places, dryRun);
  const manifests = options.manifests ?? MANIFESTS;
  const ids = options.hosts === "detected"
    ? manifests.filter((m) => detectHost(runtime, places.home, m).detected).map((m) => m.id)
    : options.hosts;
  return await installHosts(runtime, {
    places,
    manifests,
    hosts: new Map(ids.map((id) => [id, PARTS[options.parts ?? "all"]])),
    connection: {
      ...(options.engine === undefined ? {} : { engine: options.engine }),
      ...(options.server === undefined ? {} : { server: options.server }),
      ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    },
    dryRun,
    bundles: options.bundles,
    lockWaitMs: options.lockWaitMs,
  });
}

/**
 * Takes the hosts' entries out; the program too when no host is left. Credentials, memory and queue
 * stay unless `purge` is given, which also needs that no host is left.
 */
export async function runUninstall(
  runtime: ProcessRuntime,
  options: UninstallOptions,
): Promise<UninstallReport> {
  const dryRun = options.dryRun ?? false;
  const places = placesOrFailure(runtime);
  if ("code" in places) return { ...failedInstall(places, dryRun), losses: [] };
  return await uninstallHosts(runtime, {
    places,
    manifests: options.manifests ?? MANIFESTS,
    hosts: options.hosts,
    purge: options.purge ?? false,
    dryRun,
    lockWaitMs: options.lockWaitMs,
  });
}

/** Installs the running version over the installed one, for the same hosts and parts. */
export async function runUpgrade(
  runtime: ProcessRuntime,
  options: UpgradeOptions,
): Promise<UpgradeReport> {
  const dryRun = options.dryRun ?? false;
  const places = placesOrFailure(runtime);
  if ("code" in places) return { ...failedInstall(places, dryRun), from: null };
  const read = readRecord(runtime.files, places.agent);
  if (read.state !== "found") {
    const state = read.state === "none" ? "nothing is installed" : read.reason;
    const fix = "Run install with the hosts you want";
    const message = `Cannot upgrade: ${state}`;
    return { ...failedInstall({ code: "not-installed", message, fix }, dryRun), from: null };
  }
  const { record } = read;
  const from = record.version;
  const isOlder = compareVersions(VERSION, from) < 0;
  if (isOlder && options.allowDowngrade !== true) {
    return { ...failedInstall(downgrade(from), dryRun), from };
  }
  const hosts = Object.entries(record.hosts) as [HarnessKey, { parts: readonly ManifestPart[] }][];
  const report = await installHosts(runtime, {
    places,
    manifests: options.manifests ?? MANIFESTS,
    hosts: new Map(hosts.map(([id, { parts }]) => [id, parts])),
    connection: {},
    dryRun,
    bundles: options.bundles,
    lockWaitMs: options.lockWaitMs,
  });
  return isOlder
    ? { ...report, from, warnings: [...report.warnings, downgrade(from).message] }
    : { ...report, from };
}

function downgrade(from: string): InstallFailure {
  return {
    code: "downgrade",
    message:
      `Version ${VERSION} is older than the installed ${from}: queue and embedded memory that ${from} wrote may be unreadable for it`,
    fix: "Drain or export the queue first, then confirm the downgrade",
  };
}

/** Order of two semantic versions; a pre-release comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => {
    const [, core = "", rest = ""] = /^([\d.]*)(?:-([^+]*))?/.exec(version) ?? [];
    return { numbers: core.split(".").map(Number), rest };
  }) as [{ numbers: number[]; rest: string }, { numbers: number[]; rest: string }];
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.rest === right.rest) return 0;
  if (left.rest === "" || right.rest === "") return left.rest === "" ? 1 : -1;
  return left.rest.localeCompare(right.rest, "en", { numeric: true });
}
