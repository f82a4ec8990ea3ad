/**
 * A circuit breaker shared by all processes through one small file per target: a sick server costs
 * one caller its time once, and the others almost nothing until the pause is over.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type { FailureCategory, OvFailure } from "./types.ts";

/** Folder of breaker files below the agent's home. */
export const BREAKER_FOLDER = "state/breaker";

/** `probe` is `closed` for one caller after the pause: its outcome decides for all. */
export type BreakerState = "closed" | "open" | "probe";

/** What the file holds. */
export interface BreakerRecord {
  /** Failures in a row. */
  readonly failures: number;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
  /** Until when nobody asks, milliseconds since the epoch. */
  readonly until: number;
  readonly category: FailureCategory;
  readonly status: number;
  readonly message: string;
  /** What the credentials were, as an opaque mark; another mark closes the breaker. */
  readonly credential: string;
}

/** The failure that opened a breaker, as it stands for the request that was not sent. */
export function openedBy(record: BreakerRecord): OvFailure {
  const { category, status, message } = record;
  return {
    ok: false,
    status,
    action: category === "auth" ? "hold" : "retry",
    category,
    ambiguous: false,
    code: "",
    message: `Not asked after a recent failure (${category}): ${message}`,
  };
}

/** How {@linkcode createBreaker} finds its file. */
export interface BreakerOptions {
  readonly runtime: Pick<Runtime, "files" | "now">;
  readonly agentHome: string;
  /** Target id, safe in a path. */
  readonly target: string;
  /** Opaque mark of the credentials in use, for example a key fingerprint. */
  readonly credential?: string;
}

/** The breaker of one target as one process sees it. No method throws. */
export interface Breaker {
  /** Whether to ask now. `probe` is answered to one caller and must be followed by a record. */
  check(): BreakerState;
  /** The server works: everybody may ask again. */
  recordSuccess(): void;
  /** Opens the breaker when the failure says that the server is sick; returns whether it did. */
  recordFailure(failure: OvFailure): boolean;
  /** What opened it; `undefined` when it is closed. */
  current(): BreakerRecord | undefined;
}

/** First pause in milliseconds by what went wrong; other categories say nothing about the server. */
const PAUSE_MS: Readonly<Partial<Record<FailureCategory, number>>> = {
  timeout: 30_000,
  auth: 60_000,
  unreachable: 10_000,
  server: 10_000,
  busy: 10_000,
  protocol: 30_000,
};
const LONGEST_PAUSE_MS = 300_000;
/** How long a probe may take before another caller may try. */
const PROBE_MS = 15_000;

function parse(text: string): BreakerRecord | undefined {
  try {
    const record = JSON.parse(text) as BreakerRecord;
    const whole = [record.failures, record.openedAt, record.until].every(Number.isFinite);
    return whole ? record : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes the breaker of a target. The first failure opens it; each further one in a row doubles the
 * pause, up to five minutes; a `Retry-After` is obeyed. A file that cannot be read or written means
 * a closed breaker.
 */
export function createBreaker(options: BreakerOptions): Breaker {
  const { runtime: { files, now }, target, credential = "" } = options;
  const folder = `${options.agentHome}/${BREAKER_FOLDER}`;
  const path = `${folder}/${target}.json`;
  let opened = false;
  let checkedAt = now();

  function current(): BreakerRecord | undefined {
    let record: BreakerRecord | undefined;
    try {
      record = parse(files.readText(path));
    } catch { /* none */ }
    if (record === undefined || record.credential !== credential) return undefined;
    // A clock that was set back must not keep it open for days.
    return record.openedAt > now() + PROBE_MS ? undefined : record;
  }

  function write(record: BreakerRecord): void {
    const text = JSON.stringify(record);
    try {
      files.writeAtomic(path, text, { sync: false });
    } catch {
      try {
        files.makeDir(folder);
        files.writeAtomic(path, text, { sync: false });
      } catch { /* a full or read-only disk: no breaker */ }
    }
  }

  function dropClaims(): void {
    try {
      for (const name of files.list(folder)) {
        if (name.startsWith(`${target}.`) && name.endsWith(".probe")) {
          files.remove(`${folder}/${name}`);
        }
      }
    } catch { /* an old claim is harmless */ }
  }

  /** True for the one caller that creates the claim of this pause; each `PROBE_MS` allows another. */
  function claim(record: BreakerRecord): boolean {
    const turn = Math.floor((now() - record.until) / PROBE_MS);
    try {
      return files.createEmpty(`${folder}/${target}.${record.until}-${turn}.probe`, 0o600);
    } catch {
      return true; // nothing can be claimed on this disk
    }
  }

  return {
    current,
    check() {
      checkedAt = now();
      const record = current();
      opened = record !== undefined;
      if (record === undefined) return "closed";
      if (now() < record.until || !claim(record)) return "open";
      write({ ...record, until: now() + PROBE_MS });
      return "probe";
    },
    recordSuccess() {
      if (!opened) return;
      opened = false;
      try {
        files.remove(path);
      } catch { /* it stays open until its pause is over */ }
      dropClaims();
    },
    recordFailure(failure) {
      const first = PAUSE_MS[failure.category];
      if (first === undefined) return false;
      const before = current();
      // Others that asked at the same time and failed too are the same failure.
      const repeated = before !== undefined && before.openedAt < checkedAt ? 1 : 0;
      const failures = Math.max(1, (before?.failures ?? 0) + repeated);
      const grown = Math.min(first * 2 ** Math.min(failures - 1, 10), LONGEST_PAUSE_MS);
      write({
        failures,
        openedAt: now(),
        until: now() + Math.max(grown, failure.retryAfterMs ?? 0),
        category: failure.category,
        status: failure.status,
        message: failure.message.slice(0, 300),
        credential,
      });
      dropClaims();
      opened = true;
      return true;
    },
  };
}
