/**
 * `install` and `uninstall`: choose hosts, show the plan, apply it, say what happened.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import type {
  EditReport,
  EngineChoice,
  HostReport,
  InstallFailure,
  InstallOptions,
  InstallReport,
  UninstallOptions,
  UninstallReport,
} from "../install/types.ts";
import type { CommandContext } from "./context.ts";
import { bundleSourceFor } from "../install/bundles.ts";
import { runInstall, runUninstall, runUpgrade } from "../install/commands.ts";
import { askConsent } from "./consent.ts";
import { CommandError, EXIT, type Output } from "./output.ts";

/** Flags that both commands share. */
interface SelectionFlags {
  readonly host?: HarnessKey[];
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Flags of `install`. */
export interface InstallFlags extends SelectionFlags {
  readonly engine?: string;
  readonly server?: string;
  readonly apiKeyStdin?: boolean;
  readonly hooksOnly?: boolean;
  readonly mcpOnly?: boolean;
}

/** Flags of `uninstall`. */
export interface UninstallFlags extends SelectionFlags {
  readonly purge?: boolean;
}

function usage(message: string, fix = ""): CommandError {
  return new CommandError("usage", message, fix, EXIT.usage);
}

/** Without a terminal nothing is asked: both the hosts and the consent must be given. */
function requireAnswers(runtime: ProcessRuntime, flags: SelectionFlags, verb: string): boolean {
  const interactive = runtime.isTerminal("stdin") && runtime.isTerminal("stderr");
  if (interactive) return true;
  if (flags.host === undefined && flags.all !== true) {
    throw usage(`Cannot ${verb}: no host was named`, "Give --host <id> or --all");
  }
  if (flags.yes !== true && flags.dryRun !== true) {
    throw usage(`Cannot ${verb} without a terminal: consent is missing`, "Give --yes or --dry-run");
  }
  return false;
}

async function readApiKey(runtime: ProcessRuntime): Promise<string> {
  const { text } = await runtime.readStdin(64 * 1024, 60_000, () => {});
  const key = text.trim();
  if (key === "" || /\s/.test(key)) {
    throw usage("Cannot read the API key from stdin: it takes one key on one line");
  }
  return key;
}

async function installOptions(
  runtime: ProcessRuntime,
  flags: InstallFlags,
): Promise<InstallOptions> {
  if (flags.hooksOnly && flags.mcpOnly) {
    throw usage("Cannot use --hooks-only with --mcp-only", "Leave both out to install both");
  }
  if (flags.engine !== undefined && !["auto", "local", "server"].includes(flags.engine)) {
    throw usage(`Cannot use --engine ${flags.engine}: it takes auto, local or server`);
  }
  if (flags.engine === "local" && flags.server !== undefined) {
    throw usage("Cannot use --engine local with --server", "Leave one of them out");
  }
  if (flags.apiKeyStdin && flags.server === undefined) {
    throw usage("Cannot use --api-key-stdin without --server", "Give --server <url>");
  }
  return {
    hosts: flags.host ?? "detected",
    parts: flags.hooksOnly ? "hooks" : flags.mcpOnly ? "mcp" : "all",
    ...(flags.engine === undefined ? {} : { engine: flags.engine as EngineChoice }),
    ...(flags.server === undefined ? {} : { server: flags.server }),
    ...(flags.apiKeyStdin ? { apiKey: await readApiKey(runtime) } : {}),
    bundles: bundleSourceFor(runtime, import.meta.url),
  };
}

function showEdits(output: Output, edits: readonly EditReport[]): void {
  for (const { action, path, reason } of edits) {
    output.note(`  ${action.padEnd(6)} ${path}${reason === "" ? "" : `  (${reason})`}`);
  }
}

function showFailure(output: Output, failure: InstallFailure): void {
  output.note(`  ${failure.message}`);
  if (failure.fix !== "") output.note(`  ${failure.fix}`);
}

function showReport(output: Output, report: InstallReport | UninstallReport): void {
  for (const host of report.hosts) {
    output.note(output.bold(host.id) + (host.detected ? "" : " (not detected)"));
    showEdits(output, host.edits);
    host.warnings.forEach((warning) => output.note(`  ${warning}`));
    if (host.error !== undefined) showFailure(output, host.error);
  }
  showEdits(output, report.edits);
  report.warnings.forEach((warning) => output.note(warning));
  if ("losses" in report) {
    for (const loss of report.losses) {
      output.note(
        `  lost   ${loss.path}: ${loss.what}, ${loss.files} file(s), ${loss.bytes} bytes`,
      );
    }
  }
  if (report.error !== undefined) showFailure(output, report.error);
}

/** Asks on the terminal which of the hosts to take; `undefined` when the person gave up. */
async function chooseHosts(
  message: string,
  hosts: readonly HostReport[],
): Promise<HarnessKey[] | undefined> {
  const { isCancel, multiselect } = await import("@clack/prompts");
  const chosen = await multiselect({
    message,
    options: hosts.map(({ id, detected }) => ({
      value: id,
      label: id,
      ...(detected ? {} : { hint: "not detected" }),
    })),
    initialValues: hosts.filter((host) => host.detected).map((host) => host.id),
    required: true,
  });
  return isCancel(chosen) ? undefined : chosen as HarnessKey[];
}

function finish(
  output: Output,
  report: InstallReport | UninstallReport,
  success: string,
): number {
  if (output.json) output.document(report);
  else {
    if (report.error !== undefined) showFailure(output, report.error);
    for (const host of report.hosts) {
      if (host.error !== undefined) {
        output.note(`${host.id}:`);
        showFailure(output, host.error);
      }
    }
    if (report.ok) output.line(success);
  }
  return report.ok ? EXIT.done : EXIT.failed;
}

const NOTHING_CHANGED = new CommandError("cancelled", "Nothing was changed");

/** `install`. */
export async function install(
  { runtime, output }: CommandContext,
  flags: InstallFlags,
): Promise<number> {
  const interactive = requireAnswers(runtime, flags, "install");
  let options = await installOptions(runtime, flags);
  let plan = await runInstall(runtime, { ...options, dryRun: true });
  if (flags.dryRun) {
    if (!output.json) showReport(output, plan);
    return finish(output, plan, "Nothing was changed (--dry-run).");
  }
  if (interactive && flags.host === undefined && flags.all !== true && plan.hosts.length > 1) {
    const hosts = await chooseHosts("Install into which hosts?", plan.hosts);
    if (hosts === undefined) throw NOTHING_CHANGED;
    options = { ...options, hosts };
    plan = await runInstall(runtime, { ...options, dryRun: true });
  }
  if (!output.json) showReport(output, plan);
  if (flags.yes !== true && !await askConsent("Apply these changes?")) throw NOTHING_CHANGED;
  const report = await runInstall(runtime, options);
  if (!output.json) {
    report.warnings.filter((text) => !plan.warnings.includes(text)).forEach((text) =>
      output.note(text)
    );
  }
  const installed = report.hosts.filter((host) => host.error === undefined).map((host) => host.id);
  return finish(
    output,
    report,
    installed.length === 0
      ? "No host was found. Name one with --host <id>."
      : `Installed ${report.version} for ${installed.join(", ")}. New sessions remember.`,
  );
}

/** `uninstall`. */
export async function uninstall(
  { runtime, output }: CommandContext,
  flags: UninstallFlags,
): Promise<number> {
  const interactive = requireAnswers(runtime, flags, "uninstall");
  let options: UninstallOptions = {
    hosts: flags.host ?? "installed",
    purge: flags.purge === true,
  };
  let plan = await runUninstall(runtime, { ...options, dryRun: true });
  if (flags.dryRun) {
    if (!output.json) showReport(output, plan);
    return finish(output, plan, "Nothing was changed (--dry-run).");
  }
  if (interactive && flags.host === undefined && flags.all !== true && plan.hosts.length > 1) {
    const hosts = await chooseHosts("Remove from which hosts?", plan.hosts);
    if (hosts === undefined) throw NOTHING_CHANGED;
    options = { ...options, hosts };
    plan = await runUninstall(runtime, { ...options, dryRun: true });
  }
  if (!output.json) showReport(output, plan);
  if (flags.yes !== true && !await askConsent("Apply these changes?")) throw NOTHING_CHANGED;
  const report = await runUninstall(runtime, options);
  const removed = report.hosts.map((host) => host.id).join(", ");
  return finish(
    output,
    report,
    flags.purge
      ? "Removed everything of ours."
      : removed === ""
      ? "Nothing of ours was installed."
      : `Removed from ${removed}. Memory, queue and credentials are kept.`,
  );
}

/** `upgrade`: puts the running version in the place of the installed one. */
export async function upgrade(
  { runtime, output }: CommandContext,
  flags: { readonly yes?: boolean; readonly dryRun?: boolean },
): Promise<number> {
  const report = await runUpgrade(runtime, {
    bundles: bundleSourceFor(runtime, import.meta.url),
    allowDowngrade: flags.yes === true,
    dryRun: flags.dryRun === true,
  });
  if (!output.json) showReport(output, report);
  const from = report.from === null ? "" : ` from ${report.from}`;
  return finish(
    output,
    report,
    flags.dryRun ? "Nothing was changed (--dry-run)." : `Upgraded${from} to ${report.version}.`,
  );
}
