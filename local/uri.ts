/**
 * `viking://` addresses: the forms a client may use, the one form that is answered.
 *
 * @module
 */
import type { Identity } from "./identity.ts";
import { RouteError } from "./wire.ts";

/** A checked address. */
export interface VikingUri {
  /** Canonical form: no alias, no trailing slash. */
  readonly uri: string;
  /**
   * Path below the user's root, "" for the root itself; `undefined` outside of it
   * (`viking://`, `viking://user`, `viking://resources/...`, `viking://agent/...`).
   */
  readonly path?: string;
  /** What follows `#`, "" when nothing does. */
  readonly fragment: string;
}

const RESERVED: ReadonlySet<string> = new Set([
  "memories",
  "resources",
  "skills",
  "peers",
  "privacy",
  "sessions",
]);

function invalidUri(uri: string, reason: string): RouteError {
  return new RouteError(400, "INVALID_URI", `Invalid URI: ${uri} (${reason})`, {
    details: { uri, reason },
  });
}

function denied(uri: string, message: string): RouteError {
  return new RouteError(403, "PERMISSION_DENIED", message, { details: { resource: uri } });
}

/** Refuses session ids and path segments that the server calls unsafe. */
export function checkSegments(uri: string, segments: readonly string[]): void {
  for (const segment of segments) {
    if (segment === ".." || segment === ".") {
      throw denied(uri, `Unsafe URI traversal segment '${segment}' in ${uri}`);
    }
    if (segment.includes("\\")) {
      throw denied(uri, `Unsafe URI path separator '\\' in ${uri}`);
    }
    if (/^[A-Za-z]:/.test(segment)) {
      throw denied(uri, `Unsafe URI drive-prefixed component '${segment}' in ${uri}`);
    }
  }
}

/** The root of the caller's own tree. */
export function homeUri(identity: Identity): string {
  return `viking://user/${identity.user}`;
}

/**
 * Reads an address: `viking://~/...`, `viking://user/{id}/...`, the old `viking://session/...`.
 *
 * @throws {RouteError} 400 INVALID_URI, or 403 for another user's tree and unsafe segments.
 */
export function readUri(text: string, identity: Identity): VikingUri {
  if (!text.startsWith("viking://")) {
    throw invalidUri(text, "URI must start with 'viking://'");
  }
  const hash = text.indexOf("#");
  const fragment = hash < 0 ? "" : text.slice(hash + 1);
  const plain = (hash < 0 ? text : text.slice(0, hash)).slice("viking://".length);
  const segments = plain.split("/").filter((segment) => segment !== "");
  const [scope, second] = segments;
  const home = homeUri(identity);
  const within = (rest: readonly string[]): VikingUri => {
    const path = rest.join("/");
    const uri = path === "" ? home : `${home}/${path}`;
    checkSegments(uri, rest);
    return { uri, path, fragment };
  };
  switch (scope) {
    case undefined:
      return { uri: "viking://", fragment };
    case "~":
      return within(segments.slice(1));
    case "session":
      return within(["sessions", ...segments.slice(1)]);
    case "user": {
      if (second === undefined) return { uri: "viking://user", fragment };
      if (second === identity.user) return within(segments.slice(2));
      const uri = `viking://${segments.join("/")}`;
      checkSegments(uri, segments);
      if (RESERVED.has(second)) {
        const rest = segments.slice(1).join("/");
        throw invalidUri(
          uri,
          `'${uri}' no longer expands to the current user's space: '${second}' is a reserved name, not a user id. Use 'viking://~/${rest}' for the current user, or 'viking://user/{user_id}/${rest}' for an explicit user.`,
        );
      }
      throw denied(uri, `Access denied for ${uri}: read permission required`);
    }
    case "resources":
    case "agent": {
      const uri = `viking://${segments.join("/")}`;
      checkSegments(uri, segments);
      return { uri, fragment };
    }
    default:
      throw invalidUri(text, `Unsupported scope '${scope}'`);
  }
}

/** Address of one message. */
export function messageUri(identity: Identity, session: string, seq: number): string {
  return `${homeUri(identity)}/sessions/${session}/messages/${seq}`;
}
