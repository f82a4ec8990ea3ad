/**
 * Install, install again, uninstall: over the configurations people have, and when things go wrong.
 *
 * @module
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import type { HostManifest } from "../../lib/manifest.ts";
import { SETTINGS } from "../../lib/config/schema.ts";
import { claudeCodeManifest } from "../../hosts/claude_code/manifest.ts";
import { compareVersions, runInstall, runUninstall, runUpgrade } from "../../install/commands.ts";
import { InstallError, type InstallOptions, type InstallReport } from "../../install/types.ts";
import {
  type InstallHome,
  installHome,
  type Planted,
  standInBundles,
} from "../support/install_home.ts";

const CLAUDE: Readonly<Record<string, Planted>> = {
  ".claude/settings.json": {
    text:
      '{\r\n\t"permissions": { "allow": ["Bash(npm *)"], "deny": [] },\r\n\t"hooks": {\r\n\t\t"Stop": [ { "hooks": [ { "type": "command", "command": "notify-send done" } ] } ],\r\n\t\t"PreToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "./guard.sh" } ] } ],\r\n\t\t"UserPromptSubmit": []\r\n\t},\r\n\t"unknownKey": {"z":1,"a":[1,2,  3]}\r\n}',
    mode: 0o640,
    behind: "dotfiles/claude/settings.json",
  },
  ".claude.json": {
    text:
      '{\n  "numStartups": 41,\n  "mcpServers": {"other": {"command": "npx", "args": ["-y", "other"]}},\n  "projects": {"/x": {"allowedTools": []}}\n}\n',
    mode: 0o664,
  },
  ".claude/CLAUDE.md": { text: "# mine\n" },
  ".bashrc": { text: "alias cc=claude\n" },
};

/** A second host, as data only: hooks in a flat list, a version, and MCP in the same file. */
const OTHER_HOST: HostManifest = {
  id: "cursor",
  name: "Other",
  detect: { programs: ["no-such-program"], locations: [{ inHome: [".other"] }] },
  files: [{
    location: { inHome: [".other/hooks.json"] },
    entries: [
      { kind: "setting", part: "hooks", path: ["version"], value: 1 },
      {
        kind: "item",
        part: "hooks",
        path: ["hooks", "stop"],
        value: { command: "{launcher:sh} hook cursor stop" },
      },
      {
        kind: "member",
        part: "mcp",
        path: ["mcpServers", "openviking"],
        value: { command: "{launcher}", args: ["mcp", "--host", "cursor"] },
      },
    ],
    searched: [
      { kind: "item", part: "hooks", path: ["hooks", "*"] },
      { kind: "member", part: "mcp", path: ["mcpServers"] },
    ],
  }],
  hookEvents: {},
  conflicts: [],
};
const BOTH = [claudeCodeManifest, OTHER_HOST];

const plantAll = (home: InstallHome, files: Readonly<Record<string, Planted>> = CLAUDE) => {
  for (const [path, file] of Object.entries(files)) home.plant(path, file);
};
const install = (home: InstallHome, options: Partial<InstallOptions> = {}) =>
  runInstall(home.runtime, { hosts: ["claude-code"], bundles: standInBundles(), ...options });
const uninstall = (home: InstallHome, hosts: ["claude-code"] | "installed" = ["claude-code"]) =>
  runUninstall(home.runtime, { hosts });

function succeeded(report: { ok: boolean; error?: unknown; hosts: readonly unknown[] }): void {
  assert.ok(report.ok, JSON.stringify([report.error, report.hosts]));
}

const actions = (report: InstallReport) =>
  report.hosts.flatMap((host) => host.edits.map((edit) => edit.action));

test("runInstall() twice equals once and runUninstall() gives everything back when files are odd [INS-03] [INS-04] [UNI-01] [UNI-02]", async () => {
  const home = installHome();
  plantAll(home);
  const before = home.snapshot();
  const first = await install(home);
  succeeded(first);
  assert.deepEqual(actions(first), ["edit", "edit"]);
  const whole = home.snapshot(/^$/);
  const changed = home.snapshot();
  assert.deepEqual(
    Object.keys(changed).filter((path) => changed[path] !== before[path]),
    [".claude.json", "dotfiles/claude/settings.json"],
  );
  assert.ok(lstatSync(join(home.home, ".claude/settings.json")).isSymbolicLink());
  assert.equal(statSync(join(home.home, ".claude/settings.json")).mode & 0o777, 0o640);
  assert.equal(statSync(join(home.home, ".claude.json")).mode & 0o777, 0o664);

  const second = await install(home);
  succeeded(second);
  assert.deepEqual([...actions(second), ...second.edits.map((edit) => edit.action)], [
    "none",
    "none",
    "none",
    "none",
    "none",
    "none",
    "none",
  ]);
  assert.deepEqual(home.snapshot(/^$/), whole);

  succeeded(await uninstall(home));
  assert.deepEqual(home.snapshot(), before);
  assert.equal(home.has(".openviking"), false);
  succeeded(await uninstall(home));
  assert.deepEqual(home.snapshot(), before);
});

