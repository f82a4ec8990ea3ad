/**
 * `doctor`: what is installed, what is in force and where it came from, what works.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import type { Check, DoctorReport, HostSpec } from "../lib/diagnose/types.ts";
import type { CommandContext } from "./context.ts";
import { buildPluginConfig } from "../lib/config/plugin_config.ts";
import { check } from "../lib/diagnose/types.ts";
import { runDoctor } from "../lib/diagnose/run_doctor.ts";
import { bundleSourceFor } from "../install/bundles.ts";
import { runInstall } from "../install/commands.ts";
import { programFault } from "../install/program/inspect.ts";
import { placesOf } from "../install/state/places.ts";
import { readRecord } from "../install/state/record.ts";
import { HOSTS } from "../hosts/mod.ts";
import { VERSION } from "../lib/version.ts";
import { openEngine } from "./connect.ts";
import { CommandError, EXIT, forTerminal, type Output } from "./output.ts";

/** Flags of `doctor`. */
export interface DoctorFlags {
  readonly host?: HarnessKey[];
  readonly offline?: boolean;
  readonly cwd?: string;
}

/** Milliseconds for one request of doctor. */
const REQUEST_TIMEOUT_MS = 8_000;

/** What a reinstallation would change tells whether the installation is whole and current. */
async function inspectInstallation(runtime: ProcessRuntime, host: HarnessKey): Promise<Check[]> {
  const report = await runInstall(runtime, {
    hosts: [host],
    dryRun: true,
    bundles: bundleSourceFor(runtime, import.meta.url),
  });
  const [found] = report.hosts;
  const failure = found?.error ?? report.error;
  if (failure !== undefined) {
    return [check("installation", "fail", failure.message, failure.fix, host)];
  }
  const edits = (found?.edits ?? []).filter((edit) => edit.action !== "none");
  const fix = `Run \`openviking-agent install --host ${host}\``;
  const { agent } = placesOf(runtime);
  const record = readRecord(runtime.files, agent);
  if (edits.length === 0 || (record.state === "found" && record.record.hosts[host] !== undefined)) {
    // The host starts something that cannot run: nothing is remembered, and nothing says so.
    const fault = await programFault(runtime, agent);
    if (fault !== undefined) {
      return [check("installation", "fail", `The installed hooks cannot run: ${fault}`, fix, host)];
    }
  }
  if (edits.length === 0) {
    return [check("installation", "ok", "Hooks and MCP are installed", "", host)];
  }
  return [check(
    "installation",
    "warn",
    `Not installed, or not as this version does: ${edits.map((edit) => edit.path).join(", ")}`,
    fix,
    host,
  )];
}

function hostSpecs(runtime: ProcessRuntime, chosen: readonly HarnessKey[] | undefined): HostSpec[] {
  const specs: HostSpec[] = [];
  for (const [id, host] of Object.entries(HOSTS)) {
    const key = id as HarnessKey;
    if (chosen !== undefined && !chosen.includes(key)) continue;
    specs.push({
      id: key,
      version: null,
      form: host.record.installation.form.value ?? "unknown",
      mcp: host.record.mcp.file.value ?? "unknown",
      budgets: host.record.limits.written,
      trust: host.record.installation.trust.value ?? "unknown",
      inspect: () => inspectInstallation(runtime, key),
    });
  }
  return specs;
}

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL", skip: "skip" } as const;

function print(output: Output, report: DoctorReport): void {
  const { connection, peer } = report;
  output.line(`version     ${report.version}`);
  const where = connection.engine === "server"
    ? `${connection.url} as ${connection.account || "-"}/${connection.user || "-"}`
    : "";
  output.line(
    `engine      ${connection.engine === "local" ? "local (embedded)" : connection.engine} ${where}`
      .trimEnd(),
  );
  if (connection.apiKeySource !== "") output.line(`key from    ${connection.apiKeySource}`);
  output.line(`peer        ${peer.id === "" ? "none" : peer.id} (${peer.source})`);
  for (const { key, value, source, file, configured } of report.config) {
    if (configured) {
      output.line(`setting     ${key} = ${JSON.stringify(value)} from ${file || source}`);
    }
  }
  for (const { state, host, message, fix } of report.checks) {
    output.line(forTerminal(`${MARKS[state]} ${host === "" ? "" : `${host}: `}${message}`));
    if (fix !== "" && state !== "ok") output.line(forTerminal(`     ${fix}`));
  }
}

/** Prints the diagnosis; exit 1 when a check failed. */
export async function doctor(
  { runtime, output }: CommandContext,
  flags: DoctorFlags,
): Promise<number> {
  const cwd = flags.cwd ?? runtime.cwd();
  if (flags.cwd !== undefined && runtime.files.stat(flags.cwd)?.kind !== "directory") {
    throw new CommandError(
      "usage",
      `Cannot use --cwd ${flags.cwd}: no such folder`,
      "",
      EXIT.usage,
    );
  }
  const hosts = hostSpecs(runtime, flags.host);
  const config = buildPluginConfig(flags.host?.[0] ?? hosts[0]?.id ?? "claude-code", {
    runtime,
    cwd,
  });
  const report = await runDoctor({
    runtime,
    version: VERSION,
    config,
    cwd,
    offline: flags.offline === true,
    hosts,
    openEngine: (connection) =>
      openEngine(runtime, config.agentHome, connection, "doctor", REQUEST_TIMEOUT_MS),
  });
  if (output.json) output.document(report);
  else print(output, report);
  return report.ok ? EXIT.done : EXIT.failed;
}
