/**
 * Forgetting: takes copies of sessions out of every queue, so that nothing brings them back.
 *
 * Messages stay known by their ids, and a mark says up to when a session is forgotten: its transcript
 * may be read again, what it said before is not stored again.
 *
 * @module
 */
import type { CapturedMessage, CreateDecoder } from "../../capture/model.ts";
import type { ProcessRuntime, Runtime } from "../../runtime/types.ts";
import { markForgotten } from "../forgotten.ts";
import { dropLastSessions } from "../last_session.ts";
import { ingestSpool, spoolNames } from "../ingest/ingest.ts";
import { parseSpoolRecord } from "../ingest/spool_record.ts";
import { num, openQueueStore, type Store, text } from "../store/store.ts";
import { readTargetFile, targetFolder } from "../target.ts";
import { OUTBOX_LAYOUT } from "../types.ts";
import { type Lease, takeLease } from "../worker/lease.ts";
import { targetIds, withStore } from "./_target_stores.ts";

/** What forgetting needs. */
export interface ForgetContext {
  readonly runtime: ProcessRuntime;
  readonly agentHome: string;
  readonly decoders: Readonly<Record<string, CreateDecoder>>;
  /** Values that must never be stored. */
  readonly secrets: readonly string[];
}

/** A session as the queues know it, in all targets together. */
export interface QueuedSession {
  readonly session: string;
  /** "" for a session of its own. */
  readonly parent: string;
  /** Messages of it that lie in a queue, delivered ones included. */
  readonly messages: number;
  /** Names it has, or had, on an engine. */
  readonly engineSessions: readonly string[];
}

/** What was taken out of the queues. */
export interface ForgottenCopies {
  readonly messages: number;
  readonly events: number;
  /** True when a request with such messages may still be under way. */
  readonly mayStillArrive: boolean;
  /** What could not be done or looked into, for a person. */
  readonly problems: readonly string[];
}

/** How long a worker that ends may hold its lease, and how long an event may have to wait. */
const LEASE_MS = 5000;
const EVENTS_MS = 1500;

async function leaseSoon(runtime: ProcessRuntime, folder: string): Promise<Lease | undefined> {
  for (const until = runtime.now() + LEASE_MS;;) {
    const lease = await takeLease(runtime, folder);
    if (lease !== undefined || runtime.now() >= until) return lease;
    await runtime.sleep(50);
  }
}

/** Takes in what the spool of a target holds, so that its messages' ids are known. */
async function takeIn(context: ForgetContext, targetId: string, store: Store): Promise<void> {
  const { runtime, agentHome, decoders, secrets } = context;
  const target = readTargetFile(runtime, agentHome, targetId);
  const ingest = {
    runtime,
    agentHome,
    folder: targetFolder(agentHome, targetId),
    store,
    decoders,
    keyHints: () => ({
      explicit: target !== undefined && target.account !== "" && target.user !== "",
      current: undefined,
    }),
    secrets: () => secrets,
    checkpoint: () => {},
  };
  for (const until = runtime.now() + EVENTS_MS;;) {
    const { waiting } = await ingestSpool(ingest);
    if (waiting.length === 0 || runtime.now() >= until) return;
    await runtime.sleep(100);
  }
}

/**
 * Has all events taken in, by the workers that live or by this process, so that
 * {@linkcode queuedSessions} and the record of last sessions are complete.
 */
export async function takeInEvents(context: ForgetContext): Promise<void> {
  const { runtime, agentHome } = context;
  for (const id of targetIds(runtime, agentHome)) {
    const folder = targetFolder(agentHome, id);
    for (const until = runtime.now() + EVENTS_MS; runtime.now() < until;) {
      if (spoolNames({ runtime, folder }).length === 0) break;
      const lease = await takeLease(runtime, folder);
      if (lease === undefined) await runtime.sleep(100);
      else {
        try {
          const { store } = await openQueueStore(runtime, folder);
          try {
            await takeIn(context, id, store);
          } finally {
            store.close();
          }
        } finally {
          lease.release();
        }
        break;
      }
    }
  }
}

/** Every session that a queue knows. */
export async function queuedSessions(
  runtime: Runtime,
  agentHome: string,
): Promise<QueuedSession[]> {
  const found = new Map<string, QueuedSession>();
  for (const id of targetIds(runtime, agentHome)) {
    await withStore(runtime, agentHome, id, (store) => {
      const rows = store.all(
        `SELECT session, parent, engine_session, successors,
           (SELECT count(*) FROM messages m WHERE m.session = s.id) AS n FROM sessions s`,
      );
      for (const row of rows) {
        const session = text(row, "session");
        const known = found.get(session);
        const names = new Set([...known?.engineSessions ?? [], session]);
        for (let n = 1; n <= num(row, "successors"); n++) names.add(`${session}-r${n}`);
        names.add(text(row, "engine_session"));
        found.set(session, {
          session,
          parent: text(row, "parent") || (known?.parent ?? ""),
          messages: num(row, "n") + (known?.messages ?? 0),
          engineSessions: [...names],
        });
      }
    });
  }
  return [...found.values()];
}