test("runInstall() registers the events and writes only fields Claude Code knows [HOST-CC-01] [HOST-CC-02] [INS-06]", async () => {
  const home = installHome();
  succeeded(await install(home));
  const settings = JSON.parse(home.read(".claude/settings.json"));
  const launcher = `${home.agent}/bin/openviking-agent`;
  assert.deepEqual(Object.keys(settings), ["hooks"]);
  assert.deepEqual(Object.keys(settings.hooks), [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "Stop",
    "PreCompact",
    "SessionEnd",
    "SubagentStart",
    "SubagentStop",
  ]);
  for (const [event, groups] of Object.entries(settings.hooks)) {
    const written = groups as { matcher?: string; hooks: Record<string, unknown>[] }[];
    assert.deepEqual(
      written.map((group) => group.matcher),
      event === "PreToolUse"
        ? ["Glob|Grep|Bash", "Read", "Edit", "Write", "NotebookEdit"]
        : [undefined],
    );
    for (const { matcher, hooks: [handler = {}, ...more] } of written) {
      assert.equal(more.length, 0);
      const filter = event === "PreToolUse" && !matcher?.includes("|")
        ? { if: `${matcher}(**/viking:/**)` }
        : {};
      assert.deepEqual(Object.keys(handler), [
        "type",
        "command",
        "timeout",
        ...Object.keys(filter),
      ]);
      assert.equal(handler.if, filter.if);
      const quoted = `'${launcher.replaceAll("'", `'\\''`)}'`;
      assert.equal(handler.command, `${quoted} hook claude-code ${event}`);
    }
  }
  assert.deepEqual(JSON.parse(home.read(".claude.json")), {
    mcpServers: {
      openviking: { type: "stdio", command: launcher, args: ["mcp", "--host", "claude-code"] },
    },
  });
});

test("claudeCodeManifest grants every stage its largest budget and 2 s when limits are read [HOOK-14]", () => {
  const limits = new Map(
    claudeCodeManifest.files.flatMap((file) => file.entries).flatMap((entry) =>
      entry.kind === "handler" ? [[entry.path[1], entry.handler.timeout as number] as const] : []
    ),
  );
  for (const seconds of limits.values()) assert.ok(seconds >= 1 && seconds <= 120);
  const largest = (name: "recallBudgetMs" | "sessionStartBudgetMs") =>
    (SETTINGS[name] as { max: number }).max / 1000;
  assert.ok((limits.get("UserPromptSubmit") ?? 0) >= largest("recallBudgetMs") + 2);
  assert.ok((limits.get("SessionStart") ?? 0) >= largest("sessionStartBudgetMs") + 2);
  assert.ok((limits.get("SessionEnd") ?? 99) <= 60); // Claude Code cuts larger ones
});

test("runInstall() leaves nothing behind when the home was empty [UNI-01]", async () => {
  const home = installHome();
  succeeded(await install(home));
  succeeded(await uninstall(home));
  assert.deepEqual(home.snapshot(/^$/), {});
});

const SMALL: Readonly<Record<string, string>> = {
  "a file of no bytes": "",
  "a file of blanks": "\n  \n",
  "an empty object": "{}",
  "a byte order mark": '\ufeff{\n  "mcpServers": {\n  }\n}\n',
};
for (const [name, text] of Object.entries(SMALL)) {
  test(`runUninstall() gives the bytes back when there was ${name} [INS-04] [UNI-01]`, async () => {
    const home = installHome();
    home.plant(".claude.json", text);
    home.plant(".claude/settings.json", text);
    const before = home.snapshot();
    succeeded(await install(home));
    succeeded(await uninstall(home));
    assert.deepEqual(home.snapshot(), before);
  });
}

test("runUninstall() starts no program when it takes everything out [UNI-03]", async () => {
  const home = installHome();
  succeeded(await install(home));
  const run = () => Promise.reject(new Error("a program was started"));
  succeeded(await runUninstall({ ...home.runtime, run }, { hosts: "installed", purge: true }));
  assert.deepEqual(home.snapshot(/^$/), {});
});

test("runUninstall() gives a dangling link back when install wrote through it [UNI-01]", async () => {
  const home = installHome();
  mkdirSync(join(home.home, ".claude"));
  symlinkSync("../dotfiles/settings.json", join(home.home, ".claude/settings.json"));
  const before = home.snapshot();
  succeeded(await install(home));
  assert.ok(home.has("dotfiles/settings.json"));
  succeeded(await uninstall(home));
  assert.deepEqual(home.snapshot(), before);
});

test("runUninstall() keeps what a person added meanwhile when install created the file [UNI-02]", async () => {
  const home = installHome();
  succeeded(await install(home));
  const settings = JSON.parse(home.read(".claude/settings.json"));
  settings.hooks.Stop[0].hooks.push({ type: "command", command: "mine" });
  settings.model = "x";
  home.plant(".claude/settings.json", JSON.stringify(settings, null, 2));
  succeeded(await uninstall(home));
  assert.deepEqual(JSON.parse(home.read(".claude/settings.json")), {
    hooks: { Stop: [{ hooks: [{ type: "command", command: "mine" }] }] },
    model: "x",
  });
});

test("runInstall() changes over when parts are chosen anew [INS-03]", async () => {
  const home = installHome();
  plantAll(home);
  const before = home.snapshot();
  const hooks = () => home.read(".claude/settings.json").includes("openviking-agent");
  const server = () => home.read(".claude.json").includes("openviking-agent");
  succeeded(await install(home, { parts: "hooks" }));
  assert.deepEqual([hooks(), server()], [true, false]);
  succeeded(await install(home, { parts: "mcp" }));
  assert.deepEqual([hooks(), server()], [false, true]);
  succeeded(await install(home));
  assert.deepEqual([hooks(), server()], [true, true]);
  succeeded(await install(home, { parts: "hooks" }));
  assert.deepEqual([hooks(), server()], [true, false]);
  succeeded(await uninstall(home));
  assert.deepEqual(home.snapshot(), before);
});

test("runInstall() replaces entries of earlier programs when it finds them [INS-03] [UNI-05]", async () => {
  const home = installHome();
  const old = "node /o/openviking/claude-code-memory-plugin/scripts/auto-capture.mjs";
  home.plant(
    ".claude/settings.json",
    JSON.stringify({
      hooks: { Stop: [{ hooks: [{ type: "command", command: old }, { command: "mine" }] }] },
    }),
  );
  home.plant(
    ".claude.json",
    JSON.stringify({
      mcpServers: { openviking: { command: "node", args: ["/o/servers/mcp-proxy.mjs"] } },
    }),
  );
  succeeded(await install(home));
  assert.ok(!home.read(".claude/settings.json").includes("auto-capture.mjs"));
  const { mcpServers } = JSON.parse(home.read(".claude.json"));
  assert.equal(mcpServers.openviking.type, "stdio");
  succeeded(await uninstall(home));
  assert.equal(
    home.read(".claude/settings.json"),
    '{"hooks":{"Stop":[{"hooks":[{"command":"mine"}]}]}}',
  );
});

test("runInstall() keeps a foreign MCP entry and says so when it has our name [INS-04]", async () => {
  const home = installHome();
  const text = '{"mcpServers":{"openviking":{"type":"http","url":"http://127.0.0.1:1933/mcp"}}}';
  home.plant(".claude.json", text);
  for (let run = 0; run < 2; run++) {
    const report = await install(home);
    succeeded(report);
    assert.equal(home.read(".claude.json"), text);
    assert.match(
      report.hosts[0]?.warnings.join() ?? "",
      /mcpServers\.openviking in .* is not ours/,
    );
  }
  succeeded(await uninstall(home));
  assert.equal(home.read(".claude.json"), text);
});

test("runInstall() warns when the old plugin is enabled too [INS-03]", async () => {
  const home = installHome();
  home.plant(
    ".claude/settings.json",
    '{"enabledPlugins":{"openviking-memory@openviking":true}}',
  );
  const report = await install(home, { dryRun: true });
  assert.match(report.hosts[0]?.warnings.join() ?? "", /claude plugin uninstall/);
});

test("runInstall() installs the others when one host's file is broken [INS-02]", async () => {
  const home = installHome();
  plantAll(home);
  home.plant(
    ".other/hooks.json",
    '{\n  "version": 1,\n  "hooks": { "stop": [ { "command": "x" }\n',
  );
  const before = home.snapshot();
  const report = await install(home, { hosts: ["cursor", "claude-code"], manifests: BOTH });
  assert.equal(report.ok, false);
  const [broken, fine] = report.hosts;
  assert.deepEqual([broken?.error?.code, broken?.error?.line, broken?.edits], [
    "invalid-config",
    4,
    [],
  ]);
  assert.match(broken?.error?.message ?? "", /\.other\/hooks\.json:4:1: not valid JSON/);
  assert.equal(fine?.error, undefined);
  assert.equal(home.snapshot()[".other/hooks.json"], before[".other/hooks.json"]);
  assert.ok(home.read(".claude/settings.json").includes("openviking-agent"));
  succeeded(
    await runUninstall(home.runtime, { hosts: ["cursor", "claude-code"], manifests: BOTH }),
  );
  assert.deepEqual(home.snapshot(), before);
});

test("runInstall() changes neither file of a host when the second one is broken [INS-01] [INS-02]", async () => {
  const home = installHome();
  plantAll(home);
  home.plant(".claude.json", '{"mcpServers": [}');
  const before = home.snapshot(/^$/);
  const report = await install(home);
  assert.deepEqual([report.ok, report.hosts[0]?.error?.code], [false, "invalid-config"]);
  assert.deepEqual(home.snapshot(/^$/), before);
});

test("runInstall() fails and keeps the mode when a file is read-only [INS-01]", async () => {
  const home = installHome();
  plantAll(home);
  const file = join(home.home, "dotfiles/claude/settings.json");
  chmodSync(file, 0o444);
  const before = home.snapshot(/^$/);
  const report = await install(home);
  assert.deepEqual([report.ok, report.hosts[0]?.error?.code], [false, "read-only"]);
  assert.deepEqual(home.snapshot(/^$/), before);
});

const PREPARATIONS: Readonly<
  Record<string, (home: InstallHome) => [Partial<InstallOptions>, string]>
> = {
  "the build fails": () => [{
    bundles: {
      load: () =>
        Promise.reject(
          new InstallError({ code: "build-failed", message: "Cannot build", fix: "" }),
        ),
    },
  }, "build-failed"],
  "ovcli.conf is broken": (home) => {
    home.plant(".openviking/ovcli.conf", '{"url": "http://127.0.0.1"');
    return [{}, "invalid-config"];
  },
  "ovcli.conf has a plugin of the wrong type": (home) => {
    home.plant(".openviking/ovcli.conf", '{"plugin": "x"}');
    return [{}, "invalid-config"];
  },
  "ovcli.conf is read-only": (home) => {
    home.plant(".openviking/ovcli.conf", { text: "{}", mode: 0o400 });
    return [{}, "read-only"];
  },
  "ovcli.conf is not UTF-8": (home) => {
    writeFileSync(home.plant(".openviking/ovcli.conf", ""), Uint8Array.of(0xff, 0xfe, 0x7b));
    return [{}, "invalid-config"];
  },
  "ovcli.conf is a folder": (home) => {
    mkdirSync(join(home.home, ".openviking/ovcli.conf"), { recursive: true });
    return [{}, "file"];
  },
  "the URL is none": () => [{ server: "localhost:1933" }, "invalid-option"],
  "the URL holds a password": () => [{ server: "http://u:p@127.0.0.1" }, "invalid-option"],
  "the key holds a blank": () => [
    { server: "http://127.0.0.1", apiKey: "a b" },
    "invalid-option",
  ],
};

for (const [what, prepare] of Object.entries(PREPARATIONS)) {
  test(`runInstall() changes nothing when ${what} [INS-01]`, async () => {
    const home = installHome();
    plantAll(home);
    const [options, code] = prepare(home);
    const before = home.snapshot(/^$/);
    const report = await install(home, options);
    assert.deepEqual([report.ok, report.error?.code], [false, code]);
    assert.deepEqual(home.snapshot(/^$/), before);
  });
}

test("runInstall() tells the plan and writes nothing when it is dry [INS-09]", async () => {
  const home = installHome();
  plantAll(home);
  const before = home.snapshot(/^$/);
  const report = await install(home, { dryRun: true, hosts: "detected", manifests: BOTH });
  assert.deepEqual(home.snapshot(/^$/), before);
  assert.deepEqual(report.hosts.map(({ id, detected, version }) => ({ id, detected, version })), [
    { id: "claude-code", detected: true, version: null },
  ]);
  assert.deepEqual(report.hosts[0]?.edits.map(({ path, action }) => [path, action]), [
    [join(home.home, ".claude/settings.json"), "edit"],
    [join(home.home, ".claude.json"), "edit"],
  ]);
});

test("runInstall() installs a named host although it is not detected, and refuses unknown ones [INS-09]", async () => {
  const home = installHome();
  const report = await install(home, { hosts: ["claude-code", "pi"] });
  assert.deepEqual(report.hosts.map((host) => [host.id, host.detected, host.error?.code]), [
    ["claude-code", false, undefined],
    ["pi", false, "unsupported-host"],
  ]);
  assert.ok(home.has(".claude/settings.json"));
});

test("runInstall() plans a file anew when the host wrote it meanwhile [INS-04]", async () => {
  const home = installHome();
  plantAll(home);
  const { files } = home.runtime;
  let planned = false;
  const runtime = home.with({
    files: {
      ...files,
      writeAtomic(path, data, options) {
        if (path.endsWith("installed.json") && !planned) {
          planned = true;
          home.plant(".claude.json", '{"numStartups":42}');
        }
        files.writeAtomic(path, data, options);
      },
    },
  });
  succeeded(await runInstall(runtime, { hosts: ["claude-code"], bundles: standInBundles() }));
  assert.equal(JSON.parse(home.read(".claude.json")).numStartups, 42);
  succeeded(await uninstall(home));
  assert.equal(home.read(".claude.json"), '{"numStartups":42}');
});

test("runInstall() follows CLAUDE_CONFIG_DIR, and runUninstall() finds what it left there [INS-05] [UNI-01]", async () => {
  const home = installHome();
  const folder = join(home.root, "claude conf");
  const moved = home.with({ env: { CLAUDE_CONFIG_DIR: folder } });
  succeeded(await runInstall(moved, { hosts: ["claude-code"], bundles: standInBundles() }));
  assert.ok(statSync(join(folder, "settings.json")).isFile());
  assert.ok(statSync(join(folder, ".claude.json")).isFile());
  assert.equal(home.has(".claude"), false);
  succeeded(await install(home));
  succeeded(await uninstall(home));
  assert.throws(() => statSync(folder));
  assert.deepEqual(home.snapshot(/^$/), {});
});

test("runInstall() edits the old .config.json when Claude Code reads that one [INS-05]", async () => {
  const home = installHome();
  home.plant(".claude/.config.json", '{"numStartups": 1}');
  succeeded(await install(home));
  assert.equal(home.has(".claude.json"), false);
  assert.ok(home.read(".claude/.config.json").includes("openviking-agent"));
});

test("runUninstall() keeps the program while another host needs it [UNI-04]", async () => {
  const home = installHome();
  plantAll(home);
  home.plant(".other/hooks.json", '{"hooks":{}}');
  const before = home.snapshot();
  succeeded(await install(home, { hosts: "detected", manifests: BOTH }));
  succeeded(await runUninstall(home.runtime, { hosts: ["claude-code"], manifests: BOTH }));
  assert.ok(home.has(".openviking/agent/bin/openviking-agent"));
  assert.ok(home.read(".other/hooks.json").includes("hook cursor stop"));
  const purge = await runUninstall(home.runtime, { hosts: [], manifests: BOTH, purge: true });
  assert.deepEqual([purge.ok, purge.error?.code], [false, "invalid-option"]);
  succeeded(await runUninstall(home.runtime, { hosts: "installed", manifests: BOTH }));
  assert.deepEqual(home.snapshot(), before);
  assert.equal(home.has(".openviking"), false);
});

test("runUninstall() keeps the program when the record names a host it does not know [UNI-04]", async () => {
  const home = installHome();
  home.plant(".other/hooks.json", "{}");
  succeeded(await install(home, { hosts: ["claude-code", "cursor"], manifests: BOTH }));
  const report = await uninstall(home, "installed");
  assert.deepEqual(report.hosts.map((host) => [host.id, host.error?.code]), [
    ["claude-code", undefined],
    ["cursor", "unsupported-host"],
  ]);
  assert.ok(home.has(".openviking/agent/bin/openviking-agent"));
});

test("runUninstall() works without its record when that is damaged [UNI-01]", async () => {
  const home = installHome();
  plantAll(home);
  succeeded(await install(home));
  home.plant(".openviking/agent/installed.json", "{");
  const report = await uninstall(home, "installed");
  succeeded(report);
  assert.match(report.warnings.join(), /record of the installation cannot be used/);
  assert.ok(!home.read(".claude/settings.json").includes("openviking"));
  assert.ok(home.read(".claude/settings.json").includes("notify-send done"));
  assert.equal(home.has(".openviking/agent/bin"), false);
});

test("runUninstall() keeps memory and queue unless they are purged, and says what is lost then [UNI-02]", async () => {
  const home = installHome();
  succeeded(await install(home));
  home.plant(".openviking/agent/local/memory.db", "12345");
  home.plant(".openviking/agent/outbox/local/spool/1.json", "{}");
  home.plant(".openviking/other", "not ours");
  succeeded(await uninstall(home));
  assert.deepEqual(
    Object.keys(home.snapshot(/^$/)).filter((path) => !/^\.openviking(\/agent)?$/.test(path)),
    [
      ".openviking/agent/local",
      ".openviking/agent/local/memory.db",
      ".openviking/agent/outbox",
      ".openviking/agent/outbox/local",
      ".openviking/agent/outbox/local/spool",
      ".openviking/agent/outbox/local/spool/1.json",
      ".openviking/other",
    ],
  );
  succeeded(await install(home));
  const dry = await runUninstall(home.runtime, { hosts: "installed", purge: true, dryRun: true });
  assert.ok(home.has(".openviking/agent/local/memory.db"));
  const purged = await runUninstall(home.runtime, { hosts: "installed", purge: true });
  succeeded(purged);
  assert.deepEqual(purged.losses, dry.losses);
  assert.deepEqual(purged.losses.map(({ what, files, bytes }) => ({ what, files, bytes })), [
    { what: "the embedded engine's memory", files: 1, bytes: 5 },
    { what: "messages that were not delivered yet", files: 1, bytes: 2 },
  ]);
  assert.deepEqual(Object.keys(home.snapshot(/^$/)), [".openviking", ".openviking/other"]);
});

test("runUninstall() purges only what it knows when the agent home is a folder of others [UNI-02]", async () => {
  const home = installHome();
  const runtime = home.with({ env: { OPENVIKING_AGENT_HOME: home.home } });
  home.plant("thesis.txt", "years of work");
  home.plant("local/memory.db", "1");
  succeeded(await runInstall(runtime, { hosts: ["claude-code"], bundles: standInBundles() }));
  const report = await runUninstall(runtime, { hosts: "installed", purge: true });
  succeeded(report);
  assert.ok(home.has("thesis.txt"));
  assert.equal(home.has("local"), false);
  assert.match(report.warnings.join(), /thesis\.txt is not known and stays/);
  assert.deepEqual(report.losses.map(({ path }) => path), [join(home.home, "local")]);
});

test("runUninstall() names each path once and warns of none when it purges through a link [UNI-02]", async () => {
  for (const linked of [false, true]) {
    const home = installHome();
    if (linked) {
      mkdirSync(join(home.home, "dotfiles/viking"), { recursive: true });
      symlinkSync("dotfiles/viking", join(home.home, ".openviking"));
    }
    succeeded(await install(home));
    home.plant(".openviking/agent/bypass.json", "{}");
    // The launcher hands its own folder over, which is without links.
    const agent = home.runtime.files.realPath(home.agent);
    const runtime = home.with({ env: { OPENVIKING_AGENT_HOME: agent } });
    for (const dryRun of [true, false]) {
      const report = await runUninstall(runtime, { hosts: "installed", purge: true, dryRun });
      succeeded(report);
      assert.deepEqual(report.warnings, []);
      assert.deepEqual(
        report.edits.map(({ path }) => path.replace(`${agent}/`, "")).sort(),
        [
          "bin",
          "bypass.json",
          "current",
          "install.lock",
          "installed.json",
          join(home.home, ".openviking/ovcli.conf"),
          "runtime",
          "versions",
        ].sort(),
      );
      assert.deepEqual(report.losses.map(({ what }) => what), ["where nothing is remembered"]);
    }
    assert.equal(home.runtime.files.stat(agent), undefined);
  }
});

test("runInstall() waits for another run and gives up when that does not end [INS-07]", async () => {
  const home = installHome();
  mkdirSync(home.agent, { recursive: true });
  const lock = home.runtime.tryLock(`${home.agent}/install.lock`);
  const report = await install(home, { lockWaitMs: 0 });
  assert.deepEqual([report.ok, report.error?.code], [false, "busy"]);
  lock?.release();
  succeeded(await install(home, { lockWaitMs: 0 }));
});

test("runInstall() asks for HOME when it is not set [INS-01]", async () => {
  const home = installHome();
  const report = await runInstall(home.with({ env: { HOME: "" } }), {
    hosts: ["claude-code"],
    bundles: standInBundles(),
  });
  assert.deepEqual([report.ok, report.error?.code], [false, "no-home"]);
});

test("runUpgrade() replaces the program and keeps the one before when it runs [INS-07] [VER-04]", async () => {
  const home = installHome();
  plantAll(home);
  const before = home.snapshot();
  const none = await runUpgrade(home.runtime, { bundles: standInBundles() });
  assert.deepEqual([none.ok, none.error?.code, none.from], [false, "not-installed", null]);
  succeeded(await install(home, { parts: "hooks" }));
  const hosts = home.snapshot();
  const programs = () => home.runtime.files.list(`${home.agent}/versions`).sort();
  const [first = ""] = programs();
  for (const mark of ["two", "three"]) {
    const report = await runUpgrade(home.runtime, { bundles: standInBundles(mark) });
    succeeded(report);
    assert.equal(report.from, report.version);
  }
  assert.equal(programs().length, 2);
  assert.ok(!programs().includes(first));
  assert.ok(programs().includes(home.read(".openviking/agent/current").split("\n")[0] ?? ""));
  assert.deepEqual(home.snapshot(), hosts);
  succeeded(await uninstall(home));
  assert.deepEqual(home.snapshot(), before);
});

test("runUpgrade() refuses to go back unless that is wanted, and says what it cannot read [VER-04]", async () => {
  const home = installHome();
  succeeded(await install(home));
  const record = JSON.parse(home.read(".openviking/agent/installed.json"));
  home.plant(".openviking/agent/installed.json", JSON.stringify({ ...record, version: "99.0.0" }));
  const refused = await runUpgrade(home.runtime, { bundles: standInBundles("old") });
  assert.deepEqual([refused.ok, refused.error?.code, refused.from], [false, "downgrade", "99.0.0"]);
  const report = await runUpgrade(home.runtime, {
    bundles: standInBundles("old"),
    allowDowngrade: true,
  });
  succeeded(report);
  assert.match(
    report.warnings.join(),
    /older than the installed 99\.0\.0: queue and embedded memory/,
  );
});

test("compareVersions() orders versions when they differ anywhere", () => {
  const order = ["0.1.0-alpha.2", "0.1.0-alpha.10", "0.1.0", "0.1.1", "0.10.0", "1.0.0"];
  for (let i = 1; i < order.length; i++) {
    assert.ok(compareVersions(order[i - 1] ?? "", order[i] ?? "") < 0);
    assert.ok(compareVersions(order[i] ?? "", order[i - 1] ?? "") > 0);
  }
  assert.equal(compareVersions("1.2.3", "1.2.3"), 0);
});

test("runInstall() finds the version of a host when its files tell it [INS-09]", async () => {
  const home = installHome();
  const program = home.plant(".local/share/claude/versions/2.1.332", "");
  mkdirSync(join(home.home, ".local/bin"), { recursive: true });
  symlinkSync(program, join(home.home, ".local/bin/claude"));
  const [native] = (await install(home, { hosts: "detected", dryRun: true })).hosts;
  assert.deepEqual([native?.detected, native?.version], [true, "2.1.332"]);
  rmSync(join(home.home, ".local/bin/claude"));
  home.plant("node/lib/claude-code/package.json", '{"version":"2.1.197"}');
  home.plant("node/lib/claude-code/bin/cli.js", "");
  symlinkSync(
    join(home.home, "node/lib/claude-code/bin/cli.js"),
    join(home.home, ".local/bin/claude"),
  );
  const [npm] = (await install(home, { hosts: "detected", dryRun: true })).hosts;
  assert.deepEqual([npm?.detected, npm?.version], [true, "2.1.197"]);
});
