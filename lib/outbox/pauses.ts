/**
 * Pauses of capture: which part of a transcript was said while the user had capture switched off.
 * A transcript goes on growing meanwhile, and whoever reads it later must pass over that part.
 *
 * Hooks note a session's events from the first one that meets a switched-off capture, under
 * `agent/state/pauses/<session>.json`: times and sizes, no words. A part of the transcript belongs to
 * the event that follows it.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";

/** Below the agent's home. Pruned when the transcript is gone, see {@linkcode prunePauses}. */
const FOLDER = "state/pauses";
/** How long before its hook starts a host may have dated a prompt. */
const PROMPT_LEAD_MS = 1000;
/** What an event of this age says about a row's date; older dates are no dates of this session. */
const TURN_MS = 3_600_000;

/** The last event of a run of events that all found capture on, or all off. */
interface Mark {
  readonly off: boolean;
  /** Off in the middle of a turn: the turn's rest counts as said while off. */
  readonly isMidTurn: boolean;
  /** Milliseconds since the epoch at the run's first event, and at its last. */
  readonly since: number;
  readonly at: number;
  readonly path: string;
  /** 0 when the transcript was not there. */
  readonly inode: number;
  /** Bytes of the transcript. */
  readonly size: number;
}

/** One event, as a hook sees it. */
export interface CaptureEvent {
  /** Session id on the engine. */
  readonly session: string;
  readonly isCaptured: boolean;
  /** `prompt` and `start` begin something, everything else ends something. */
  readonly kind: "start" | "prompt" | "end";
  /** Milliseconds since the epoch at which the hook began. */
  readonly at: number;
  readonly transcriptPath: string | undefined;
}

/** The event that asked for a read: what the transcript held then. */
export interface ReadUpTo {
  readonly at: number;
  readonly size: number;
  /** Whether the session goes on: what is said after the event belongs to the next one. */
  readonly isWithin: boolean;
}

/**
 * What to do with a row: `later` when it was said after the last event, so that the next one will
 * tell whether capture was on.
 */
export type RowFate = "read" | "skip" | "later";

/** A transcript as it is now. */
export interface TranscriptFile {
  readonly path: string;
  readonly inode: number;
  /** Whether it holds all that it held at each read before. */
  readonly onlyGrew: boolean;
}

/** Which rows of one transcript are passed over. */
export interface Pauses {
  /** @param start The row's first byte. */
  fateOf(row: { readonly start: number; readonly text?: string }): RowFate;
}

/** The date in a row of JSON, whatever the host calls a row. */
const ROW_DATE = /"(?:timestamp|created_?at|time)"\s*:\s*"(\d{4}-\d\d-\d\dT[^"]{1,40})"/i;

function pathOf(agentHome: string, session: string): string {
  return `${agentHome}/${FOLDER}/${session}.json`;
}

function readMarks(runtime: Runtime, path: string): Mark[] {
  let text: string;
  try {
    text = runtime.files.readText(path);
  } catch {
    return [];
  }
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) ? value as Mark[] : [];
  } catch {
    // Something was noted: everything so far counts as said while off.
    return [{
      off: true,
      isMidTurn: false,
      since: 0,
      at: runtime.now(),
      path: "",
      inode: 0,
      size: 0,
    }];
  }
}

function markOf(runtime: Runtime, event: CaptureEvent): Mark {
  const path = event.transcriptPath ?? "";
  let stat;
  try {
    stat = path === "" ? undefined : runtime.files.stat(path);
  } catch { /* as if it were not there */ }
  return {
    off: !event.isCaptured,
    isMidTurn: !event.isCaptured && event.kind === "prompt",
    since: event.at,
    at: event.at,
    path,
    inode: stat?.inode ?? 0,
    size: stat?.size ?? 0,
  };
}

function withEvent(marks: readonly Mark[], now: Mark, kind: CaptureEvent["kind"]): Mark[] {
  const last = marks.at(-1);
  const before = marks.slice(0, -1);
  if (last === undefined) return [now];
  const { since } = last;
  if (last.off === now.off) return [...before, { ...now, since }];
  if (now.off) return [...marks, now];
  // Capture is on again.
  if (kind === "end") {
    return last.isMidTurn ? [...before, { ...now, off: true, since }] : [...marks, now];
  }
  const end = Math.max(last.at, now.at - PROMPT_LEAD_MS);
  return [...before, { ...now, off: true, since, at: end }, now];
}

