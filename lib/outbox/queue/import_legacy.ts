/**
 * `queue import-legacy`: takes over what the earlier plugins could not deliver and left in their
 * folder of pending requests, one file each.
 *
 * Source: shared/pending-queue.mjs of the OpenViking plugins (August 2026).
 *
 * @module
 */
import type { CapturedMessage, MessagePart } from "../../capture/model.ts";
import type { HarnessKey } from "../../config/types.ts";
import type { JsonObject, Runtime } from "../../runtime/types.ts";
import type { CaptureSettings, SpoolRecord, Target } from "../types.ts";
import { cleanMessage } from "../../capture/clean.ts";
import { createRedactor } from "../../capture/redact.ts";
import { writeSpoolRecord } from "../spool.ts";

/** What an import needs. */
export interface LegacyImport {
  readonly runtime: Runtime;
  readonly agentHome: string;
  /** Folder of the earlier plugins' queue. */
  readonly folder: string;
  readonly to: Target;
  readonly settings: CaptureSettings;
  /** Values that must never be stored. */
  readonly secrets: readonly string[];
  /** The host that a session's id speaks of. */
  readonly hostOf: (session: string) => HarnessKey;
}

/** What an import did. Nothing is deleted: files that were taken in lie in `imported/` of their folder. */
export interface LegacyReport {
  readonly messages: number;
  readonly commits: number;
  readonly sessions: number;
  /** One line for each file that stays, and why. */
  readonly problems: readonly string[];
}

interface LegacyEntry {
  readonly name: string;
  /** The earlier plugins' own key of the request: the id of its message here. */
  readonly key: string;
  readonly type: "addMessage" | "commitSession";
  readonly session: string;
  readonly payload: JsonObject;
  readonly at: number;
}

