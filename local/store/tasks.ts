/**
 * Tasks: everything here is done before it is answered, so a task is born completed.
 *
 * @module
 */
import type { SqlRow } from "../../lib/runtime/types.ts";
import type { Store } from "./store.ts";

const KEEP_MS = 24 * 60 * 60 * 1000;

/** Notes a completed task and forgets those older than a day. Inside a transaction. */
export function recordTask(
  store: Store,
  owner: number,
  type: string,
  resource: string,
  result: unknown,
): string {
  const id = store.randomId();
  const now = store.now();
  store.sql(
    "INSERT INTO tasks (id, owner, type, resource, created, updated, result) VALUES (?, ?, ?, ?, ?, ?, ?)",
  ).run(id, owner, type, resource, now, now, JSON.stringify(result));
  store.sql("DELETE FROM tasks WHERE owner = ? AND created < ?").run(owner, now - KEEP_MS);
  return id;
}

/** A task as the server returns it (0.5.2). */
export function describeTask(row: SqlRow): Record<string, unknown> {
  const created = Number(row["created"]);
  const updated = Number(row["updated"]);
  const iso = (ms: number): string => new Date(ms).toISOString().replace("Z", "000+00:00");
  return {
    task_id: row["id"],
    task_type: row["type"],
    status: "completed",
    created_at: created / 1000,
    updated_at: updated / 1000,
    processing_seconds: (updated - created) / 1000,
    resource_id: row["resource"],
    meta: {},
    stage: "completed",
    result: JSON.parse(String(row["result"])),
    error: null,
    created_at_iso: iso(created),
    updated_at_iso: iso(updated),
  };
}
