/**
 * Headers of every request to a server: hooks, worker, MCP bridge, doctor, command line.
 *
 * @module
 */
import type { Connection } from "../config/types.ts";

/** Who speaks. */
export interface SenderOptions {
  /** Host id for `User-Agent`, for example `claude-code`; `cli` for commands. */
  readonly harness: string;
  /** Version of the running artefact. */
  readonly version: string;
  /** Peer whose view is asked for; "" or absent sends no header. */
  readonly actorPeer?: string;
}

/** What {@linkcode buildOvHeaders} reads of a connection. */
export type HeaderConnection = Pick<
  Connection,
  "apiKey" | "account" | "user" | "sendIdentityHeaders" | "extraHeaders"
>;

/** Name of the header that asks for one peer's view. */
export const ACTOR_PEER_HEADER = "x-openviking-actor-peer";

/** What a configured extra header may not be: ours, a second key, or the transport's own. */
const RESERVED =
  /^(?:x-api-key|x-openviking-.*|user-agent|host|content-.*|transfer-encoding|connection|accept)$/;

/** A header value without white space around it; `what` names it in the error, the value never is. */
function headerValue(what: string, value: string): string {
  const text = value.trim();
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
    throw new TypeError(
      `Cannot send ${what}: it holds a line break, a control character or a character outside ` +
        "Latin-1; correct it where it is configured",
    );
  }
  return text;
}

/**
 * Builds the headers, with lower-case names.
 *
 * The key goes as `Authorization: Bearer` only. Account and user are sent if and only if
 * `sendIdentityHeaders` is true. Configured extra headers never replace ours; `Authorization` is
 * theirs to set only where no key is configured (a gateway with a scheme of its own).
 *
 * @throws {TypeError} when a value cannot stand in a header. The message does not show the value.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * const headers = buildOvHeaders(
 *   { apiKey: "k", account: "a", user: "u", sendIdentityHeaders: false, extraHeaders: {} },
 *   { harness: "codex", version: "1.0.0" },
 * );
 * assert.equal(headers.authorization, "Bearer k");
 * assert.equal(headers["user-agent"], "openviking-memory-codex/1.0.0");
 * ```
 */
export function buildOvHeaders(
  connection: HeaderConnection,
  sender: SenderOptions,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const { apiKey, account, user } = connection;
  for (const [name, value] of Object.entries(connection.extraHeaders)) {
    const lower = name.trim().toLowerCase();
    if (RESERVED.test(lower) || (lower === "authorization" && apiKey !== "")) continue;
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower)) {
      throw new TypeError(
        `Cannot send the extra header ${
          JSON.stringify(name.slice(0, 60))
        }: no header can have this name`,
      );
    }
    headers[lower] = headerValue(`the extra header ${lower}`, value);
  }
  const set = (name: string, what: string, value: string) => {
    if (value.trim() !== "") headers[name] = headerValue(what, value);
  };
  if (apiKey.trim() !== "") headers.authorization = `Bearer ${headerValue("the API key", apiKey)}`;
  if (connection.sendIdentityHeaders) {
    set("x-openviking-account", "the account", account);
    set("x-openviking-user", "the user", user);
  }
  set(ACTOR_PEER_HEADER, "the peer", sender.actorPeer ?? "");
  headers["user-agent"] = headerValue(
    "the version",
    `openviking-memory-${sender.harness}/${sender.version}`,
  );
  return headers;
}
