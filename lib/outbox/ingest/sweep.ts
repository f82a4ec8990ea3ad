/**
 * What nobody asks for and has to be done: sessions whose end never came, and copies that are not
 * needed any more.
 *
 * @module
 */
import type { CreateDecoder } from "../../capture/model.ts";
import type { ProcessRuntime } from "../../runtime/types.ts";
import type { createRedactors } from "./ingest.ts";
import { forgottenUntil } from "../forgotten.ts";
import { enqueueCommit } from "../store/enqueue.ts";
import { readTranscript } from "./_read_transcript.ts";
import { toSessionRow } from "../store/sessions.ts";
import { num, type Store, text } from "../store/store.ts";

/** What a sweep needs. */
export interface SweepContext {
  readonly runtime: ProcessRuntime;
  readonly agentHome: string;
  readonly store: Store;
  readonly decoders: Readonly<Record<string, CreateDecoder>>;
  readonly redactorFor: ReturnType<typeof createRedactors>;
  readonly idleMs: number;
  readonly checkpoint: (name: string) => void;
}

const DAY_MS = 24 * 3_600_000;
/** Copies of archived messages whose extraction nobody confirmed are kept this long. */
const KEEP_ARCHIVED_MS = 7 * DAY_MS;
/** Sessions looked at in one sweep. */
const SWEEP_SESSIONS = 20;

/**
 * Commits sessions that have something uncommitted and were not heard of for `idleMs`, after reading
 * their transcripts once more. Returns how many were asked for. A generation that begins meanwhile
 * voids the commit.
 */
export async function sweepIdle(context: SweepContext): Promise<number> {
  const { store, runtime } = context;
  const now = runtime.now();
  const rows = store.all(
    `SELECT * FROM sessions s WHERE last_event_at < ?
       AND EXISTS(SELECT 1 FROM messages WHERE session = s.id AND state IN ('pending','inflight','acked'))
       AND NOT EXISTS(SELECT 1 FROM commits WHERE session = s.id AND phase = 'requested')
     ORDER BY last_event_at LIMIT ?`,
    now - context.idleMs,
    SWEEP_SESSIONS,
  );
  for (const row of rows) {
    const session = toSessionRow(row);
    for (const transcript of store.all("SELECT * FROM transcripts WHERE session = ?", session.id)) {
      const createDecoder = context.decoders[text(transcript, "decoder")];
      if (createDecoder === undefined) continue;
      await readTranscript(store, {
        session,
        path: text(transcript, "path"),
        decoderName: text(transcript, "decoder"),
        createDecoder,
        scope: "",
        flush: true,
        fallbackDate: new Date(num(row, "last_event_at")).toISOString(),
        forgottenUntil: forgottenUntil(runtime, context.agentHome, session.session),
        atEnd: () => {},
      }, {
        runtime,
        agentHome: context.agentHome,
        now,
        redact: context.redactorFor(session.settings),
        checkpoint: context.checkpoint,
        pause: () => runtime.sleep(0),
      });
    }
    store.transaction(() => {
      enqueueCommit(store, session, { reason: "idle", keepRecentCount: 0 }, runtime.now());
      store.run("UPDATE sessions SET last_event_at = ? WHERE id = ?", runtime.now(), session.id);
    });
  }
  return rows.length;
}

/** Removes copies of messages that are long archived. Returns how many. */
export function forgetArchived({ store, runtime }: SweepContext): number {
  return store.run(
    `DELETE FROM messages WHERE state = 'archived' AND changed_at < ?
       AND (commit_id IS NULL
         OR commit_id IN (SELECT id FROM commits WHERE ended_at IS NOT NULL AND next_try_at = 0))`,
    runtime.now() - KEEP_ARCHIVED_MS,
  );
}
