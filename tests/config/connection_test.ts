import { test } from "node:test";
import assert from "node:assert/strict";
import type { Connection, HostInput } from "../../lib/config/types.ts";
import { buildPluginConfig } from "../../lib/config/plugin_config.ts";
import { FileError } from "../../lib/runtime/types.ts";
import { createScratch } from "../support/scratch.ts";

const scratch = createScratch();
const ENV_URL = "http://127.0.0.1:11";
const CLI_URL = "http://127.0.0.1:12";
const OV_URL = "http://127.0.0.1:13";
const ENV_KEY = ["env", "key"].join("-");
const CLI_KEY = ["cli", "key"].join("-");
const OV_KEY = ["ov", "key"].join("-");
let rooms = 0;

interface Setup {
  readonly env?: Record<string, string>;
  readonly ovcli?: unknown;
  readonly ovConf?: unknown;
  readonly hostInput?: HostInput;
  readonly rootKeyFallback?: boolean;
}

function resolve({ env = {}, ovcli, ovConf, hostInput, rootKeyFallback }: Setup) {
  const home = `room${rooms++}`;
  scratch.write(`${home}/file`, "");
  if (ovcli !== undefined) scratch.write(`${home}/.openviking/ovcli.conf`, ovcli);
  if (ovConf !== undefined) scratch.write(`${home}/.openviking/ov.conf`, ovConf);
  const config = buildPluginConfig("claude-code", {
    runtime: scratch.runtime({ HOME: `${scratch.dir}/${home}`, ...env }),
    ...(hostInput === undefined ? {} : { hostInput }),
    ...(rootKeyFallback === undefined ? {} : { rootKeyFallback }),
  });
  return { ...config, home: `${scratch.dir}/${home}/.openviking` };
}

/** What a case expects of the connection; absent fields are not looked at. */
type Expected = Partial<Connection> & { readonly broken?: RegExp };

interface Case {
  readonly name: string;
  readonly setup: Setup;
  readonly expected: Expected;
  /** Kinds of the problems, none by default. */
  readonly problems?: readonly string[];
}

const ENV = { OPENVIKING_URL: ENV_URL, OPENVIKING_API_KEY: ENV_KEY };
const CLI = { url: CLI_URL, api_key: CLI_KEY };
const OV = { server: { url: OV_URL }, claude_code: { apiKey: OV_KEY } };
const mode = (value: string, more: Record<string, string> = {}) => ({
  OPENVIKING_CREDENTIAL_SOURCE: value,
  ...more,
});
const of = (baseUrl: string, apiKey: string): Expected => ({ engine: "server", baseUrl, apiKey });
const LOCAL: Expected = { engine: "local", baseUrl: "", apiKey: "", mcpUrl: "" };

