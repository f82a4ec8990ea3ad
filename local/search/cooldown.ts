/**
 * What a session was shown of late is not shown again (`dedup_turns`). Loaded only when asked for.
 *
 * @module
 */
import type { Call } from "../store/store.ts";
import type { Item } from "./assemble.ts";
import { requireOwner } from "../store/owners.ts";
import { createSession } from "../sessions/sessions.ts";
import { findSession } from "../sessions/session_row.ts";

/** Outcome of a cool-down, as `stats.dedup` tells it. */
export interface Cooled {
  /** Items that may be shown. */
  readonly items: readonly Item[];
  /** The window that was asked for. */
  readonly turns: number;
  readonly status: "new" | "ok";
  /** How many were left out. */
  readonly cooled: number;
  /** The session's clock: its messages so far. */
  readonly turn: number;
}

/** Leaves out what `session` was shown less than `turns` messages ago. Makes the session, as the server does. */
export function coolDown(
  call: Call,
  sessionName: string,
  turns: number,
  items: readonly Item[],
): Cooled {
  const { store, identity } = call;
  const owner = store.db.transaction(() => {
    const made = requireOwner(store, identity);
    if (findSession(store, made, sessionName) === undefined) {
      createSession(store, made, sessionName);
    }
    return made;
  });
  const session = findSession(store, owner, sessionName);
  if (session === undefined) return { items, turns, status: "new", cooled: 0, turn: 0 };
  const turn = session.totalCount;
  const rows = store.sql("SELECT uri, turn FROM shown WHERE session = ?").all(session.id);
  const recent = new Set(
    rows.filter((row) => turn - Number(row["turn"]) < turns).map((row) => String(row["uri"])),
  );
  const fresh = items.filter((item) => !recent.has(item.uri));
  return {
    items: fresh,
    turns,
    status: rows.length === 0 ? "new" : "ok",
    cooled: items.length - fresh.length,
    turn,
  };
}

/** Notes what a session is shown now. */
export function noteShown(
  call: Call,
  sessionName: string,
  turn: number,
  items: readonly Item[],
): void {
  const { store, identity } = call;
  store.db.transaction(() => {
    const session = findSession(store, requireOwner(store, identity), sessionName);
    if (session === undefined) return;
    const note = store.sql("INSERT OR REPLACE INTO shown (session, uri, turn) VALUES (?, ?, ?)");
    for (const item of items) note.run(session.id, item.uri, turn);
  });
}
