/**
 * The launcher is run for real, from homes with odd names and with nothing in its environment.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { runInstall } from "../../install/commands.ts";
import { launcherPath } from "../../install/program/deploy.ts";
import { quoteForShell } from "../../install/program/launcher.ts";
import {
  type BundleReport,
  type InstallHome,
  installHome,
  standInBundles,
} from "../support/install_home.ts";

interface Handler {
  readonly command: string;
  readonly timeout: number;
}

/** The commands that install wrote, by event. */
function commandsOf(settings: string): Record<string, Handler> {
  const hooks = JSON.parse(settings).hooks as Record<string, { hooks: Handler[] }[]>;
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => [event, groups[0]?.hooks[0] as Handler]),
  );
}

function shell(command: string, env: Record<string, string> = {}, cwd = "/") {
  // Written by the shell: a launcher that ends without reading would break a pipe of ours.
  const piped = `printf '{}\\n' | ${command}`;
  const done = spawnSync("/bin/sh", ["-c", piped], { env, cwd, encoding: "utf8" });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

async function installed(home: InstallHome): Promise<void> {
  const report = await runInstall(home.runtime, {
    hosts: ["claude-code"],
    bundles: standInBundles(),
  });
  assert.deepEqual([report.ok, report.error], [true, undefined]);
}

const NAMES: readonly string[] = [
  "plain",
  "a space and 'quotes' \"both\"",
  "& $HOME `x` $(y) ; |",
  "中文 用户",
  "a, comma",
  "#hash %41 ?query",
  "back\\slash",
  "new\nline",
  "ends in a blank ",
  "{launcher} and {launcher:sh}",
];

for (const name of NAMES) {
  test(`launcherText() starts hook, MCP and command line when HOME is named ${JSON.stringify(name)} [INS-05] [GEN-04]`, async () => {
    const home = installHome(name);
    await installed(home);
    const { command } = commandsOf(home.read(".claude/settings.json")).UserPromptSubmit as Handler;
    const hook = shell(command);
    assert.deepEqual([hook.code, hook.err], [0, ""]);
    const report = JSON.parse(hook.out) as BundleReport;
    assert.deepEqual(report, {
      bundle: "hook-claude-code-prompt.js",
      args: ["UserPromptSubmit"],
      agent: home.agent,
      denoDir: `${home.agent}/cache`,
      noProxy: "localhost,127.0.0.1,::1",
      exec: report.exec,
      wroteInside: true,
      wroteOutside: name.includes(","), // Deno's permission lists know no escape for a comma
      started: true,
      stdin: "{}\n",
    });
    assert.ok(report.exec.startsWith(`${home.agent}/runtime/deno-`));

    const server = JSON.parse(home.read(".claude.json")).mcpServers.openviking as {
      command: string;
      args: string[];
    };
    const mcp = spawnSync(server.command, server.args, {
      env: {},
      input: "{}\n",
      encoding: "utf8",
    });
    const started = JSON.parse(mcp.stdout) as BundleReport;
    assert.deepEqual([mcp.stderr, started.bundle, started.args, started.wroteInside], [
      "",
      "mcp.js",
      ["--host", "claude-code"],
      true,
    ]);
    assert.equal(started.wroteOutside, name.includes(","));

    const cli = spawnSync(server.command, ["search", "two words"], { env: {}, encoding: "utf8" });
    assert.deepEqual(JSON.parse(cli.stdout).args, ["search", "two words"]);
  });
}

test("launcherText() works when the home is behind a link [INS-05]", async () => {
  const home = installHome("real");
  const link = join(home.root, "link");
  symlinkSync(home.home, link);
  const runtime = home.with({ env: { HOME: link } });
  const report = await runInstall(runtime, { hosts: ["claude-code"], bundles: standInBundles() });
  assert.equal(report.ok, true);
  const { command } = commandsOf(home.read(".claude/settings.json")).Stop as Handler;
  assert.ok(command.startsWith(`'${link}/.openviking/agent/bin/`));
  const hook = JSON.parse(shell(command).out) as BundleReport;
  assert.deepEqual([hook.wroteInside, hook.wroteOutside, hook.started], [true, false, true]);
});

test("launcherText() lets OPENVIKING_AGENT_HOME move the data when it is set [INS-05]", async () => {
  const home = installHome();
  await installed(home);
  const elsewhere = join(home.root, "else where");
  mkdirSync(elsewhere);
  const { command } = commandsOf(home.read(".claude/settings.json")).Stop as Handler;
  const moved = JSON.parse(shell(command, { OPENVIKING_AGENT_HOME: elsewhere }).out);
  assert.deepEqual([moved.agent, moved.wroteInside, moved.wroteOutside], [elsewhere, true, false]);
  const tilde = shell(command, { OPENVIKING_AGENT_HOME: "~/else where", HOME: home.root });
  assert.equal(JSON.parse(tilde.out).agent, elsewhere);
});

test("launcherText() hands unknown hosts and events to the command line when asked for a hook [INS-05]", async () => {
  const home = installHome();
  await installed(home);
  const launcher = launcherPath(home.agent);
  for (const host of ["nobody", "../x", "", "claude"]) {
    const done = spawnSync(launcher, ["hook", host, "Stop"], { env: {}, encoding: "utf8" });
    assert.deepEqual([done.status, done.stderr], [0, ""]);
    const report = JSON.parse(done.stdout) as BundleReport;
    assert.deepEqual([report.bundle, report.args], ["cli.js", ["hook", host, "Stop"]]);
  }
  const extra = spawnSync(launcher, ["hook", "claude-code", "Stop", "--flag"], {
    env: {},
    encoding: "utf8",
  });
  assert.deepEqual(JSON.parse(extra.stdout).args, ["Stop", "--flag"]);
});

const DAMAGE: Readonly<Record<string, (agent: string) => void>> = {
  "the pointer is gone": (agent) => rmSync(`${agent}/current`),
  "the pointer is empty": (agent) => writeFileSync(`${agent}/current`, ""),
  "the pointer names nothing": (agent) => writeFileSync(`${agent}/current`, "x\ny\n"),
  "the pointer is a folder": (agent) => {
    rmSync(`${agent}/current`);
    mkdirSync(`${agent}/current`);
  },
  "the programs are gone": (agent) => rmSync(`${agent}/versions`, { recursive: true }),
  "the runtime is gone": (agent) => rmSync(`${agent}/runtime`, { recursive: true }),
  "the runtime is not executable": (agent) => {
    // A copy: a link shares its mode with the Deno that runs this test.
    rmSync(`${agent}/runtime`, { recursive: true });
    mkdirSync(`${agent}/runtime/deno-0.0.0`, { recursive: true });
    writeFileSync(`${agent}/runtime/deno-0.0.0/deno`, "");
    chmodSync(`${agent}/runtime/deno-0.0.0/deno`, 0o600);
  },
};

for (const [what, damage] of Object.entries(DAMAGE)) {
  test(`launcherText() ends silently with 0 on the hook path when ${what} [INS-05]`, async () => {
    const home = installHome("d");
    await installed(home);
    const { command } = commandsOf(home.read(".claude/settings.json")).Stop as Handler;
    damage(home.agent);
    assert.deepEqual(shell(command), { code: 0, out: "", err: "" });
    const cli = spawnSync(launcherPath(home.agent), ["status"], { env: {}, encoding: "utf8" });
    assert.equal(cli.status, 1);
    assert.match(cli.stderr, /^openviking-agent: nothing that runs is installed in .*\n$/);
  });
}

test("launcherText() works without external commands and without a cache [INS-05] [GEN-04]", async () => {
  const home = installHome("u");
  await installed(home);
  const { command } = commandsOf(home.read(".claude/settings.json")).Stop as Handler;
  writeFileSync(`${home.agent}/cache`, "in the way");
  const done = shell(command, { PATH: "/nowhere" });
  assert.deepEqual([done.code, done.err], [0, ""]);
  const shells = ["/bin/dash", "/bin/bash", "/bin/zsh", "/bin/busybox"].filter((path) =>
    existsSync(path)
  );
  for (const program of shells) {
    const applet = program.endsWith("busybox") ? ["sh"] : [];
    const args = [...applet, launcherPath(home.agent), "hook", "claude-code", "Stop"];
    const inShell = spawnSync(program, args, { env: {}, input: "{}", encoding: "utf8" });
    assert.deepEqual(JSON.parse(inShell.stdout).args, ["Stop"], program);
  }
});

test("quoteForShell() gives one word when sh reads it [INS-05]", () => {
  for (const text of ["", "a b", "it's", "'", "''", "$x `y` \\", "a\nb", '"', "!*?[~"]) {
    const done = spawnSync("/bin/sh", ["-c", `printf %s ${quoteForShell(text)}`], {
      encoding: "utf8",
    });
    assert.equal(done.stdout, text);
  }
});

for (const name of ["NO_PROXY", "no_proxy"]) {
  test(`launcherText() keeps what ${name} says and adds this machine [INS-05]`, async () => {
    const home = installHome("plain");
    await installed(home);
    const { command } = commandsOf(home.read(".claude/settings.json")).UserPromptSubmit as Handler;
    const hook = shell(command, { HTTP_PROXY: "http://127.0.0.1:9", [name]: "corp.example" });
    assert.equal(
      (JSON.parse(hook.out) as BundleReport).noProxy,
      "corp.example,localhost,127.0.0.1,::1",
    );
  });
}