const CASES: readonly Case[] = [
  // which sources take part, by mode and by what is there [CRD-02]
  {
    name: "auto: environment first",
    setup: { env: ENV, ovcli: CLI, ovConf: OV },
    expected: of(ENV_URL, ENV_KEY),
  },
  {
    name: "auto: ovcli.conf second",
    setup: { ovcli: CLI, ovConf: OV },
    expected: of(CLI_URL, CLI_KEY),
  },
  { name: "auto: ov.conf last", setup: { ovConf: OV }, expected: of(OV_URL, OV_KEY) },
  { name: "auto: nothing", setup: {}, expected: { ...LOCAL, engineSource: "nothing-configured" } },
  {
    name: "env: environment",
    setup: { env: mode("env", ENV), ovcli: CLI, ovConf: OV },
    expected: { ...of(ENV_URL, ENV_KEY), credentialSource: "env" },
  },
  {
    name: "env: key of a file does not come along",
    setup: { env: mode("env", { OPENVIKING_URL: CLI_URL }), ovcli: CLI },
    expected: of(CLI_URL, ""),
  },
  {
    name: "env: account, user and peer of a file neither",
    setup: {
      env: mode("env", { OPENVIKING_URL: CLI_URL }),
      ovcli: { ...CLI, account: "a", user: "u", peer_id: "p" },
    },
    expected: { account: "", user: "", peer: "" },
  },
  {
    name: "env: files alone are an error",
    setup: { env: mode("env"), ovcli: CLI },
    expected: { baseUrl: "", apiKey: "", broken: /OPENVIKING_URL is not set/ },
  },
  {
    name: "env: a key alone is an error",
    setup: { env: mode("env", { OPENVIKING_API_KEY: ENV_KEY }) },
    expected: { baseUrl: "", apiKey: "", broken: /OPENVIKING_URL is not set/ },
  },
  { name: "env: nothing anywhere", setup: { env: mode("env") }, expected: LOCAL },
  {
    name: "cli: ovcli.conf",
    setup: { env: mode("cli", ENV), ovcli: CLI, ovConf: OV },
    expected: { ...of(CLI_URL, CLI_KEY), credentialSource: "cli" },
  },
  {
    name: "cli: ov.conf",
    setup: { env: mode("cli", ENV), ovConf: OV },
    expected: of(OV_URL, OV_KEY),
  },
  {
    name: "cli: the environment has no say in anything",
    setup: {
      env: mode("cli", {
        ...ENV,
        OPENVIKING_ACCOUNT: "a",
        OPENVIKING_USER: "u",
        OPENVIKING_PEER_ID: "p",
        OPENVIKING_MCP_URL: `${ENV_URL}/mcp`,
        OPENVIKING_AUTH_MODE: "trusted",
      }),
      ovcli: CLI,
    },
    expected: {
      account: "",
      user: "",
      peer: "",
      mcpUrl: `${CLI_URL}/mcp`,
      sendIdentityHeaders: false,
    },
  },
  {
    name: "cli: the environment alone is an error",
    setup: { env: mode("cli", ENV) },
    expected: {
      engine: "server",
      baseUrl: "",
      apiKey: "",
      broken: /is cli and url is not set in .*ovcli\.conf; set it/,
    },
  },
  ...(["environment", "ENV"].map((text): Case => ({
    name: `mode ${text} is env`,
    setup: { env: mode(text, ENV), ovcli: CLI },
    expected: { credentialSource: "env" },
  }))),
  ...(["ovcli", "file", "config"].map((text): Case => ({
    name: `mode ${text} is cli`,
    setup: { env: mode(text, ENV), ovcli: CLI },
    expected: { credentialSource: "cli" },
  }))),
  {
    name: "older name of the mode",
    setup: { env: { OPENVIKING_CREDENTIALS_SOURCE: "cli", ...ENV }, ovcli: CLI },
    expected: of(CLI_URL, CLI_KEY),
  },
  {
    name: "unknown mode is reported",
    setup: { env: mode("banana", ENV) },
    expected: { ...of(ENV_URL, ENV_KEY), credentialSource: "auto" },
    problems: ["invalid"],
  },

  // no key travels to a URL of another source [CRD-03]
  {
    name: "environment URL, key of ovcli.conf",
    setup: { env: { OPENVIKING_URL: ENV_URL }, ovcli: CLI },
    expected: of(ENV_URL, ""),
  },
  {
    name: "environment URL, key without URL in ovcli.conf",
    setup: { env: { OPENVIKING_URL: ENV_URL }, ovcli: { api_key: CLI_KEY } },
    expected: of(ENV_URL, ""),
    problems: ["connection"],
  },
  {
    name: "same URL in both, key in ovcli.conf",
    setup: { env: { OPENVIKING_URL: `${CLI_URL.toUpperCase()}/` }, ovcli: CLI },
    expected: of(CLI_URL, CLI_KEY),
  },
  {
    name: "same URL in both, both keys",
    setup: { env: { ...ENV, OPENVIKING_URL: CLI_URL }, ovcli: CLI },
    expected: of(CLI_URL, ENV_KEY),
  },
  {
    name: "URL of ovcli.conf, key of the environment",
    setup: { env: { OPENVIKING_API_KEY: ENV_KEY }, ovcli: { url: CLI_URL } },
    expected: of(CLI_URL, ""),
    problems: ["connection"],
  },
  {
    name: "URL and key of ovcli.conf, another key in the environment",
    setup: { env: { OPENVIKING_API_KEY: ENV_KEY }, ovcli: CLI },
    expected: of(CLI_URL, CLI_KEY),
    problems: ["connection"],
  },
  {
    name: "URL of ov.conf, key of ovcli.conf",
    setup: { ovcli: { api_key: CLI_KEY }, ovConf: { server: { url: OV_URL } } },
    expected: of(OV_URL, ""),
    problems: ["connection"],
  },
  {
    name: "key alone names no server",
    setup: { ovcli: { api_key: CLI_KEY } },
    expected: LOCAL,
    problems: ["connection"],
  },
  {
    name: "extra headers and gateway token stay with their URL",
    setup: { env: ENV, ovcli: { ...CLI, gateway_token: "g", extra_headers: { "X-A": "1" } } },
    expected: { extraHeaders: {} },
  },
  {
    name: "root key of the client is never used",
    setup: { ovcli: { url: CLI_URL, root_api_key: "r" } },
    expected: of(CLI_URL, ""),
  },
  {
    name: "another host's legacy key is not used",
    setup: { ovConf: { server: { url: OV_URL }, codex: { apiKey: OV_KEY } } },
    expected: of(OV_URL, ""),
  },

  // root key of the server [CRD-15]
  {
    name: "root key of ov.conf is not used",
    setup: { ovConf: { server: { url: OV_URL, root_api_key: "r" } } },
    expected: of(OV_URL, ""),
  },
  {
    name: "root key of ov.conf for its own URL on request",
    setup: { rootKeyFallback: true, ovConf: { server: { url: OV_URL, root_api_key: "r" } } },
    expected: of(OV_URL, "r"),
  },
  {
    name: "root key on request, another URL",
    setup: {
      rootKeyFallback: true,
      ovcli: { url: CLI_URL },
      ovConf: { server: { url: OV_URL, root_api_key: "r" } },
    },
    expected: of(CLI_URL, ""),
  },

  // names and absence
  {
    name: "bearer token before API key",
    setup: { env: { ...ENV, OPENVIKING_BEARER_TOKEN: "b" } },
    expected: { apiKey: "b", apiKeySource: "OPENVIKING_BEARER_TOKEN", urlSource: "OPENVIKING_URL" },
  },
  {
    name: "older name of the URL",
    setup: { env: { OPENVIKING_BASE_URL: `${ENV_URL}//` } },
    expected: { baseUrl: ENV_URL, urlSource: "OPENVIKING_BASE_URL", mcpUrl: `${ENV_URL}/mcp` },
  },
  {
    name: "blank variables are absent",
    setup: { env: { OPENVIKING_URL: "  ", OPENVIKING_API_KEY: "" }, ovcli: CLI },
    expected: of(CLI_URL, CLI_KEY),
  },
  {
    name: "null is absent",
    setup: {
      ovcli: {
        url: CLI_URL,
        api_key: null,
        account: null,
        account_id: "a",
        user: null,
        plugin: null,
        extra_headers: null,
      },
    },
    expected: { ...of(CLI_URL, ""), account: "a", user: "" },
  },
  {
    name: "ids under their older names",
    setup: { ovcli: { ...CLI, account_id: "a", user_id: "u", peer_id: "p" } },
    expected: { account: "a", user: "u", peer: "p" },
  },
  {
    name: "newer names before older ones",
    setup: {
      ovcli: {
        ...CLI,
        account: "a",
        account_id: "x",
        user: "u",
        user_id: "x",
        actor_peer_id: "p",
        peer_id: "x",
      },
    },
    expected: { account: "a", user: "u", peer: "p" },
  },
  {
    name: "empty key is no key",
    setup: { ovcli: { url: CLI_URL, api_key: "" } },
    expected: { apiKey: "", apiKeySource: "" },
  },
  {
    name: "environment names account and user for the file's server",
    setup: {
      env: { OPENVIKING_ACCOUNT: "a", OPENVIKING_USER_ID: "u", OPENVIKING_PEER_ID: "p" },
      ovcli: { ...CLI, account: "x", user: "x", peer_id: "x" },
    },
    expected: { ...of(CLI_URL, CLI_KEY), account: "a", user: "u", peer: "p" },
  },
  {
    name: "account of a file stays with its URL",
    setup: { env: ENV, ovcli: { ...CLI, account: "x", user: "x" } },
    expected: { account: "", user: "" },
  },
  {
    name: "wrong types are reported and absent",
    setup: {
      ovcli: { url: CLI_URL, api_key: 7, account: {}, extra_headers: { "X-A": 1, "X-B": "2" } },
    },
    expected: { apiKey: "", account: "", extraHeaders: { "x-b": "2" } },
    problems: ["invalid", "invalid", "invalid"],
  },
  {
    name: "headers in lower case with the gateway token",
    setup: { ovcli: { ...CLI, gateway_token: "g", extra_headers: { "X-Tenant": "t" } } },
    expected: { extraHeaders: { "x-tenant": "t", "x-gateway-token": "g" } },
  },

  // identity headers [CRD-12]
  {
    name: "no identity, no headers",
    setup: { ovcli: CLI },
    expected: { sendIdentityHeaders: false },
  },
  {
    name: "identity without a mode",
    setup: { ovcli: { ...CLI, account: "a" } },
    expected: { sendIdentityHeaders: true },
  },
  ...([["trusted", true], ["api_key", false], ["oidc", false], ["dev", true], [
    "TRUSTED",
    true,
  ]] as const).map((
    [text, sends],
  ): Case => ({
    name: `identity in mode ${text}`,
    setup: { ovcli: { ...CLI, account: "a", user: "u", auth_mode: text } },
    expected: { sendIdentityHeaders: sends },
  })),
  {
    name: "mode of the environment",
    setup: {
      env: { OPENVIKING_AUTH_MODE: "api_key" },
      ovcli: { ...CLI, user: "u", auth_mode: "trusted" },
    },
    expected: { sendIdentityHeaders: false },
  },
  {
    name: "mode of the server's own configuration",
    setup: {
      env: { OPENVIKING_USER: "u" },
      ovConf: { server: { url: OV_URL, auth_mode: "api_key" } },
    },
    expected: { sendIdentityHeaders: false },
  },
  {
    name: "mode of another server",
    setup: {
      ovcli: { ...CLI, user: "u" },
      ovConf: { server: { url: OV_URL, auth_mode: "api_key" } },
    },
    expected: { sendIdentityHeaders: true },
  },
  {
    name: "unknown mode is reported",
    setup: { ovcli: { ...CLI, user: "u", auth_mode: "banana" } },
    expected: { sendIdentityHeaders: true },
    problems: ["invalid"],
  },

  // the address in ov.conf
  {
    name: "host and port",
    setup: { ovConf: { server: { host: "0.0.0.0", port: 2000 } } },
    expected: { baseUrl: "http://127.0.0.1:2000" },
  },
  {
    name: "IPv6 host",
    setup: { ovConf: { server: { host: "::1" } } },
    expected: { baseUrl: "http://[::1]:1933" },
  },
  {
    name: "a server's configuration without an address",
    setup: { ovConf: { storage: {} } },
    expected: { baseUrl: "http://127.0.0.1:1933" },
  },
  {
    name: "only legacy sections name no server",
    setup: { ovConf: { claude_code: { enabled: true }, codex: {} } },
    expected: LOCAL,
  },
  { name: "empty ov.conf", setup: { ovConf: {} }, expected: LOCAL },

  // MCP address
  {
    name: "MCP address beside its URL",
    setup: { env: { ...ENV, OPENVIKING_MCP_URL: "http://127.0.0.1:14/m/" } },
    expected: { mcpUrl: "http://127.0.0.1:14/m", apiKey: ENV_KEY },
  },
  {
    name: "MCP address alone names the server",
    setup: { env: { OPENVIKING_MCP_URL: `${ENV_URL}/x/mcp/`, OPENVIKING_API_KEY: ENV_KEY } },
    expected: { baseUrl: `${ENV_URL}/x`, mcpUrl: `${ENV_URL}/x/mcp`, apiKey: ENV_KEY },
  },
  {
    name: "MCP address of the same server, URL of the file",
    setup: { env: { OPENVIKING_MCP_URL: `${CLI_URL}/other` }, ovcli: CLI },
    expected: { mcpUrl: `${CLI_URL}/other`, apiKey: CLI_KEY },
  },
  {
    name: "MCP address elsewhere, key of the file",
    setup: { env: { OPENVIKING_MCP_URL: "http://127.0.0.1:14/m" }, ovcli: CLI },
    expected: { mcpUrl: `${CLI_URL}/mcp`, apiKey: CLI_KEY },
    problems: ["connection"],
  },
  {
    name: "MCP address elsewhere, same URL, key of the file",
    setup: {
      env: { OPENVIKING_URL: CLI_URL, OPENVIKING_MCP_URL: "http://127.0.0.1:14/m" },
      ovcli: CLI,
    },
    expected: { mcpUrl: `${CLI_URL}/mcp`, apiKey: CLI_KEY },
    problems: ["connection"],
  },

  // the engine
  {
    name: "plugin.engine local wins over a URL",
    setup: { ovcli: { ...CLI, plugin: { engine: "local" } } },
    expected: { ...LOCAL, engineSource: "plugin.engine", unusedUrl: CLI_URL },
  },
  {
    name: "OPENVIKING_ENGINE wins over plugin.engine",
    setup: { env: { OPENVIKING_ENGINE: "Local" }, ovcli: { ...CLI, plugin: { engine: "server" } } },
    expected: { ...LOCAL, engineSource: "OPENVIKING_ENGINE" },
  },
  {
    name: "auto is the server with a URL",
    setup: { ovcli: { ...CLI, plugin: { engine: "auto" } } },
    expected: { engine: "server", engineSource: "url" },
  },
  {
    name: "auto alone configures nothing",
    setup: { ovcli: { plugin: { engine: "auto" } } },
    expected: { ...LOCAL, engineSource: "nothing-configured" },
  },
  {
    name: "server with a URL",
    setup: { ovcli: { ...CLI, plugin: { engine: "server" } } },
    expected: { engine: "server", engineSource: "plugin.engine" },
  },
  {
    name: "server without a URL is an error",
    setup: { ovcli: { plugin: { engine: "server" } } },
    expected: { engine: "server", baseUrl: "", broken: /no URL is configured; set url/ },
  },
  {
    name: "unknown engine is reported",
    setup: { ovcli: { ...CLI, plugin: { engine: "cloud" } } },
    expected: { engine: "server", engineSource: "url" },
    problems: ["invalid"],
  },
  {
    name: "peer on the embedded engine",
    setup: { ovcli: { peer_id: "p" } },
    expected: { ...LOCAL, peer: "p" },
  },

  // what cannot be used is an error, never another engine [CFG-19]
  {
    name: "URL without scheme",
    setup: { env: { OPENVIKING_URL: "localhost:1933" }, ovcli: CLI },
    expected: {
      engine: "server",
      baseUrl: "",
      apiKey: "",
      broken: /OPENVIKING_URL: it does not begin with http/,
    },
  },
  {
    name: "URL with a password",
    setup: { ovcli: { url: ["http://u", "p@127.0.0.1:1"].join(":"), api_key: CLI_KEY } },
    expected: {
      baseUrl: "",
      apiKey: "",
      broken: /http:\/\/\*{4}@127\.0\.0\.1:1" .*user name or password/,
    },
  },
  {
    name: "unparsable ovcli.conf",
    setup: { ovcli: '{"url": ', ovConf: OV },
    expected: {
      engine: "server",
      baseUrl: "",
      apiKey: "",
      broken: /ovcli\.conf: the text ends too early, line 1/,
    },
    problems: ["unreadable"],
  },
  {
    name: "unparsable ovcli.conf beside an environment URL",
    setup: { env: ENV, ovcli: "[]" },
    expected: { baseUrl: "", broken: /ovcli\.conf: it does not hold a JSON object/ },
    problems: ["unreadable"],
  },
  {
    name: "unparsable ov.conf alone",
    setup: { ovConf: "{" },
    expected: { engine: "server", baseUrl: "", broken: /ov\.conf/ },
    problems: ["unreadable"],
  },
  {
    name: "unparsable ov.conf beside a URL",
    setup: { ovcli: CLI, ovConf: "{" },
    expected: of(CLI_URL, CLI_KEY),
    problems: ["unreadable"],
  },
  {
    name: "unparsable ov.conf, embedded engine chosen",
    setup: { ovcli: { plugin: { engine: "local" } }, ovConf: "{" },
    expected: LOCAL,
    problems: ["unreadable"],
  },

  // a host's SDK [CFG-12]
  {
    name: "host input replaces the connection",
    setup: {
      hostInput: { baseUrl: OV_URL, apiKey: "h", account: "a" },
      env: { ...mode("cli", ENV), OPENVIKING_USER: "u" },
      ovcli: { ...CLI, user: "x" },
    },
    expected: { ...of(OV_URL, "h"), account: "a", user: "", apiKeySource: "host" },
  },
  {
    name: "host input without key takes none from elsewhere",
    setup: {
      hostInput: { baseUrl: OV_URL },
      env: { ...ENV, OPENVIKING_ACCOUNT: "a", OPENVIKING_MCP_URL: `${ENV_URL}/mcp` },
      ovcli: CLI,
    },
    expected: { ...of(OV_URL, ""), account: "", mcpUrl: `${OV_URL}/mcp` },
    problems: ["connection"],
  },
  {
    name: "host input pins the peer alone",
    setup: { hostInput: { peer: "h" }, env: { ...ENV, OPENVIKING_PEER_ID: "p" } },
    expected: { ...of(ENV_URL, ENV_KEY), peer: "h" },
  },
  {
    name: "host key without URL is not used",
    setup: { hostInput: { apiKey: "h" }, ovcli: CLI },
    expected: of(CLI_URL, CLI_KEY),
    problems: ["connection"],
  },
];

