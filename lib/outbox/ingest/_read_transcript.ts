/**
 * Reads what is new in a session's transcript into its queue: messages, captured ids and cursor move
 * in the same transaction.
 *
 * @module
 */
import type { CapturedMessage, CreateDecoder, DecodedRow } from "../../capture/model.ts";
import type { Redactor } from "../../capture/redact.ts";
import type { RowReader, TranscriptCursor } from "../../capture/jsonl_reader.ts";
import type { Json, Runtime } from "../../runtime/types.ts";
import type { SessionRow } from "../store/sessions.ts";
import { type Pauses, readPauses, type ReadUpTo } from "../pauses.ts";
import { cleanMessage } from "../../capture/clean.ts";
import { openTranscript } from "../../capture/jsonl_reader.ts";
import { redactJson } from "../../capture/redact.ts";
import { enqueueMessages, isCaptured } from "../store/enqueue.ts";
import { type Store, text } from "../store/store.ts";

/** What reading needs beside the store. */
export interface ReadContext {
  readonly runtime: Runtime;
  readonly agentHome: string;
  readonly now: number;
  readonly redact: Redactor;
  /** Names a point at which a test may kill the worker. */
  readonly checkpoint: (name: string) => void;
  /** Lets other work go on between two transactions of a long read. */
  readonly pause: () => Promise<void>;
}

/** One transcript to read. */
export interface TranscriptRead {
  readonly session: SessionRow;
  readonly path: string;
  readonly decoderName: string;
  readonly createDecoder: CreateDecoder;
  /** Scope of the host's message ids, see {@linkcode enqueueMessages}. */
  readonly scope: string;
  /** The session ended: calls without a result are queued as they are. */
  readonly flush: boolean;
  /** Date for messages without one, ISO 8601. */
  readonly fallbackDate: string;
  /** Milliseconds since the epoch up to which the session is forgotten; 0 when it is not. */
  readonly forgottenUntil: number;
  /** The event that asked for the read; absent when nobody did. */
  readonly upTo?: ReadUpTo;
  /** Runs in the transaction of the last piece, for the boundary commit and the receipt. */
  readonly atEnd: () => void;
}

