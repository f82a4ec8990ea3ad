/**
 * Rules about who imports whom.
 *
 * @module
 */
import {
  atRunTime,
  closureOf,
  everything,
  type ImportEdge,
  type ModuleGraph,
  type SourceModule,
  type SourceTree,
} from "./source_tree.ts";
import { hostFolderOf, isHookEntry, isTestFile, type Room, roomOf, ROOMS } from "./rooms.ts";

/** A broken rule, at a place. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** A rule: looks at a tree and its graph, and tells where it is broken. */
export type Rule = (tree: SourceTree, graph: ModuleGraph) => Finding[];

function product(graph: ModuleGraph): SourceModule[] {
  return [...graph.modules.values()].filter((module) => !isTestFile(module.path));
}

function isModule(target: string): boolean {
  return /\.m?[tj]s$/.test(target) && !target.includes(":");
}

/** Every module was read, every import leads somewhere, and every source file has a room. */
export const importsResolve: Rule = (_tree, graph) => {
  const findings = [...graph.unreadable].map(([path, message]) => ({ path, line: 0, message }));
  for (const module of graph.modules.values()) {
    if (!isTestFile(module.path) && roomOf(module.path) === undefined) {
      findings.push({ path: module.path, line: 0, message: "belongs to no room of the house" });
    }
    for (const edge of module.imports) {
      if (edge.kind !== "computed" && edge.target.startsWith("missing:")) {
        const message = `imports ${edge.specifier}, which is not there`;
        findings.push({ path: module.path, line: edge.line, message });
      }
    }
  }
  return findings;
};

function isAllowed(from: Room, to: Room, edge: ImportEdge): boolean {
  if (from === to || from.arrows.includes(to.name)) return true;
  if (edge.kind === "type") return from.typeArrows?.includes(to.name) ?? false;
  return edge.kind === "dynamic" && (from.lazyArrows?.includes(to.name) ?? false);
}

/** Imports follow the allowed arrows, and no host folder reaches into another one. */
export const arrowsHold: Rule = (_tree, graph) => {
  const findings: Finding[] = [];
  for (const module of product(graph)) {
    const from = roomOf(module.path);
    for (const edge of module.imports) {
      if (from === undefined || !isModule(edge.target)) continue;
      const add = (message: string) =>
        findings.push({ path: module.path, line: edge.line, message: `${message} ${edge.target}` });
      if (isTestFile(edge.target)) {
        add("no product code imports tests:");
        continue;
      }
      const to = roomOf(edge.target);
      if (to === undefined) continue;
      if (!isAllowed(from, to, edge)) add(`no arrow leads from ${from.name} to ${to.name}:`);
      const [own, other] = [hostFolderOf(module.path), hostFolderOf(edge.target)];
      if (own !== "" && other !== "" && own !== other) add("a host imports another host:");
    }
  }
  return findings;
};

/** No module reaches itself, type imports included. */
export const noCycles: Rule = (_tree, graph) => {
  const findings: Finding[] = [];
  const state = new Map<string, "open" | "closed">();
  function visit(path: string, trail: readonly string[]): void {
    state.set(path, "open");
    for (const edge of graph.modules.get(path)?.imports ?? []) {
      if (!graph.modules.has(edge.target)) continue;
      const seen = state.get(edge.target);
      if (seen === "open") {
        const cycle = [...trail.slice(trail.indexOf(edge.target)), edge.target];
        findings.push({ path, line: edge.line, message: `closes a cycle: ${cycle.join(" -> ")}` });
      } else if (seen === undefined) visit(edge.target, [...trail, edge.target]);
    }
    state.set(path, "closed");
  }
  for (const path of graph.modules.keys()) {
    if (!state.has(path)) visit(path, [path]);
  }
  return findings;
};

/** The table of allowed arrows has no cycle itself, and names only rooms that exist. */
export const tableIsSound: Rule = () => {
  const findings: Finding[] = [];
  const names = new Set(ROOMS.map((room) => room.name));
  const below = new Map<string, Set<string>>();
  function reach(name: string, trail: readonly string[]): Set<string> {
    const known = below.get(name);
    if (known !== undefined) return known;
    const all = new Set<string>();
    const room = ROOMS.find((r) => r.name === name);
    for (const next of [...room?.arrows ?? [], ...room?.lazyArrows ?? []]) {
      if (next === name) continue;
      if (!names.has(next)) {
        findings.push({ path: "tests/structure/rooms.ts", line: 0, message: `no room ${next}` });
      } else if (trail.includes(next)) {
        const message = `the table has a cycle: ${[...trail, next].join(" -> ")}`;
        findings.push({ path: "tests/structure/rooms.ts", line: 0, message });
      } else {
        all.add(next);
        for (const further of reach(next, [...trail, next])) all.add(further);
      }
    }
    below.set(name, all);
    return all;
  }
  for (const name of names) reach(name, [name]);
  return findings;
};

