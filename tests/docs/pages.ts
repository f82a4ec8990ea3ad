/**
 * The pages a person reads, taken apart: headings, code blocks, links, and what they name in code.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project.ts";

/** One Markdown page. */
export interface Page {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
  /** Levels and texts, in order. */
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  /** Fenced blocks with their language, in order. */
  readonly blocks: readonly string[];
  /** Targets of links. */
  readonly links: readonly string[];
  /** What stands in single backticks, outside of fenced blocks. */
  readonly codes: readonly string[];
}

/** Reads one page. */
export function readPage(path: string): Page {
  const text = readFileSync(join(projectRoot, path), "utf8");
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  return {
    path,
    text,
    headings: [...prose.matchAll(/^(#+) (.+)$/gm)].map(([, level = "", title = ""]) => ({
      level: level.length,
      text: title.trim(),
    })),
    blocks: [...text.matchAll(/^```[\s\S]*?^```/gm)].map(([block]) => block),
    links: [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target),
    codes: [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code),
  };
}

/** Names of the Markdown files in a folder below `docs/`, sorted. */
export function pageNames(folder: string): string[] {
  return readdirSync(join(projectRoot, "docs", folder)).filter((name) => name.endsWith(".md"))
    .sort();
}
