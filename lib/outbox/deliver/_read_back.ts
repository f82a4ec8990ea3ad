/**
 * Reads back which of our messages an engine holds, by the ids that we sent with them.
 *
 * @module
 */
import type { OvFailure } from "../../http/types.ts";
import type { DeliveryContext } from "./delivery.ts";
import type { SessionRow } from "../store/sessions.ts";
import { collectSourceIds, parseMessageLines, type SessionMeta, sessionPath } from "./_wire.ts";

/** What the engine holds of a session. */
export interface ReadBack {
  readonly ok: true;
  /** Ids of ours in the live list. */
  readonly live: ReadonlySet<string>;
  /** Ids of ours in the archives that were read: those made since the last one known. */
  readonly archived: ReadonlySet<string>;
  /** False when the engine returned messages and none carried an id: an old server. */
  readonly idsReturned: boolean;
  readonly liveCount: number;
  readonly commitCount: number;
}

const NOTHING: ReadBack = {
  ok: true,
  live: new Set(),
  archived: new Set(),
  idsReturned: true,
  liveCount: 0,
  commitCount: 0,
};

const TIMEOUT_MS = 30_000;

/**
 * Reads the live list and, while ids in `wanted` are missing, the archives that are new. A session
 * that is not there holds nothing.
 */
export async function readBack(
  context: DeliveryContext,
  session: SessionRow,
  wanted: readonly string[],
): Promise<ReadBack | OvFailure> {
  const { http } = context;
  const path = sessionPath(session.engineSession);
  const read = <T>(route: string) => http.request<T>("GET", route, { timeoutMs: TIMEOUT_MS });
  const meta = await read<SessionMeta>(path);
  if (!meta.ok) return meta.category === "not-found" ? NOTHING : meta;
  const { message_count: liveCount = 0, commit_count: commitCount = 0, uri = "" } = meta.result;
  const liveIds = new Set<string>();
  const archivedIds = new Set<string>();
  let seen = 0;

  if (liveCount > 0) {
    const live = await read<{ messages?: unknown[] }>(`${path}/context?token_budget=1000000000`);
    if (!live.ok) return live;
    const messages = live.result.messages ?? [];
    collectSourceIds(messages, liveIds);
    seen += messages.length;
    if (messages.length < liveCount && uri !== "") {
      const file = await read<unknown>(contentPath(`${uri}/messages.jsonl`));
      if (!file.ok) return file;
      collectSourceIds(parseMessageLines(String(file.result)), liveIds);
    }
  }
  const isComplete = () => wanted.every((id) => liveIds.has(id) || archivedIds.has(id));
  for (let n = commitCount; n > session.archives && !isComplete(); n--) {
    const name = `archive_${String(n).padStart(3, "0")}`;
    const archive = await read<{ messages?: unknown[] }>(`${path}/archives/${name}`);
    if (archive.ok) {
      collectSourceIds(archive.result.messages, archivedIds);
      seen += archive.result.messages?.length ?? 0;
      continue;
    }
    if (archive.category !== "not-found" || uri === "") return archive;
    // The route answers only when the archive is finished; its file is there at once.
    const file = await read<unknown>(contentPath(`${uri}/history/${name}/messages.jsonl`));
    if (!file.ok) return file;
    const messages = parseMessageLines(String(file.result));
    collectSourceIds(messages, archivedIds);
    seen += messages.length;
  }
  const idsReturned = seen === 0 || liveIds.size > 0 || archivedIds.size > 0;
  return { ok: true, live: liveIds, archived: archivedIds, idsReturned, liveCount, commitCount };
}

function contentPath(uri: string): string {
  return `/api/v1/content/read?uri=${encodeURIComponent(uri)}`;
}
