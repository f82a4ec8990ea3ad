/**
 * Rules about what stands inside a module.
 *
 * @module
 */
import type { Finding, Rule } from "./graph_rules.ts";
import type { ModuleGraph, SourceModule, SourceTree } from "./source_tree.ts";
import type { Token } from "./tokens.ts";
import { isHookEntry, isTestFile, roomOf } from "./rooms.ts";

/** Reports each token that `broken` names; tests are left out. */
function eachToken(
  graph: ModuleGraph,
  broken: (module: SourceModule, token: Token, i: number) => string | undefined,
): Finding[] {
  const findings: Finding[] = [];
  for (const module of graph.modules.values()) {
    if (isTestFile(module.path)) continue;
    module.tokens.forEach((token, i) => {
      const message = broken(module, token, i);
      if (message !== undefined) findings.push({ path: module.path, line: token.line, message });
    });
  }
  return findings;
}

const isMember = (module: SourceModule, i: number): boolean => {
  const before = module.tokens[i - 1]?.text;
  return before === "." || (before === "#");
};
const isKey = (module: SourceModule, i: number): boolean =>
  module.tokens[i + 1]?.kind === "punctuation" && module.tokens[i + 1]?.text === ":" &&
  ["{", ",", ";", "readonly"].includes(module.tokens[i - 1]?.text ?? "");

/** `Deno`, `process`, `Bun` and `node:` modules are named in `lib/runtime/` only. */
export const runtimeIsNamedOnce: Rule = (_tree, graph) => {
  const findings = eachToken(graph, (module, token, i) => {
    if (module.path.startsWith("lib/runtime/") || token.kind !== "name") return undefined;
    if (!/^(Deno|process|Bun)$/.test(token.text)) return undefined;
    if (isMember(module, i) || isKey(module, i)) return undefined;
    return `names ${token.text}; only lib/runtime/ may`;
  });
  for (const module of graph.modules.values()) {
    if (isTestFile(module.path) || module.path.startsWith("lib/runtime/")) continue;
    for (const edge of module.imports) {
      if (edge.target.startsWith("node:")) {
        const message = `imports ${edge.target}; only lib/runtime/ may`;
        findings.push({ path: module.path, line: edge.line, message });
      }
    }
  }
  return findings;
};

/** The registered host ids, read from the union in lib/config/types.ts. */
export function registeredHosts(graph: ModuleGraph): string[] {
  const tokens = graph.modules.get("lib/config/types.ts")?.tokens ?? [];
  const start = tokens.findIndex((t, i) =>
    t.text === "HarnessKey" && tokens[i - 1]?.text === "type"
  );
  if (start < 0) return [];
  const end = tokens.findIndex((t, i) => i > start && t.text === ";" && t.kind === "punctuation");
  return tokens.slice(start, end).filter((t) => t.kind === "string").map((t) => t.text);
}

/** Files in lib/ that register the host ids. */
const HOST_ID_FILES: ReadonlySet<string> = new Set([
  "lib/config/types.ts",
  "lib/config/harness.ts",
]);
/** Ids that are also words of the field count only where something is compared with them. */
const COMMON_WORDS: ReadonlySet<string> = new Set(["cursor", "pi"]);

/** `lib/` does not know hosts: their ids stand in the registration only. */
export const libKnowsNoHost: Rule = (_tree, graph) => {
  const ids = new Set(registeredHosts(graph));
  for (const id of [...ids]) ids.add(id.replaceAll("-", "_"));
  return eachToken(graph, (module, token, i) => {
    if (!module.path.startsWith("lib/") || HOST_ID_FILES.has(module.path)) return undefined;
    if (token.kind !== "string" && token.kind !== "template") return undefined;
    if (!ids.has(token.text)) return undefined;
    const before = module.tokens[i - 1]?.text ?? "";
    const after = module.tokens[i + 1]?.text ?? "";
    if (COMMON_WORDS.has(token.text) && before !== "=" && before !== "case" && after !== "=") {
      return undefined;
    }
    return `names the host "${token.text}"; a host's facts belong to its adapter`;
  });
};

/** Where a silent stdin, or the last act of a hook, ends the process, as the design says. */
const DOCUMENTED_ENDS: ReadonlySet<string> = new Set([
  "lib/hook/run_hook_stage.ts",
  "cli/status.ts",
]);

function isEntry(module: SourceModule): boolean {
  return isHookEntry(module.path) ||
    module.tokens.some((t, i) => t.text === "main" && module.tokens[i - 2]?.text === "meta");
}

