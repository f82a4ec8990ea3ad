/**
 * A temporary home with the product installed for Claude Code: its hooks as commands, a store of
 * messages, and a worker that lives or does not.
 *
 * @module
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { OUTBOX_LAYOUT } from "../../lib/outbox/types.ts";
import { workerCommand } from "../../lib/outbox/worker_command.ts";
import { openLocalEngine } from "../../local/engine.ts";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { projectRoot } from "../support/project.ts";
import type { Corpus, CorpusMessage } from "./corpus.ts";
import type { MeasuredCommand } from "./measure.ts";

/** One installed person. */
export interface BenchHome {
  readonly project: string;
  /** The installed hook of `event`, as the host runs it. */
  hook(event: string, fields: Readonly<Record<string, unknown>>): MeasuredCommand;
  /** The installed MCP entry, as the host starts it, told `input`. */
  mcp(input: string): MeasuredCommand;
  /** Adds one turn to the session's transcript. */
  appendTurn(number: number): void;
  /** Adds turns until the session's transcript has `bytes`. */
  fillTranscript(bytes: number): void;
  /** Runs `work` while hooks see a worker that lives, so that they start none. */
  withoutWorker<T>(work: () => Promise<T>): Promise<T>;
  /** The installed worker, which ends when nothing is left to do. */
  worker(): MeasuredCommand;
  /** Messages of the session that are taken in, and whether any waits to be delivered. */
  captured(): { readonly messages: number; readonly waiting: number };
  /** Waits until the worker lives and has taken in what the spool held. */
  waitForWorker(): Promise<void>;
  /** Waits until the spool is empty, then ends the worker and waits until it is gone. */
  endWorker(): Promise<void>;
}

const SESSION = "6c1f3a52-90bb-4d0e-8a51-2f1f0f6e7d11";

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`Cannot go on: ${what} after 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The commands that install wrote into Claude Code's settings, by event. */
function installedCommands(home: string): Map<string, string> {
  const settings = JSON.parse(readFileSync(join(home, ".claude", "settings.json"), "utf8")) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>;
  };
  const commands = new Map<string, string>();
  for (const [event, groups] of Object.entries(settings.hooks)) {
    for (const handler of groups.flatMap((group) => group.hooks)) {
      commands.set(event, handler.command);
    }
  }
  return commands;
}

/** The MCP entry that install wrote into Claude Code's configuration, as a command line. */
function installedServer(home: string): string[] {
  const { mcpServers } = JSON.parse(readFileSync(join(home, ".claude.json"), "utf8")) as {
    mcpServers: { openviking: { command: string; args: string[] } };
  };
  return [mcpServers.openviking.command, ...mcpServers.openviking.args];
}

async function install(home: string): Promise<void> {
  const done = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      join(projectRoot, "cli.ts"),
      ..."install --host claude-code --yes".split(" "),
      "--engine",
      "local",
    ],
    env: await isolatedEnvironment(home),
    clearEnv: true,
    cwd: home,
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (done.code !== 0) {
    throw new Error(`Cannot install: ${new TextDecoder().decode(done.stderr)}`);
  }
}

/** Sends `messages` to the embedded engine, as the worker does. */
async function fillStore(database: string, messages: readonly CorpusMessage[]): Promise<void> {
  const engine = await openLocalEngine(denoProcessRuntime, database);
  try {
    const bySession = Map.groupBy(messages, (message) => message.session);
    for (const [session, own] of bySession) {
      const answer = await engine.handle({
        method: "POST",
        path: `/api/v1/sessions/${session}/messages/batch`,
        headers: { "content-type": "application/json" },
        body: {
          messages: own.map((message, i) => ({
            role: message.role,
            content: message.text,
            created_at: message.createdAt,
            source_message_ids: [`${session}-${i}`],
          })),
        },
      });
      if (answer.status !== 200) {
        throw new Error(`Cannot fill the store: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
    }
  } finally {
    engine.close();
  }
}

