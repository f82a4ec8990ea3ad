/**
 * What a person can do with entries of the queue: try again, drop, export.
 *
 * @module
 */
import type { Runtime } from "../../runtime/types.ts";
import { refreshOpen } from "../store/sessions.ts";
import { OPEN_TARGET, writeTargetState } from "../store/target_state.ts";
import { targetIds, withStore } from "./_target_stores.ts";
import { queueReport } from "./queue_report.ts";
import { num, type Store, text } from "../store/store.ts";
import { targetFolder } from "../target.ts";
import { OUTBOX_LAYOUT } from "../types.ts";

/** What a change to the queue did. */
export interface QueueChange {
  readonly changed: number;
  readonly problems: readonly string[];
}

/** An entry's id taken apart. */
type EntryId =
  | { readonly target: string; readonly kind: "m" | "c"; readonly row: number }
  | { readonly target: string; readonly kind: "d"; readonly row: number; readonly seq: number }
  | { readonly target: string; readonly kind: "e"; readonly name: string };

function parseEntryId(id: string): EntryId | undefined {
  const [, target = "", kind, rest = ""] = /^([\w.-]+)\/([mcde])(.+)$/.exec(id) ?? [];
  if (kind === "e" && /^[\w-]+\.json$/.test(rest)) return { target, kind, name: rest };
  const dead = /^(\d+)\.(\d+)$/.exec(rest);
  if (kind === "d" && dead !== null) {
    return { target, kind, row: Number(dead[1]), seq: Number(dead[2]) };
  }
  if ((kind === "m" || kind === "c") && /^\d+$/.test(rest)) {
    return { target, kind, row: Number(rest) };
  }
  return undefined;
}

const unknownEntry = (id: string): QueueChange => ({
  changed: 0,
  problems: [`Cannot find ${id}: no such entry; \`queue list\` shows them`],
});

async function change(
  runtime: Runtime,
  agentHome: string,
  targets: readonly string[],
  work: (store: Store, target: string) => number,
): Promise<QueueChange> {
  let changed = 0;
  const problems: string[] = [];
  for (const target of targets) {
    try {
      changed += await withStore(runtime, agentHome, target, (store) =>
        store.transaction(() =>
          work(store, target)
        )) ?? 0;
    } catch (error) {
      problems.push(
        `Cannot change the queue of ${target}: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  return { changed, problems };
}

function sessionsOf(store: Store, entry: EntryId | undefined): number[] {
  if (entry === undefined) {
    return store.all("SELECT id FROM sessions WHERE open = 1").map((r) => num(r, "id"));
  }
  if (entry.kind === "m" || entry.kind === "d") return [entry.row];
  if (entry.kind === "e") return [];
  return store.all("SELECT session FROM commits WHERE id = ?", entry.row).map((r) =>
    num(r, "session")
  );
}

/**
 * Makes what waits due now; with `id` only that entry, which may also be a dead letter: it gets
 * another try. What the server may still be applying goes on resting.
 */
export async function retryQueue(
  runtime: Runtime,
  agentHome: string,
  id?: string,
): Promise<QueueChange> {
  const entry = id === undefined ? undefined : parseEntryId(id);
  if (id !== undefined && entry === undefined) return unknownEntry(id);
  const targets = entry === undefined ? targetIds(runtime, agentHome) : [entry.target];
  const result = await change(runtime, agentHome, targets, (store) => {
    writeTargetState(store, OPEN_TARGET);
    let changed = entry?.kind === "e"
      ? store.run("UPDATE waiting_events SET next_try_at = 0 WHERE name = ?", entry.name)
      : entry === undefined
      ? store.run("UPDATE waiting_events SET next_try_at = 0")
      : 0;
    if (entry?.kind === "d") {
      changed += store.run(
        `UPDATE messages SET state = 'pending', attempts = 0, reason = '' WHERE session = ?
           AND seq = ? AND state = 'dead'`,
        entry.row,
        entry.seq,
      );
      refreshOpen(store, entry.row);
    }
    for (const session of sessionsOf(store, entry)) {
      const due = store.run(
        `UPDATE sessions SET attempts = 0, next_try_at = rest_until WHERE id = ? AND open = 1`,
        session,
      );
      if (entry?.kind !== "d") changed += due;
    }
    return changed;
  });
  return result.changed === 0 && id !== undefined && result.problems.length === 0
    ? unknownEntry(id)
    : result;
}

/**
 * Forgets one entry for good; what is in flight may still arrive. Messages stay known, so that a
 * transcript does not bring them back.
 */
export async function dropEntry(
  runtime: Runtime,
  agentHome: string,
  id: string,
): Promise<QueueChange> {
  const entry = parseEntryId(id);
  if (entry === undefined) return unknownEntry(id);
  if (entry.kind === "e") {
    const path = `${targetFolder(agentHome, entry.target)}/${OUTBOX_LAYOUT.spool}/${entry.name}`;
    if (runtime.files.stat(path) === undefined) return unknownEntry(id);
    runtime.files.remove(path);
    return { changed: 1, problems: [] };
  }
  const result = await change(runtime, agentHome, [entry.target], (store) => {
    const [session] = sessionsOf(store, entry);
    const changed = entry.kind === "c"
      ? store.run("DELETE FROM commits WHERE id = ? AND phase = 'requested'", entry.row)
      : entry.kind === "d"
      ? store.run(
        "DELETE FROM messages WHERE session = ? AND seq = ? AND state = 'dead'",
        entry.row,
        entry.seq,
      )
      : store.run(
        "DELETE FROM messages WHERE session = ? AND state IN ('pending','inflight')",
        entry.row,
      );
    if (entry.kind === "m") {
      store.run("UPDATE sessions SET inflight_at = NULL, rest_until = 0 WHERE id = ?", entry.row);
    }
    if (session !== undefined) refreshOpen(store, session);
    return changed;
  });
  return result.changed === 0 && result.problems.length === 0 ? unknownEntry(id) : result;
}

/**
 * Writes what waits and what is dead as JSON lines to `file` (0600): one object per message with
 * target, session, state, reason and the redacted message, then the commits that wait.
 */
export async function exportQueue(
  runtime: Runtime,
  agentHome: string,
  file: string,
): Promise<QueueChange> {
  const lines: string[] = [];
  const result = await change(
    runtime,
    agentHome,
    targetIds(runtime, agentHome),
    (store, target) => {
      const rows = store.all(
        `SELECT s.session, s.host, s.peer, m.* , s.session AS name FROM messages m
       JOIN sessions s ON s.id = m.session WHERE m.state IN ('pending','inflight','dead')
       ORDER BY m.session, m.seq`,
      );
      for (const row of rows) {
        lines.push(JSON.stringify({
          target,
          session: text(row, "name"),
          host: text(row, "host"),
          peer: text(row, "peer"),
          state: text(row, "state"),
          reason: text(row, "reason"),
          message: JSON.parse(text(row, "body")),
        }));
      }
      return rows.length;
    },
  );
  const { pending } = await queueReport(runtime, agentHome);
  for (const entry of pending) {
    if (entry.kind === "commit") lines.push(JSON.stringify({ ...entry, state: entry.phase }));
  }
  runtime.files.writeAtomic(file, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  return result;
}
