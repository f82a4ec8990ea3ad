/**
 * The target in force: read anew when a configuration file changed, so that a key, a URL or an engine
 * that is configured while the process runs takes effect with the next call.
 *
 * @module
 */
import type { Files } from "../runtime/types.ts";
import type { FetchLike, LocalMcpEndpoint, McpProxyConfig } from "./types.ts";
import type { Upstream } from "./_upstream.ts";
import { EngineUnavailable } from "./_outcome.ts";

/** What the bridge gives. */
export interface TargetsContext {
  readonly files: Files;
  readonly readConfig: () => McpProxyConfig;
  readonly fetch: FetchLike;
  readonly openLocal: (config: McpProxyConfig) => Promise<LocalMcpEndpoint>;
  readonly connect: (config: McpProxyConfig, fetch: FetchLike) => Upstream;
  /** Called when another configuration came into force. */
  readonly onChange: (config: McpProxyConfig) => void;
}

/** Access to the target in force. */
export interface Targets {
  /** The target, after a look at the files of its configuration. */
  current(): Upstream;
  /** Reads the configuration again; the target in force if it is another than `used`. */
  insteadOf(used: Upstream): Upstream | undefined;
  close(): Promise<void>;
}

/** Makes the access; nothing is read before it is used. */
export function createTargets(context: TargetsContext): Targets {
  const opened: Promise<LocalMcpEndpoint>[] = [];
  let upstream: Upstream | undefined;
  let seen = "";

  /** Time, size and place of every watched file; a missing one counts. */
  function stampOf(config: McpProxyConfig): string {
    return config.watchedFiles.map((path) => {
      try {
        const stat = context.files.stat(path);
        return stat === undefined ? "-" : `${stat.mtimeMs}:${stat.size}:${stat.inode}`;
      } catch {
        return "?";
      }
    }).join("|");
  }

  /** The embedded engine is opened by the first request that needs it; a failure is not kept. */
  function localFetch(config: McpProxyConfig): FetchLike {
    let opening: Promise<LocalMcpEndpoint> | undefined;
    return async (url, init) => {
      const current = opening ??= context.openLocal(config);
      let endpoint: LocalMcpEndpoint;
      try {
        endpoint = await current;
      } catch (error) {
        if (opening === current) opening = undefined;
        throw new EngineUnavailable(error instanceof Error ? error.message : String(error));
      }
      if (!opened.includes(current)) opened.push(current);
      return await endpoint.fetch(url, init);
    };
  }

  function load(): Upstream {
    const before = upstream;
    // Taken before the files are read: a change in between is noticed by the next look.
    const stamp = before === undefined ? "" : stampOf(before.config);
    const config = context.readConfig();
    if (before !== undefined && before.config.fingerprint === config.fingerprint) {
      seen = stamp;
      return before;
    }
    const isLocal = config.connection.engine === "local" && config.broken === undefined;
    upstream = context.connect(config, isLocal ? localFetch(config) : context.fetch);
    seen = stampOf(config);
    if (before !== undefined) {
      void before.close();
      context.onChange(config);
    }
    return upstream;
  }

  return {
    current() {
      return upstream !== undefined && stampOf(upstream.config) === seen ? upstream : load();
    },
    insteadOf(used) {
      const now = load();
      return now === used ? undefined : now;
    },
    async close() {
      await upstream?.close();
      // Engines of earlier configurations stay open until now: a call may still be running in one.
      for (const endpoint of opened) (await endpoint).close();
    },
  };
}