/** How a read ended. Only `read` ran `atEnd`. */
export type ReadOutcome =
  | { readonly kind: "read"; readonly messages: number; readonly problem: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Bytes of bodies and rows after which a piece of a long read is stored. */
const PIECE_BYTES = 2 * 1024 * 1024;
const PIECE_ROWS = 2000;

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function toCursor(json: string): TranscriptCursor | undefined {
  const value = json === "" ? undefined : parse(json) as Partial<TranscriptCursor> | null;
  return typeof value?.offset === "number" ? value as TranscriptCursor : undefined;
}

/** Reads to the end of the file as it is now. */
export async function readTranscript(
  store: Store,
  read: TranscriptRead,
  context: ReadContext,
): Promise<ReadOutcome> {
  const { session, path } = read;
  const known = store.get(
    "SELECT cursor, state FROM transcripts WHERE session = ? AND path = ?",
    session.id,
    path,
  );
  const opened = openTranscript(context.runtime.files, path, toCursor(text(known, "cursor")));
  if (opened.kind !== "open") {
    noteProblem(store, read, context.now, opened.kind === "missing" ? "missing" : opened.reason);
    return opened;
  }
  const { reader } = opened;
  try {
    const goesOn = reader.change === "grown" || reader.change === "unchanged";
    const state = (goesOn ? parse(text(known, "state")) ?? null : null) as Json;
    const { inode, generation } = reader.cursor();
    const file = { path, inode, onlyGrew: generation === 0 };
    const pauses = readPauses(
      context.runtime,
      context.agentHome,
      session.session,
      file,
      read.upTo,
    );
    return await readRows(store, read, context, reader, state, pauses);
  } finally {
    reader.close();
  }
}

async function readRows(
  store: Store,
  read: TranscriptRead,
  context: ReadContext,
  reader: RowReader,
  state: Json,
  pauses: Pauses,
): Promise<ReadOutcome> {
  const { session, scope } = read;
  const { settings } = session;
  const limits = {
    maxTextChars: settings.captureMaxLength,
    maxToolChars: settings.captureToolMaxChars,
    fallbackDate: read.fallbackDate,
  };
  const decoder = read.createDecoder(state);
  let stored = 0;
  let rows = 0;
  let recognised = state === null ? 0 : 1;
  let oversized = 0;
  let failed = 0;
  /** A row that makes the decoder or a filter fail must not stop all that comes after it. */
  const guarded = <T>(fallback: T, work: () => T): T => {
    try {
      return work();
    } catch {
      failed++;
      return fallback;
    }
  };

  const clean = (messages: readonly CapturedMessage[]): CapturedMessage[] =>
    messages.flatMap((message) => {
      if (isCaptured(store, session.host, scope, message.id)) return [];
      if (Date.parse(message.createdAt) <= read.forgottenUntil) return [];
      const isOwn = message.role === "user" || settings.captureAssistantTurns;
      const kept = isOwn
        ? guarded(undefined, () => cleanMessage(message, context.redact, limits))
        : undefined;
      return kept === undefined ? [] : [kept];
    });

  for (let isLast = false; !isLast;) {
    const piece: CapturedMessage[] = [];
    let bytes = 0;
    for (let pieceRows = 0; pieceRows < PIECE_ROWS && bytes < PIECE_BYTES; pieceRows++) {
      const row = reader.next();
      const fate = row === undefined ? "later" : pauses.fateOf(row);
      if (row === undefined || fate === "later") {
        if (row !== undefined) reader.stepBack();
        isLast = true;
        break;
      }
      rows++;
      if (fate === "skip") {
        recognised++; // not looked at, so nothing says that it is foreign
        continue;
      }
      if (row.kind === "oversized") {
        oversized++;
        continue;
      }
      bytes += row.text.length >> 3;
      const decoded = guarded<DecodedRow>({ kind: "unknown" }, () => decoder.decode(row.text));
      if (decoded.kind !== "unknown") recognised++;
      if (decoded.kind !== "messages") continue;
      for (const message of clean(decoded.messages)) {
        piece.push(message);
        bytes += sizeOf(message);
      }
    }
    if (isLast && read.flush) piece.push(...clean(decoder.flush()));
    const isForeign = isLast && rows > 0 && recognised === 0;
    const problem = isForeign
      ? `${rows} lines, 0 messages recognised: this is no transcript of ${session.host}`
      : oversized + failed > 0
      ? `${oversized} rows were too long and ${failed} could not be decoded; they were left out`
      : "";
    const cursor = isForeign ? null : JSON.stringify(reader.cursor());
    const kept = JSON.stringify(redactJson(decoder.state(), context.redact));
    context.checkpoint("before-ingest-commit");
    stored += store.transaction(() => {
      const added = enqueueMessages(store, session, scope, piece, context.now);
      store.run(
        `INSERT INTO transcripts(session, path, decoder, cursor, state, problem, read_at)
         VALUES (?,?,?,?,?,?,?) ON CONFLICT(session, path) DO UPDATE SET
           decoder = excluded.decoder, cursor = excluded.cursor, state = excluded.state,
           problem = excluded.problem, read_at = excluded.read_at`,
        session.id,
        read.path,
        read.decoderName,
        cursor,
        isForeign ? "null" : kept,
        problem,
        context.now,
      );
      if (isLast) read.atEnd();
      return added;
    });
    context.checkpoint("after-ingest-commit");
    if (isLast) return { kind: "read", messages: stored, problem };
    await context.pause();
  }
  return { kind: "read", messages: stored, problem: "" };
}

function sizeOf(message: CapturedMessage): number {
  let size = 200;
  for (const part of message.parts) {
    size += part.type === "text" ? part.text.length : (part.output?.length ?? 0) + 200;
  }
  return size;
}

function noteProblem(store: Store, read: TranscriptRead, now: number, problem: string): void {
  store.run(
    `INSERT INTO transcripts(session, path, decoder, problem, read_at) VALUES (?,?,?,?,?)
     ON CONFLICT(session, path) DO UPDATE SET problem = excluded.problem`,
    read.session.id,
    read.path,
    read.decoderName,
    problem,
    now,
  );
}
