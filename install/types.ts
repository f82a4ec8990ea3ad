/**
 * Shapes of the installer: what goes in, what is planned, what is reported.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { HostManifest } from "../lib/manifest.ts";

/** The program as texts by file name: `hook-<host>.js`, `worker.js`, `mcp.js`, `cli.js`. */
export type Bundles = ReadonlyMap<string, string>;

/** Where the program comes from: a checkout builds it, an installed program copies itself. */
export interface BundleSource {
  /** Loads all bundles; throws {@linkcode InstallError} `build-failed` with the reason. */
  load(): Promise<Bundles>;
}

/** Why an installation, or one host of it, did not happen. */
export type InstallErrorCode =
  /** A file cannot be parsed, or holds a value of the wrong type where ours must go. */
  | "invalid-config"
  /** A file may not be written. */
  | "read-only"
  /** A file could not be read or written. */
  | "file"
  /** No manifest for this host in this version. */
  | "unsupported-host"
  | "unsupported-platform"
  /** HOME is not set and no agent home was named. */
  | "no-home"
  /** Another install or uninstall is running. */
  | "busy"
  | "build-failed"
  /** The runtime cannot be run from its place. */
  | "runtime"
  /** An option has a value that cannot be used. */
  | "invalid-option"
  /** Nothing is installed. */
  | "not-installed"
  /** An older program would replace a newer one. */
  | "downgrade";

/** A failure told to a person: what, where, and what to do next. */
export interface InstallFailure {
  readonly code: InstallErrorCode;
  /** `Cannot <action> <value>: <state>`, with file, line and column where there is one. */
  readonly message: string;
  readonly fix: string;
  readonly path?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Counted from 1, in characters. */
  readonly column?: number;
}

/** {@linkcode InstallFailure} as an error. */
export class InstallError extends Error {
  readonly failure: InstallFailure;
  constructor(failure: InstallFailure, cause?: unknown) {
    super(failure.message, { cause });
    this.name = "InstallError";
    this.failure = failure;
  }
}

/** What happens, or would happen, to one file. */
export interface EditReport {
  readonly path: string;
  readonly action: "create" | "edit" | "remove" | "none";
  /** One phrase for a person. */
  readonly reason: string;
}

/** One host's part of a report. */
export interface HostReport {
  readonly id: HarnessKey;
  readonly detected: boolean;
  /** Version of the host where its files tell it, else `null`. */
  readonly version: string | null;
  readonly edits: readonly EditReport[];
  /** What a person should know although it did not stop the installation. */
  readonly warnings: readonly string[];
  readonly error?: InstallFailure;
}

/** Result of `install`; printed as it is by `--json`. */
export interface InstallReport {
  /** Version of the program that was, or would be, installed. */
  readonly version: string;
  /** True when nothing failed. */
  readonly ok: boolean;
  readonly dryRun: boolean;
  readonly hosts: readonly HostReport[];
  /** ovcli.conf, and the folder of the program. */
  readonly edits: readonly EditReport[];
  readonly warnings: readonly string[];
  /** What stopped everything; no file of a host was changed then. */
  readonly error?: InstallFailure;
}

/** Something that `--purge` deletes for good. */
export interface Loss {
  readonly path: string;
  readonly what: string;
  readonly files: number;
  /** Bytes. */
  readonly bytes: number;
}

/** Result of `uninstall`. */
export interface UninstallReport {
  readonly version: string;
  readonly ok: boolean;
  readonly dryRun: boolean;
  readonly hosts: readonly HostReport[];
  readonly edits: readonly EditReport[];
  readonly warnings: readonly string[];
  /** What `--purge` removes or removed; empty without it. */
  readonly losses: readonly Loss[];
  readonly error?: InstallFailure;
}

/** Result of `upgrade`. */
export interface UpgradeReport extends InstallReport {
  /** Version before, `null` when its record tells none. */
  readonly from: string | null;
}

/** Which engine `plugin.engine` records. */
export type EngineChoice = "auto" | "server" | "local";

/** Options of `install`. */
export interface InstallOptions {
  /** Named hosts are installed whether detected or not; `detected` takes every one found here. */
  readonly hosts: readonly HarnessKey[] | "detected";
  /** @default "all" */
  readonly parts?: "all" | "hooks" | "mcp";
  /** Explicit choice; without one an earlier choice stays, else `auto`, or `server` with a URL. */
  readonly engine?: EngineChoice;
  /** http(s) URL written to ovcli.conf. */
  readonly server?: string;
  /** Written to ovcli.conf, never elsewhere; only with `server`. */
  readonly apiKey?: string;
  /** Plan and report only: nothing is built or written. @default false */
  readonly dryRun?: boolean;
  readonly bundles: BundleSource;
  /** @default every host this version knows */
  readonly manifests?: readonly HostManifest[];
  /** Milliseconds to wait for another installation to end. @default 60000 */
  readonly lockWaitMs?: number;
}

/** Options of `uninstall`. */
export interface UninstallOptions {
  /** `installed` is every host that our record or its own files name. */
  readonly hosts: readonly HarnessKey[] | "installed";
  /** Stops the workers and deletes memory, queue and state as well. @default false */
  readonly purge?: boolean;
  /** @default false */
  readonly dryRun?: boolean;
  readonly manifests?: readonly HostManifest[];
  readonly lockWaitMs?: number;
}

/** Options of `upgrade`. */
export interface UpgradeOptions {
  readonly bundles: BundleSource;
  /** Install although the installed program is newer. @default false */
  readonly allowDowngrade?: boolean;
  readonly dryRun?: boolean;
  readonly manifests?: readonly HostManifest[];
  readonly lockWaitMs?: number;
}
