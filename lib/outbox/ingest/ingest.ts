/**
 * Takes spool files into the store: what an event said and the receipt that it was taken in are one
 * transaction, then the file goes. A file that is met again changes nothing.
 *
 * @module
 */
import type { CapturedMessage, CreateDecoder } from "../../capture/model.ts";
import type { ProcessRuntime, Runtime } from "../../runtime/types.ts";
import type { SpoolRecord } from "../types.ts";
import { OUTBOX_LAYOUT } from "../types.ts";
import { FileError } from "../../runtime/types.ts";
import { cleanMessage } from "../../capture/clean.ts";
import { createRedactor, type Redactor } from "../../capture/redact.ts";
import { enqueueCommit, enqueueMessages } from "../store/enqueue.ts";
import { generationOfKey, type KeyHints } from "../store/identity.ts";
import { forgottenUntil } from "../forgotten.ts";
import { writeLastSession } from "../last_session.ts";
import { readTranscript } from "./_read_transcript.ts";
import { parseSpoolRecord } from "./spool_record.ts";
import { isVoidEnd, type SessionRow, touchSession } from "../store/sessions.ts";
import { num, type Store } from "../store/store.ts";

/** What ingesting needs. */
export interface IngestContext {
  readonly runtime: ProcessRuntime;
  readonly agentHome: string;
  /** Folder of the target. */
  readonly folder: string;
  readonly store: Store;
  readonly decoders: Readonly<Record<string, CreateDecoder>>;
  readonly keyHints: () => KeyHints;
  /** Values that must never be stored. */
  readonly secrets: () => readonly string[];
  readonly checkpoint: (name: string) => void;
  /** Told of each event that is in the store now. */
  readonly onTakenIn?: (record: SpoolRecord) => void;
  /** Told of an event whose hook may wait, with its session's row and the mark to take away. */
  readonly onAwaited?: (session: number, mark: string) => void;
}

/** What a pass over the spool did. */
export interface IngestReport {
  readonly files: number;
  readonly messages: number;
  /** Names of files that stay: not due yet, or not possible now. */
  readonly waiting: readonly string[];
}

/** How long an event about the end of something waits for the host to flush its transcript. */
const FLUSH_WAIT_MS = 200;
/** An event whose transcript cannot be read is given up after this time; the problem stays on record. */
const UNREADABLE_GIVE_UP_MS = 24 * 3_600_000;

/** Makes the redactor of a session's settings; built once per distinct settings. */
export function createRedactors(secrets: () => readonly string[]): (record: {
  readonly redact: boolean;
  readonly redactPatterns: readonly string[];
}) => Redactor {
  const made = new Map<string, Redactor>();
  return ({ redact, redactPatterns }) => {
    const known = secrets();
    const key = JSON.stringify([redact, redactPatterns, known]);
    let redactor = made.get(key);
    if (redactor === undefined) {
      made.set(
        key,
        redactor = createRedactor({ enabled: redact, patterns: redactPatterns, secrets: known }),
      );
    }
    return redactor;
  };
}

/** Names of the spool files, oldest first. Sweeps what a killed hook left. */
export function spoolNames(
  context: { readonly runtime: Runtime; readonly folder: string },
): string[] {
  const spool = `${context.folder}/${OUTBOX_LAYOUT.spool}`;
  const { files } = context.runtime;
  const names = files.list(spool);
  for (const name of names) {
    if (!name.endsWith(".tmp") && !name.endsWith(OUTBOX_LAYOUT.awaited)) continue;
    const stat = files.stat(`${spool}/${name}`);
    if (stat !== undefined && context.runtime.now() - stat.mtimeMs > 3_600_000) {
      files.remove(`${spool}/${name}`);
    }
  }
  return names.filter((name) => name.endsWith(".json") && !name.startsWith(".")).sort();
}