/** Installs into `root`, and fills the store with `corpus`. */
export async function createBenchHome(root: string, corpus: Corpus): Promise<BenchHome> {
  const home = join(root, "home");
  const project = join(root, "project");
  const agent = join(home, ".openviking", "agent");
  const transcripts = join(home, ".claude", "projects", "-project");
  for (const folder of [join(project, ".git"), transcripts, join(agent, "local")]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  writeFileSync(join(project, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(project, "notes.txt"), "An ordinary file.\n");
  await install(home);
  await fillStore(join(agent, "local", "memory.db"), corpus.messages);

  const commands = installedCommands(home);
  const transcript = join(transcripts, `${SESSION}.jsonl`);
  const target = join(agent, "outbox", "local");
  const lock = join(target, OUTBOX_LAYOUT.lock);
  writeFileSync(transcript, "");
  let parent: string | null = null;

  function spoolIsEmpty(): boolean {
    const spool = join(target, OUTBOX_LAYOUT.spool);
    return !existsSync(spool) || readdirSync(spool).length === 0;
  }
  function workerPid(): number | undefined {
    const pid = existsSync(lock) ? Number.parseInt(readFileSync(lock, "utf8"), 10) : NaN;
    return Number.isInteger(pid) && existsSync(`/proc/${pid}`) ? pid : undefined;
  }
  function row(type: "user" | "assistant", content: unknown, at: number): string {
    const uuid = crypto.randomUUID();
    const text = JSON.stringify({
      parentUuid: parent,
      isSidechain: false,
      type,
      message: { role: type, content },
      uuid,
      timestamp: new Date(at).toISOString(),
      cwd: project,
      sessionId: SESSION,
      version: "2.1.332",
    });
    parent = uuid;
    return `${text}\n`;
  }

  return {
    project,
    hook(event, fields) {
      const command = commands.get(event);
      if (command === undefined) throw new Error(`Cannot run ${event}: install wrote no such hook`);
      return {
        argv: ["/bin/sh", "-c", command],
        environment: { HOME: home, PATH: "/usr/bin:/bin" },
        cwd: project,
        stdin: `${
          JSON.stringify({
            session_id: SESSION,
            transcript_path: transcript,
            cwd: project,
            hook_event_name: event,
            ...fields,
          })
        }\n`,
      };
    },
    mcp: (input) => ({
      argv: installedServer(home),
      environment: { HOME: home, PATH: "/usr/bin:/bin" },
      cwd: project,
      stdin: input,
    }),
    appendTurn(number) {
      const at = Date.parse("2026-06-01T08:00:00Z") + number * 60_000;
      const answer = [{ type: "text", text: `Turn ${number}: the answer, with a few words more.` }];
      appendFileSync(
        transcript,
        row("user", `Turn ${number}: what does the build of module ${number} need?`, at) +
          row("assistant", answer, at + 5_000),
      );
    },
    fillTranscript(bytes) {
      // Rows of a real session's size: short questions, answers of some paragraphs.
      const words = "the build of this module needs one more step before it can be released ";
      let size = 0;
      for (let turn = 0; size < bytes; turn++) {
        const at = Date.parse("2026-01-01T08:00:00Z") + turn * 60_000;
        const answer = [{ type: "text", text: `Answer ${turn}. ${words.repeat(90)}` }];
        const rows = row("user", `Question ${turn}: ${words}`, at) +
          row("assistant", answer, at + 5_000);
        appendFileSync(transcript, rows);
        size += rows.length;
      }
    },
    async withoutWorker(work) {
      mkdirSync(target, { recursive: true, mode: 0o700 });
      using file = Deno.openSync(lock, { read: true, write: true, create: true });
      file.lockSync(true);
      return await work();
    },
    worker() {
      const [version = "", runtime = ""] = readFileSync(join(agent, "current"), "utf8").split("\n");
      const program = join(agent, "runtime", runtime, "deno");
      const [argv0 = "", ...args] = workerCommand(
        { ...denoProcessRuntime, execPath: () => program },
        `file://${join(agent, "versions", version, "cli.js")}`,
        agent,
        "local",
      );
      return {
        argv: [argv0, ...args],
        environment: {
          HOME: home,
          PATH: "/usr/bin:/bin",
          DENO_DIR: join(agent, "cache"),
          DENO_NO_UPDATE_CHECK: "1",
          OPENVIKING_AGENT_HOME: agent,
          OPENVIKING_WORKER_LINGER_MS: "0",
        },
        cwd: "/",
        stdin: "",
      };
    },
    captured() {
      using db = new DatabaseSync(join(target, OUTBOX_LAYOUT.store), { readOnly: true });
      const count = (sql: string): number => Number(db.prepare(sql).get()?.["n"]);
      return {
        messages: count("SELECT count(*) AS n FROM captured"),
        waiting: count(
          "SELECT count(*) AS n FROM messages WHERE state IN ('pending', 'inflight')",
        ),
      };
    },
    waitForWorker: () =>
      until("the worker does not live", () => workerPid() !== undefined && spoolIsEmpty()),
    async endWorker() {
      const pid = workerPid();
      if (pid !== undefined) {
        await until("the spool is not empty", spoolIsEmpty);
        Deno.kill(pid, "SIGTERM");
        await until("the worker does not end", () => !existsSync(`/proc/${pid}`));
      }
    },
  };
}
