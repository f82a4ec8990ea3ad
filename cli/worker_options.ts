/**
 * Wires a worker: decoders of all hosts, and a connection that follows the configuration.
 *
 * @module
 */
import type { CreateDecoder } from "../lib/capture/model.ts";
import type { Connection } from "../lib/config/types.ts";
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import type { SpoolRecord, Target } from "../lib/outbox/types.ts";
import type { Connected, WorkerOptions } from "../lib/outbox/worker/worker_options.ts";
import { buildPluginConfig } from "../lib/config/plugin_config.ts";
import { writeOutcome } from "../lib/hook/outcome.ts";
import { targetFor } from "../lib/outbox/target.ts";
import { HOSTS } from "../hosts/mod.ts";
import { type OpenEngine, openEngine } from "./connect.ts";

/** Milliseconds one request of the worker may take. */
const REQUEST_TIMEOUT_MS = 30_000;

function decoders(): Record<string, CreateDecoder> {
  return Object.fromEntries(
    Object.values(HOSTS).map((host) => [host.adapter.decoder, host.createDecoder]),
  );
}

/** Opens the engine when the connection is new or has changed, and keeps it otherwise. */
function createConnector(runtime: ProcessRuntime): {
  connect(target: Target | undefined): Promise<Connected>;
  close(): void;
} {
  let open: { readonly key: string; readonly engine: OpenEngine } | undefined;
  const close = () => {
    open?.engine.close();
    open = undefined;
  };
  return {
    close,
    async connect(target) {
      const config = buildPluginConfig("cli", { runtime });
      if (config.broken !== undefined) return { held: `configuration: ${config.broken}` };
      const now = await targetFor(config.connection);
      if (target !== undefined && now.id !== target.id) {
        return { held: `target: the configuration now names ${nameOf(config.connection)}` };
      }
      const key = JSON.stringify(config.connection);
      if (open?.key !== key) {
        close();
        const engine = await openEngine(
          runtime,
          config.agentHome,
          config.connection,
          "worker",
          REQUEST_TIMEOUT_MS,
        );
        open = { key, engine };
      }
      return {
        http: open.engine.http,
        keyFingerprint: now.keyFingerprint,
        secrets: config.connection.apiKey === "" ? [] : [config.connection.apiKey],
      };
    },
  };
}

function nameOf(connection: Connection): string {
  return connection.engine === "local" ? "the embedded engine" : connection.baseUrl;
}

/** Notes what the foreground left to the worker: the event is kept. */
function noteOutcome(runtime: ProcessRuntime, agentHome: string, record: SpoolRecord): void {
  const { host, session, at, noteOutcome } = record;
  if (noteOutcome === undefined) return;
  const { stage, ms } = noteOutcome;
  writeOutcome(runtime, agentHome, {
    host,
    session,
    stage,
    outcome: "queued",
    ms,
    at,
    trace_id: "",
    detail: "",
  });
}

/** What a worker of any target needs from the configuration and from the hosts. */
export interface WorkerWiring {
  readonly options: Omit<WorkerOptions, "targetId" | "lingerMs" | "connect">;
  readonly lingerMs: number;
  /** A connection that follows the configuration; each target gets one of its own. */
  connector(): WorkerOptions["connect"];
  /** The target that the configuration names now; `undefined` when it cannot be trusted. */
  currentTarget(): Promise<Target | undefined>;
  /** Closes what the connectors opened. */
  close(): void;
}

/** Wires workers from the configuration in force. */
export function wireWorkers(runtime: ProcessRuntime): WorkerWiring {
  const { settings, agentHome, connection, broken } = buildPluginConfig("cli", { runtime });
  const opened: (() => void)[] = [];
  return {
    options: {
      runtime,
      agentHome,
      decoders: decoders(),
      settleSeconds: settings.settleSeconds,
      maxAgeDays: settings.queueMaxAgeDays,
      maxBytes: settings.queueMaxBytes,
      onTakenIn: (record) => noteOutcome(runtime, agentHome, record),
    },
    lingerMs: settings.workerLingerMs,
    connector() {
      const { connect, close } = createConnector(runtime);
      opened.push(close);
      return connect;
    },
    currentTarget: async () => broken === undefined ? await targetFor(connection) : undefined,
    close: () => opened.forEach((close) => close()),
  };
}
