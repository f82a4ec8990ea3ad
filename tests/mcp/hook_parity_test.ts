import { spawn } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { HOSTS } from "../../hosts/mod.ts";
import { forwardConnectionEnv } from "../../lib/mcp/connection_env.ts";
import type { Arrived, FakeMcpServer } from "../support/fake_mcp_server.ts";
import { startFakeMcpServer } from "../support/fake_mcp_server.ts";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { startChild } from "../support/mcp_host.ts";
import { projectRoot } from "../support/project.ts";
import { createScratch, type Scratch } from "../support/scratch.ts";

/** How a host's recalling hook is started; a registered host without a row fails the test. */
interface Row {
  readonly event: string;
  payload(cwd: string): object;
}

const ROWS: Readonly<Record<string, Row>> = {
  "claude-code": {
    event: "UserPromptSubmit",
    payload: (cwd) => ({
      session_id: "5a4be63e-14d5-4a38-a883-f813ee757ec3",
      cwd,
      hook_event_name: "UserPromptSubmit",
      prompt: "where are the migration scripts of the billing service kept",
    }),
  },
};

const KEY = ["sk", "test", "5678"].join("-");

interface Case {
  readonly name: string;
  /** Prepares the home; returns the host's environment. */
  prepare(scratch: Scratch, url: string): Record<string, string>;
  /** The MCP process gets only what is forwarded. */
  readonly closed?: boolean;
}

const IDENTITY = { api_key: KEY, account: "acme", user: "alice" };

const CASES: readonly Case[] = [
  {
    name: "environment",
    prepare: (_, url) => ({
      OPENVIKING_URL: url,
      OPENVIKING_API_KEY: KEY,
      OPENVIKING_ACCOUNT: "acme",
      OPENVIKING_USER: "alice",
    }),
  },
  {
    name: "default files",
    prepare(scratch, url) {
      scratch.write("home/.openviking/ovcli.conf", { url: `${url}/`, ...IDENTITY });
      return {};
    },
  },
  {
    name: "a custom file below ~",
    prepare(scratch, url) {
      scratch.write("home/.openviking/ovcli.conf", { url: "http://127.0.0.1:9", api_key: "other" });
      scratch.write("home/my conf/ovcli.json", { url, ...IDENTITY });
      return { OPENVIKING_CLI_CONFIG_FILE: "~/my conf/ovcli.json" };
    },
  },
  {
    name: "a closed environment",
    closed: true,
    prepare(scratch, url) {
      scratch.write("elsewhere/ovcli.json", { url, ...IDENTITY });
      return { OPENVIKING_CLI_CONFIG_FILE: `${scratch.dir}/elsewhere/ovcli.json` };
    },
  },
];

async function runHook(
  host: string,
  row: Row,
  scratch: Scratch,
  env: Record<string, string>,
): Promise<void> {
  const child = spawn(
    Deno.execPath(),
    ["run", "-A", "--no-check", "--quiet", join(projectRoot, "cli.ts"), "hook", host, row.event],
    {
      env: { ...await isolatedEnvironment(scratch.home), ...env },
      stdio: ["pipe", "ignore", "ignore"],
    },
  );
  child.stdin.end(JSON.stringify(row.payload(scratch.home)));
  await new Promise((resolve) => child.on("close", resolve));
}

async function runBridge(
  host: string,
  scratch: Scratch,
  env: Record<string, string>,
): Promise<void> {
  const child = await startChild(scratch.home, { host, env });
  await child.hello();
  await child.ask("tools/list");
  await child.close();
}

/** What identifies a client on the wire. */
function identity({ headers }: Arrived): unknown {
  const names = [
    "authorization",
    "x-api-key",
    "x-openviking-account",
    "x-openviking-user",
    "user-agent",
    "host",
  ];
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

function takeBoth(server: FakeMcpServer): { hook: unknown[]; mcp: unknown[] } {
  const arrived = server.arrived.splice(0);
  const of = (isMcp: boolean): unknown[] => [
    ...new Set(
      arrived.filter((a) => (a.url === "/mcp") === isMcp).map((a) => JSON.stringify(identity(a))),
    ),
  ];
  return { hook: of(false), mcp: of(true) };
}

for (const host of Object.keys(HOSTS)) {
  test(`hooks and MCP of ${host} send the same URL and identity [CRD-07] [CRD-08]`, async () => {
    const row = ROWS[host];
    assert.ok(row, `Cannot compare hooks and MCP of ${host}: there is no row for it`);
    for (const { name, prepare, closed } of CASES) {
      const server = await startFakeMcpServer();
      const scratch = createScratch();
      const env = prepare(scratch, server.url);
      const forMcp = closed === true
        ? { ...forwardConnectionEnv(scratch.runtime(env)), HOME: `${scratch.dir}/nobody` }
        : env;
      await runHook(host, row, scratch, env);
      await runBridge(host, scratch, forMcp);
      const { hook, mcp } = takeBoth(server);
      assert.equal(hook.length, 1, name);
      assert.deepEqual(mcp, hook, name);
      assert.match(String(hook[0]), new RegExp(`Bearer ${KEY}.*acme.*alice.*${host}`), name);
      await server.close();
    }
  });

  test(`hooks and MCP of ${host} follow a profile switch together [CRD-08]`, async () => {
    const row = ROWS[host];
    assert.ok(row);
    const [first, second] = [await startFakeMcpServer(), await startFakeMcpServer()];
    const scratch = createScratch();
    scratch.write("home/.openviking/ovcli.conf", { url: first.url, ...IDENTITY });
    const child = await startChild(scratch.home, { host });
    await child.hello();
    await child.ask("tools/list");
    scratch.write("home/.openviking/ovcli.conf", { url: second.url, ...IDENTITY, user: "bob" });
    await child.ask("tools/list");
    await runHook(host, row, scratch, {});
    await child.close();
    const { hook, mcp } = takeBoth(second);
    assert.equal(hook.length, 1);
    assert.deepEqual(mcp, hook);
    assert.match(String(hook[0]), /bob/);
  });
}
