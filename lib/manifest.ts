/**
 * What a host's manifest tells the installer: which files of the host name us, and what stands there.
 * Data only; `install/` reads it, `hosts/<host>/manifest.ts` writes it.
 *
 * Strings inside an entry may hold two marks, filled at planning: `{launcher}` is the launcher's
 * path as it is, `{launcher:sh}` the same as one word for a POSIX shell.
 *
 * @module
 */
import type { Json, JsonObject } from "./runtime/types.ts";
import type { HarnessKey } from "./config/types.ts";

/** Where a host keeps a file or folder: of the alternatives the first that exists, else the last. */
export interface HostLocation {
  /** Environment variable that holds the folder; when it is set and not empty, `inVariable` lies there. */
  readonly variable?: string;
  /** Paths below the variable's folder. */
  readonly inVariable?: readonly string[];
  /** Paths below the home folder. */
  readonly inHome: readonly string[];
}

/** Which half of the installation an entry belongs to: `--hooks-only` and `--mcp-only` choose. */
export type ManifestPart = "hooks" | "mcp";

/**
 * One thing that must stand in a host's file.
 *
 * - `handler`: an object in the `handlers` list of a group, groups in a list at `path` (Claude Code,
 *   Codex, TRAE, ZCode). The group holds `group` and the handler.
 * - `item`: a value in the list at `path` (Cursor's hooks, OpenCode's plugins).
 * - `member`: a value under its own name, the last element of `path` (MCP servers).
 * - `setting`: like `member`, but any value that is there already stays (`version`, `enabled`).
 */
export type ManifestEntry =
  | {
    readonly kind: "handler";
    readonly part: ManifestPart;
    readonly path: readonly string[];
    readonly group: JsonObject;
    readonly handlers: string;
    readonly handler: JsonObject;
  }
  | {
    readonly kind: "item" | "member" | "setting";
    readonly part: ManifestPart;
    readonly path: readonly string[];
    readonly value: Json;
  };

/**
 * A place that removal searches: the groups in a list (`handler`), the values of a list (`item`) or
 * the members of an object (`member`) at `path`, where `*` stands for every key.
 */
export type SearchedPlace =
  | {
    readonly kind: "handler";
    readonly part: ManifestPart;
    readonly path: readonly string[];
    readonly handlers: string;
  }
  | {
    readonly kind: "item" | "member";
    readonly part: ManifestPart;
    readonly path: readonly string[];
  };

/** A JSON or JSONC file of a host and what must stand in it. */
export interface ManifestFile {
  readonly location: HostLocation;
  readonly entries: readonly ManifestEntry[];
  /** Where entries of ours may stand, those of earlier versions included; removal looks there. */
  readonly searched: readonly SearchedPlace[];
}

/**
 * A hook entry of a host: the guard, a prompt's recall, a session's start, or what only records. Each
 * is a bundle of its own, because a hook pays for the code it carries.
 */
export type HookPart = "guard" | "prompt" | "start" | "write";

/** One host as the installer sees it. */
export interface HostManifest {
  readonly id: HarnessKey;
  /** As people call it. */
  readonly name: string;
  /** Signs that the host is there: programs on the PATH, files or folders. */
  readonly detect: {
    readonly programs: readonly string[];
    readonly locations: readonly HostLocation[];
  };
  readonly files: readonly ManifestFile[];
  /** The host's events by the entry that runs them; an event in none of the lists goes to `write`. */
  readonly hookEvents: Readonly<Partial<Record<HookPart, readonly string[]>>>;
  /** Values that mean another installation of ours is active beside this one. */
  readonly conflicts: readonly {
    readonly location: HostLocation;
    readonly path: readonly string[];
    /** The value that makes it active. */
    readonly value: Json;
    /** What it is and how to end it, one sentence. */
    readonly message: string;
  }[];
}