/** Takes in what the spool holds and may be taken in now, in the order of the names. */
export async function ingestSpool(
  context: IngestContext,
  stopped: () => boolean = () => false,
): Promise<IngestReport> {
  const redactorFor = createRedactors(context.secrets);
  let files = 0;
  let messages = 0;
  const waiting: string[] = [];
  const names = spoolNames(context);
  forgetReceipts(context, names);
  for (const name of names) {
    if (stopped()) break;
    const done = await ingestFile(context, name, redactorFor);
    if (done === undefined) waiting.push(name);
    else {
      files++;
      messages += done;
    }
  }
  return { files, messages, waiting };
}

/** Receipts are needed only while their file may still be there. */
function forgetReceipts({ store }: IngestContext, names: readonly string[]): void {
  const there = new Set(names);
  for (const row of store.all("SELECT name FROM receipts LIMIT 10000")) {
    if (!there.has(String(row["name"]))) {
      store.run("DELETE FROM receipts WHERE name = ?", row["name"] ?? "");
    }
  }
  for (const row of store.all("SELECT name FROM waiting_events LIMIT 10000")) {
    if (!there.has(String(row["name"]))) {
      store.run("DELETE FROM waiting_events WHERE name = ?", row["name"] ?? "");
    }
  }
}

/** Messages that one file added, or `undefined` when the file stays. */
async function ingestFile(
  context: IngestContext,
  name: string,
  redactorFor: ReturnType<typeof createRedactors>,
): Promise<number | undefined> {
  const { runtime, store, folder } = context;
  const path = `${folder}/${OUTBOX_LAYOUT.spool}/${name}`;
  const now = runtime.now();
  if (store.get("SELECT 1 FROM receipts WHERE name = ?", name) !== undefined) {
    runtime.files.remove(path);
    return 0;
  }
  const waits = store.get("SELECT next_try_at FROM waiting_events WHERE name = ?", name);
  if (waits !== undefined && num(waits, "next_try_at") > now) return undefined;

  let json: string;
  try {
    json = runtime.files.readText(path);
  } catch (error) {
    if (error instanceof FileError && error.code === "not-found") return 0;
    return postpone(context, name, "", error instanceof Error ? error.message : String(error));
  }
  const record = parseSpoolRecord(json);
  if (record === undefined) return reject(context, name);
  const { boundary, transcript } = record;
  if (boundary !== undefined && now - (Date.parse(record.at) || 0) < FLUSH_WAIT_MS) {
    return undefined;
  }

  const target = generationOfKey(store, record.keyFingerprint ?? "", context.keyHints(), now);
  if (target === undefined) {
    return postpone(
      context,
      name,
      record.session,
      "waits until the server has told whose the new key is",
    );
  }
  if (transcript !== undefined && context.decoders[transcript.decoder] === undefined) {
    return postpone(
      context,
      name,
      record.session,
      `no decoder "${transcript.decoder}" in this version`,
    );
  }
  return await ingestRecord(context, name, record, target, redactorFor(record.settings));
}

