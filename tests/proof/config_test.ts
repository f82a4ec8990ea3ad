/**
 * Promises about configuration, shown through the command line and over the source tree.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { type SettingKey, SETTINGS } from "../../lib/config/schema.ts";
import { buildPluginConfig, type PluginConfigOptions } from "../../lib/config/plugin_config.ts";
import { type LoopbackServer, serveLoopback } from "../support/loopback_server.ts";
import { openTestEngine, type TestEngine } from "../support/local_engine.ts";
import { makePerson, type Person } from "../support/person.ts";
import { projectRoot } from "../support/project.ts";
import { createScratch } from "../support/scratch.ts";
import { readSourceTree } from "../structure/source_tree.ts";

interface Seen {
  readonly path: string;
  readonly key: string;
  readonly body: Record<string, unknown>;
}

interface Recorder extends LoopbackServer {
  readonly seen: Seen[];
}

/** The embedded engine behind a port, with everything that was asked. */
async function record(engine: TestEngine): Promise<Recorder> {
  const seen: Seen[] = [];
  const server = await serveLoopback((request: IncomingMessage, response: ServerResponse) => {
    const parts: Uint8Array[] = [];
    request.on("data", (part: Uint8Array) => parts.push(part)).on("end", async () => {
      const text = new TextDecoder().decode(await new Blob(parts as BlobPart[]).arrayBuffer());
      const body = text.startsWith("{") ? JSON.parse(text) : undefined;
      const path = request.url ?? "/";
      const key = String(request.headers["x-api-key"] ?? request.headers.authorization ?? "");
      seen.push({ path, key, body: body ?? {} });
      const method = (request.method ?? "GET") as "GET" | "POST";
      const answer = await engine.send(method, path, body);
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    });
  });
  return { ...server, seen };
}

async function withPerson(work: (person: Person) => Promise<void> | void): Promise<void> {
  const person = await makePerson();
  try {
    await work(person);
  } finally {
    person.close();
  }
}

let sessions = 0;

const prompt = (person: Person) =>
  `${
    JSON.stringify({
      session_id: `s-${++sessions}`,
      hook_event_name: "UserPromptSubmit",
      prompt: "Where does the harbour crane stand?",
      cwd: person.project,
      transcript_path: join(person.home, "none.jsonl"),
    })
  }\n`;

const hook = (person: Person, env: Record<string, string> = {}) =>
  person.start(["hook", "claude-code", "UserPromptSubmit"], { stdin: prompt(person), env });

// What only a made-up test key looks like; assembled so that no scanner takes it for one.
const KEY = ["made", "up", "key"].join("-");

test("one changed value changes hook, MCP entry, doctor, status and search [ARC-02]", async () => {
  using first = await openTestEngine();
  using second = await openTestEngine();
  const servers = [await record(first), await record(second)];
  await withPerson(async (person) => {
    for (const [i, server] of servers.entries()) {
      person.write(".openviking/ovcli.conf", { url: server.url, api_key: KEY });
      const other = servers[1 - i]!;
      const count = () => servers.map(({ seen }) => seen.length);
      const asks = async (what: string, work: () => Promise<unknown>) => {
        const before = count();
        await work();
        const after = count();
        assert.ok(after[i]! > before[i]!, `${what} asks the configured server`);
        assert.equal(after[1 - i], before[1 - i], `${what} asks no other`);
        assert.deepEqual(
          [...new Set(server.seen.map(({ key }) => key.replace(/^Bearer /, "")))].filter(Boolean),
          [KEY],
        );
      };
      await asks("hook", () => hook(person));
      await asks("search", () => person.start(["search", "harbour crane"]));
      await asks("mcp", () => {
        const messages = [
          { jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE },
          { jsonrpc: "2.0", method: "notifications/initialized" },
          { jsonrpc: "2.0", id: 2, method: "tools/list" },
        ];
        const stdin = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
        return person.start(["mcp", "--host", "claude-code"], { stdin });
      });
      const doctor = JSON.parse((await person.start(["doctor", "--json"])).out);
      assert.deepEqual(
        [doctor.connection.engine, doctor.connection.url],
        ["server", server.url],
      );
      assert.equal(JSON.parse((await person.start(["status", "--json"])).out).engine, "server");
      assert.notEqual(doctor.connection.url, other.url);
    }
  });
});

const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

