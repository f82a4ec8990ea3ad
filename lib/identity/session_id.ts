/**
 * Session ids on the engine: a host's prefix and the host's own id.
 *
 * The forms are a data contract shared with the earlier plugins; a table test pins them.
 *
 * @module
 */
import { shortHash } from "./_hash.ts";

/** Ids above this many characters are cut; the server was seen to take 300 (0.5.2). */
const MAX_LENGTH = 200;

function safe(id: string): string {
  const clean = id.replace(/[^A-Za-z0-9._-]/g, "-");
  if (clean === id && id.length <= MAX_LENGTH) return id;
  return `${clean.slice(0, MAX_LENGTH)}-${shortHash(id).slice(0, 8)}`;
}

/**
 * Makes the engine's session id: `<prefix><native id>`, and `<prefix><native id>__<suffix>` for a
 * session inside it, where the `:` of a suffix such as `subagent:a1` becomes `-`.
 *
 * An id of letters, digits, `.`, `_` and `-` is kept as it is. Other characters, which the server
 * refuses or cannot address, become `-` and a checksum keeps two such ids apart.
 *
 * @throws {TypeError} when `prefix` or `nativeId` is empty.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(deriveHarnessSessionId("cc-", "8d6d", "subagent:a1"), "cc-8d6d__subagent-a1");
 * ```
 */
export function deriveHarnessSessionId(
  prefix: string,
  nativeId: string,
  suffix?: string,
): string {
  if (prefix === "") throw new TypeError("Cannot derive a session id: the host prefix is empty");
  if (nativeId === "") throw new TypeError("Cannot derive a session id: the native id is empty");
  const base = prefix + safe(nativeId);
  if (suffix === undefined || suffix === "") return base;
  return `${base}__${safe(suffix.replace(/:/g, "-"))}`;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** Where a native session id can come from. */
export interface NativeSession {
  readonly nativeSessionId?: string;
  readonly transcriptPath?: string;
  readonly cwd?: string;
}

/**
 * The host's own id of a session. Without one, as a last resort: the UUID in the transcript's name
 * or path, else `transcript-` and a checksum of that path, else `cwd-` and a checksum of the
 * directory (which two windows in one directory would share), else `unknown`.
 */
export function nativeSessionIdOf(session: NativeSession): string {
  const native = session.nativeSessionId?.trim() ?? "";
  if (native !== "" && native !== "unknown") return native;
  const transcript = session.transcriptPath ?? "";
  if (transcript !== "") {
    const name = transcript.slice(
      Math.max(transcript.lastIndexOf("/"), transcript.lastIndexOf("\\")) + 1,
    );
    return (UUID.exec(name) ?? UUID.exec(transcript))?.[0] ?? `transcript-${shortHash(transcript)}`;
  }
  return session.cwd ? `cwd-${shortHash(session.cwd)}` : "unknown";
}
