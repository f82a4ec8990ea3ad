/**
 * From manifests and current files to edits. Pure: reads nothing, writes nothing.
 *
 * @module
 */
import type { Json } from "../lib/runtime/types.ts";
import type { ManifestEntry, ManifestFile, ManifestPart } from "../lib/manifest.ts";
import { addEntries, findOurs, holdsExactly, removeOurs, valueAt } from "./edit_json.ts";
import { type JsonDocument, parseDocument } from "./json/document.ts";
import type { CurrentFile } from "./state/current_file.ts";
import type { FileRecord } from "./state/record.ts";
import { type EditReport, InstallError } from "./types.ts";
import { mayHoldOurs } from "./ownership.ts";
import { quoteForShell } from "./program/launcher.ts";

/** One file before and after. `after` is `undefined` when the file goes. */
export interface PlannedEdit extends EditReport {
  readonly before: CurrentFile;
  readonly after: string | undefined;
  /** What to remember once it is done; `undefined` when there is nothing to undo. */
  readonly record: FileRecord | undefined;
  readonly warnings: readonly string[];
}

/** Fills the marks of a manifest's strings, each once: the launcher's path may look like a mark. */
export function fillMarks<T extends Json>(value: T, launcher: string): T {
  if (typeof value === "string") {
    return value.replace(
      /\{launcher(:sh)?\}/g,
      (_mark, sh) => sh === undefined ? launcher : quoteForShell(launcher),
    ) as T;
  }
  if (Array.isArray(value)) return value.map((item) => fillMarks(item, launcher)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillMarks(item, launcher)]),
  ) as T;
}

/** A file without content is an empty object in the making. */
function documentOf(file: CurrentFile): JsonDocument {
  const text = file.text ?? "";
  return parseDocument(file.path, isBlank(text) ? "{}\n" : text);
}

function isBlank(text: string): boolean {
  return /^\s*$/.test(text);
}

/** What is left when everything of ours is out: the text before, or `undefined` for no file. */
function textWithoutOurs(
  file: CurrentFile,
  manifest: Pick<ManifestFile, "searched">,
  record: FileRecord | undefined,
): string | undefined {
  if (file.text === undefined || isBlank(file.text)) return file.text;
  const document = documentOf(file);
  const text = removeOurs(document, manifest.searched, record?.containers, record?.settings);
  if (record !== undefined && text.trim() === "{}") {
    if (record.created) return undefined;
    if (record.blank !== undefined) return record.blank;
  }
  return document.bom + text;
}

function readOnly(path: string): InstallError {
  return new InstallError({
    code: "read-only",
    message: `Cannot write ${path}: the file is read-only`,
    fix: `Allow writing with \`chmod u+w\`, then run the command again`,
    path,
  });
}

const unchanged = (file: CurrentFile, reason: string, record: FileRecord | undefined) => ({
  path: file.path,
  action: "none" as const,
  reason,
  before: file,
  after: file.text,
  record,
});

/** What a file's plan needs to know beside the file. */
export interface FilePlanInput {
  readonly file: CurrentFile;
  readonly manifest: ManifestFile;
  /** Parts that shall be installed; entries of other parts are taken out. */
  readonly parts: readonly ManifestPart[];
  readonly launcher: string;
  /** What an earlier installation remembered of this file. */
  readonly record: FileRecord | undefined;
  /** Folders that must be made for it. */
  readonly missingFolders: readonly string[];
}

/**
 * The edit that makes `file` hold exactly our entries of `parts`.
 *
 * @throws {InstallError} `invalid-config` or `read-only`; the file is not to be touched then.
 */
export function planInstallFile(input: FilePlanInput): PlannedEdit {
  const { file, manifest, launcher, record } = input;
  const entries = manifest.entries.filter((entry) => input.parts.includes(entry.part))
    .map((entry) => fillMarks(entry as unknown as Json, launcher) as unknown as ManifestEntry);
  if (file.text === undefined && entries.length === 0) {
    return { ...unchanged(file, "not needed", undefined), warnings: [] };
  }
  const document = documentOf(file);
  const warnings = foreignEntries(document, manifest, entries).map((path) =>
    `${
      path.join(".")
    } in ${file.path} is not ours and stays as it is; rename it and install again to use this program there`
  );
  if (
    file.text !== undefined && !isBlank(file.text) &&
    holdsExactly(document, manifest.searched, entries)
  ) {
    const reason = entries.length === 0 ? "not needed" : "already installed";
    return { ...unchanged(file, reason, record), warnings };
  }
  if (!file.writable) throw readOnly(file.path);
  const base = textWithoutOurs(file, manifest, record);
  const blank = base !== undefined && isBlank(base) ? { blank: base } : {};
  const created = base === undefined;
  if (entries.length === 0) {
    const before = findOurs(document, manifest.searched).length;
    const after = created && !record?.created ? "{}\n" : base;
    return {
      path: file.path,
      action: after === undefined ? "remove" : "edit",
      reason: `${before} of our entries leave`,
      before: file,
      after,
      record: undefined,
      warnings,
    };
  }
  const added = addEntries(documentOf({ ...file, text: base }), entries);
  return {
    path: file.path,
    action: file.text === undefined ? "create" : "edit",
    reason: describe(entries),
    before: file,
    after: document.bom + added.text,
    record: {
      path: file.path,
      created,
      ...blank,
      folders: input.missingFolders.length > 0 ? input.missingFolders : record?.folders ?? [],
      containers: added.notes,
      settings: added.settings,
    },
    warnings,
  };
}

function describe(entries: readonly ManifestEntry[]): string {
  const hooks = entries.filter((entry) => entry.part === "hooks").length;
  const servers = entries.length - hooks;
  return [
    hooks === 0 ? "" : `${hooks} hook${hooks === 1 ? "" : "s"}`,
    servers === 0 ? "" : "MCP server openviking",
  ].filter((text) => text !== "").join(", ");
}

/** Members of others that stand where one of ours would go. */
function foreignEntries(
  document: JsonDocument,
  manifest: ManifestFile,
  entries: readonly ManifestEntry[],
): (readonly string[])[] {
  const ours = findOurs(document, manifest.searched);
  return entries.filter((entry) => entry.kind === "member")
    .map((entry) => entry.path)
    .filter((path) =>
      valueAt(document, path) !== undefined &&
      !ours.some((value) => [...value.path, value.name].join("\0") === path.join("\0"))
    );
}

/**
 * The edit that takes everything of ours out of `file`.
 *
 * @throws {InstallError} `invalid-config` or `read-only`; the file is not to be touched then.
 */
export function planUninstallFile(
  file: CurrentFile,
  manifest: Pick<ManifestFile, "searched">,
  record: FileRecord | undefined,
): PlannedEdit {
  // A file that never named us need not even be valid.
  const after = record === undefined && !mayHoldOurs(file.text ?? "")
    ? file.text
    : textWithoutOurs(file, manifest, record);
  if (after === file.text) {
    return { ...unchanged(file, "nothing of ours", undefined), warnings: [] };
  }
  if (!file.writable) throw readOnly(file.path);
  return {
    path: file.path,
    action: after === undefined ? "remove" : "edit",
    reason: after === undefined ? "install created it" : "our entries leave",
    before: file,
    after,
    record,
    warnings: [],
  };
}
