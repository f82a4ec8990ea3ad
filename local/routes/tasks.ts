/**
 * `/api/v1/tasks`
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { SqlValue } from "../../lib/runtime/types.ts";
import type { Call } from "../store/store.ts";
import { findOwner } from "../store/store.ts";
import { describeTask } from "../store/tasks.ts";
import { answer, methodNotAllowed, RouteError, routeMissing } from "../wire.ts";
import { optionalInteger } from "../validate.ts";

/** Lists tasks and shows one. Cancelling is refused: every task is complete when it is known. */
export function taskRoutes(call: Call): WireResponse {
  const { store, segments } = call;
  const [, , , id, action, ...rest] = segments;
  if (rest.length > 0 || (action !== undefined && action !== "cancel")) throw routeMissing();
  if (call.method !== (action === "cancel" ? "POST" : "GET")) {
    throw methodNotAllowed(action === "cancel" ? "POST" : "GET");
  }
  const owner = findOwner(store, call.identity)?.id ?? -1;
  if (id === undefined) return listTasks(call, owner);
  const row = store.sql("SELECT * FROM tasks WHERE id = ? AND owner = ?").get(id, owner);
  if (row === undefined) {
    throw new RouteError(404, "NOT_FOUND", "Task not found or expired", {
      details: { resource: id, type: "task" },
    });
  }
  if (action === "cancel") {
    throw new RouteError(412, "FAILED_PRECONDITION", "Task is already completed", {
      details: { task_id: id, status: "completed" },
    });
  }
  return answer(describeTask(row));
}

function listTasks(call: Call, owner: number): WireResponse {
  const { store, query } = call;
  const limit = optionalInteger(Object.fromEntries(query), "limit", 1, 200, ["query", "limit"]) ??
    50;
  const status = query.get("status");
  if (status !== undefined && status !== "completed") return answer([]);
  const conditions = ["owner = ?"];
  const values: SqlValue[] = [owner];
  for (const [key, column] of [["task_type", "type"], ["resource_id", "resource"]] as const) {
    const value = query.get(key);
    if (value === undefined) continue;
    conditions.push(`${column} = ?`);
    values.push(value);
  }
  const rows = store.sql(
    `SELECT * FROM tasks WHERE ${conditions.join(" AND ")} ORDER BY created DESC, id LIMIT ?`,
  ).all(...values, limit);
  return answer(rows.map(describeTask));
}