/** Only entries, the runtime and the documented ends end the process. */
export const onlyEntriesExit: Rule = (_tree, graph) =>
  eachToken(graph, (module, token, i) => {
    if (token.kind !== "name" || !/^(exit|abort|reallyExit)$/.test(token.text)) return undefined;
    const { tokens } = module;
    if (tokens[i - 1]?.text !== "." || tokens[i + 1]?.text !== "(") return undefined;
    if (token.text === "abort" && tokens[i - 2]?.text !== "process") return undefined;
    if (module.path.startsWith("lib/runtime/") || DOCUMENTED_ENDS.has(module.path)) {
      return undefined;
    }
    return isEntry(module) ? undefined : `ends the process with .${token.text}()`;
  });

/**
 * What lib/ defines has one owner: no other module, a host's least of all, exports the same name.
 * Files private to a folder give nothing away.
 */
export const oneDefinitionPerName: Rule = (_tree, graph) => {
  const owners = new Map<string, SourceModule>();
  const findings: Finding[] = [];
  const byRoom = [...graph.modules.values()]
    .filter((module) => !isTestFile(module.path) && !module.path.includes("/_"))
    .sort((a, b) => Number(b.path.startsWith("lib/")) - Number(a.path.startsWith("lib/")));
  for (const module of byRoom) {
    for (const name of module.exports) {
      if (name.kind !== "value") continue;
      const owner = owners.get(name.name) ?? module;
      owners.set(name.name, owner);
      if (owner !== module && owner.path.startsWith("lib/")) {
        const message = `${name.name} is also defined in ${owner.path}`;
        findings.push({ path: module.path, line: name.line, message });
      }
    }
  }
  return findings;
};

/** Adapters are data: none extends another class. */
export const adaptersExtendNothing: Rule = (_tree, graph) =>
  eachToken(graph, (module, token, i) => {
    const inHost = (roomOf(module.path)?.name ?? "").startsWith("host/");
    const extendsClass = token.text === "class" && module.tokens[i + 2]?.text === "extends";
    return inHost && extendsClass ? "a host extends a class; adapters are data" : undefined;
  });

/** Sources are strict TypeScript with erasable syntax, and say in their first lines what they are. */
export const modulesIntroduceThemselves: Rule = (tree, graph) => {
  const findings: Finding[] = [];
  for (const module of graph.modules.values()) {
    const text = tree.get(module.path) ?? "";
    if (isTestFile(module.path)) continue;
    const isPrivate = module.path.includes("/_");
    const opening = /^(#!.*\n)?\s*\/\*\*([\s\S]*?)\*\//.exec(text);
    if (opening === null || !(isPrivate || opening[2]?.includes("@module"))) {
      findings.push({
        path: module.path,
        line: 1,
        message: "does not begin with a @module comment",
      });
    }
    if (/@ts-(ignore|nocheck|expect-error)/.test(text)) {
      findings.push({ path: module.path, line: 0, message: "switches the type check off" });
    }
  }
  return findings;
};

/** File names are snake_case and say what the file holds. */
export const filesAreNamedByContent: Rule = (_tree, graph) => {
  const findings: Finding[] = [];
  for (const path of graph.modules.keys()) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (!/^_?[a-z0-9]+(_[a-z0-9]+)*\.(ts|mjs)$/.test(name)) {
      findings.push({ path, line: 0, message: "the file name is not snake_case" });
    }
    if (/(^|_)(utils?|helpers?|managers?|common|misc)(_|\.)/.test(name)) {
      findings.push({ path, line: 0, message: "the file name does not say what the file holds" });
    }
  }
  return findings;
};

/** Under Deno a test that calls `t.skip()` counts as passed; skips go through requirements.ts. */
export const skipsHaveReasons: Rule = (_tree: SourceTree, graph) => {
  const findings: Finding[] = [];
  for (const module of graph.modules.values()) {
    if (!isTestFile(module.path) || module.path === "tests/support/requirements.ts") continue;
    module.tokens.forEach((token, i) => {
      if (token.kind !== "name" || !/^(skip|todo|only)$/.test(token.text)) return;
      const call = module.tokens[i - 1]?.text === "." && module.tokens[i + 1]?.text === "(";
      const receiver = module.tokens[i - 2]?.text ?? "";
      if (call && /^(t|test|it|describe|suite|context)$/.test(receiver)) {
        const message = `.${token.text}() hides a test; use tests/support/requirements.ts`;
        findings.push({ path: module.path, line: token.line, message });
      }
    });
  }
  return findings;
};
