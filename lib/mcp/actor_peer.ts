/**
 * Which peer a request of the MCP process acts for.
 *
 * The process outlives projects and is started anywhere, so its own directory says nothing. A broad
 * read sends no peer. A read limited to one peer needs a configured one, or a project that the host
 * names with the call.
 *
 * @module
 */
import type { JsonObject } from "../runtime/types.ts";

/** What is known when a request leaves. */
export interface ActorPeerOptions {
  /** `actor` for reads limited to one peer. */
  readonly scope: "all" | "actor";
  /** Configured peer, "" when there is none. */
  readonly explicitPeer: string;
  /** Peer of the project that the host named, "" when it named none. */
  readonly projectPeer?: string;
}

/** The peer to send, "" for none, and a warning when a limited read became a broad one. */
export interface ActorPeer {
  /** "" for none. */
  readonly id: string;
  /** One sentence with the next step. */
  readonly warning?: string;
}

/** The actor peer of a request: none for broad reads; explicit, else named by the host, for limited ones. */
export function resolveMcpActorPeerId(options: ActorPeerOptions): ActorPeer {
  if (options.scope === "all") return { id: "" };
  const id = options.explicitPeer || (options.projectPeer ?? "");
  if (id !== "") return { id };
  return {
    id: "",
    warning: 'Cannot limit MCP reads to one project: recallPeerScope is "actor" but no peer is ' +
      "configured and the host names no project. All memories of this user are read; set " +
      "OPENVIKING_PEER_ID or actor_peer_id to limit them.",
  };
}

/**
 * The project folder that a request names, "" when it names none or several. `path` leads from the
 * request's `_meta` to an object keyed by folder; it is a fact of the host.
 */
export function namedProject(params: JsonObject | undefined, path: readonly string[]): string {
  if (path.length === 0) return "";
  let value = member(params, "_meta");
  for (const key of path) value = member(value, key);
  const folders = Object.keys(value ?? {});
  return folders.length === 1 ? folders[0] ?? "" : "";
}

/** The folder of a `roots/list` result, "" when the host has no root or several. */
export function projectOfRoots(result: unknown): string {
  const roots = (result as { roots?: unknown } | null)?.roots;
  if (!Array.isArray(roots) || roots.length !== 1) return "";
  const uri = (roots[0] as { uri?: unknown } | null)?.uri;
  if (typeof uri !== "string" || !uri.startsWith("file://")) return "";
  try {
    const path = decodeURIComponent(new URL(uri).pathname);
    return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
  } catch {
    return "";
  }
}

function member(value: unknown, key: string): JsonObject | undefined {
  const inner = (value as Record<string, unknown> | undefined)?.[key];
  return typeof inner === "object" && inner !== null && !Array.isArray(inner)
    ? inner as JsonObject
    : undefined;
}
