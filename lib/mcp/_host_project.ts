/**
 * The project that the host tells of: with a call, or by its roots. Only asked for when reads are
 * limited to one project and no peer is configured.
 *
 * @module
 */
import type { JsonObject } from "../runtime/types.ts";
import type { McpProxyConfig, McpProxyOptions } from "./types.ts";
import type { RpcMessage } from "./_json_rpc.ts";
import { namedProject, projectOfRoots, resolveMcpActorPeerId } from "./actor_peer.ts";

const ROOTS_ID = "openviking-agent-roots-";

/** What is known of the host's project. */
export interface HostProject {
  /** The peer to send with a request, "" for none. */
  peerFor(message: RpcMessage, config: McpProxyConfig): string;
  /** The request for the host's roots, if they decide what is read. */
  rootsRequest(config: McpProxyConfig, helloParams: JsonObject | undefined): string | undefined;
  /** Takes the host's response when it answers {@linkcode rootsRequest}; false for any other. */
  takeResponse(message: RpcMessage): boolean;
}

/** Starts without knowledge. `warn` hears of limited reads that become broad ones. */
export function createHostProject(
  options: Pick<McpProxyOptions, "projectMetaPath" | "resolvePeer">,
  warn: (text: string) => void,
): HostProject {
  let asked = 0;
  let rootFolder = "";
  return {
    peerFor(message, config) {
      if (config.peerScope === "all") return "";
      const folder = namedProject(message.params, options.projectMetaPath ?? []) || rootFolder;
      const isNamed = folder !== "" && config.workspacePeer;
      const peer = resolveMcpActorPeerId({
        scope: config.peerScope,
        explicitPeer: config.connection.peer,
        projectPeer: isNamed ? options.resolvePeer?.(folder) ?? "" : "",
      });
      if (peer.warning !== undefined) warn(peer.warning);
      return peer.id;
    },
    rootsRequest(config, helloParams) {
      const { roots } = (helloParams?.["capabilities"] ?? {}) as Record<string, unknown>;
      const isDecided = config.peerScope === "all" || config.connection.peer !== "";
      if (isDecided || roots === undefined) return undefined;
      return JSON.stringify({ jsonrpc: "2.0", id: `${ROOTS_ID}${++asked}`, method: "roots/list" });
    },
    takeResponse(message) {
      if (typeof message.id !== "string" || !message.id.startsWith(ROOTS_ID)) return false;
      rootFolder = projectOfRoots(message.result);
      return true;
    },
  };
}
