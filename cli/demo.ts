/**
 * `demo`: the main job in a temporary home. A recorded conversation goes through the installed
 * hooks; a later session is asked what was said.
 *
 * @module
 */
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import { FileError } from "../lib/runtime/types.ts";
import type { CommandContext } from "./context.ts";
import { CommandError, EXIT, forTerminal } from "./output.ts";
import { selfCommand } from "./self_command.ts";
import recording from "./demo/transcript.json" with { type: "json" };

const FIRST_SESSION = "5a4be63e-14d5-4a38-a883-f813ee757ec3";
const SECOND_SESSION = "b7f1c2de-3c84-4b0e-9a53-6f2f5f0c1d11";
const QUESTION = "Which secret word did we find in notes.txt?";

/** A temporary person: a home, a project, and the hooks that `install` wrote there. */
interface Stage {
  readonly home: string;
  readonly project: string;
  readonly transcript: string;
  readonly env: Readonly<Record<string, string>>;
}

interface HookRun {
  readonly event: string;
  readonly ms: number;
  readonly context: string;
}

function setUp(runtime: ProcessRuntime, root: string): Stage {
  const home = `${root}/home`;
  const project = `${root}/project`;
  const { files } = runtime;
  files.makeDir(`${project}/.git`);
  files.writeAtomic(`${project}/.git/HEAD`, "ref: refs/heads/main\n");
  files.writeAtomic(
    `${project}/.git/config`,
    '[remote "origin"]\n\turl = https://git.example.com/demo/project.git\n',
  );
  const folder = `${home}/.claude/projects/-project`;
  files.makeDir(folder);
  const env: Record<string, string> = {
    HOME: home,
    PATH: runtime.env("PATH") ?? "/usr/bin:/bin",
    TMPDIR: root,
    OPENVIKING_WORKER_LINGER_MS: "0",
  };
  // What this machine needs to fetch and verify the bundler; no setting of ours is handed through.
  const machine =
    /^(DENO_DIR|DENO_CERT|DENO_TLS_CA_STORE|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|NPM_CONFIG_.*|XDG_CACHE_HOME)$/;
  for (const [name, value] of Object.entries(runtime.envAll())) {
    if (machine.test(name)) env[name] = value;
  }
  if (env.DENO_DIR === undefined && runtime.env("HOME") !== undefined) {
    // The modules of this checkout are in the caller's cache; without this they would be fetched again.
    env.DENO_DIR = `${env.XDG_CACHE_HOME ?? `${runtime.env("HOME")}/.cache`}/deno`;
  }
  return { home, project, transcript: `${folder}/${FIRST_SESSION}.jsonl`, env };
}

/** The command lines that install wrote into Claude Code's settings, by event. */
function installedHooks(runtime: ProcessRuntime, home: string): Map<string, string> {
  const settings = JSON.parse(runtime.files.readText(`${home}/.claude/settings.json`));
  const commands = new Map<string, string>();
  for (const [event, groups] of Object.entries(settings.hooks)) {
    for (const group of groups as { hooks: { command: string }[] }[]) {
      for (const handler of group.hooks) commands.set(event, handler.command);
    }
  }
  return commands;
}

/** Plays recorded rows into a transcript the way the host writes it. */
function playRecording(runtime: ProcessRuntime, stage: Stage): string[] {
  const said: string[] = [];
  let text = "";
  for (const row of recording.rows as unknown as Row[]) {
    text += `${
      JSON.stringify({ ...row, ...(row.cwd === undefined ? {} : { cwd: stage.project }) })
    }\n`;
    const content = row.message?.content;
    if (typeof content === "string") said.push(`user       ${content}`);
    else {
      for (const block of content ?? []) {
        if (block.type === "text") said.push(`assistant  ${block.text}`);
        if (block.type === "tool_use") said.push(`tool call  ${block.name}`);
      }
    }
  }
  runtime.files.writeAtomic(stage.transcript, text);
  return said;
}

interface Row {
  readonly cwd?: string;
  readonly message?: {
    readonly content: string | {
      readonly type: string;
      readonly text?: string;
      readonly name?: string;
    }[];
  };
}

async function expectSuccess(
  runtime: ProcessRuntime,
  stage: Stage,
  command: readonly string[],
  step: string,
): Promise<string> {
  const done = await runtime.run(command, {
    cwd: stage.project,
    env: stage.env,
    clearEnv: true,
    timeoutMs: 240_000,
  });
  if (done.code === 0) return done.stdout;
  throw new CommandError("demo_failed", `Cannot ${step}: ${(done.stderr || done.stdout).trim()}`);
}

function makeRoot(runtime: ProcessRuntime): string {
  try {
    return runtime.makeTempDir("openviking-demo-");
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new CommandError(
      "demo_failed",
      error.message,
      "Set TMPDIR to a folder that can be written, or leave it unset",
    );
  }
}

