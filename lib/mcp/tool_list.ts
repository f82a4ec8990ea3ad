/**
 * Which tools the host sees: the server's own list without what is hidden, the list last seen while
 * the server cannot be asked, and local tools that never take a server tool's name.
 *
 * @module
 */
import type { Json, JsonObject } from "../runtime/types.ts";
import type { Files } from "../runtime/types.ts";
import type { LocalTool, LocalToolProvider } from "./types.ts";

/** A predicate for the names that `patterns` hide; `*` stands for any characters. */
export function createToolFilter(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map((pattern) =>
    new RegExp(
      `^${
        pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&")).join(".*")
      }$`,
    )
  );
  return (name) => expressions.some((expression) => expression.test(name));
}

/** Name of a listed tool, "" when it has none. */
export function toolName(tool: Json): string {
  if (typeof tool !== "object" || tool === null || Array.isArray(tool)) return "";
  return typeof tool["name"] === "string" ? tool["name"] : "";
}

/** The local tools that may be offered beside `serverNames`, and those refused because their name is taken. */
export interface LocalOffer {
  /** Tools to list beside the server's. */
  readonly offered: readonly LocalTool[];
  /** Names that a server tool has already. */
  readonly refused: readonly string[];
}

/**
 * Decides which local tools are offered. `serverNames` is `undefined` while the server's list is not
 * known. A tool that has the name of a server tool is refused, never renamed and never preferred.
 */
export function offerLocalTools(
  provider: LocalToolProvider | undefined,
  serverNames: readonly string[] | undefined,
): LocalOffer {
  if (provider === undefined) return { offered: [], refused: [] };
  if (serverNames !== undefined && provider.scope === "fallback") {
    return { offered: [], refused: [] };
  }
  const taken = new Set(serverNames ?? []);
  return {
    offered: provider.tools.filter((tool) => !taken.has(tool.name)),
    refused: provider.tools.map((tool) => tool.name).filter((name) => taken.has(name)),
  };
}

/** A local tool as `tools/list` shows it. */
export function listedLocalTool(tool: LocalTool): JsonObject {
  return { name: tool.name, description: tool.description, inputSchema: tool.inputSchema };
}

/** The last list of one target, kept under `agent/state/mcp-tools/`. */
export interface SeenTools {
  /** The server's tools as it gave them; `undefined` when none was ever seen. */
  read(targetId: string): readonly Json[] | undefined;
  /** Keeps a list; a failure to write is ignored, the list is only a convenience. */
  write(targetId: string, tools: readonly Json[]): void;
}

/** Makes the store of lists in `folder`. */
export function createSeenTools(files: Files, folder: string): SeenTools {
  const pathOf = (targetId: string): string => `${folder}/${targetId}.json`;
  const known = new Map<string, string>();
  return {
    read(targetId) {
      try {
        const parsed = JSON.parse(files.readText(pathOf(targetId))) as { tools?: unknown };
        return Array.isArray(parsed.tools) ? parsed.tools as Json[] : undefined;
      } catch {
        return undefined;
      }
    },
    write(targetId, tools) {
      const text = `${JSON.stringify({ tools })}\n`;
      if (known.get(targetId) === text) return;
      known.set(targetId, text);
      try {
        files.makeDir(folder);
        files.writeAtomic(pathOf(targetId), text, { sync: false });
      } catch { /* a read-only home costs only the list for bad days */ }
    },
  };
}