const ROWS: Readonly<Record<string, string>> = {
  auto: "[CRD-02]",
  env: "[CRD-02] [CRD-03]",
  cli: "[CRD-02] [CRD-03]",
};

for (const { name, setup, expected, problems = [] } of CASES) {
  const row = ROWS[name.split(":")[0] ?? ""] ?? "[CRD-01]";
  test(`resolveConnection() ${name} ${row}`, () => {
    const { connection, broken, problems: found } = resolve(setup);
    const { broken: why, ...fields } = expected;
    for (const [field, value] of Object.entries(fields)) {
      assert.deepEqual(connection[field as keyof Connection], value, field);
    }
    if (why === undefined) assert.equal(broken, undefined);
    else assert.match(broken ?? "", why);
    assert.deepEqual(found.map((p) => p.kind), problems);
    const told = JSON.stringify([found, broken ?? ""]);
    for (const key of [ENV_KEY, CLI_KEY, OV_KEY]) assert.ok(!told.includes(key));
  });
}

test("resolveConnection() sends no key that belongs to another URL, whatever is set where [CRD-03]", () => {
  const urls = [undefined, ENV_URL, CLI_URL];
  for (const modeText of ["auto", "env", "cli"]) {
    for (const envUrl of urls) {
      for (const cliUrl of urls) {
        for (const withKeys of [0, 1, 2, 3]) {
          const env: Record<string, string> = { OPENVIKING_CREDENTIAL_SOURCE: modeText };
          const ovcli: Record<string, string> = {};
          if (envUrl !== undefined) env["OPENVIKING_URL"] = envUrl;
          if (cliUrl !== undefined) ovcli["url"] = cliUrl;
          if (withKeys & 1) env["OPENVIKING_API_KEY"] = ENV_KEY;
          if (withKeys & 2) ovcli["api_key"] = CLI_KEY;
          const { connection } = resolve({ env, ovcli });
          const { baseUrl, apiKey } = connection;
          if (apiKey === ENV_KEY) assert.equal(baseUrl, envUrl);
          if (apiKey === CLI_KEY) assert.equal(baseUrl, cliUrl);
          if (modeText === "env") assert.notEqual(apiKey, CLI_KEY);
          if (modeText === "cli") assert.notEqual(apiKey, ENV_KEY);
        }
      }
    }
  }
});

