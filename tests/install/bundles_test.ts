/**
 * Bundles are built from a checkout, each whole, and taken again from where they lie.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import assert from "node:assert/strict";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { bundleSourceFor, onlyEntryIsMain } from "../../install/bundles.ts";
import { type Bundles, InstallError } from "../../install/types.ts";
import { tempFolder, writeIn } from "../support/temp_folder.ts";

const SOURCES: Readonly<Record<string, string>> = {
  "deno.json": '{ "version": "7.8.9" }',
  "lib/version.ts":
    'import manifest from "../deno.json" with { type: "json" };\nexport const VERSION: string = manifest.version;\n',
  "cli.ts":
    'import { VERSION } from "./lib/version.ts";\nimport { mcp } from "./mcp/main.ts";\nif (import.meta.main) {\n  const { hook } = await import("./hosts/claude_code/hook.ts");\n  console.log("cli", VERSION, typeof mcp, typeof hook, Deno.args.join());\n}\n',
  "cli/worker_main.ts": 'if (import.meta.main) console.log("worker");\nexport {};\n',
  "mcp/main.ts": 'export function mcp(): void {}\nif (import.meta.main) console.log("mcp");\n',
  "hosts/claude_code/hook.ts":
    'export function hook(): void {}\nif (import.meta.main) console.log("hook", Deno.args.join());\n',
  "tests/broken.ts": "this is no program",
  ...Object.fromEntries(
    ["guard", "prompt", "start", "write"].map((part) => [
      `hosts/claude_code/${part}_hook.ts`,
      'if (import.meta.main) console.log("hook", Deno.args.join());\nexport {};\n',
    ]),
  ),
};

function checkout(): string {
  const root = tempFolder();
  for (const [path, text] of Object.entries(SOURCES)) writeIn(root, path, text);
  return root;
}

const sourceOf = (root: string) =>
  bundleSourceFor(denoProcessRuntime, pathToFileURL(join(root, "cli/install.ts")).href);

/** Runs a bundle alone in an empty folder, as the launcher does. */
function run(bundles: Bundles, name: string, ...args: string[]): string {
  const folder = tempFolder();
  const file = writeIn(folder, name, bundles.get(name) ?? "");
  const flags = ["--no-config", "--no-lock", "--no-remote", "--no-npm", "--no-prompt", "--quiet"];
  const done = spawnSync(process.execPath, ["run", ...flags, file, ...args], {
    cwd: folder,
    env: { DENO_DIR: join(folder, "cache"), NO_COLOR: "1" },
    encoding: "utf8",
  });
  assert.equal(done.stderr, "");
  return done.stdout;
}

test("bundleSourceFor() builds whole bundles in which only the entry is main when it stands in a checkout [GEN-01] [GEN-03] [GEN-04]", async () => {
  const root = checkout();
  const bundles = await sourceOf(root).load();
  assert.deepEqual([...bundles.keys()], [
    "cli.js",
    "hook-claude-code-guard.js",
    "hook-claude-code-prompt.js",
    "hook-claude-code-start.js",
    "hook-claude-code-write.js",
    "mcp.js",
    "worker.js",
  ]);
  assert.equal(run(bundles, "cli.js", "a"), "cli 7.8.9 function function a\n");
  assert.equal(run(bundles, "mcp.js"), "mcp\n");
  assert.equal(run(bundles, "worker.js"), "worker\n");
  assert.equal(run(bundles, "hook-claude-code-write.js", "Stop"), "hook Stop\n");
});

