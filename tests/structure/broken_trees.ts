/**
 * Small trees that each break one rule, to show that the rule can fail. They are texts, so that
 * neither the formatter nor the type check ever sees them.
 *
 * @module
 */

/** One tree and what a rule must say about it. */
export interface BrokenTree {
  readonly rule: string;
  /** What is broken, as the end of "finds …". */
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  /** `path:line` of each finding, in order. */
  readonly found: readonly string[];
}

const HOOK = "hosts/x/hook.ts";

/** An import of `target` by `path`, as the whole tree. */
function arrow(path: string, target: string, statement: string): Record<string, string> {
  return { [path]: statement, [target]: "export const x = 1;" };
}

/** Pairs of modules between which no arrow leads. */
const FORBIDDEN_ARROWS: readonly (readonly [from: string, to: string])[] = [
  ["lib/runtime/deno.ts", "lib/config/paths.ts"],
  ["lib/config/layers.ts", "lib/http/client.ts"],
  ["lib/config/layers.ts", "lib/identity/git.ts"],
  ["lib/identity/peer.ts", "lib/http/client.ts"],
  ["lib/http/client.ts", "lib/recall/query.ts"],
  ["lib/http/client.ts", "lib/outbox/spool.ts"],
  ["lib/recall/query.ts", "lib/outbox/spool.ts"],
  ["lib/recall/query.ts", "lib/hook/run_hook_stage.ts"],
  ["lib/capture/redact.ts", "lib/outbox/spool.ts"],
  ["lib/guard/uri_guard.ts", "lib/recall/query.ts"],
  ["lib/guard/uri_guard.ts", "lib/hook/types.ts"],
  ["lib/outbox/drain.ts", "lib/hook/outcome.ts"],
  ["lib/hook/stage.ts", "hosts/x/adapter.ts"],
  ["lib/hook/stage.ts", "local/engine.ts"],
  ["lib/hook/stage.ts", "lib/mcp/proxy.ts"],
  ["lib/config/layers.ts", "install/plan.ts"],
  ["lib/mcp/proxy.ts", "mcp/main.ts"],
  ["lib/diagnose/doctor.ts", "cli/doctor.ts"],
  ["lib/recall/query.ts", "tests/support/query.ts"],
  ["local/engine.ts", "lib/hook/stage.ts"],
  ["local/engine.ts", "lib/outbox/store.ts"],
  ["local/engine.ts", "hosts/x/adapter.ts"],
  ["hosts/x/adapter.ts", "lib/http/client.ts"],
  ["hosts/x/adapter.ts", "hosts/y/adapter.ts"],
  ["hosts/x/adapter.ts", "hosts/mod.ts"],
  ["hosts/x/transcript.ts", "lib/outbox/store.ts"],
  ["hosts/x/manifest.ts", "install/plan.ts"],
  [HOOK, "local/engine.ts"],
  [HOOK, "hosts/y/adapter.ts"],
  [HOOK, "hosts/mod.ts"],
  [HOOK, "install/plan.ts"],
  [HOOK, "cli/output.ts"],
  ["hosts/mod.ts", "local/engine.ts"],
  ["install/plan.ts", "hosts/x/adapter.ts"],
  ["install/plan.ts", "local/engine.ts"],
  ["install/plan.ts", "cli/output.ts"],
  ["mcp/main.ts", "cli/output.ts"],
  ["mcp/main.ts", "install/plan.ts"],
  ["cli/status.ts", "tests/support/homes.ts"],
  ["cli.ts", "mod.ts"],
];

/** Token sequences that a hook must not hold, each as a line of code. */
const DEAR_LINES: readonly string[] = [
  "setTimeout(work, 5);",
  "globalThis.setInterval(work, 5);",
  "const text = await new Response(body).text();",
  'fetch(new Request("http://127.0.0.1"));',
  "const input = Deno.stdin.readable;",
  "for await (const chunk of input) use(chunk);",
  'signal.addEventListener("abort", stop);',
  'if (typeof process !== "undefined") run();',
  'new Deno.Command("git").spawn();',
];

