/**
 * Reads a growing JSON Lines file from where the last read stopped, in bounded memory.
 *
 * The cursor is a help for speed: what was captured already is known by its ids. So whatever cannot
 * be a continuation is read again from the start.
 *
 * @module
 */
import type { Files, ReadHandle } from "../runtime/types.ts";
import { FileError } from "../runtime/types.ts";
import { hashBytes } from "./hash.ts";

/** Where a read stopped, and how to tell whether the file is still the same up to there. */
export interface TranscriptCursor {
  /** Bytes up to the end of the last whole row. */
  readonly offset: number;
  readonly inode: number;
  /** Bytes hashed in `head`. */
  readonly headSize: number;
  /** Hash of the first bytes. */
  readonly head: string;
  /** Hash of the last bytes before `offset`. */
  readonly tail: string;
  /** Where the last row starts, and the hash of its first bytes: ids stand there in long rows. */
  readonly rowAt: number;
  readonly row: string;
  /** Raised whenever the file had to be read again from its start. */
  readonly generation: number;
}

/** What happened to the file since the cursor was taken. */
export type TranscriptChange = "new" | "grown" | "unchanged" | "truncated" | "rewritten";

/** One row and where it starts. An oversized one is passed over, which the caller reports. */
export type TranscriptRow =
  | { readonly kind: "row"; readonly text: string; readonly start: number }
  | { readonly kind: "oversized"; readonly bytes: number; readonly start: number };

/** Rows in order. Close it. */
export interface RowReader {
  readonly change: TranscriptChange;
  /** The next row, or `undefined` at the end of what the file held when it was opened. */
  next(): TranscriptRow | undefined;
  /** Ends the reading before the row that `next` returned last. */
  stepBack(): void;
  /** Cursor behind the last row that `next` returned. */
  cursor(): TranscriptCursor;
  close(): void;
}

/** A transcript that could be opened, or why not. "Nothing there" and "not readable" differ. */
export type OpenedTranscript =
  | { readonly kind: "open"; readonly reader: RowReader }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Bounds of a read. */
export interface ReadLimits {
  /** Bytes per read call. @default 262144 */
  readonly blockBytes?: number;
  /** A longer row is passed over. @default 67108864 */
  readonly maxRowBytes?: number;
}

const EDGE_BYTES = 1024;
const NEWLINE = 10;

function hashRange(handle: ReadHandle, from: number, size: number): string {
  const bytes = new Uint8Array(size);
  return hashBytes(bytes.subarray(0, handle.readAt(bytes, from)));
}

function changeSince(
  handle: ReadHandle,
  size: number,
  cursor: TranscriptCursor | undefined,
): TranscriptChange {
  if (cursor === undefined) return "new";
  if (size < cursor.offset) return "truncated";
  const tailSize = Math.min(EDGE_BYTES, cursor.offset);
  const rowSize = Math.min(EDGE_BYTES, cursor.offset - cursor.rowAt);
  const same = hashRange(handle, 0, cursor.headSize) === cursor.head &&
    hashRange(handle, cursor.offset - tailSize, tailSize) === cursor.tail &&
    hashRange(handle, cursor.rowAt, rowSize) === cursor.row;
  if (!same) return "rewritten";
  return size === cursor.offset ? "unchanged" : "grown";
}

