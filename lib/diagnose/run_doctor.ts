/**
 * The common core of doctor: configuration, connection, peer, queue, files of ours, and what each
 * host's specification adds.
 *
 * @module
 */
import type { PluginConfig } from "../config/plugin_config.ts";
import type { QueueReport } from "../outbox/queue/queue_entries.ts";
import type { Check, DoctorOptions, DoctorReport, HostSpec } from "./types.ts";
import { settingKeys } from "../config/schema.ts";
import { resolvePeer } from "../identity/peer.ts";
import { readOutcomes } from "../hook/outcome.ts";
import { queueReport } from "../outbox/queue/queue_report.ts";
import { checkAgentFolder } from "./agent_folder.ts";
import { checkConfiguration, checkFileModes } from "./configuration.ts";
import { checkConnection } from "./connection.ts";
import { checkOutcomes, checkQueue, summariseQueue, summariseSessions } from "./delivery.ts";
import { check } from "./types.ts";

async function inspectHosts(hosts: readonly HostSpec[]): Promise<Check[]> {
  const checks: Check[] = [];
  for (const host of hosts) {
    try {
      checks.push(...await host.inspect());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      checks.push(
        check("installation", "fail", `Cannot inspect the installation: ${why}`, "", host.id),
      );
    }
  }
  return checks;
}

function checkPeer(peer: ReturnType<typeof resolvePeer>): Check {
  if (peer.problem !== undefined) return check("peer", "warn", peer.problem);
  if (peer.source === "none") {
    return check("peer", "ok", "No project here: memories of this directory have no peer");
  }
  return check("peer", "ok", `Project peer ${peer.id} from ${peer.source}`);
}

function effectiveValues(config: PluginConfig): DoctorReport["config"] {
  return settingKeys().map((key) => {
    const { layer, source, configured } = config.origin(key);
    const isFile = layer !== "environment" && layer !== "default";
    return {
      key,
      value: config.settings[key] ?? null,
      source: isFile || source === "" ? layer : source,
      file: isFile ? source : "",
      configured,
    };
  });
}

/** Runs all checks. Offline, nothing is asked of any engine. */
export async function runDoctor(options: DoctorOptions): Promise<DoctorReport> {
  const { runtime, version, config, cwd, hosts } = options;
  const { connection, agentHome } = config;
  const peer = resolvePeer({
    runtime,
    cwd,
    explicitPeer: connection.peer,
    workspacePeer: config.settings.workspacePeer,
  });
  const queue: QueueReport = await queueReport(runtime, agentHome);
  const checks = [
    ...await inspectHosts(hosts),
    ...checkConfiguration(config),
    ...checkFileModes(runtime, config),
    checkAgentFolder(runtime, agentHome),
    ...await checkConnection(options),
    checkPeer(peer),
    ...checkQueue(queue),
    ...checkOutcomes(readOutcomes(runtime, agentHome)),
  ];
  return {
    version,
    ok: !checks.some((c) => c.state === "fail"),
    checks,
    config: effectiveValues(config),
    connection: {
      engine: config.broken === undefined ? connection.engine : "unknown",
      url: connection.baseUrl,
      credentialSource: connection.credentialSource,
      apiKeySource: connection.apiKeySource,
      account: connection.account,
      user: connection.user,
    },
    peer: { id: peer.id, source: peer.source },
    hosts: hosts.map(({ id, version, form, mcp, budgets, trust }) => ({
      id,
      version,
      form,
      mcp,
      budgets,
      trust,
    })),
    queue: summariseQueue(queue),
    sessions: summariseSessions(queue),
  };
}
