import { test } from "node:test";
import assert from "node:assert/strict";
import type { LocalTool } from "../../lib/mcp/types.ts";
import {
  createSeenTools,
  createToolFilter,
  offerLocalTools,
  toolName,
} from "../../lib/mcp/tool_list.ts";
import { createScratch } from "../support/scratch.ts";

const scratch = createScratch();

const tool = (name: string): LocalTool => ({
  name,
  description: name,
  inputSchema: { type: "object" },
  call: () => Promise.resolve(name),
});

test("createToolFilter() takes * for any characters and nothing else as special", () => {
  const isHidden = createToolFilter(["privacy_*", "*_acl", "list_users", "a.b", "x(*"]);
  const table: readonly (readonly [string, boolean])[] = [
    ["privacy_resolve", true],
    ["privacy_", true],
    ["privacy", false],
    ["set_acl", true],
    ["set_acl_now", false],
    ["list_users", true],
    ["list_users_all", false],
    ["a.b", true],
    ["axb", false],
    ["x(y", true],
    ["", false],
  ];
  for (const [name, hidden] of table) assert.equal(isHidden(name), hidden, name);
  assert.equal(createToolFilter([])("anything"), false);
});

test("offerLocalTools() refuses a tool that has the name of a server tool [MCP-05]", () => {
  const tools = [tool("status"), tool("find")];
  const beside = offerLocalTools({ scope: "always", tools }, ["find", "read"]);
  assert.deepEqual(beside.offered.map((offered) => offered.name), ["status"]);
  assert.deepEqual(beside.refused, ["find"]);
});

test("offerLocalTools() offers fallback tools only while the server's list is unknown [MCP-05]", () => {
  const provider = { scope: "fallback", tools: [tool("status")] } as const;
  assert.deepEqual(offerLocalTools(provider, undefined).offered.map((o) => o.name), ["status"]);
  assert.deepEqual(offerLocalTools(provider, ["find"]), { offered: [], refused: [] });
  assert.deepEqual(offerLocalTools(undefined, undefined), { offered: [], refused: [] });
});

test("toolName() is empty for what is no tool", () => {
  for (const value of [null, 1, "x", [], {}, { name: 1 }]) assert.equal(toolName(value), "");
  assert.equal(toolName({ name: "find" }), "find");
});

test("createSeenTools() keeps one list per target and survives damage", () => {
  const { files } = scratch.runtime();
  const folder = `${scratch.dir}/seen`;
  const store = createSeenTools(files, folder);
  assert.equal(store.read("a"), undefined);
  store.write("a", [{ name: "find" }]);
  store.write("b", []);
  assert.deepEqual(createSeenTools(files, folder).read("a"), [{ name: "find" }]);
  assert.deepEqual(store.read("b"), []);
  assert.equal(files.stat(`${folder}/a.json`)?.mode, 0o600);
  for (const damaged of ["", "{", "[]", '{"tools":1}']) {
    files.writeAtomic(`${folder}/a.json`, damaged);
    assert.equal(store.read("a"), undefined, damaged);
  }
  scratch.write("file", "");
  createSeenTools(files, `${scratch.dir}/file/below`).write("a", []); // cannot be written, and says nothing
});
