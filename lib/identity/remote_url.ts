/**
 * Remote URLs of Git in one spelling, without secrets.
 *
 * @module
 */
import { isAbsolute, resolveFrom, toSlashes } from "./_path.ts";

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  ssh: "22",
  "git+ssh": "22",
  "ssh+git": "22",
  git: "9418",
  http: "80",
  https: "443",
  ftp: "21",
  ftps: "990",
};

/** Hosts that take `Owner/Repo` and `owner/repo` for the same repository. */
const CASELESS_HOSTS = ["github.com", "gitlab.com", "bitbucket.org"];

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function tidyPath(path: string): string {
  return decoded(path).replace(/\/{2,}/g, "/").replace(/^\/|\/$/g, "").replace(/\.git$/i, "")
    .replace(/\/$/, "");
}

function joined(host: string, port: string, path: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, "");
  const tidy = tidyPath(path);
  if (name === "" || tidy === "") return undefined;
  const cased = CASELESS_HOSTS.includes(name) ? tidy.toLowerCase() : tidy;
  return `${name}${port === "" ? "" : `:${port}`}/${cased}`;
}

/**
 * The same text for every spelling of one remote: `host/path`, with the port where it is not the
 * protocol's own. User names, passwords, queries, the protocol, `.git` and a trailing slash are
 * dropped. A path on this machine becomes `file:` and the absolute path, seen from `root`.
 *
 * `undefined` for what names no place: an empty text, control characters, transport helpers
 * (`ext::…`).
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(normaliseRemoteUrl("git@github.com:acme/app.git", "/w"), "github.com/acme/app");
 * assert.equal(normaliseRemoteUrl("https://u:p@github.com/acme/app/", "/w"), "github.com/acme/app");
 * ```
 */
export function normaliseRemoteUrl(url: string, root: string): string | undefined {
  const text = url.trim();
  // deno-lint-ignore no-control-regex
  if (text === "" || text.length > 2048 || /[\x00-\x1f\x7f]/.test(text)) return undefined;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase();
  if (scheme === "file") return localPath(decoded(text.slice(7)), root);
  if (scheme !== undefined) {
    const rest = text.slice(scheme.length + 3).replace(/[?#].*$/, "");
    const slash = rest.indexOf("/");
    if (slash < 0) return undefined;
    const authority = rest.slice(0, slash);
    const host = authority.slice(authority.lastIndexOf("@") + 1);
    const [, name = "", port = ""] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host) ?? [];
    return joined(name, port === DEFAULT_PORTS[scheme] ? "" : port, rest.slice(slash));
  }
  if (/^[A-Za-z0-9+.-]*::/.test(text)) return undefined;
  // `host:path`, unless a slash stands before the colon or the "host" is a drive letter.
  const colon = text.indexOf(":");
  const slash = text.indexOf("/");
  if (colon > 0 && (slash < 0 || colon < slash) && !isAbsolute(text)) {
    const host = text.slice(0, colon);
    return joined(host.slice(host.lastIndexOf("@") + 1), "", text.slice(colon + 1));
  }
  return localPath(text, root);
}

function localPath(path: string, root: string): string {
  return `file:${resolveFrom(root, toSlashes(path)).replace(/\.git$/i, "").replace(/\/$/, "")}`;
}