test("resolveConnection() trusts nothing when a file may not be read [CFG-19]", () => {
  scratch.write("home/.openviking/ovcli.conf", CLI);
  const runtime = scratch.runtime();
  const denied = (path: string): never => {
    throw new FileError("permission", "read", path);
  };
  for (const broken of [{ readText: denied }, { lstat: denied }]) {
    const config = buildPluginConfig("codex", {
      runtime: { ...runtime, files: { ...runtime.files, ...broken } },
    });
    assert.match(config.broken ?? "", /^Cannot read .*ovcli\.conf: permission$/);
    assert.equal(config.connection.baseUrl, "");
  }
});

test("resolveConnection() reports mode and origin of the key apart [CRD-14]", () => {
  const { connection, home } = resolve({ ovcli: CLI });
  assert.equal(connection.credentialSource, "auto");
  assert.equal(connection.apiKeySource, `${home}/ovcli.conf`);
  assert.equal(connection.urlSource, `${home}/ovcli.conf`);
  assert.deepEqual(connection.watchedFiles, [`${home}/ovcli.conf`, `${home}/ov.conf`]);
});

test("resolveConnection() follows a custom file with ~, and another one after a switch", () => {
  scratch.write("home/other/cli.conf", CLI);
  const runtime = scratch.runtime({ OPENVIKING_CLI_CONFIG_FILE: "~/other/cli.conf" });
  const url = () => buildPluginConfig("codex", { runtime }).connection.baseUrl;
  assert.equal(url(), CLI_URL);
  scratch.write("home/other/cli.conf", { url: OV_URL });
  assert.equal(url(), OV_URL);
});

test("resolveConnection() takes a client's file under OPENVIKING_CONFIG_FILE for ovcli.conf", () => {
  const path = scratch.write("elsewhere/client.conf", { ...CLI, plugin: { recallLimit: 3 } });
  scratch.write("home/.openviking/ovcli.conf", { url: OV_URL });
  const config = (more: Record<string, string> = {}) =>
    buildPluginConfig("codex", {
      runtime: scratch.runtime({ OPENVIKING_CONFIG_FILE: path, ...more }),
    });
  assert.equal(config().connection.apiKey, CLI_KEY);
  assert.equal(config().settings.recallLimit, 3);
  const named = config({ OPENVIKING_CLI_CONFIG_FILE: "~/.openviking/ovcli.conf" });
  assert.equal(named.connection.baseUrl, OV_URL);
});
