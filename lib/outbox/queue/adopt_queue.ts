/**
 * `queue adopt`: a person decides that what waits for one identity goes to the one in force.
 *
 * @module
 */
import type { CapturedMessage } from "../../capture/model.ts";
import type { Runtime } from "../../runtime/types.ts";
import type { QueueChange } from "./change_queue.ts";
import type { BoundaryReason, SpoolRecord, Target } from "../types.ts";
import { OUTBOX_LAYOUT } from "../types.ts";
import { takeOverSpool } from "../ingest/take_over.ts";
import { refreshOpen, type SessionRow, toSessionRow } from "../store/sessions.ts";
import { num, type Store, text } from "../store/store.ts";
import { writeSpoolRecord } from "../spool.ts";
import { targetFolder } from "../target.ts";
import { withStore } from "./_target_stores.ts";

/** Messages per record. */
const PIECE = 200;

/** Sessions of other identities, or all of them when they lie in another target's store. */
function foreignSessions(store: Store, isOwnStore: boolean): SessionRow[] {
  const own = isOwnStore
    ? num(store.get("SELECT max(generation) AS g FROM targets WHERE learned = 1"), "g")
    : 0;
  return store.all("SELECT * FROM sessions WHERE open = 1 AND target <> ?", own).map(toSessionRow);
}

/** The commit that waits in a session, as a boundary of the record that carries its messages. */
function waitingBoundary(
  store: Store,
  session: SessionRow,
): { readonly commit: number; readonly boundary?: NonNullable<SpoolRecord["boundary"]> } {
  const commit = store.get(
    "SELECT id, reason, params FROM commits WHERE session = ? AND phase = 'requested' ORDER BY id DESC LIMIT 1",
    session.id,
  );
  if (commit === undefined) return { commit: 0 };
  const { keep_recent_count: keepRecentCount = 0 } = JSON.parse(text(commit, "params")) as {
    keep_recent_count?: number;
  };
  return {
    commit: num(commit, "id"),
    boundary: { reason: text(commit, "reason") as BoundaryReason, keepRecentCount },
  };
}

/** Records a session's waiting messages for another target, then forgets them here. */
function moveSession(
  runtime: Runtime,
  agentHome: string,
  store: Store,
  session: SessionRow,
  to: Target,
): number {
  const waiting = store.get(
    `SELECT max(seq) AS last, count(*) AS n FROM messages
     WHERE session = ? AND state IN ('pending','inflight')`,
    session.id,
  );
  // A worker may be taking in more at this moment: only what is recorded below is forgotten here.
  const last = num(waiting, "last");
  const { commit, boundary } = waitingBoundary(store, session);
  let at = 0;
  for (let piece = 0; at < last || piece === 0; piece++) {
    const rows = store.all(
      `SELECT seq, body FROM messages WHERE session = ? AND state IN ('pending','inflight')
         AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
      session.id,
      at,
      last,
      PIECE,
    );
    at = rows.length < PIECE ? last : num(rows.at(-1), "seq");
    const result = writeSpoolRecord(runtime, agentHome, to, {
      version: 1,
      host: session.host as SpoolRecord["host"],
      event: "adopt",
      at: new Date(runtime.now()).toISOString(),
      session: session.session,
      ...(session.parent === "" ? {} : { parentSession: session.parent }),
      ...(session.peer === "" ? {} : { peer: session.peer }),
      cwd: "",
      settings: session.settings,
      messages: rows.map((row) => JSON.parse(text(row, "body")) as CapturedMessage),
      ...(at === last && boundary !== undefined ? { boundary } : {}),
    }, `${String(piece).padStart(6, "0")}-`);
    if (!result.ok) throw new Error(result.reason);
  }
  // Dying before this repeats the records, whose ids are known by then.
  store.transaction(() => {
    store.run(
      "DELETE FROM messages WHERE session = ? AND state IN ('pending','inflight') AND seq <= ?",
      session.id,
      last,
    );
    store.run(
      "DELETE FROM commits WHERE session = ? AND phase = 'requested' AND id <= ?",
      session.id,
      commit,
    );
    refreshOpen(store, session.id);
  });
  return num(waiting, "n");
}

/**
 * Hands what waits in the queue of `from` to the target `to`, which must be the one in force. With
 * `from` the same target: what waits there for an earlier identity.
 */
export async function adoptQueue(
  runtime: Runtime,
  agentHome: string,
  from: string,
  to: Target,
): Promise<QueueChange> {
  const isOwnStore = from === to.id;
  try {
    if (!isOwnStore) {
      runtime.files.makeDir(`${targetFolder(agentHome, to.id)}/${OUTBOX_LAYOUT.spool}`, 0o700);
      takeOverSpool(runtime, targetFolder(agentHome, from), targetFolder(agentHome, to.id));
    }
    const moved = await withStore(
      runtime,
      agentHome,
      from,
      (store) =>
        foreignSessions(store, isOwnStore).reduce(
          (sum, session) => sum + moveSession(runtime, agentHome, store, session, to),
          0,
        ),
    );
    return { changed: moved ?? 0, problems: [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { changed: 0, problems: [`Cannot adopt the queue of ${from}: ${why}`] };
  }
}
