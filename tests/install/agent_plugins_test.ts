/**
 * The Agent Plugins package as it is shipped: whole, honest, and started from anywhere.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { projectRoot } from "../support/project.ts";
import { tempFolder, writeIn } from "../support/temp_folder.ts";
import { MEMORY_SKILL_NAME, renderMemorySkill } from "../../skills/memory_skill.ts";
import { SKILL_SURFACES } from "../../skills/surfaces.ts";
import { VERSION } from "../../lib/version.ts";

/** Builds the package with the program that ships it; the folder's name has a space and a quote. */
async function build(): Promise<string> {
  const folder = join(tempFolder(), "it's a plugin", "openviking");
  execFileSync(
    process.execPath,
    ["run", "-A", join(projectRoot, "install/agent_plugins_main.ts"), folder],
    { env: await isolatedEnvironment(tempFolder()), stdio: ["ignore", "ignore", "pipe"] },
  );
  return folder;
}

const folder = await build();
const textOf = (path: string) => readFileSync(join(folder, path), "utf8");

/** The entry of `mcp.json` as a client of the specification starts it. */
function entry(): { command: string; args: string[] } {
  const { mcpServers } = JSON.parse(textOf("mcp.json"));
  assert.deepEqual(Object.keys(mcpServers), ["openviking"]);
  const { type, command, args, ...more } = mcpServers.openviking;
  assert.deepEqual([type, more], ["stdio", {}]);
  return {
    command,
    args: args.map((arg: string) => arg.replaceAll("${PLUGIN_ROOT}", folder)),
  };
}

test("agentPluginsFolder() is MCP only and whole [HOST-AP-01] [SKL-01] [SKL-05] [GEN-10]", () => {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1)).sort();
  assert.deepEqual(names, [
    "LICENSE",
    "README.md",
    "mcp.json",
    "plugin.json",
    "servers/mcp.js",
    "servers/start.sh",
    `skills/${MEMORY_SKILL_NAME}/SKILL.md`,
  ]);
  const manifest = JSON.parse(textOf("plugin.json"));
  assert.match(manifest.$schema, /^https:\/\/agent-plugins\.org\/schemas\/1\.0\.0\/plugin\./);
  assert.match(manifest.name, /^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$/);
  assert.equal(manifest.version, VERSION);
  const known = "$schema name version description author homepage repository license keywords";
  for (const key of Object.keys(manifest)) assert.ok(known.split(" ").includes(key), key);
  assert.equal(
    textOf(`skills/${MEMORY_SKILL_NAME}/SKILL.md`),
    renderMemorySkill(SKILL_SURFACES["agent-plugins"]),
  );
  assert.doesNotMatch(textOf("servers/mcp.js"), /\bfrom\s*"(npm:|jsr:|https?:|\.)/);
});

test("agentPluginsReadme tells the limits and claims nothing automatic [HOST-AP-01] [GRD-07] [MCP-18]", () => {
  const readme = textOf("README.md");
  assert.match(readme, /## Limits\n\n- Nothing happens by itself/);
  assert.match(readme, /No guard/);
  for (const path of ["README.md", "plugin.json", `skills/${MEMORY_SKILL_NAME}/SKILL.md`]) {
    assert.doesNotMatch(textOf(path), /automatic|is recorded|are recorded|recalls /i, path);
  }
});

test("the package is started by the SDK's client from another folder [HOST-AP-01] [MCP-06]", async () => {
  const home = join(tempFolder(), "a, home");
  writeIn(home, ".keep");
  const client = new Client({ name: "sdk", version: "1" });
  await client.connect(
    new StdioClientTransport({
      ...entry(),
      cwd: tempFolder(),
      env: { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
      stderr: "inherit",
    }),
  );
  try {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      [...SKILL_SURFACES["agent-plugins"].tools],
    );
    const content = "The release train is called PELICAN-7.";
    await client.callTool({
      name: "remember",
      arguments: { messages: [{ role: "user", content }] },
    });
    const found = await client.callTool({ name: "find", arguments: { query: "release train" } });
    assert.match(JSON.stringify(found), /PELICAN-7/);
  } finally {
    await client.close();
  }
});

test("the package's start script uses the installed program when there is one", async () => {
  const home = tempFolder();
  const launcher = writeIn(
    home,
    ".openviking/agent/bin/openviking-agent",
    '#!/bin/sh\necho "$@"\n',
  );
  chmodSync(launcher, 0o755);
  const { args } = entry();
  const environment = await isolatedEnvironment(home);
  const run = (env: Record<string, string>) =>
    execFileSync("/bin/sh", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  assert.equal(run({ ...environment, PATH: "/usr/bin:/bin" }), "mcp --host agent-plugins\n");
  assert.throws(
    () => run({ HOME: tempFolder(), PATH: writeIn(tempFolder(), "empty/x").slice(0, -2) }),
    /neither deno nor npx is on the PATH/,
  );
});
