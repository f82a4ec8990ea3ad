/**
 * Peers: the name under which a project's memories are kept inside one user's memory.
 *
 * A peer organises; it is no border between users. The order: a configured peer, a marker file, the
 * Git remote, a Git repository without remote; an ordinary folder has no peer.
 *
 * @module
 */
import type { Files, Runtime } from "../runtime/types.ts";
import { shortHash } from "./_hash.ts";
import { baseName, parentOf } from "./_path.ts";
import { findGitRepository, nearestExisting } from "./git.ts";

/** A peer and where it came from; `id` is "" exactly when `source` is `none`. */
export interface Peer {
  readonly id: string;
  readonly source: "explicit" | "marker" | "git-remote" | "git-local" | "none";
  /** File of a marker, normalised remote, or path of the repository. */
  readonly from?: string;
  /** Why there is no peer although something named one. */
  readonly problem?: string;
}

/** What {@linkcode resolvePeer} looks at. */
export interface PeerOptions {
  readonly runtime: Pick<Runtime, "files">;
  /** The payload's directory; it need not exist any more. */
  readonly cwd: string;
  /** Configured peer, "" or absent when there is none. */
  readonly explicitPeer?: string;
  /** False turns marker files and Git off. */
  readonly workspacePeer: boolean;
}

/** Marker file, relative to the folder it speaks for. */
export const PEER_MARKER = ".openviking/peer";

const MARKER_LIMIT = 1024;
const SLUG_LENGTH = 48;

/**
 * True for what the server takes as a peer: letters, digits, `_`, `.`, `-` and at most one `@`, not
 * `.` or `..` (openviking/core/identifiers.py, 0.4.16).
 */
export function isPeerId(text: string): boolean {
  return /^[A-Za-z0-9_.@-]{1,128}$/.test(text) && text.indexOf("@") === text.lastIndexOf("@") &&
    text !== "." && text !== "..";
}

/** A readable name and a checksum of everything that tells two projects apart. */
function named(label: string, key: string): string {
  const slug = label.normalize("NFKD").toLowerCase().replace(/[^a-z0-9._]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "").slice(-SLUG_LENGTH).replace(/^[-.]+/, "");
  return `${slug === "" ? "repo" : slug}-${shortHash(key).slice(0, 12)}`;
}

/**
 * The first line of a marker, or `undefined` when there is no marker. It counts only where it
 * stands: a link, or a link on the way to it, is not followed.
 */
function readMarker(files: Files, folder: string): { text: string; path: string } | undefined {
  const path = `${folder}/${PEER_MARKER}`;
  try {
    const stat = files.lstat(path);
    if (stat === undefined || stat.kind !== "file" || stat.size > MARKER_LIMIT) return undefined;
    if (files.lstat(parentOf(path) ?? folder)?.kind !== "directory") return undefined;
    return { text: files.readText(path).trim().split(/\r?\n/)[0]?.trim() ?? "", path };
  } catch {
    return undefined;
  }
}

/** The nearest marker from `start` up to `top` (the file system's top without one). */
function findMarker(files: Files, start: string, top?: string): ReturnType<typeof readMarker> {
  for (let at: string | undefined = start; at !== undefined; at = parentOf(at)) {
    const marker = readMarker(files, at);
    if (marker !== undefined) return marker;
    if (at === top) return undefined;
  }
  return undefined;
}

function none(problem?: string): Peer {
  return { id: "", source: "none", ...(problem === undefined ? {} : { problem }) };
}

/**
 * Resolves the peer of a directory. Reads files only and never throws.
 *
 * - An explicit peer is used as given; one that the server would refuse is a problem and no peer.
 * - A marker `.openviking/peer` holds the name on its first line. The nearest one counts, up to the
 *   top of the repository (for a linked worktree also the top of the main checkout); outside Git up
 *   to the top of the file system. An empty marker switches Git off for its folder.
 * - A Git remote gives `<owner>-<repository>-<checksum of the whole remote>`: clones, worktrees and
 *   subdirectories agree, forks have a remote of their own and differ.
 * - Without a remote it is `<folder>-<checksum of the shared Git folder's path>`, which holds on
 *   this machine only.
 * - A repository that cannot be read gives no peer, rather than a second one for the same project.
 */
export function resolvePeer(options: PeerOptions): Peer {
  const { files } = options.runtime;
  const explicit = options.explicitPeer?.trim() ?? "";
  if (explicit !== "") {
    if (isPeerId(explicit)) return { id: explicit, source: "explicit" };
    return none(
      `Cannot use the configured peer ${JSON.stringify(explicit.slice(0, 80))}: only letters, ` +
        "digits, _ . - and one @ are allowed",
    );
  }
  const start = options.workspacePeer ? nearestExisting(files, options.cwd) : undefined;
  if (start === undefined) return none();

  const git = findGitRepository(files, start);
  const repository = git.kind === "repository" ? git.repository : undefined;
  let marker = findMarker(files, start, repository?.root);
  if (marker === undefined && repository !== undefined && repository.mainRoot !== repository.root) {
    marker = readMarker(files, repository.mainRoot);
  }
  if (marker !== undefined) {
    if (marker.text === "") return none();
    if (isPeerId(marker.text)) return { id: marker.text, source: "marker", from: marker.path };
    return none(
      `Cannot use ${marker.path}: its first line must be letters, digits, _ . - and one @ at most`,
    );
  }
  if (git.kind === "unreadable") return none(git.message);
  if (repository === undefined) return none();
  const { remote, commonDir } = repository;
  if (remote !== undefined) {
    return {
      id: named(remote.split("/").slice(-2).join("-"), remote),
      source: "git-remote",
      from: remote,
    };
  }
  const folder = baseName(commonDir) === ".git" ? parentOf(commonDir) ?? commonDir : commonDir;
  return { id: named(baseName(folder), `path:${commonDir}`), source: "git-local", from: folder };
}