function eraseRows(store: Store, sessions: ReadonlySet<string>): [messages: number, sent: number] {
  let messages = 0;
  let sent = 0;
  store.db.exec("PRAGMA secure_delete = ON");
  store.transaction(() => {
    for (const row of store.all("SELECT id, session, inflight_at FROM sessions")) {
      if (!sessions.has(text(row, "session"))) continue;
      const id = num(row, "id");
      if (num(row, "inflight_at") > 0) sent++;
      messages += store.run("DELETE FROM messages WHERE session = ?", id);
      store.run("DELETE FROM commits WHERE session = ?", id);
      store.run("UPDATE transcripts SET state = 'null' WHERE session = ?", id);
      // What is said from now on begins a new session on the engine, under the same name.
      store.run(
        `UPDATE sessions SET engine_session = session, successors = 0, archives = 0,
           live_count = NULL, pending_tokens = 0, inflight_at = NULL, rest_until = 0, doubt = 0,
           verified = 0, open = 0, attempts = 0, next_try_at = 0, status = 0, reason = ''
         WHERE id = ?`,
        id,
      );
    }
  });
  // Pages that were let go earlier hold words as well, and the log holds the old pages.
  store.db.exec("VACUUM");
  store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return [messages, sent];
}

function removeEvents(runtime: Runtime, folder: string, sessions: ReadonlySet<string>): number {
  let removed = 0;
  for (const name of spoolNames({ runtime, folder })) {
    const path = `${folder}/${OUTBOX_LAYOUT.spool}/${name}`;
    try {
      const record = parseSpoolRecord(runtime.files.readText(path));
      if (record === undefined || !sessions.has(record.session)) continue;
      runtime.files.remove(path);
      removed++;
    } catch { /* taken in meanwhile */ }
  }
  const rejected = `${folder}/${OUTBOX_LAYOUT.rejected}`;
  for (const name of runtime.files.list(rejected)) {
    const words = runtime.files.readText(`${rejected}/${name}`);
    if ([...sessions].some((session) => words.includes(session))) {
      runtime.files.remove(`${rejected}/${name}`);
    }
  }
  return removed;
}

/** Lines of other sessions stay; a line that cannot be read stays as well. */
function removeExpired(runtime: Runtime, folder: string, sessions: ReadonlySet<string>): void {
  const path = `${folder}/${OUTBOX_LAYOUT.expired}`;
  if (runtime.files.stat(path) === undefined) return;
  const lines = runtime.files.readText(path).split("\n");
  const kept = lines.filter((line) => {
    try {
      return !sessions.has(String((JSON.parse(line) as { session?: unknown }).session));
    } catch {
      return true;
    }
  });
  if (kept.length < lines.length) runtime.files.writeAtomic(path, kept.join("\n"));
}

/**
 * Removes every copy of `sessions` from all queues: events, messages, commits, what was exported by
 * age or size. Workers must have been asked to end. A queue whose worker goes on is a problem and
 * stays as it is.
 */
export async function forgetQueued(
  context: ForgetContext,
  sessions: ReadonlySet<string>,
): Promise<ForgottenCopies> {
  const { runtime, agentHome } = context;
  markForgotten(runtime, agentHome, sessions);
  dropLastSessions(runtime, agentHome, sessions);
  let messages = 0;
  let events = 0;
  let sent = 0;
  const problems: string[] = [];
  for (const id of targetIds(runtime, agentHome)) {
    const folder = targetFolder(agentHome, id);
    try {
      if (runtime.files.stat(`${folder}/${OUTBOX_LAYOUT.store}`) !== undefined) {
        const lease = await leaseSoon(runtime, folder);
        if (lease === undefined) throw new Error("its worker does not end");
        try {
          const { store } = await openQueueStore(runtime, folder);
          try {
            await takeIn(context, id, store);
            const erased = eraseRows(store, sessions);
            messages += erased[0];
            sent += erased[1];
          } finally {
            store.close();
          }
        } finally {
          lease.release();
        }
      }
      events += removeEvents(runtime, folder, sessions);
      removeExpired(runtime, folder, sessions);
      const damaged = runtime.files.list(folder).filter((name) => name.includes(".damaged-"));
      if (damaged.length > 0) {
        problems.push(
          `A damaged queue that was set aside may hold copies: ${folder}/${damaged[0]}`,
        );
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push(`Cannot clear the queue of ${id}: ${why}`);
    }
  }
  return { messages, events, mayStillArrive: sent > 0, problems };
}

/**
 * Removes the delivered copies of one message, known by its words, from the queues; returns how many.
 * Its id stays known.
 */
export async function forgetQueuedMessage(
  runtime: Runtime,
  agentHome: string,
  session: string,
  words: string,
): Promise<number> {
  let removed = 0;
  for (const id of targetIds(runtime, agentHome)) {
    removed += await withStore(runtime, agentHome, id, (store) => {
      store.db.exec("PRAGMA secure_delete = ON");
      const rows = store.all(
        `SELECT m.rowid AS row, m.body FROM messages m JOIN sessions s ON s.id = m.session
         WHERE s.engine_session = ? AND m.state IN ('acked','archived')`,
        session,
      );
      let count = 0;
      for (const row of rows) {
        const { parts } = JSON.parse(text(row, "body")) as CapturedMessage;
        const said = parts.map((part) => part.type === "text" ? part.text : part.output ?? "")
          .filter((one) => one !== "");
        if (said.length === 0 || !said.every((one) => words.includes(one.trim()))) continue;
        count += store.run("DELETE FROM messages WHERE rowid = ?", num(row, "row"));
      }
      return count;
    }) ?? 0;
  }
  return removed;
}
