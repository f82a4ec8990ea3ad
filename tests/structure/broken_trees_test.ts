/**
 * Every structure rule can fail: each one is run over small trees that break it.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { readModules } from "./source_tree.ts";
import { RULES } from "./rules.ts";
import { BROKEN_TREES } from "./broken_trees.ts";
import { ROOMS } from "./rooms.ts";

for (const { rule: name, what, files, found } of BROKEN_TREES) {
  test(`${name}() finds ${what}`, () => {
    const named = RULES.find((rule) => rule.name === name);
    assert.ok(named);
    const tree = new Map(Object.entries(files));
    const findings = named.rule(tree, readModules(tree));
    assert.deepEqual(findings.map((f) => `${f.path}:${f.line}`), found);
  });
}

test("every structure rule that reads a tree is shown to fail [GEN-02]", () => {
  const shown = new Set(BROKEN_TREES.map((tree) => tree.rule));
  const unshown = RULES.map((rule) => rule.name).filter((name) => !shown.has(name));
  assert.deepEqual(unshown, ["tableIsSound"]);
});

test("no room allows an arrow to everything", () => {
  for (const room of ROOMS) assert.ok(room.arrows.length < ROOMS.length - 1, room.name);
});
