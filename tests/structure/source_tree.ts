/**
 * The project's sources as data: a map of path to text, each TypeScript file read into its imports
 * and exports, and the graph between them.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { type Token, tokenize } from "./tokens.ts";

/** Path from the root of the project, with `/`, to the text of the file. */
export type SourceTree = ReadonlyMap<string, string>;

/** How a module names another one. */
export interface ImportEdge {
  /** As written; "" when it is computed. */
  readonly specifier: string;
  /** `type` leaves nothing behind at run time; `dynamic` is a call of `import()`. */
  readonly kind: "static" | "type" | "dynamic" | "computed";
  readonly reexport: boolean;
  /** Path in the tree, `npm:name`, `node:name`, or `missing:specifier`. */
  readonly target: string;
  readonly line: number;
}

/** A name that a module gives away. `star` is `export *`. */
export interface ExportedName {
  readonly name: string;
  readonly kind: "value" | "type" | "reexport" | "star";
  readonly line: number;
}

/** One TypeScript file, read. */
export interface SourceModule {
  readonly path: string;
  readonly tokens: readonly Token[];
  readonly imports: readonly ImportEdge[];
  readonly exports: readonly ExportedName[];
}

/** The modules of a tree by path, and the files that could not be read. */
export interface ModuleGraph {
  readonly modules: ReadonlyMap<string, SourceModule>;
  readonly unreadable: ReadonlyMap<string, string>;
}

/** Folders that hold no sources of ours. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "coverage"]);

/** Reads every file under `root`; binary files come as empty texts. */
export function readSourceTree(root: string): SourceTree {
  const tree = new Map<string, string>();
  function walk(folder: string): void {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) walk(path);
      } else if (entry.isFile()) {
        const text = readFileSync(join(root, path), "utf8");
        tree.set(path, text.includes("\0") ? "" : text);
      }
    }
  }
  walk("");
  return tree;
}

/** Reads the modules of `tree`; recorded payloads under `tests/fixtures/` are no modules. */
export function readModules(tree: SourceTree): ModuleGraph {
  const modules = new Map<string, SourceModule>();
  const unreadable = new Map<string, string>();
  for (const [path, text] of tree) {
    if (!/\.m?[tj]s$/.test(path) || path.startsWith("tests/fixtures/")) continue;
    try {
      const tokens = tokenize(text);
      modules.set(path, {
        path,
        tokens,
        imports: findImports(tokens).map((edge) => ({
          ...edge,
          target: resolveSpecifier(tree, path, edge.specifier),
        })),
        exports: findExports(tokens),
      });
    } catch (error) {
      unreadable.set(path, (error as Error).message);
    }
  }
  return { modules, unreadable };
}

/** Every module that `entry` reaches, itself included. */
export function closureOf(
  graph: ModuleGraph,
  entry: string,
  follow: (edge: ImportEdge) => boolean,
): SourceModule[] {
  const seen = new Set<string>();
  const found: SourceModule[] = [];
  const todo = [entry];
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    const module = graph.modules.get(path);
    if (module === undefined || seen.has(path)) continue;
    seen.add(path);
    found.push(module);
    todo.push(...module.imports.filter(follow).map((edge) => edge.target));
  }
  return found;
}

/** Follows what is there at run time, lazily loaded modules included. */
export const atRunTime = (edge: ImportEdge): boolean => edge.kind !== "type";

/** Follows everything, types included. */
export const everything = (): boolean => true;

function resolveSpecifier(tree: SourceTree, from: string, specifier: string): string {
  if (specifier.startsWith(".")) {
    const path = normalize(join(dirname(from), specifier));
    return tree.has(path) ? path : `missing:${specifier}`;
  }
  if (/^[a-z]+:/.test(specifier)) return specifier;
  return specifier === "" ? "missing:" : `npm:${specifier}`;
}

type RawEdge = Omit<ImportEdge, "target">;