test("no host, command or entry reads a setting past buildPluginConfig() [CFG-02] [CFG-05]", () => {
  const settingNames = Object.values(SETTINGS).flatMap((spec) => spec.env);
  const reads: string[] = [];
  const tables: string[] = [];
  for (const [path, text] of readSourceTree(projectRoot)) {
    if (!/^(lib|hosts|cli|mcp|install|local)\//.test(path)) continue;
    if (path.startsWith("lib/config/")) continue;
    const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    for (const name of settingNames) {
      if (new RegExp(`env\\(\\s*"${name}"`).test(code)) reads.push(`${path}: ${name}`);
    }
    if (path.startsWith("hosts/") && /\benv\(|readText\(/.test(code)) {
      reads.push(path);
    }
    const named = Object.keys(SETTINGS).filter((key) => code.includes(`"${key}"`));
    if (named.length > Object.keys(SETTINGS).length / 2) tables.push(path);
  }
  assert.deepEqual(reads, []);
  assert.deepEqual(tables, [], "nobody keeps a second table of the settings");
});

test("doctor lists exactly the settings of the schema [CFG-05] [ARC-03]", async () => {
  await withPerson((person) => {
    const { config } = JSON.parse(person.run(["doctor", "--offline", "--json"]).out);
    const keys = (config as { key: string }[]).map(({ key }) => key).sort();
    assert.deepEqual(keys, Object.keys(SETTINGS).sort());
  });
});

const SENT_WHEN_CONFIGURED: readonly [SettingKey, string][] = [
  ["recallLimit", "10"],
  ["recallMaxTokens", "1600"],
  ["scoreThreshold", "0"],
  ["recallDedupTurns", "0"],
];

test("a field sent only when configured is on the wire exactly then, at its default too [CFG-10]", async () => {
  const declared = Object.entries(SETTINGS).filter(([, spec]) => spec.sendOnlyWhenConfigured);
  assert.deepEqual(
    declared.map(([key]) => key).sort(),
    SENT_WHEN_CONFIGURED.map(([key]) => key).sort(),
  );
  using engine = await openTestEngine();
  const server = await record(engine);
  const searched = () => server.seen.filter(({ path }) => path.includes("/search/"));
  await withPerson(async (person) => {
    person.write(".openviking/ovcli.conf", { url: server.url });
    await hook(person);
    const plain: Seen | undefined = searched().at(-1);
    assert.ok(plain);
    for (const [key, value] of SENT_WHEN_CONFIGURED) {
      const before = searched().length;
      await hook(person, { [SETTINGS[key].env[0]!]: value });
      const body: Seen["body"] = searched().at(-1)?.body ?? {};
      assert.equal(searched().length, before + 1, key);
      const added: string[] = Object.keys(body).filter((field) => !(field in plain.body));
      assert.equal(added.length, 1, `${key} adds one field: ${JSON.stringify([plain.body, body])}`);
      assert.equal(body[added[0]!], Number(value), key);
    }
  });
});

test("buildPluginConfig() takes nothing from a caller but connection and peer [CFG-12]", () => {
  const scratch = createScratch();
  const hostInput = {
    baseUrl: "http://127.0.0.1:9",
    peer: "pinned",
    enabled: false,
    recallLimit: 1,
    settings: { recallLimit: 1 },
    agentHome: "/nowhere",
  };
  const options = { runtime: scratch.runtime(), hostInput, recallLimit: 1, settings: {} };
  const plain = buildPluginConfig("pi", { runtime: scratch.runtime() });
  const pinned = buildPluginConfig("pi", options as PluginConfigOptions);
  assert.deepEqual([pinned.connection.baseUrl, pinned.connection.peer], [
    "http://127.0.0.1:9",
    "pinned",
  ]);
  assert.deepEqual(pinned.settings, plain.settings);
  assert.equal(pinned.agentHome, plain.agentHome);
});

test("what was queued before capture was switched off is still delivered, nothing after [CFG-16]", async () => {
  await withPerson((person) => {
    const stop = (session: string, text: string) => {
      const end = person.hook("Stop", {
        session_id: session,
        hook_event_name: "Stop",
        cwd: person.project,
        transcript_path: person.write(`${session}.jsonl`, row(session, text)),
      });
      assert.equal(end.code, 0);
    };
    person.write(".openviking/ovcli.conf", { plugin: { engine: "local" } });
    stop("s-before", "The anchor is painted in cinnabar.");
    person.write(".openviking/ovcli.conf", { plugin: { engine: "local", autoCapture: false } });
    stop("s-after", "Later it became indigo.");
    assert.equal(person.run(["queue", "drain", "--wait", "20"]).code, 0);
    const found = (query: string) =>
      JSON.parse(person.run(["search", query, "--json"]).out).results;
    assert.equal(found("cinnabar").length, 1);
    assert.equal(found("indigo").length, 0);
  });
});

function row(session: string, content: string): string {
  return `${
    JSON.stringify({
      type: "user",
      uuid: `${session}-1`,
      sessionId: session,
      isSidechain: false,
      timestamp: "2026-11-30T10:00:00.000Z",
      message: { role: "user", content },
    })
  }\n`;
}

test("every setting that is offered has a consumer outside of its declaration [CFG-17]", () => {
  const consumers = [...readSourceTree(projectRoot)]
    .filter(([path]) => /^(lib|hosts|cli|mcp|local)\//.test(path))
    .filter(([path]) => !/^lib\/config\/(settings\/|schema|reference)/.test(path))
    .map(([, text]) => text);
  const unused = Object.keys(SETTINGS).filter((key) =>
    !consumers.some((text) => new RegExp(`[.?]${key}\\b|\\b${key}[,}:]|"${key}"`).test(text))
  );
  assert.deepEqual(unused, []);
  const page = readFileSync(join(projectRoot, "docs/en/configuration.md"), "utf8");
  for (const key of Object.keys(SETTINGS)) assert.ok(page.includes(`\`${key}\``), key);
});