/** Imports and exports are listed by name, and every import of the product is literal. */
export const namedAndLiteral: Rule = (_tree, graph) => {
  const findings: Finding[] = [];
  for (const module of graph.modules.values()) {
    for (const name of module.exports) {
      const at = { path: module.path, line: name.line };
      if (name.kind === "star") {
        findings.push({ ...at, message: "export * hides what is exported" });
      }
      if (name.kind === "reexport" && !/(^|\/)mod\.ts$/.test(module.path)) {
        findings.push({
          ...at,
          message: `only a mod.ts hands on other modules' names: ${name.name}`,
        });
      }
    }
    for (const edge of module.imports) {
      if (edge.kind === "computed" && !isTestFile(module.path)) {
        findings.push({ path: module.path, line: edge.line, message: "a computed import" });
      }
    }
  }
  return findings;
};

/** A file that begins with `_` stays inside its folder (and is tested by the mirrored one). */
export const privateFilesStayPrivate: Rule = (_tree, graph) => {
  const findings: Finding[] = [];
  for (const module of graph.modules.values()) {
    for (const edge of module.imports) {
      const name = edge.target.slice(edge.target.lastIndexOf("/") + 1);
      const folder = edge.target.slice(0, Math.max(edge.target.lastIndexOf("/"), 0));
      const from = module.path.slice(0, Math.max(module.path.lastIndexOf("/"), 0));
      if (!name.startsWith("_") || !isModule(edge.target)) continue;
      if (from !== folder && !isTestFile(module.path)) {
        const message = `${edge.target} is private to its folder`;
        findings.push({ path: module.path, line: edge.line, message });
      }
    }
  }
  return findings;
};

/** Test files are not imported; what tests share lies in files of their own. */
export const testsAreLeaves: Rule = (_tree, graph) => {
  const findings: Finding[] = [];
  for (const module of graph.modules.values()) {
    for (const edge of module.imports) {
      if (/_test\.ts$/.test(edge.target)) {
        const message = `imports the test file ${edge.target}`;
        findings.push({ path: module.path, line: edge.line, message });
      }
    }
  }
  return findings;
};

/** Where programs begin: exports of deno.json, files that its tasks run, hook entries, mains, tests. */
export function entriesOf(tree: SourceTree, graph: ModuleGraph): Set<string> {
  const entries = new Set<string>();
  const manifest = JSON.parse(tree.get("deno.json") ?? "{}") as {
    exports?: Record<string, string>;
    tasks?: Record<string, string | { command?: string }>;
  };
  for (const path of Object.values(manifest.exports ?? {})) entries.add(path.replace(/^\.\//, ""));
  for (const task of Object.values(manifest.tasks ?? {})) {
    const command = typeof task === "string" ? task : task.command ?? "";
    for (const word of command.split(/\s+/)) if (graph.modules.has(word)) entries.add(word);
  }
  for (const module of graph.modules.values()) {
    const main = module.tokens.some((token, i) =>
      token.text === "main" && module.tokens[i - 2]?.text === "meta"
    );
    if (main || isHookEntry(module.path) || /_test\.ts$/.test(module.path)) {
      entries.add(module.path);
    }
  }
  return entries;
}

/** Modules that a test names in a string, to run them in a process of their own. */
function startedBy(module: SourceModule, graph: ModuleGraph): string[] {
  if (!isTestFile(module.path)) return [];
  const folder = module.path.slice(0, module.path.lastIndexOf("/"));
  return module.tokens.filter((token) => token.kind === "string" && token.text.endsWith(".ts"))
    .flatMap((token) => [token.text, `${folder}/${token.text.replace(/^\.\//, "")}`])
    .filter((path) => graph.modules.has(path));
}

/** Every module is reached by an export, an entry or a test. */
export const nothingIsOrphaned: Rule = (tree, graph) => {
  const reached = new Set<string>();
  const todo = [...entriesOf(tree, graph)];
  for (let entry = todo.pop(); entry !== undefined; entry = todo.pop()) {
    for (const module of closureOf(graph, entry, everything)) {
      if (reached.has(module.path)) continue;
      reached.add(module.path);
      todo.push(...startedBy(module, graph));
    }
  }
  return [...graph.modules.keys()]
    .filter((path) => !reached.has(path))
    .map((path) => ({ path, line: 0, message: "no export, entry or test reaches this file" }));
};

/** What maps events or decodes records reaches no network: no transport, no `fetch`, no runtime. */
export const adaptersArePure: Rule = (_tree, graph) => {
  const findings: Finding[] = [];
  const effects = /^(fetch|WebSocket|Deno|process|Bun)$/;
  for (const module of product(graph)) {
    const room = roomOf(module.path)?.name ?? "";
    if (!["host/adapter", "host/transcript", "host/manifest"].includes(room)) continue;
    for (const reached of closureOf(graph, module.path, atRunTime)) {
      const effect = reached.tokens.find((token, i) =>
        token.kind === "name" && effects.test(token.text) && reached.tokens[i - 1]?.text !== "." &&
        reached.tokens[i + 1]?.text !== ":"
      );
      if (effect !== undefined) {
        const message = `reaches ${effect.text} in ${reached.path}:${effect.line}`;
        findings.push({ path: module.path, line: 0, message });
      }
    }
  }
  return findings;
};