test("bundleSourceFor() builds again when a source changed, and not otherwise [GEN-01]", async () => {
  const root = checkout();
  let builds = 0;
  const runtime: typeof denoProcessRuntime = {
    ...denoProcessRuntime,
    run: (command, options) => {
      builds++;
      return denoProcessRuntime.run(command, options);
    },
  };
  const source = bundleSourceFor(runtime, pathToFileURL(join(root, "cli/install.ts")).href);
  const first = await source.load();
  const once = builds;
  assert.deepEqual(await source.load(), first);
  writeIn(root, "tests/other.ts", "");
  writeIn(root, "docs/x.md", "");
  assert.deepEqual(await source.load(), first);
  assert.equal(builds, once);
  writeIn(root, "cli/worker_main.ts", 'if (import.meta.main) console.log("other");\nexport {};\n');
  assert.equal(run(await source.load(), "worker.js"), "other\n");
  assert.deepEqual(readdirSync(join(root, "dist")).filter((name) => name.startsWith(".")), []);
});

test("bundleSourceFor() lets two builds of one checkout run at once [GEN-01]", async () => {
  const root = checkout();
  const [one, two] = await Promise.all([sourceOf(root).load(), sourceOf(root).load()]);
  assert.deepEqual(one, two);
  assert.equal(readdirSync(join(root, "dist")).length, 1);
});

test("bundleSourceFor() builds in the temporary folder when the checkout cannot be written [GEN-03]", async () => {
  const root = checkout();
  writeFileSync(join(root, "dist"), "in the way");
  const bundles = await sourceOf(root).load();
  assert.equal(run(bundles, "mcp.js"), "mcp\n");
});

test("bundleSourceFor() copies an installed program when it runs from one [GEN-04]", async () => {
  const folder = join(tempFolder(), "a b,c %20");
  mkdirSync(folder);
  for (const name of ["cli.js", "mcp.js"]) writeIn(folder, name, `// ${name}`);
  const url = pathToFileURL(join(folder, "cli.js")).href;
  const bundles = await bundleSourceFor(denoProcessRuntime, url).load();
  assert.deepEqual([...bundles], [["cli.js", "// cli.js"], ["mcp.js", "// mcp.js"]]);
});

const FAULTS: Readonly<Record<string, [(root: string) => void, RegExp]>> = {
  "an entry is missing": [
    (root) => rmSync(join(root, "mcp/main.ts")),
    /mcp\/main\.ts is not there/,
  ],
  "a source is broken": [(root) => writeIn(root, "cli.ts", "const ="), /cli\.ts|[Ee]xpect/],
  "an import leads nowhere": [
    (root) => writeIn(root, "cli.ts", 'import "./gone.ts";'),
    /gone\.ts/,
  ],
};
for (const [what, [damage, says]] of Object.entries(FAULTS)) {
  test(`bundleSourceFor() says what is wrong and leaves nothing when ${what} [GEN-01]`, async () => {
    const root = checkout();
    damage(root);
    await assert.rejects(sourceOf(root).load(), (error: unknown) => {
      assert.ok(error instanceof InstallError);
      assert.equal(error.failure.code, "build-failed");
      assert.match(error.failure.message, says);
      return true;
    });
    assert.deepEqual(readdirSync(join(root, "dist")), []);
  });
}

test("bundleSourceFor() refuses a place that carries no bundles [GEN-04]", async () => {
  const folder = tempFolder();
  const here = pathToFileURL(join(folder, "cli.js")).href;
  for (const url of [here, "https://example.com/agent/cli/install.ts"]) {
    await assert.rejects(bundleSourceFor(denoProcessRuntime, url).load(), InstallError);
  }
});

test("onlyEntryIsMain() refuses a bundle that imports something or lacks its entry [GEN-02]", () => {
  const whole = "// a.ts\nif (import.meta.main) a();\n\n// b.ts\nif (import.meta.main) b();\n";
  assert.equal(
    onlyEntryIsMain("b.js", "b.ts", whole),
    "// a.ts\nif (false) a();\n\n// b.ts\nif (import.meta.main) b();\n",
  );
  const node = '// x.ts\nimport fs from "node:fs";\n';
  assert.equal(onlyEntryIsMain("x.js", "x.ts", node), node);
  for (const text of ['import x from "npm:x";\n// b.ts\n', "// c.ts\n"]) {
    assert.throws(() => onlyEntryIsMain("b.js", "b.ts", text), InstallError);
  }
});