function isWholeObject(text: string): boolean {
  if (!text.endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Opens a transcript; only a regular file is one. */
export function openTranscript(
  files: Files,
  path: string,
  cursor: TranscriptCursor | undefined,
  limits: ReadLimits = {},
): OpenedTranscript {
  let handle: ReadHandle | undefined;
  try {
    const before = files.stat(path);
    if (before === undefined) return { kind: "missing" };
    if (before.kind !== "file") {
      return { kind: "unreadable", reason: `Cannot read ${path}: not a file` };
    }
    handle = files.open(path);
    const stat = handle.stat();
    if (stat.kind !== "file") {
      handle.close();
      return { kind: "unreadable", reason: `Cannot read ${path}: not a file` };
    }
    const change = changeSince(handle, stat.size, cursor);
    return { kind: "open", reader: createReader(handle, stat, change, cursor, limits) };
  } catch (error) {
    handle?.close();
    if (error instanceof FileError && error.code === "not-found") return { kind: "missing" };
    return {
      kind: "unreadable",
      reason: error instanceof Error ? error.message : `Cannot read ${path}: ${String(error)}`,
    };
  }
}

function createReader(
  handle: ReadHandle,
  stat: { readonly size: number; readonly inode: number },
  change: TranscriptChange,
  cursor: TranscriptCursor | undefined,
  limits: ReadLimits,
): RowReader {
  const { blockBytes = 256 * 1024, maxRowBytes = 64 * 1024 * 1024 } = limits;
  const goesOn = change === "grown" || change === "unchanged";
  const generation = (cursor?.generation ?? 0) + (goesOn || cursor === undefined ? 0 : 1);
  const block = new Uint8Array(blockBytes);
  /** Bytes of `block` that are valid, and the next one to look at. */
  let filled = 0;
  let at = 0;
  let blockStart = goesOn && cursor !== undefined ? cursor.offset : 0;
  let rowEnd = blockStart;
  let rowStart = goesOn && cursor !== undefined ? cursor.rowAt : 0;
  let startBefore = rowStart;
  let isEnded = false;

  function fill(): boolean {
    blockStart += filled;
    at = 0;
    const wanted = Math.min(block.length, stat.size - blockStart);
    filled = wanted <= 0 ? 0 : handle.readAt(block.subarray(0, wanted), blockStart);
    return filled > 0;
  }

  function toText(pieces: readonly Uint8Array[], isFirst: boolean): string {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: !isFirst });
    let text = "";
    for (const piece of pieces) text += decoder.decode(piece, { stream: true });
    text += decoder.decode();
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  }

  /** One row with its newline; `undefined` at the end or before a row that is not whole yet. */
  function readRow(): TranscriptRow | undefined {
    const isFirst = rowEnd === 0;
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      if (at >= filled && !fill()) break;
      const newline = block.subarray(0, filled).indexOf(NEWLINE, at);
      const end = newline < 0 ? filled : newline;
      bytes += end - at;
      // A row inside one block is decoded in place; only one that goes on is copied.
      if (bytes > maxRowBytes) pieces.length = 0;
      else pieces.push(newline < 0 ? block.slice(at, end) : block.subarray(at, end));
      at = newline < 0 ? filled : newline + 1;
      if (newline >= 0) {
        startBefore = rowStart;
        rowStart = rowEnd;
        rowEnd = blockStart + at;
        return bytes > maxRowBytes
          ? { kind: "oversized", bytes, start: rowStart }
          : { kind: "row", text: toText(pieces, isFirst), start: rowStart };
      }
    }
    if (bytes === 0 || bytes > maxRowBytes) return undefined;
    const text = toText(pieces, isFirst);
    if (!isWholeObject(text)) return undefined;
    startBefore = rowStart;
    rowStart = rowEnd;
    rowEnd = blockStart;
    return { kind: "row", text, start: rowStart };
  }

  return {
    change,
    next() {
      while (!isEnded) {
        const row = readRow();
        if (row === undefined || row.kind !== "row" || row.text.trim() !== "") return row;
      }
    },
    stepBack() {
      isEnded = true;
      rowEnd = rowStart;
      rowStart = startBefore;
    },
    cursor() {
      const edge = Math.min(EDGE_BYTES, rowEnd);
      return {
        offset: rowEnd,
        inode: stat.inode,
        headSize: edge,
        head: hashRange(handle, 0, edge),
        tail: hashRange(handle, rowEnd - edge, edge),
        rowAt: rowStart,
        row: hashRange(handle, rowStart, Math.min(EDGE_BYTES, rowEnd - rowStart)),
        generation,
      };
    },
    close: () => handle.close(),
  };
}