/** Runs the demo and prints what was captured, what was injected, what MCP finds and what each hook took. */
export async function runDemo({ runtime, output }: CommandContext): Promise<number> {
  const root = makeRoot(runtime);
  try {
    const stage = setUp(runtime, root);
    const self = selfCommand(runtime);
    const progress = (text: string) => output.note(text);

    progress("Installing into a temporary home (the first run builds the bundles) ...");
    await expectSuccess(
      runtime,
      stage,
      [...self, "install", "--host", "claude-code", "--engine", "local", "--yes"],
      "install into the temporary home",
    );
    const hooks = installedHooks(runtime, stage.home);
    const runs: HookRun[] = [];
    const fire = async (event: string, session: string, fields: Record<string, unknown>) => {
      const started = performance.now();
      const done = await runtime.run(["/bin/sh", "-c", hooks.get(event) ?? "exit 1"], {
        cwd: stage.project,
        env: { HOME: stage.home, PATH: "/usr/bin:/bin", OPENVIKING_WORKER_LINGER_MS: "0" },
        clearEnv: true,
        stdin: `${
          JSON.stringify({
            session_id: session,
            transcript_path: stage.transcript.replace(FIRST_SESSION, session),
            cwd: stage.project,
            hook_event_name: event,
            ...fields,
          })
        }\n`,
      });
      const ms = performance.now() - started;
      if (done.code !== 0 || done.stderr !== "") {
        throw new CommandError("demo_failed", `Cannot run the hook ${event}: ${done.stderr}`);
      }
      const context = done.stdout === ""
        ? ""
        : JSON.parse(done.stdout).hookSpecificOutput?.additionalContext ?? "";
      runs.push({ event, ms: Math.round(ms), context });
      return context as string;
    };

    await fire("SessionStart", FIRST_SESSION, { source: "startup" });
    const said = playRecording(runtime, stage);
    await fire("Stop", FIRST_SESSION, { stop_hook_active: false });
    await fire("SessionEnd", FIRST_SESSION, { reason: "other" });
    await expectSuccess(
      runtime,
      stage,
      [...self, "queue", "drain", "--wait", "30"],
      "drain the queue",
    );
    const found = JSON.parse(
      await expectSuccess(
        runtime,
        stage,
        [...self, "search", "secret word", "--json"],
        "search memory",
      ),
    ) as { results: { text: string; session: string }[] };
    const start = await fire("SessionStart", SECOND_SESSION, { source: "startup" });
    const injected = await fire("UserPromptSubmit", SECOND_SESSION, {
      prompt: QUESTION,
      prompt_id: "demo-prompt",
    });
    const tools = await askMcp(runtime, stage, self);
    const works = injected.includes("PLUGH") && found.results.some((r) => r.text.includes("PLUGH"));

    if (output.json) {
      output.document({
        works,
        said,
        injected,
        start,
        found: found.results,
        mcp: tools,
        hooks: runs,
      });
    } else {
      const { bold, dim, line } = output;
      const block = (text: string) =>
        forTerminal(text).split("\n").forEach((row) => line(`  ${dim("|")} ${row}`));
      line(bold("1. An earlier session, recorded from Claude Code"));
      said.forEach((text) => line(`  ${text}`));
      line();
      line(bold("2. What memory holds after it ended"));
      found.results.forEach((result) => block(result.text));
      line();
      line(bold("3. A new session asks"));
      line(`  user       ${QUESTION}`);
      line("  and the model is given:");
      block(injected === "" ? "(nothing)" : injected);
      line();
      line(bold("4. What the model finds when it asks by itself, over MCP"));
      block(tools);
      line();
      line(bold("5. What the hooks took (whole processes)"));
      runs.forEach((run) => line(`  ${run.event.padEnd(18)} ${run.ms} ms`));
      line();
      line(
        works
          ? "Memory works: what was said in the first session reached the second. No server, no model, no network."
          : "Memory did not work: the fact of the first session did not reach the second.",
      );
    }
    return works ? EXIT.done : EXIT.failed;
  } finally {
    runtime.files.removeTree(root);
  }
}

/** One `find` call over stdio, as a host's MCP client makes it. */
async function askMcp(
  runtime: ProcessRuntime,
  stage: Stage,
  self: readonly string[],
): Promise<string> {
  const request = (id: number, method: string, params: unknown) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const stdin = [
    request(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "demo", version: "1" },
    }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    request(2, "tools/call", {
      name: "find",
      arguments: { query: "secret word notes.txt", limit: 3 },
    }),
    "",
  ].join("\n");
  const done = await runtime.run([...self, "mcp", "--host", "claude-code"], {
    cwd: stage.project,
    env: stage.env,
    clearEnv: true,
    stdin,
    timeoutMs: 30_000,
  });
  for (const row of done.stdout.split("\n")) {
    if (row === "") continue;
    const answer = JSON.parse(row);
    if (answer.id === 2) return answer.result?.content?.[0]?.text ?? JSON.stringify(answer.error);
  }
  throw new CommandError("demo_failed", `Cannot call MCP: ${done.stderr || "no answer"}`);
}
