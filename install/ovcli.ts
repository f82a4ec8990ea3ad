/**
 * The connection in ovcli.conf: `plugin.engine`, and with `--server` the URL and the key. Everything
 * else in the file stays, and a file that cannot be parsed is never written.
 *
 * @module
 */
import type { Json } from "../lib/runtime/types.ts";
import type { CurrentFile } from "./state/current_file.ts";
import { setMember, valueAt } from "./edit_json.ts";
import { type JsonDocument, nodeAt, parseDocument } from "./json/document.ts";
import type { ContainerNote } from "./json/insert.ts";
import { collapseContainers, removeChild } from "./json/remove.ts";
import type { EngineRecord } from "./state/record.ts";
import { type EditReport, type EngineChoice, InstallError } from "./types.ts";

/** The edit of ovcli.conf. `after` is `undefined` when the file goes. */
export interface EnginePlan extends EditReport {
  readonly before: CurrentFile;
  readonly after: string | undefined;
  /** What to remember; `undefined` when install left the file alone. */
  readonly record: EngineRecord | undefined;
}

/** What shall stand in ovcli.conf. */
export interface ConnectionChoice {
  readonly engine?: EngineChoice;
  /** In normal form. */
  readonly server?: string;
  readonly apiKey?: string;
}

const ENGINE = ["plugin", "engine"] as const;

function documentOf(file: CurrentFile): JsonDocument {
  const text = file.text ?? "";
  return parseDocument(file.path, /^\s*$/.test(text) ? "{}\n" : text);
}

/**
 * Plans the edit. Without an explicit choice an engine that is recorded already stays.
 *
 * @param record What an earlier installation remembered.
 * @throws {InstallError} `invalid-config` when the file cannot be parsed, `read-only`.
 */
export function planConnection(
  file: CurrentFile,
  choice: ConnectionChoice,
  record: EngineRecord | undefined,
  missingFolders: readonly string[],
): EnginePlan {
  let document = documentOf(file);
  const before = valueAt(document, ENGINE);
  const engine = choice.engine ??
    (choice.server === undefined ? undefined : "server") ??
    (typeof before === "string" && before !== "" ? before : "auto");
  const wanted: [readonly string[], Json][] = [[ENGINE, engine]];
  if (choice.server !== undefined) wanted.unshift([["url"], choice.server]);
  if (choice.apiKey !== undefined) wanted.push([["api_key"], choice.apiKey]);
  const changes = wanted.filter(([path, value]) => valueAt(document, path) !== value);
  if (changes.length === 0 && file.text !== undefined) {
    const reason = `engine ${engine}`;
    return { path: file.path, action: "none", reason, before: file, after: file.text, record };
  }
  if (!file.writable) throw readOnly(file.path);
  const containers: ContainerNote[] = [];
  for (const [path, value] of changes) {
    const set = setMember(document, path, value);
    containers.push(...set.notes);
    document = parseDocument(file.path, document.bom + set.text);
  }
  const ours = before !== engine || before === record?.engine;
  return {
    path: file.path,
    action: file.text === undefined ? "create" : "edit",
    reason: [
      `engine ${engine}`,
      ...(choice.server === undefined ? [] : ["server URL"]),
      ...(choice.apiKey === undefined ? [] : ["API key"]),
    ].join(", "),
    // It holds a key, now or later.
    before: { ...file, mode: 0o600 },
    after: document.bom + document.text,
    record: !ours ? record : {
      engine,
      ...previousOf(record, before, engine),
      file: {
        path: file.path,
        created: file.text === undefined || (record?.file.created ?? false),
        folders: missingFolders.length > 0 ? missingFolders : record?.file.folders ?? [],
        containers: [...record?.file.containers ?? [], ...containers],
        settings: [],
      },
    },
  };
}

/** The engine that stood there before us; a second choice of ours does not become the first. */
function previousOf(
  record: EngineRecord | undefined,
  before: Json | undefined,
  engine: string,
): { readonly previous?: Json } {
  if (record !== undefined && before === record.engine) {
    return record.previous === undefined ? {} : { previous: record.previous };
  }
  return before === undefined || before === engine ? {} : { previous: before };
}

/**
 * Plans taking `plugin.engine` out again, or back to what it was. URL and key are a person's
 * credentials and stay. The file goes when install made it and nothing else is in it.
 */
export function planConnectionRemoval(file: CurrentFile, record: EngineRecord): EnginePlan {
  const leave = (reason: string): EnginePlan => ({
    path: file.path,
    action: "none",
    reason,
    before: file,
    after: file.text,
    record: undefined,
  });
  if (file.text === undefined) return leave("it is gone");
  const document = documentOf(file);
  if (valueAt(document, ENGINE) !== record.engine) return leave("the engine was chosen by hand");
  if (!file.writable) throw readOnly(file.path);
  let text: string;
  if (record.previous !== undefined) {
    text = setMember(document, ENGINE, record.previous).text;
  } else {
    const holder = nodeAt(document.root, ["plugin"]);
    const property = holder?.children?.findLast((p) => p.children?.[0]?.value === "engine");
    if (holder === undefined || property === undefined) return leave("the engine is gone");
    const without = removeChild(document.text, holder, property);
    text = collapseContainers(file.path, without, ["plugin"], record.file.containers);
  }
  const gone = record.file.created && text.trim() === "{}";
  return {
    path: file.path,
    action: gone ? "remove" : "edit",
    reason: gone ? "install created it" : "plugin.engine leaves",
    before: file,
    after: gone ? undefined : document.bom + text,
    record,
  };
}

function readOnly(path: string): InstallError {
  return new InstallError({
    code: "read-only",
    message: `Cannot write ${path}: the file is read-only`,
    fix: "Allow writing with `chmod u+w`, then run the command again",
    path,
  });
}
