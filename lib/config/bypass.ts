/**
 * The sessions and folders that the user told to leave alone, kept in `agent/bypass.json`:
 * `{"sessions": ["cc-..."], "dirs": ["/path"]}`.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import { agentPath } from "./paths.ts";
import { readObjectFile } from "./read_file.ts";

/** What is bypassed. */
export interface BypassEntries {
  /** Session ids on the engine. */
  readonly sessions: readonly string[];
  /** Folders, without links where they existed; what lies below is bypassed too. */
  readonly dirs: readonly string[];
}

/** The entries, or why they cannot be read. */
export type ReadBypass =
  | { readonly ok: true; readonly entries: BypassEntries }
  | { readonly ok: false; readonly message: string };

/** One session or one folder. */
export type BypassEntry = { readonly session: string } | { readonly dir: string };

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Reads the entries; none when the file is absent. */
export function readBypass(runtime: Runtime, home: string): ReadBypass {
  const read = readObjectFile(runtime, agentPath(home, "bypass"));
  if (read.state === "unreadable") return { ok: false, message: read.message };
  const value = read.state === "ok" ? read.value : {};
  return { ok: true, entries: { sessions: texts(value["sessions"]), dirs: texts(value["dirs"]) } };
}

/** The spellings under which a folder may stand: as given, and without links. */
export function directorySpellings(runtime: Runtime, dir: string): string[] {
  let end = dir.length;
  while (end > 1 && dir[end - 1] === "/") end--;
  const plain = dir.slice(0, end);
  try {
    const real = runtime.files.realPath(plain);
    return real === plain ? [plain] : [real, plain];
  } catch {
    return [plain];
  }
}

/**
 * Adds or removes an entry and returns what is bypassed then.
 *
 * @throws {Error} when the file cannot be read: its entries would be lost.
 * @throws {FileError} when it cannot be written.
 */
export function setBypass(
  runtime: Runtime,
  home: string,
  entry: BypassEntry,
  on: boolean,
): BypassEntries {
  const read = readBypass(runtime, home);
  if (!read.ok) {
    throw new Error(`Cannot change what is bypassed: ${read.message}; repair or remove it`);
  }
  const change = (had: readonly string[], names: readonly string[]): string[] => {
    const rest = had.filter((item) => !names.includes(item));
    return on ? [...rest, ...names.slice(0, 1)] : rest;
  };
  const entries: BypassEntries = "session" in entry
    ? { ...read.entries, sessions: change(read.entries.sessions, [entry.session]) }
    : {
      ...read.entries,
      dirs: change(read.entries.dirs, directorySpellings(runtime, entry.dir)),
    };
  const path = agentPath(home, "bypass");
  runtime.files.makeDir(path.slice(0, path.lastIndexOf("/")));
  runtime.files.writeAtomic(path, `${JSON.stringify(entries, null, 2)}\n`);
  return entries;
}
