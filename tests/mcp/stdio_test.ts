import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startFakeMcpServer } from "../support/fake_mcp_server.ts";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { startChild } from "../support/mcp_host.ts";
import { configure, personOf, textOf } from "../support/mcp_person.ts";
import { projectRoot } from "../support/project.ts";
import { requirePlatform } from "../support/requirements.ts";
import { createScratch } from "../support/scratch.ts";

/** The SDK's own client with the bridge as its server. */
async function sdkClient(home: string): Promise<Client> {
  const client = new Client({ name: "sdk", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: Deno.execPath(),
      args: [
        "run",
        "-A",
        "--no-check",
        "--quiet",
        join(projectRoot, "mcp/main.ts"),
        "--host",
        "codex",
      ],
      env: await isolatedEnvironment(home),
      cwd: home,
      stderr: "ignore",
    }),
  );
  return client;
}

// deno-lint-ignore no-explicit-any
const sdkText = (result: any): string => result.content[0].text;

test("runMcp() serves the SDK's client from the embedded engine [MCP-01] [MCP-04]", async () => {
  const { home } = createScratch();
  const client = await sdkClient(home);
  assert.equal(client.getServerVersion()?.name, "openviking-local");
  assert.match(client.getInstructions() ?? "", /find/);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ["find", "search", "read", "list", "remember", "forget", "health"],
  );
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const stored = await client.callTool({
    name: "remember",
    arguments: {
      messages: [{ role: "user", content: `The manager is Ottoline, token ${secret}` }],
    },
  });
  assert.match(sdkText(stored), /^Stored 1 message\(s\) \(session mcp-store-[0-9a-f]{12}\)/);
  const found = sdkText(await client.callTool({ name: "find", arguments: { query: "manager" } }));
  assert.match(
    found,
    /^Found 1 item\(s\):\n\n- \[memory \d+%\] viking:\/\/.*\n {4}The manager is Ottoline/,
  );
  assert.equal(found.includes(secret), false);
  const uri = /viking:\/\/\S+/.exec(found)?.[0] ?? "";
  assert.match(
    sdkText(await client.callTool({ name: "read", arguments: { uris: [uri] } })),
    /Ottoline/,
  );
  const missing = await client.callTool({
    name: "read",
    arguments: { uris: ["viking://~/no.md"] },
  });
  assert.equal(missing.isError, true);
  assert.match(sdkText(missing), /^NOT_FOUND: /);
  await client.close();
});

test("runMcp() serves the SDK's client from a server [MCP-01] [MCP-02]", async () => {
  const server = await startFakeMcpServer({ form: "sse" });
  const person = personOf(server);
  const client = await sdkClient(person.home);
  assert.equal(client.getServerVersion()?.name, "fake");
  assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ["find", "remember"]);
  assert.equal(
    sdkText(await client.callTool({ name: "find", arguments: { q: 1 } })),
    'said {"q":1}',
  );
  assert.match(
    server.of("tools/call")[0]?.headers["user-agent"] ?? "",
    /^openviking-memory-codex\//,
  );
  await client.close();
});

test("runMcp() writes nothing but messages to stdout, and ends with its stdin [MCP-12]", async () => {
  const server = await startFakeMcpServer();
  const person = personOf(server);
  await server.close();
  const child = await startChild(person.home, { env: { OPENVIKING_DEBUG: "1" } });
  child.raw("garbage\n\n");
  await child.hello();
  assert.match(textOf(await child.ask("tools/call", { name: "find" })), /^UNAVAILABLE/);
  const tools = await child.ask("tools/list");
  assert.deepEqual(tools.result.tools.map((tool: { name: string }) => tool.name), [
    "status",
    "doctor",
  ]);
  assert.match(
    textOf(await child.ask("tools/call", { name: "status" })),
    /server http:\/\/127.*ovcli\.conf/,
  );
  assert.match(textOf(await child.ask("tools/call", { name: "doctor" })), /\[fail\]/);
  assert.equal(await child.close(), 0);
  for (const line of child.lines) assert.equal(JSON.parse(line).jsonrpc, "2.0");
  assert.match(child.stderr(), /^openviking-agent mcp: Cannot reach/m);
  assert.equal(child.stderr().includes("key-1"), false);
});

test("runMcp() uses a server that is configured while it runs [MCP-14]", async () => {
  const server = await startFakeMcpServer();
  const person = createScratch();
  const child = await startChild(person.home);
  await child.hello();
  assert.match(textOf(await child.ask("tools/call", { name: "health" })), /embedded/);
  await child.ask("tools/list");
  configure(person, { url: server.url, api_key: "key-1" });
  assert.match(textOf(await child.ask("tools/call", { name: "find" })), /^said/);
  await child.until((m) => m.method === "notifications/tools/list_changed");
  assert.equal(await child.close(), 0);
});

test("runMcp() passes long lines both ways", async () => {
  const server = await startFakeMcpServer();
  const child = await startChild(personOf(server).home);
  await child.hello();
  const long = "ä€😀".repeat(300_000);
  const answer = await child.ask("tools/call", { name: "find", arguments: { long } });
  assert.equal(JSON.parse(textOf(answer).slice("said ".length)).long, long);
  assert.equal(await child.close(), 0);
});

test("runMcp() ends on a signal", async () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    const child = await startChild(createScratch().home);
    await child.ask("ping");
    Deno.kill(child.child.pid ?? 0, signal); // `kill()` of Deno's child_process reports the signal as the end
    assert.equal(await child.exited, 0, signal);
  }
});

test("runMcp() is gone when its parent dies while another process holds its stdin", async (t) => {
  if (requirePlatform(t, "/proc", existsSync("/proc/self/stat")) === undefined) return;
  const { home, dir } = createScratch();
  const entry = join(projectRoot, "mcp/main.ts");
  // The shell keeps the write end of the pipe open in a sleeping sibling and is then killed.
  const script = `mkfifo "${dir}/in"; sleep 60 > "${dir}/in" & echo $! > "${dir}/sleeper"
    "${Deno.execPath()}" run -A --no-check --quiet "${entry}" --host codex < "${dir}/in" > "${dir}/out" &
    echo $! > "${dir}/pid"; echo ready; wait`;
  const shell = spawn("/bin/sh", ["-c", script], {
    env: await isolatedEnvironment(home),
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise((resolve) => shell.stdout.once("data", resolve));
  const pidOf = (name: string): number => Number(readFileSync(`${dir}/${name}`, "utf8"));
  const writer = spawn("/bin/sh", [
    "-c",
    `echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' > "${dir}/in"`,
  ]);
  await new Promise((resolve) => writer.on("close", resolve));
  try {
    while (readFileSync(`${dir}/out`, "utf8") === "") await new Promise((r) => setTimeout(r, 20));
    shell.kill("SIGKILL");
    const isAlive = (): boolean => {
      try {
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pidOf("pid")}/status`, "utf8"));
      } catch {
        return false;
      }
    };
    while (isAlive()) await new Promise((r) => setTimeout(r, 50));
  } finally {
    Deno.kill(pidOf("sleeper"), "SIGKILL");
  }
});
