/**
 * The skill names what is there and promises what happens, on every surface.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { DELIVERY_SETTINGS } from "../../lib/config/settings/delivery.ts";
import { createToolFilter } from "../../lib/mcp/tool_list.ts";
import { createLocalMcpServer } from "../../local/mcp/_server.ts";
import { MEMORY_SKILL_NAME, renderMemorySkill } from "../../skills/memory_skill.ts";
import { SKILL_SURFACES, type SkillSurface } from "../../skills/surfaces.ts";

/** `tools/list` of server 0.5.2, as recorded. */
const SERVER_LIST = [
  ..."list_users list_groups get_acl set_acl privacy_tree privacy_resolve privacy_upsert".split(
    " ",
  ),
  ..."find search read download list tree remember write edit add_resource add_skill".split(" "),
  ..."list_watches cancel_watch grep glob forget health".split(" "),
];

const surfaces = Object.entries(SKILL_SURFACES) as [string, SkillSurface][];
const everyTool = new Set([...SERVER_LIST, ...surfaces.flatMap(([, { tools }]) => tools)]);

/** Words of code in a text that are names of tools, as shown on the surface or bare. */
function toolsNamed(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "")
    .filter((code) => everyTool.has(code.replace(/^mcp__\w+?__/, "")));
}

test("SKILL_SURFACES.server has the server's tools when the default filter has hidden some [SKL-02]", () => {
  const isHidden = createToolFilter(DELIVERY_SETTINGS.mcpHiddenTools.default);
  assert.deepEqual(
    [...SKILL_SURFACES.server.tools].sort(),
    SERVER_LIST.filter((tool) => !isHidden(tool)).sort(),
  );
});

test("SKILL_SURFACES.embedded has the tools that the embedded engine registers [SKL-02]", () => {
  const server = createLocalMcpServer({ handle: () => Promise.reject(new Error("unused")) }, {});
  const registered = (server as unknown as { _registeredTools: object })._registeredTools;
  assert.deepEqual(Object.keys(registered), [...SKILL_SURFACES.embedded.tools]);
  for (const name of ["agent-plugins", "claude-code"] as const) {
    for (const engine of ["embedded", "server"] as const) {
      const there = SKILL_SURFACES[engine].tools;
      assert.ok(SKILL_SURFACES[name].tools.every((tool) => there.includes(tool)), name);
    }
  }
});

for (const [name, surface] of surfaces) {
  const text = renderMemorySkill(surface);

  test(`renderMemorySkill() begins with its front matter when the surface is ${name} [SKL-05]`, () => {
    const [, front = "", body = ""] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
    const [first, second, ...more] = front.split("\n");
    assert.equal(first, `name: ${MEMORY_SKILL_NAME}`);
    assert.match(second ?? "", /^description: ".{20,1000}"$/);
    assert.deepEqual(more, []);
    assert.match(body, /^\n# .*\n\n/);
    assert.match(text, /[^\n]\n$/);
    assert.doesNotMatch(text, /\{|\}|undefined/);
  });

  test(`renderMemorySkill() names only tools that exist when the surface is ${name} [SKL-02] [MCP-17]`, () => {
    const shown = surface.tools.map((tool) => surface.shownAs.replace("{tool}", tool));
    assert.deepEqual([...new Set(toolsNamed(text))].sort(), [...shown].sort());
  });

  test(`renderMemorySkill() asks for nothing that hooks do when the surface is ${name} [SKL-03]`, () => {
    assert.equal(/is recorded, and memories .* without your help/.test(text), surface.automatic);
    assert.equal(/Nothing is recalled or recorded by itself/.test(text), !surface.automatic);
    assert.equal(/Before work .* once/.test(text), !surface.automatic);
    assert.doesNotMatch(text, /commit|every turn|each turn|at the end of/i);
  });
}