function findImports(tokens: readonly Token[]): RawEdge[] {
  const edges: RawEdge[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind !== "name" || isText(tokens[i - 1], ".")) continue;
    if (token.text === "import") {
      const next = tokens[i + 1];
      if (isText(next, "(")) edges.push(dynamicEdge(tokens, i));
      else if (!isText(next, ".")) {
        const edge = clauseEdge(tokens, i, false);
        if (edge !== undefined) edges.push(edge);
      }
    } else if (token.text === "export") {
      const edge = clauseEdge(tokens, i, true);
      if (edge !== undefined) edges.push(edge);
    }
  }
  return edges;
}

function dynamicEdge(tokens: readonly Token[], at: number): RawEdge {
  const argument = tokens[at + 2];
  const after = tokens[at + 3];
  const line = (tokens[at] as Token).line;
  const literal = (argument?.kind === "string" || argument?.kind === "template") &&
    (isText(after, ")") || isText(after, ","));
  return literal
    ? { specifier: argument.text, kind: "dynamic", reexport: false, line }
    : { specifier: "", kind: "computed", reexport: false, line };
}

/** The module named by an `import` or `export` clause at `at`, if it names one. */
function clauseEdge(tokens: readonly Token[], at: number, reexport: boolean): RawEdge | undefined {
  const line = (tokens[at] as Token).line;
  let i = at + 1;
  if (!reexport && tokens[i]?.kind === "string") {
    return { specifier: tokens[i]?.text ?? "", kind: "static", reexport, line };
  }
  let kind: "static" | "type" = "static";
  if (isText(tokens[i], "type") && !isText(tokens[i + 1], "from") && !isText(tokens[i + 1], ",")) {
    kind = "type";
    i++;
  }
  if (reexport && !isText(tokens[i], "{") && !isText(tokens[i], "*")) return undefined;
  for (let braces = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (isText(token, "{")) braces++;
    else if (isText(token, "}")) braces--;
    else if (braces === 0 && isText(token, "from") && tokens[i + 1]?.kind === "string") {
      return { specifier: tokens[i + 1]?.text ?? "", kind, reexport, line };
    } else if (braces === 0 && (isText(token, ";") || isText(token, "="))) return undefined;
    else if (braces === 0 && reexport && isText(tokens[i - 1], "}")) return undefined;
  }
  return undefined;
}

const DECLARATIONS: ReadonlyMap<string, "value" | "type"> = new Map([
  ["function", "value"],
  ["const", "value"],
  ["let", "value"],
  ["var", "value"],
  ["class", "value"],
  ["enum", "value"],
  ["interface", "type"],
  ["type", "type"],
]);

function findExports(tokens: readonly Token[]): ExportedName[] {
  const names: ExportedName[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind !== "name" || token.text !== "export" || isText(tokens[i - 1], ".")) continue;
    let at = i + 1;
    if (isText(tokens[at], "type") && isText(tokens[at + 1], "{")) at++;
    if (isText(tokens[at], "*")) names.push({ name: "*", kind: "star", line: token.line });
    else if (isText(tokens[at], "{")) {
      const close = tokens.findIndex((t, n) => n > at && isText(t, "}"));
      const kind = isText(tokens[close + 1], "from") ? "reexport" : "value";
      for (let n = at + 1; n < close; n++) {
        const last = isText(tokens[n + 1], ",") || n + 1 === close;
        if (last && tokens[n]?.kind === "name") {
          names.push({ name: tokens[n]?.text ?? "", kind, line: tokens[n]?.line ?? 0 });
        }
      }
    } else {
      while (["declare", "abstract", "async", "default"].includes(tokens[at]?.text ?? "")) at++;
      const kind = DECLARATIONS.get(tokens[at]?.text ?? "");
      if (kind === undefined) continue;
      at++;
      if (isText(tokens[at], "*")) at++;
      if (tokens[at]?.kind === "name") {
        names.push({ name: tokens[at]?.text ?? "", kind, line: token.line });
      }
    }
  }
  return names;
}

function isText(token: Token | undefined, text: string): boolean {
  return token !== undefined && token.kind !== "string" && token.kind !== "template" &&
    token.text === text;
}
