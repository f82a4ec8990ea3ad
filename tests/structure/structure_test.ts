/**
 * The real tree keeps every structure rule.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { projectRoot } from "../support/project.ts";
import { readModules, readSourceTree } from "./source_tree.ts";
import { RULES } from "./rules.ts";

const tree = readSourceTree(projectRoot);
const graph = readModules(tree);

for (const { name, rows, rule } of RULES) {
  const ids = rows.map((row) => ` [${row}]`).join("");
  test(`${name}() finds nothing when it reads the project${ids}`, () => {
    const found = rule(tree, graph).map((f) => `${f.path}:${f.line} ${f.message}`);
    assert.equal(found.join("\n"), "");
  });
}