/**
 * Notes an event. A session that never met a switched-off capture costs one look for its file.
 * Never throws.
 */
export function noteCapture(runtime: Runtime, agentHome: string, event: CaptureEvent): void {
  const { files } = runtime;
  try {
    // Listed, not opened: a file that is not there costs a hook an exception.
    const hasPauses = files.list(`${agentHome}/state`).includes("pauses");
    if (event.isCaptured && !hasPauses) return;
    const path = pathOf(agentHome, event.session);
    const marks = hasPauses ? readMarks(runtime, path) : [];
    if (event.isCaptured && marks.length === 0) return;
    if (!hasPauses) files.makeDir(`${agentHome}/${FOLDER}`, 0o700);
    const next = withEvent(marks, markOf(runtime, event), event.kind);
    files.writeAtomic(path, JSON.stringify(next), { sync: !event.isCaptured });
  } catch { /* a home that cannot be written keeps nothing else either */ }
}

function dateOf(text: string | undefined): number {
  return Date.parse(ROW_DATE.exec(text ?? "")?.[1] ?? "");
}

/**
 * What to read of a transcript.
 *
 * @param file The transcript as it is now. Bytes tell while it is the file that the hooks saw and it
 * only grew; dates tell otherwise.
 * @param upTo The event that asked for the read; absent when nobody did.
 */
export function readPauses(
  runtime: Runtime,
  agentHome: string,
  session: string,
  file: TranscriptFile,
  upTo?: ReadUpTo,
): Pauses {
  const inPauses = fateInPauses(readMarks(runtime, pathOf(agentHome, session)), file, upTo);
  return {
    fateOf(row) {
      const fate = inPauses?.(row) ?? "read";
      if (fate !== "read" || upTo?.isWithin !== true || row.start < upTo.size) return fate;
      // A host may write the turn's last rows after its hooks, but dates them before.
      return dateOf(row.text) > upTo.at ? "later" : "read";
    },
  };
}

/** The same from the pauses alone; `undefined` when capture was on all the time. */
function fateInPauses(
  marks: readonly Mark[],
  file: TranscriptFile,
  upTo: ReadUpTo | undefined,
): Pauses["fateOf"] | undefined {
  const last = marks.at(-1);
  if (last === undefined) return undefined;
  const byBytes = file.onlyGrew &&
    marks.every(({ path, inode }) => path === file.path && (inode === 0 || inode === file.inode));
  /** An event from before the pause that is read late still gets what was said up to it. */
  const isBefore = (mark: Mark): boolean => upTo !== undefined && upTo.at < mark.since;
  const fate = (mark: Mark | undefined, isCovered: boolean): RowFate => {
    const { off } = mark ?? last;
    if (!off || (isBefore(mark ?? last) && isCovered)) return "read";
    return mark === undefined ? "later" : "skip";
  };
  if (byBytes) {
    return ({ start }) => fate(marks.find(({ size }) => size > start), start < (upTo?.size ?? 0));
  }
  return ({ text }) => {
    const date = dateOf(text);
    if (Number.isNaN(date)) return last.off ? "skip" : "read";
    const end = upTo?.at ?? 0;
    return fate(marks.find(({ at }) => at >= date), date <= end && date > end - TURN_MS);
  };
}

/** Removes what was noted about transcripts that are gone. Returns how many files went. */
export function prunePauses(runtime: Runtime, agentHome: string, before: number): number {
  const { files } = runtime;
  const folder = `${agentHome}/${FOLDER}`;
  let removed = 0;
  for (const name of files.list(folder)) {
    const path = `${folder}/${name}`;
    const stat = files.lstat(path);
    if (stat?.kind !== "file" || stat.mtimeMs >= before) continue;
    const paths = readMarks(runtime, path).map((mark) => mark.path);
    if (paths.some((transcript) => transcript !== "" && files.stat(transcript) !== undefined)) {
      continue;
    }
    files.remove(path);
    removed++;
  }
  return removed;
}