/** Every broken tree. */
export const BROKEN_TREES: readonly BrokenTree[] = [
  {
    rule: "importsResolve",
    what: "an import that leads nowhere, a file without a room, a string without an end",
    files: {
      "lib/http/client.ts": 'import { x } from "./gone.ts";',
      "attic/old.ts": "",
      "cli.ts": 'const a = "no end\n";',
    },
    found: ["cli.ts:0", "lib/http/client.ts:1", "attic/old.ts:0"],
  },
  ...FORBIDDEN_ARROWS.map(([from, to]): BrokenTree => ({
    rule: "arrowsHold",
    what: `the arrow ${from} -> ${to}`,
    files: arrow(from, to, `import { x } from "${relative(from, to)}";`),
    found: [`${from}:1`],
  })),
  {
    rule: "arrowsHold",
    what: "an arrow of types only, where none is allowed",
    files: arrow(
      "lib/config/a.ts",
      "lib/hook/types.ts",
      'import type { X } from "../hook/types.ts";',
    ),
    found: ["lib/config/a.ts:1"],
  },
  {
    rule: "arrowsHold",
    what: "a lazy arrow where none is allowed, whatever stands around it",
    files: arrow(
      "lib/hook/a.ts",
      "local/engine.ts",
      '// import("./fine.ts")\nconst s = `${await import("../../local/engine.ts")}`;',
    ),
    found: ["lib/hook/a.ts:2"],
  },
  {
    rule: "arrowsHold",
    what: "an arrow that hides in a re-export",
    files: arrow("lib/config/mod.ts", "lib/http/a.ts", '\nexport { x } from "../http/a.ts";'),
    found: ["lib/config/mod.ts:2"],
  },
  {
    rule: "noCycles",
    what: "a cycle of three, one of them lazy",
    files: {
      "lib/a/a.ts": 'import { b } from "./b.ts";\nexport const a = 1;',
      "lib/a/b.ts": 'export const b = () => import("./c.ts");',
      "lib/a/c.ts": 'import type { a } from "./a.ts";',
    },
    found: ["lib/a/c.ts:1"],
  },
  {
    rule: "namedAndLiteral",
    what: "export *, a computed import, a re-export outside of mod.ts",
    files: {
      "lib/http/mod.ts": 'export * from "./a.ts";\nexport { a } from "./a.ts";',
      "lib/http/a.ts": "export const a = (p: string) => import(p);",
      "lib/http/b.ts": 'const n = "a";\nimport(`./${n}.ts`);\nexport { a } from "./a.ts";',
    },
    found: ["lib/http/mod.ts:1", "lib/http/a.ts:1", "lib/http/b.ts:3", "lib/http/b.ts:2"],
  },
  {
    rule: "privateFilesStayPrivate",
    what: "a private file used by another folder",
    files: arrow("lib/http/a.ts", "lib/config/_b.ts", 'import { x } from "../config/_b.ts";'),
    found: ["lib/http/a.ts:1"],
  },
  {
    rule: "testsAreLeaves",
    what: "a test that imports a test",
    files: arrow("tests/a_test.ts", "tests/b_test.ts", 'import { x } from "./b_test.ts";'),
    found: ["tests/a_test.ts:1"],
  },
  {
    rule: "nothingIsOrphaned",
    what: "a file that nothing reaches, while entries, tests and tasks count",
    files: {
      "deno.json": '{"exports":{".":"./mod.ts"},"tasks":{"x":"deno run -A tests/x.ts --y"}}',
      "mod.ts": "",
      "tests/x.ts": "",
      "tests/a_test.ts": 'import "./support/b.ts";\nrun("child.ts");',
      "tests/child.ts": "",
      "tests/support/b.ts": "",
      "cli/worker_main.ts": "if (import.meta.main) run();",
      "hosts/x/hook.ts": 'import "./adapter.ts";',
      "hosts/x/adapter.ts": "",
      "lib/old.ts": 'import "../mod.ts";',
    },
    found: ["lib/old.ts:0"],
  },
  {
    rule: "adaptersArePure",
    what: "a decoder whose closure can reach the network",
    files: {
      "hosts/x/transcript.ts": 'import "../../lib/capture/a.ts";',
      "lib/capture/a.ts": 'export const a = { fetch: 1 };\nfetch("http://127.0.0.1");',
    },
    found: ["hosts/x/transcript.ts:0"],
  },
  {
    rule: "hooksLoadNoPackages",
    what: "packages and node: modules, behind a static and a lazy import, but no types",
    files: {
      [HOOK]: 'import "../../lib/hook/a.ts";\nimport("../../lib/hook/b.ts");',
      "lib/hook/a.ts": 'import { z } from "zod";\nimport type { Y } from "yaml";',
      "lib/hook/b.ts": 'import "node:path";',
    },
    found: ["lib/hook/b.ts:1", "lib/hook/a.ts:1"],
  },
  {
    rule: "hooksLoadNoPackages",
    what: "SQLite loaded at the start or outside of the runtime",
    files: {
      [HOOK]: 'import "../../lib/runtime/deno.ts";\nimport("node:sqlite");',
      "lib/runtime/deno.ts": 'import "node:sqlite";\nimport("node:sqlite");',
    },
    found: [`${HOOK}:2`, "lib/runtime/deno.ts:1"],
  },
  {
    rule: "hooksLoadNoOtherRooms",
    what: "the installer behind a hook",
    files: {
      [HOOK]: 'import("../../lib/hook/a.ts");',
      "lib/hook/a.ts": 'import "../../install/plan.ts";',
      "install/plan.ts": "",
    },
    found: ["install/plan.ts:0"],
  },
  ...DEAR_LINES.map((line): BrokenTree => ({
    rule: "hooksStayCheap",
    what: `\`${line}\``,
    files: { [HOOK]: 'import "../../lib/hook/a.ts";', "lib/hook/a.ts": `/* ${line} */\n${line}` },
    found: ["lib/hook/a.ts:2"],
  })),
  {
    rule: "hooksStayCheap",
    what: "a third Deno.Command in the runtime",
    files: {
      [HOOK]: 'import "../../lib/runtime/deno.ts";',
      "lib/runtime/deno.ts": "new Deno.Command(a);\nnew Deno.Command(b);\nnew Deno.Command(c);",
    },
    found: ["lib/runtime/deno.ts:3"],
  },
  {
    rule: "runtimeIsNamedOnce",
    what: "runtime globals and node: modules outside of lib/runtime/",
    files: {
      "lib/http/a.ts": "const x = Deno.args;\nconst y = a.process;\nconst z = { process: 1 };",
      "cli/a.ts": "process.exit(0);\n// Deno\nconst s = 'Bun';",
      "install/a.ts": 'import type { Dirent } from "node:fs";\n`${Bun.version}`;',
      "lib/runtime/node.ts": "process.env;",
    },
    found: ["lib/http/a.ts:1", "cli/a.ts:1", "install/a.ts:2", "install/a.ts:1"],
  },
  {
    rule: "libKnowsNoHost",
    what: "a branch on a host, in either spelling",
    files: {
      "lib/config/types.ts": 'export type HarnessKey = "claude-code" | "pi";',
      "lib/recall/a.ts": 'if (h === "claude-code") x();\nconst t = { claude_code: "claude_code" };',
      "lib/recall/b.ts": 'const pi = greek("pi");\nif (h === "pi") x();',
    },
    found: ["lib/recall/a.ts:1", "lib/recall/a.ts:2", "lib/recall/b.ts:2"],
  },
  {
    rule: "onlyEntriesExit",
    what: "a shared function that ends the process",
    files: {
      "lib/http/a.ts": "runtime.exit(1);\nregex.exit;",
      "install/a.ts": "Deno.exit();",
      "mcp/main.ts": "if (import.meta.main) runtime.exit(0);",
    },
    found: ["lib/http/a.ts:1", "install/a.ts:1"],
  },
  {
    rule: "oneDefinitionPerName",
    what: "a rule with two owners",
    files: {
      "lib/http/headers.ts": "export function buildOvHeaders(): void {}",
      "hosts/x/adapter.ts": "\nexport const buildOvHeaders = 1;",
      "mod.ts": 'export { buildOvHeaders } from "./lib/http/headers.ts";',
    },
    found: ["hosts/x/adapter.ts:2"],
  },
  {
    rule: "adaptersExtendNothing",
    what: "an adapter class",
    files: { "hosts/x/adapter.ts": "class X extends HostBase {}" },
    found: ["hosts/x/adapter.ts:1"],
  },
  {
    rule: "modulesIntroduceThemselves",
    what: "a module that does not say what it is, and one that switches checks off",
    files: { "lib/a.ts": "export {};", "lib/b.ts": "/** B. @module */\n// @ts-ignore\n" },
    found: ["lib/a.ts:1", "lib/b.ts:0"],
  },
  {
    rule: "filesAreNamedByContent",
    what: "camelCase and a grab-bag",
    files: { "lib/httpClient.ts": "", "lib/string_utils.ts": "", "lib/_git.ts": "" },
    found: ["lib/httpClient.ts:0", "lib/string_utils.ts:0"],
  },
  {
    rule: "skipsHaveReasons",
    what: "a test that hides itself",
    files: { "tests/a_test.ts": 't.skip();\ntest.only("x", f);\nlist.skip(3);' },
    found: ["tests/a_test.ts:1", "tests/a_test.ts:2"],
  },
  {
    rule: "noKeyShapedLiterals",
    what: "a token and a private key",
    files: {
      "README.md": `x\n${["gh", "p_"].join("")}${"a1".repeat(18)}`,
      "tests/a.ts": ["-----BEGIN RSA PRIV", "ATE KEY-----"].join(""),
    },
    found: ["README.md:2", "tests/a.ts:1"],
  },
  {
    rule: "noMachinePaths",
    what: "a path of one machine",
    files: {
      "docs/en/a.md": ["see /wo", "rk/shared/x and /ro", "ot/x"].join(""),
      "docs/en/b.md": ["/ho", "me/dev/x"].join(""),
      "tests/a.ts": ["/ho", "me/dev/x"].join(""),
    },
    found: ["docs/en/a.md:1", "docs/en/a.md:1", "docs/en/b.md:1"],
  },
  {
    rule: "fixturesHaveOrigins",
    what: "a fixture without an origin, and one with a path only",
    files: {
      "tests/fixtures/README.md": "- `a/`: recorded from host 1.2.3\n- `c.json`: ?",
      "tests/fixtures/a/b.json": "{}",
      "tests/fixtures/c.json": "{}",
      "tests/fixtures/d.json": "{}",
    },
    found: ["tests/fixtures/c.json:0", "tests/fixtures/d.json:0"],
  },
  {
    rule: "oneVersion",
    what: "a second place that holds the version",
    files: {
      "deno.json": '{"version": "1.2.3"}',
      "lib/a.ts": '// "1.2.3"\nexport const v = "1.2.3";',
    },
    found: ["lib/a.ts:2"],
  },
];

/** The specifier by which `from` imports `to`. */
function relative(from: string, to: string): string {
  const up = "../".repeat(from.split("/").length - 1);
  return `${up === "" ? "./" : up}${to}`;
}
