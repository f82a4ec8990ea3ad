/**
 * `search`: memory by hand, on either engine.
 *
 * @module
 */
import type { CommandContext } from "./context.ts";
import type { OvHttp } from "../lib/http/types.ts";
import { CommandError, EXIT, forTerminal } from "./output.ts";
import { connectOrFail } from "./connect.ts";

/** One hit in the shape of `search --json`. `text` is the whole passage. */
interface SearchResult {
  readonly uri: string;
  readonly text: string;
  readonly score: number;
  readonly session: string;
  readonly created_at: string;
}

interface FoundItem {
  readonly uri: string;
  readonly score?: number;
  readonly level?: number;
  readonly abstract?: string;
  readonly session_id?: string;
  readonly created_at?: string;
}

/** Session id in a session's URI, "" for other memories. */
function sessionOf(uri: string): string {
  return /\/sessions\/([^/]+)/.exec(uri)?.[1] ?? "";
}

/** Directory summaries repeat what the files say. */
function isBoilerplate(item: FoundItem): boolean {
  return item.level === 0 || item.level === 1 || /\/\.(overview|abstract)\.md$/.test(item.uri);
}

async function find(http: OvHttp, query: string, limit: number): Promise<FoundItem[]> {
  const found = await http.request<Record<string, FoundItem[] | number>>(
    "POST",
    "/api/v1/search/find",
    { body: { query, limit } },
  );
  if (!found.ok) {
    throw new CommandError(
      found.category,
      `Cannot search: ${found.message}`,
      "Run `openviking-agent doctor`",
    );
  }
  return Object.values(found.result).flatMap((list) => Array.isArray(list) ? list : []);
}

/** Prints what memory holds for `query`; finding nothing is exit code 0. */
export async function search(
  { runtime, output }: CommandContext,
  query: string,
  limit: number,
): Promise<number> {
  if (query.trim() === "") {
    throw new CommandError("usage", 'Cannot search "": the query is empty', "", EXIT.usage);
  }
  if (limit === 0) {
    throw new CommandError("usage", "Cannot search with --limit 0: give 1 or more", "", EXIT.usage);
  }
  const { engine, name } = await connectOrFail(runtime);
  try {
    const items = (await find(engine.http, query, limit)).filter((item) => !isBoilerplate(item));
    const results: SearchResult[] = items
      .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
      .slice(0, limit)
      .map((item) => ({
        uri: item.uri,
        text: item.abstract ?? "",
        score: item.score ?? 0,
        session: item.session_id ?? sessionOf(item.uri),
        created_at: item.created_at ?? "",
      }));
    if (output.json) {
      output.document({ engine: name, results });
      return EXIT.done;
    }
    if (results.length === 0) output.note("Nothing found.");
    for (const result of results) {
      output.line(`${output.bold(forTerminal(result.uri))}  ${output.dim(result.created_at)}`);
      forTerminal(result.text).split("\n").forEach((row) => output.line(`  ${row}`));
    }
    return EXIT.done;
  } finally {
    engine.close();
  }
}