async function ingestRecord(
  context: IngestContext,
  name: string,
  record: SpoolRecord,
  target: number,
  redact: Redactor,
): Promise<number | undefined> {
  const { runtime, store, decoders } = context;
  const now = runtime.now();
  const { boundary, transcript } = record;
  let session = store.transaction(() => touchSession(store, target, record, now));

  const limits = {
    maxTextChars: record.settings.captureMaxLength,
    maxToolChars: record.settings.captureToolMaxChars,
    fallbackDate: record.at,
  };
  const said = (record.messages ?? []).flatMap((message: CapturedMessage) => {
    if (message.role !== "user" && !record.settings.captureAssistantTurns) return [];
    const clean = cleanMessage(message, redact, limits);
    return clean === undefined ? [] : [clean];
  });
  let fromRecord = 0;
  const finish = (): void => {
    fromRecord = enqueueMessages(store, session, record.session, said, now);
    if (boundary !== undefined && !isVoidEnd(session, boundary.reason, Date.parse(record.at))) {
      enqueueCommit(store, session, boundary, now);
    }
    store.run("INSERT OR IGNORE INTO receipts(name, at) VALUES (?, ?)", name, now);
    store.run("DELETE FROM waiting_events WHERE name = ?", name);
  };

  let read = 0;
  if (transcript === undefined) store.transaction(finish);
  else {
    session = { ...session, settings: record.settings };
    const createDecoder = decoders[transcript.decoder];
    if (createDecoder === undefined) return undefined;
    const outcome = await readTranscript(store, {
      session,
      path: transcript.path,
      decoderName: transcript.decoder,
      createDecoder,
      scope: "",
      flush: boundary !== undefined && boundary.reason !== "pre-compact" &&
        boundary.reason !== "turn-end",
      fallbackDate: record.at,
      forgottenUntil: forgottenUntil(runtime, context.agentHome, record.session),
      upTo: {
        at: Date.parse(record.at) || 0,
        size: transcript.size,
        isWithin: boundary === undefined || boundary.reason === "turn-end",
      },
      atEnd: finish,
    }, {
      runtime,
      agentHome: context.agentHome,
      now,
      redact,
      checkpoint: context.checkpoint,
      pause: () => runtime.sleep(0),
    });
    if (outcome.kind === "unreadable" && !isTooOld(store, name, now)) {
      return postpone(context, name, record.session, outcome.reason);
    }
    if (outcome.kind === "read") read = outcome.messages;
    else store.transaction(finish);
  }
  const added = read + fromRecord;
  if (added > 0) rememberSession(context, session, record.at);
  context.onTakenIn?.(record);
  if (boundary?.reason === "pre-compact" || boundary?.reason === "clear") {
    const mark = `${context.folder}/${OUTBOX_LAYOUT.spool}/${name}${OUTBOX_LAYOUT.awaited}`;
    context.onAwaited?.(session.id, mark);
  }
  context.checkpoint("before-unlink");
  runtime.files.remove(`${context.folder}/${OUTBOX_LAYOUT.spool}/${name}`);
  return added;
}

function rememberSession(context: IngestContext, session: SessionRow, at: string): void {
  if (session.peer === "" || session.parent !== "") return;
  writeLastSession(context.runtime, context.agentHome, session.peer, session.session, at);
}

function isTooOld(store: Store, name: string, now: number): boolean {
  const waits = store.get("SELECT first_at FROM waiting_events WHERE name = ?", name);
  return waits !== undefined && now - num(waits, "first_at") > UNREADABLE_GIVE_UP_MS;
}

/** Leaves a file for a later pass and says why; the pauses grow to five minutes. */
function postpone(
  context: IngestContext,
  name: string,
  session: string,
  reason: string,
): undefined {
  const { store, runtime } = context;
  const now = runtime.now();
  const attempts = num(
    store.get("SELECT attempts FROM waiting_events WHERE name = ?", name),
    "attempts",
  ) + 1;
  const nextTry = now + Math.min(300_000, 500 * 2 ** Math.min(attempts, 10));
  store.run(
    `INSERT INTO waiting_events(name, session, attempts, next_try_at, reason, first_at)
     VALUES (?,?,?,?,?,?) ON CONFLICT(name) DO UPDATE SET attempts = excluded.attempts,
       next_try_at = excluded.next_try_at, reason = excluded.reason`,
    name,
    session,
    attempts,
    nextTry,
    reason,
    now,
  );
  return undefined;
}

/** Sets a file aside that no version of ours wrote; a person can look at it. */
function reject(context: IngestContext, name: string): number {
  const { files } = context.runtime;
  const folder = `${context.folder}/${OUTBOX_LAYOUT.rejected}`;
  files.makeDir(folder, 0o700);
  files.rename(`${context.folder}/${OUTBOX_LAYOUT.spool}/${name}`, `${folder}/${name}`);
  return 0;
}
