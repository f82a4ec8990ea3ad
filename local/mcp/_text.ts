/**
 * The text forms of tool results, as the OpenViking server writes them (observed on 0.5.2).
 *
 * @module
 */

interface FoundItem {
  readonly uri?: unknown;
  readonly score?: unknown;
  readonly abstract?: unknown;
  readonly context_type?: unknown;
}

interface FoundLists {
  readonly memories?: readonly FoundItem[];
  readonly resources?: readonly FoundItem[];
  readonly skills?: readonly FoundItem[];
}

const NOTHING = "No matching context found.";

function scoreOf(item: FoundItem): number {
  return typeof item.score === "number" && Number.isFinite(item.score) ? item.score : 0;
}

/** Ranked results of `find` and of `search` in list mode. */
export function renderFound(result: unknown): string {
  const lists = (result ?? {}) as FoundLists;
  const items = [lists.memories, lists.resources, lists.skills]
    .flatMap((list) => Array.isArray(list) ? list as FoundItem[] : [])
    .sort((a, b) => scoreOf(b) - scoreOf(a));
  if (items.length === 0) return NOTHING;
  const lines = items.map((item) => {
    const percent = Math.min(100, Math.max(0, Math.round(scoreOf(item) * 100)));
    const kind = typeof item.context_type === "string" ? item.context_type : "memory";
    return `- [${kind} ${percent}%] ${String(item.uri ?? "")}\n    ${String(item.abstract ?? "")}`;
  });
  return `Found ${items.length} item(s):\n\n${
    lines.join("\n")
  }\n\nUse the read tool to expand a URI.`;
}

/** The block of `search` in context mode. */
export function renderContext(result: unknown): string {
  const block = (result ?? {}) as { digest?: unknown; rendered?: unknown };
  if (typeof block.digest === "string" && block.digest !== "") return block.digest;
  if (typeof block.rendered === "string" && block.rendered !== "") return block.rendered;
  return NOTHING;
}

/** A directory listing; full URIs when it is recursive. */
export function renderListing(result: unknown, uri: string, recursive: boolean): string {
  const entries = Array.isArray(result) ? result as { uri?: unknown; isDir?: unknown }[] : [];
  if (entries.length === 0) return `(no entries under ${uri})`;
  return entries.map((entry) => {
    const whole = String(entry.uri ?? "").replace(/\/+$/, "");
    const name = recursive ? whole : whole.slice(whole.lastIndexOf("/") + 1);
    return `${entry.isDir === true ? "[dir]" : "[file]"} ${name}`;
  }).join("\n");
}
