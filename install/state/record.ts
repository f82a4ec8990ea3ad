/**
 * `agent/installed.json`: what was installed where, and what the inverse edits must know. It holds
 * names and whitespace of a person's files, never their values.
 *
 * @module
 */
import { FileError, type Files, type Json } from "../../lib/runtime/types.ts";
import type { HarnessKey } from "../../lib/config/types.ts";
import type { ManifestPart } from "../../lib/manifest.ts";
import type { AddedSetting } from "../edit_json.ts";
import type { ContainerNote } from "../json/insert.ts";
import type { Pointer } from "../program/deploy.ts";

/** What is known of one file that we edited. */
export interface FileRecord {
  /** As the host names it, links not followed. */
  readonly path: string;
  /** True when it was not there before. */
  readonly created: boolean;
  /** Whitespace that was the whole file before. */
  readonly blank?: string;
  /** Folders made for it, outermost first. */
  readonly folders: readonly string[];
  readonly containers: readonly ContainerNote[];
  readonly settings: readonly AddedSetting[];
}

/** One installed host. */
export interface HostInstallation {
  readonly parts: readonly ManifestPart[];
  readonly files: readonly FileRecord[];
}

/** What install did to ovcli.conf. */
export interface EngineRecord {
  readonly file: FileRecord;
  readonly engine: string;
  /** The value that stood there before; absent when there was none. */
  readonly previous?: Json;
}

/** The whole record. */
export interface Installation {
  readonly schema: 1;
  readonly version: string;
  /** The program before the one in force: it is kept, because hooks of it may be running. */
  readonly previous: Pointer | null;
  readonly hosts: Readonly<Partial<Record<HarnessKey, HostInstallation>>>;
  readonly engine?: EngineRecord;
  /** Folders above and with the agent home that install made, outermost first. */
  readonly folders: readonly string[];
}

/** A record as read: `unreadable` is not the same as none. */
export type RecordResult =
  | { readonly state: "found"; readonly record: Installation }
  | { readonly state: "none" }
  | { readonly state: "unreadable"; readonly reason: string };

/** Name of the record in an agent home. */
export const RECORD_NAME = "installed.json";

function pathOf(home: string): string {
  return `${home}/${RECORD_NAME}`;
}

/** Reads the record of an agent home. A newer schema counts as unreadable. */
export function readRecord(files: Files, home: string): RecordResult {
  let text: string;
  try {
    text = files.readText(pathOf(home));
  } catch (error) {
    if (
      error instanceof FileError && (error.code === "not-found" || error.code === "not-directory")
    ) {
      return { state: "none" };
    }
    return { state: "unreadable", reason: (error as Error).message };
  }
  try {
    const record = JSON.parse(text) as Installation;
    if (record?.schema !== 1 || typeof record.hosts !== "object" || record.hosts === null) {
      return { state: "unreadable", reason: `${pathOf(home)} has an unknown form` };
    }
    return { state: "found", record };
  } catch {
    return { state: "unreadable", reason: `${pathOf(home)} is not valid JSON` };
  }
}

/** Writes the record unless it stands there already. */
export function writeRecord(files: Files, home: string, record: Installation): void {
  const { schema, version, previous, hosts, engine, folders } = record;
  const ordered = { schema, version, previous, hosts, engine, folders };
  const text = `${JSON.stringify(ordered, null, 2)}\n`;
  const path = pathOf(home);
  if (files.stat(path) === undefined || files.readText(path) !== text) {
    files.writeAtomic(path, text);
  }
}

/**
 * What both records know, for the time in which a file may still hold the older form: an install
 * that is killed between its two writes leaves a record that can undo either.
 */
export function mergeFileRecords(
  older: readonly FileRecord[],
  newer: readonly FileRecord[],
): FileRecord[] {
  const merged = new Map(older.map((record) => [record.path, record]));
  for (const record of newer) {
    const known = merged.get(record.path);
    merged.set(record.path, known === undefined ? record : mergeTwo(known, record));
  }
  return [...merged.values()];
}

function mergeTwo(older: FileRecord, newer: FileRecord): FileRecord {
  const key = (note: { readonly path: readonly string[] }) => note.path.join("\0");
  const missing = <T extends { readonly path: readonly string[] }>(
    a: readonly T[],
    b: readonly T[],
  ) => [
    ...b,
    ...a.filter((note) => !b.some((other) => key(other) === key(note))),
  ];
  return {
    ...newer,
    folders: newer.folders.length > 0 ? newer.folders : older.folders,
    containers: missing(older.containers, newer.containers),
    settings: missing(older.settings, newer.settings),
  };
}
