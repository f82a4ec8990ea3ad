/**
 * What an explicit search may be narrowed to: addresses, kinds, times, tags.
 *
 * @module
 */
import type { SqlValue } from "../../lib/runtime/types.ts";
import type { Call, Owner } from "../store/store.ts";
import type { SearchFilters } from "./request.ts";
import type { SearchScope } from "./retrieve.ts";
import { findSession, messageId } from "../sessions/session_row.ts";
import { readUri } from "../uri.ts";
import { invalidArgument } from "../wire.ts";

/** `10m`, `2h`, `3d`, `1w` before now, or a date. */
function readTime(text: string, field: string, now: number): number {
  const relative = /^(\d+)([mhdw])$/.exec(text.trim());
  if (relative !== null) {
    const unit = { m: 60, h: 3600, d: 86_400, w: 604_800 }[relative[2] ?? "m"] ?? 60;
    return now - Number(relative[1]) * unit * 1000;
  }
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw invalidArgument(`Invalid ${field}: ${text}`);
  return ms;
}

interface Conditions {
  readonly texts: string[];
  readonly values: SqlValue[];
}

/** One address as a condition; `undefined` when it covers everything of the owner, `"0"` nothing. */
function targetCondition(
  call: Call,
  owner: Owner,
  target: string,
): [string, SqlValue[]] | undefined {
  const { uri, path } = readUri(target, call.identity);
  if (path === undefined) {
    return uri === "viking://" || uri === "viking://user" ? undefined : ["0", []];
  }
  if (path === "") return undefined;
  const [top, name] = path.split("/");
  if (top !== "sessions") {
    return ["(f.path = ? OR (f.path >= ? AND f.path < ?))", [path, `${path}/`, `${path}0`]];
  }
  if (name === undefined) return ["p.source > 0", []];
  const session = findSession(call.store, owner, name);
  if (session === undefined) return ["0", []];
  return [
    "p.source >= ? AND p.source < ?",
    [messageId(session.id, 0), messageId(session.id + 1, 0)],
  ];
}

function addTargets(call: Call, owner: Owner, filters: SearchFilters, out: Conditions): void {
  const targets = filters.targets.map((target) => targetCondition(call, owner, target));
  if (targets.length === 0 || targets.includes(undefined)) return;
  out.texts.push(`(${targets.map((target) => target?.[0] ?? "0").join(" OR ")})`);
  for (const target of targets) out.values.push(...target?.[1] ?? []);
}

function addTimes(call: Call, filters: SearchFilters, out: Conditions): void {
  const now = call.store.now();
  const column = filters.byCreation ? "coalesce(f.created, p.created)" : "p.created";
  const since = filters.since === undefined ? undefined : readTime(filters.since, "since", now);
  const until = filters.until === undefined ? undefined : readTime(filters.until, "until", now);
  if (since !== undefined && until !== undefined && since > until) {
    throw invalidArgument("since must not be later than until");
  }
  if (since !== undefined) {
    out.texts.push(`${column} >= ?`);
    out.values.push(since);
  }
  if (until !== undefined) {
    out.texts.push(`${column} <= ?`);
    out.values.push(until);
  }
}

/** Files carry one tag, `memory_type=<folder>`; messages none. */
function addTags(filters: SearchFilters, out: Conditions): void {
  for (const tag of filters.tags) {
    if (!/^[^=]+=[^=]+$/.test(tag)) throw invalidArgument(`Invalid tag: ${tag}`);
    const folder = /^memory_type=(.+)$/.exec(tag)?.[1];
    out.texts.push(folder === undefined ? "0" : "f.path >= ? AND f.path < ?");
    if (folder !== undefined) out.values.push(`memories/${folder}/`, `memories/${folder}0`);
  }
}

/** Kinds: messages and files below `memories/` are memory, other files resources; skills are not kept. */
function addKinds(types: readonly string[], out: Conditions): void {
  if (types.length === 0) return;
  const memory = "(p.source > 0 OR (f.path >= 'memories/' AND f.path < 'memories0'))";
  const kinds: string[] = [];
  if (types.includes("memory")) kinds.push(memory);
  if (types.includes("resource")) kinds.push(`NOT ${memory}`);
  out.texts.push(kinds.length === 0 ? "0" : `(${kinds.join(" OR ")})`);
}

/** Narrows a scope by the filters of a request. */
export function narrow(
  call: Call,
  owner: Owner,
  scope: SearchScope,
  filters: SearchFilters,
): SearchScope {
  const out: Conditions = { texts: [...scope.conditions], values: [...scope.values] };
  addTargets(call, owner, filters, out);
  addTimes(call, filters, out);
  addTags(filters, out);
  addKinds(filters.contextTypes, out);
  if (!filters.levelFits) out.texts.push("0");
  return { conditions: out.texts, values: out.values, peer: scope.peer };
}
