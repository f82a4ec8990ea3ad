/**
 * Rules for everything that a hook process loads: it is parsed and started at every event, so what
 * is dear at start-up is kept out (architecture, section 4; the cost of each is known).
 *
 * @module
 */
import { atRunTime, closureOf, type ModuleGraph, type SourceModule } from "./source_tree.ts";
import type { Finding, Rule } from "./graph_rules.ts";
import { isHookEntry, isTestFile, roomOf } from "./rooms.ts";

/** The one file that may start a process, and load SQLite when a database is opened. */
const RUNTIME = "lib/runtime/deno.ts";

/** Calls `look` for each module of each hook's closure, with a way to report. */
function forEachInClosure(
  graph: ModuleGraph,
  look: (module: SourceModule, report: (line: number, message: string) => void) => void,
): Finding[] {
  const findings: Finding[] = [];
  const entries = [...graph.modules.keys()].filter((path) =>
    isHookEntry(path) && !isTestFile(path)
  );
  for (const entry of entries) {
    for (const module of closureOf(graph, entry, atRunTime)) {
      look(module, (line, message) => {
        findings.push({
          path: module.path,
          line,
          message: `${message} (in the closure of ${entry})`,
        });
      });
    }
  }
  return findings;
}

/** No npm package, no static `node:` import; `node:sqlite` is loaded lazily by the runtime alone. */
export const hooksLoadNoPackages: Rule = (_tree, graph) =>
  forEachInClosure(graph, (module, report) => {
    for (const edge of module.imports) {
      if (edge.kind === "type") continue;
      if (/^(npm|jsr|https?|data):/.test(edge.target)) report(edge.line, `imports ${edge.target}`);
      if (!edge.target.startsWith("node:")) continue;
      const allowed = module.path === RUNTIME && edge.kind === "dynamic" &&
        edge.target === "node:sqlite";
      if (!allowed) report(edge.line, `imports ${edge.target}`);
    }
  });

/** No installer, command, MCP entry, server handler or test is part of a hook. */
export const hooksLoadNoOtherRooms: Rule = (_tree, graph) =>
  forEachInClosure(graph, (module, report) => {
    const room = roomOf(module.path)?.name ?? "";
    const foreign = [
      "cli",
      "mcp",
      "install",
      "hosts",
      "host/manifest",
      "host/record",
      "npm",
      "docs",
    ];
    if (foreign.includes(room) || ["lib/mcp", "lib/diagnose"].includes(room)) {
      report(0, `${room} is loaded by a hook`);
    }
  });

/** Token sequences that are dear in a hook process. */
const DEAR: readonly (readonly string[])[] = [
  ["setTimeout"],
  ["setInterval"],
  ["new", "Response"],
  ["new", "Request"],
  ["new", "ReadableStream"],
  ["new", "TransformStream"],
  ["Deno", ".", "stdin", ".", "readable"],
  ["for", "await"],
  ["addEventListener", "(", "abort"],
  ["typeof", "process"],
  ["typeof", "Buffer"],
  ["queueMicrotask"],
];

/** No timer, stream, request object or event listener; a process is started in one place only. */
export const hooksStayCheap: Rule = (_tree, graph) =>
  forEachInClosure(graph, (module, report) => {
    const { tokens } = module;
    let commands = 0;
    tokens.forEach((token, i) => {
      if (token.kind === "string" || token.kind === "template") return;
      for (const sequence of DEAR) {
        if (!sequence.every((text, n) => tokens[i + n]?.text === text)) continue;
        const isKey = sequence.length === 1 && tokens[i + 1]?.text === ":";
        if (!isKey) report(token.line, `${sequence.join(" ").replaceAll(" . ", ".")} is too dear`);
      }
      if (token.text === "Deno" && tokens[i + 2]?.text === "Command") {
        commands++;
        const inSpawn = module.path === RUNTIME && commands <= 2;
        if (!inSpawn) {
          report(token.line, "Deno.Command outside of the runtime's spawnDetached and runQuietly");
        }
      }
    });
  });
