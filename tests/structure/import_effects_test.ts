/**
 * Importing modules does nothing, entries start from any path, and the import scanner sees the same
 * graph as Deno.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../support/project.ts";
import { atRunTime, closureOf, readModules, readSourceTree } from "./source_tree.ts";
import { isHookEntry, isTestFile } from "./rooms.ts";

const graph = readModules(readSourceTree(projectRoot));
const sources = [...graph.modules.keys()].filter((path) => !isTestFile(path)).sort();

function deno(args: readonly string[], environment: Record<string, string> = {}) {
  return spawnSync(Deno.execPath(), [...args], {
    encoding: "utf8",
    input: "",
    timeout: 60_000,
    cwd: projectRoot,
    env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...environment },
  });
}

function withFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "openviking-structure-"));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("importing every module does nothing when all permissions are denied [ARC-06]", () => {
  withFolder((folder) => {
    const all = join(folder, "all.ts");
    const url = (path: string) => JSON.stringify(pathToFileURL(join(projectRoot, path)).href);
    const lines = ["tests/structure/_tripwire.ts", ...sources].map((path) =>
      `import ${url(path)};`
    );
    writeFileSync(all, lines.join("\n"));
    const config = join(projectRoot, "deno.json");
    const flags = ["--quiet", "--no-prompt", "--no-check", "--no-lock", "--config", config];
    const ran = deno(["run", ...flags, all]);
    assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, "", ""]);
  });
});

/** Exit code, stdout and stderr of `program` with a home of its own below `folder`. */
function answerOf(folder: string, program: string, args: readonly string[]): unknown[] {
  const home = mkdtempSync(join(folder, "home-"));
  const ran = deno(["run", "-A", "--quiet", "--no-check", program, ...args], {
    HOME: home,
    OPENVIKING_AGENT_HOME: join(home, "agent"),
  });
  return [ran.status, ran.stdout, ran.stderr];
}

for (const entry of ["cli.ts", ...sources.filter(isHookEntry)]) {
  test(`${entry} answers the same from a linked folder with an odd name [ARC-08]`, () => {
    withFolder((folder) => {
      const odd = join(folder, "a b#c%20d");
      symlinkSync(projectRoot, odd);
      const args = entry === "cli.ts" ? ["--version"] : ["NoSuchEvent"];
      const plain = answerOf(folder, join(projectRoot, entry), args);
      assert.equal(plain[0], 0, String(plain));
      assert.deepEqual(answerOf(folder, join(odd, entry), args), plain);
    });
  });
}

for (const entry of sources.filter((path) => /_hook\.ts$/.test(path))) {
  test(`the bundle of ${entry} records an event when it is reached through a link [ARC-08]`, () => {
    withFolder((folder) => {
      const bundle = join(folder, "a b#c%20d.js");
      const link = join(folder, "link.js");
      const built = deno(["bundle", "--quiet", "--platform", "deno", "-o", bundle, entry]);
      assert.equal(built.status, 0, built.stderr);
      symlinkSync(bundle, link);
      for (const path of [bundle, link]) {
        const home = join(folder, `home of ${path.length}`);
        const ran = deno(["run", "-A", "--no-config", path, "NoSuchEvent"], {
          HOME: home,
          OPENVIKING_AGENT_HOME: join(home, "agent"),
        });
        assert.deepEqual([ran.status, ran.stdout, ran.stderr], [0, "", ""]);
        assert.ok(existsSync(join(home, "agent", "state")), "the entry's main ran");
      }
    });
  });
}

for (const entry of ["mod.ts", "cli.ts"]) {
  test(`readModules() sees the same closure as Deno when it starts at ${entry}`, () => {
    const ran = deno(["info", "--json", join(projectRoot, entry)]);
    const info = JSON.parse(ran.stdout) as { modules: { local?: string; specifier: string }[] };
    const prefix = `${pathToFileURL(projectRoot).href}/`;
    const theirs = info.modules.map((module) => module.specifier)
      .filter((specifier) => specifier.startsWith(prefix) && specifier.endsWith(".ts"))
      .map((specifier) => specifier.slice(prefix.length));
    const ours = closureOf(graph, entry, () => true).map((module) => module.path);
    assert.deepEqual(ours.sort(), theirs.sort());
    assert.ok(closureOf(graph, entry, atRunTime).length > 0);
  });
}