/** Messages in one record. */
const PIECE = 200;
/** A claimed file that is younger is being sent by an earlier plugin at this moment. */
const CLAIM_MS = 10 * 60_000;
const IMPORTED = "imported";

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The entry in a file, or why it cannot be used. */
function readEntry({ runtime, folder }: LegacyImport, name: string): LegacyEntry | string {
  const path = `${folder}/${name}`;
  try {
    const stat = runtime.files.stat(path);
    if (name.endsWith(".processing") && runtime.now() - (stat?.mtimeMs ?? 0) < CLAIM_MS) {
      return "an earlier plugin is sending it; try again in ten minutes";
    }
    const value: unknown = JSON.parse(runtime.files.readText(path));
    if (!isObject(value) || !isObject(value["payload"])) return "it is no pending request";
    const { type, sessionId, payload, createdAt } = value;
    if (type !== "addMessage" && type !== "commitSession") return `unknown type ${String(type)}`;
    const session = text(sessionId);
    if (session === "") return "it names no session";
    const key = /^[0-9a-f]{8,}/.exec(name)?.[0] ?? name;
    const at = typeof createdAt === "number" ? createdAt : stat?.mtimeMs ?? runtime.now();
    return { name, key, type, session, payload: payload as JsonObject, at };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function toPart(part: unknown): MessagePart[] {
  if (!isObject(part)) return [];
  if (part["type"] === "text") return [{ type: "text", text: text(part["text"]) }];
  if (part["type"] !== "tool") return [];
  const { tool_id, tool_name, tool_status, tool_input, tool_output } = part;
  return [{
    type: "tool",
    toolId: text(tool_id),
    toolName: text(tool_name),
    status: tool_status === "error" || tool_status === "running" ? tool_status : "completed",
    ...(isObject(tool_input) ? { input: tool_input } : {}),
    ...(tool_output === undefined || tool_output === null ? {} : {
      output: typeof tool_output === "string" ? tool_output : JSON.stringify(tool_output),
    }),
  }];
}

/** A pending append as a captured message; `undefined` when nothing of it can be kept. */
function toMessage({ key, payload, at }: LegacyEntry): CapturedMessage | undefined {
  const { role, content, parts, created_at, turn_id } = payload;
  const list = Array.isArray(parts) && parts.length > 0
    ? parts.flatMap(toPart)
    : [{ type: "text" as const, text: text(content) }];
  if ((role !== "user" && role !== "assistant") || list.length === 0) return undefined;
  const said = text(created_at);
  return {
    id: `legacy-${key}`,
    role,
    createdAt: Number.isNaN(Date.parse(said)) ? new Date(at).toISOString() : said,
    ...(text(turn_id) === "" ? {} : { turnId: text(turn_id) }),
    parts: list,
  };
}

/** Entries of one session up to a commit, or without one at the end. */
interface Piece {
  readonly entries: LegacyEntry[];
  commit?: LegacyEntry;
}

function piecesOf(entries: readonly LegacyEntry[]): Piece[] {
  const pieces: Piece[] = [{ entries: [] }];
  for (const entry of entries) {
    const last = pieces.at(-1) as Piece;
    const isEnded = last.commit !== undefined || last.entries.length >= PIECE;
    if (entry.type === "commitSession") {
      if (last.commit === undefined) last.commit = entry;
      else pieces.push({ entries: [], commit: entry });
    } else if (isEnded) pieces.push({ entries: [entry] });
    else last.entries.push(entry);
  }
  return pieces.filter((piece) => piece.entries.length > 0 || piece.commit !== undefined);
}

function recordOf(
  options: LegacyImport,
  session: string,
  piece: Piece,
  messages: readonly CapturedMessage[],
): SpoolRecord {
  const peer = piece.entries.map(({ payload }) => text(payload["peer_id"])).find((id) => id !== "");
  const keep = piece.commit?.payload["keep_recent_count"];
  return {
    version: 1,
    host: options.hostOf(session),
    event: "import-legacy",
    at: new Date((piece.commit ?? piece.entries.at(-1))?.at ?? options.runtime.now()).toISOString(),
    session,
    cwd: "",
    settings: options.settings,
    messages,
    ...(peer === undefined ? {} : { peer }),
    ...(piece.commit === undefined ? {} : {
      boundary: {
        reason: "turn-end" as const, // what an earlier plugin asked for is never voided
        keepRecentCount: typeof keep === "number" && keep >= 0 ? keep : 0,
      },
    }),
  };
}

/**
 * Hands everything that waits there to the queue of `to`, in its order, redacted. Idempotent: a
 * message is known by the earlier plugins' own key, and a file goes to `imported/` once its record
 * is durable.
 */
export function importLegacyQueue(options: LegacyImport): LegacyReport {
  const { runtime, agentHome, folder, to, settings } = options;
  const problems: string[] = [];
  const sessions = new Map<string, LegacyEntry[]>();
  const names = runtime.files.list(folder).filter((name) => /\.(json|processing)$/.test(name));
  for (const name of names.sort()) {
    const entry = readEntry(options, name);
    if (typeof entry === "string") problems.push(`${folder}/${name}: ${entry}`);
    else sessions.set(entry.session, [...sessions.get(entry.session) ?? [], entry]);
  }
  const redact = createRedactor({
    enabled: settings.redact,
    patterns: settings.redactPatterns,
    secrets: options.secrets,
  });
  let messages = 0;
  let commits = 0;
  let written = 0;
  for (const [session, entries] of sessions) {
    entries.sort((a, b) => a.at - b.at);
    for (const piece of piecesOf(entries)) {
      const kept = piece.entries.flatMap((entry) => {
        const message = toMessage(entry);
        const clean = message === undefined ? undefined : cleanMessage(message, redact, {
          maxTextChars: settings.captureMaxLength,
          maxToolChars: settings.captureToolMaxChars,
          fallbackDate: message.createdAt,
        });
        return clean === undefined ? [] : [clean];
      });
      const result = writeSpoolRecord(
        runtime,
        agentHome,
        to,
        recordOf(options, session, piece, kept),
        `${String(written++).padStart(6, "0")}-`,
      );
      if (!result.ok) {
        return {
          messages,
          commits,
          sessions: sessions.size,
          problems: [...problems, result.reason],
        };
      }
      messages += kept.length;
      commits += piece.commit === undefined ? 0 : 1;
      setAside(options, piece, problems);
    }
  }
  return { messages, commits, sessions: sessions.size, problems };
}

/** Moves the files of a piece out of the earlier plugins' sight, so that none of them sends it too. */
function setAside({ runtime, folder }: LegacyImport, piece: Piece, problems: string[]): void {
  const aside = `${folder}/${IMPORTED}`;
  const done = piece.commit === undefined ? piece.entries : [...piece.entries, piece.commit];
  for (const { name } of done) {
    try {
      runtime.files.makeDir(aside, 0o700);
      runtime.files.rename(`${folder}/${name}`, `${aside}/${name}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push(`${folder}/${name}: it was imported and could not be moved (${why})`);
    }
  }
}
