/**
 * The commands and their flags, as `cli.md` has them. Each command lives in a file of its own and is
 * loaded when it runs.
 *
 * @module
 */
import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import { HARNESS_KEYS, toHarnessKey } from "../lib/config/harness.ts";
import type { HarnessKey } from "../lib/config/types.ts";
import { VERSION } from "../lib/version.ts";
import type { CommandContext } from "./context.ts";
import { CommandError, createOutput, EXIT, reportFailure } from "./output.ts";

/** A command's work; returns the exit code. */
type Work = (context: CommandContext) => Promise<number>;

function hostId(text: string, previous: HarnessKey[] = []): HarnessKey[] {
  const host = toHarnessKey(text);
  if (host === undefined) {
    throw new InvalidArgumentError(
      `"${text}" is no host. Known hosts: ${HARNESS_KEYS.join(", ")}.`,
    );
  }
  return [...previous, host];
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError("It takes a whole number, 0 or more.");
  }
  return Number(text);
}

/** Builds the program; `run` receives what the chosen command wants done. */
function buildProgram(run: (json: boolean, work: Work) => void): Command {
  const program = new Command("openviking-agent");
  program
    .description("One long-term memory for every coding agent")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .showSuggestionAfterError()
    .exitOverride();
  const command = (spec: string, description: string) =>
    program.command(spec).description(description).exitOverride()
      .option("--json", "print one JSON document on stdout");
  const host = ["--host <id>", "a host, repeatable", hostId] as const;

  command("demo", "show memory at work in a temporary home, on the embedded engine")
    .action((o) => run(o.json, async (c) => (await import("./demo.ts")).runDemo(c)));

  command("install", "install into hosts")
    .option(...host)
    .option("--all", "every detected host")
    .option("--yes", "apply without asking")
    .option("--dry-run", "show what would change")
    .option("--engine <name>", "auto or local")
    .option("--server <url>", "use this OpenViking server")
    .option("--api-key-stdin", "read the server's key from stdin")
    .option("--hooks-only", "no MCP entry")
    .option("--mcp-only", "no hooks")
    .action((o) => run(o.json, async (c) => (await import("./install.ts")).install(c, o)));

  command("uninstall", "remove what install wrote")
    .option(...host)
    .option("--all", "every installed host")
    .option("--yes", "apply without asking")
    .option("--dry-run", "show what would change")
    .option("--purge", "also remove memory, queue and everything else of ours")
    .action((o) => run(o.json, async (c) => (await import("./install.ts")).uninstall(c, o)));

  command("upgrade", "install the running version over the installed one")
    .option("--yes", "also when the installed version is newer")
    .option("--dry-run", "show what would change")
    .action((o) => run(o.json, async (c) => (await import("./install.ts")).upgrade(c, o)));

  command("status", "last outcomes, queue and engine; local files only")
    .option("--session <id>", "one session")
    .option("--line", "one short line for a status bar, from the host's JSON on stdin")
    .option("--host <id>", "the host whose JSON is on stdin", hostId)
    .action((o) => run(o.json, async (c) => (await import("./status.ts")).status(c, o)));

  command("doctor", "what is installed, what is in force and why, what works")
    .option(...host)
    .option("--offline", "ask no engine")
    .option("--cwd <dir>", "the directory to look from")
    .action((o) => run(o.json, async (c) => (await import("./doctor.ts")).doctor(c, o)));

  program.command("hook").description(
    "one host event: payload on stdin, the host's answer on stdout",
  )
    .argument("<host>").argument("<event>");

  command("mcp", "MCP over stdio")
    .option("--host <id>", "the host that starts it", hostId)
    .action((o) => run(o.json, async (c) => (await import("./mcp.ts")).mcp(c, o)));

  const queue = program.command("queue").description("the outbox").exitOverride();
  const queueCommand = (spec: string, description: string) =>
    queue.command(spec).description(description).exitOverride()
      .option("--json", "print one JSON document on stdout");
  queueCommand("list", "what waits, what is held, what was refused")
    .action((o) => run(o.json, async (c) => (await import("./queue.ts")).list(c)));
  queueCommand("drain", "deliver what waits, in the foreground")
    .option(
      "--wait <seconds>",
      "seconds to wait for pauses and for a running worker",
      wholeNumber,
      0,
    )
    .action((o) => run(o.json, async (c) => (await import("./queue.ts")).drain(c, o.wait)));

  queueCommand("retry [id]", "try again now, a refused message included")
    .action((id: string | undefined, o) =>
      run(o.json, async (c) => (await import("./queue.ts")).retry(c, id))
    );
  queueCommand("drop <id>", "forget an entry for good")
    .action((id: string, o) => run(o.json, async (c) => (await import("./queue.ts")).drop(c, id)));
  queueCommand("export <file>", "write what waits and what was refused as JSON lines")
    .action((file: string, o) =>
      run(o.json, async (c) => (await import("./queue.ts")).exportTo(c, file))
    );
  queueCommand("adopt <target>", "hand what waits for another identity to the one in force")
    .action((target: string, o) =>
      run(o.json, async (c) => (await import("./queue_take_over.ts")).adopt(c, target))
    );
  queueCommand("import-legacy", "take over what earlier plugins could not deliver")
    .requiredOption("--to <target>", "the target that receives it, as `queue list` names it")
    .action((o) =>
      run(o.json, async (c) => (await import("./queue_take_over.ts")).importLegacy(c, o.to))
    );

  const workspace = program.command("workspace").exitOverride()
    .description("settings for workspaces on this machine");
  const workspaceCommand = (spec: string, description: string) =>
    workspace.command(spec).description(description).exitOverride()
      .option("--json", "print one JSON document on stdout");
  workspaceCommand("list", "what is registered")
    .action((o) => run(o.json, async (c) => (await import("./workspace.ts")).list(c)));
  workspaceCommand("set <key> <value>", "set a value for the workspace of this directory")
    .action((key: string, value: string, o) =>
      run(o.json, async (c) => (await import("./workspace.ts")).set(c, key, value))
    );
  workspaceCommand("forget", "forget the workspace of this directory")
    .action((o) => run(o.json, async (c) => (await import("./workspace.ts")).forget(c)));

  command("serve", "the embedded engine over HTTP on loopback")
    .option("--port <n>", "port; 0 takes a free one", wholeNumber, 0)
    .option("--data <dir>", "folder of the memory file")
    .option("--hostname <address>", "address to listen on", "127.0.0.1")
    .action((o) => run(o.json, async (c) => (await import("./serve.ts")).serve(c, o)));

  command("search <query...>", "search memory by hand")
    .option("--limit <n>", "results at most", wholeNumber, 10)
    .action((q: string[], o) =>
      run(o.json, async (c) => (await import("./search.ts")).search(c, q.join(" "), o.limit))
    );
  command("show <uri>", "one memory as it is kept")
    .action((uri: string, o) => run(o.json, async (c) => (await import("./show.ts")).show(c, uri)));

  command("forget [uri]", "delete a memory or a session, its waiting copies included")
    .option("--session <id>", "everything said in this session and its subagents")
    .option("--last", "the last session of this directory")
    .option("--yes", "delete without asking")
    .action((uri: string | undefined, o) =>
      run(o.json, async (c) => (await import("./forget.ts")).forget(c, uri, o))
    );

  command("bypass", "stop remembering now, in a session or below a directory")
    .option("--session <id>", "this session only")
    .option("--dir <path>", "this directory and everything below it; default: here")
    .option("--off", "remember again")
    .action((o) => run(o.json, async (c) => (await import("./bypass.ts")).bypass(c, o)));
  return program;
}

function usageError(error: CommanderError): CommandError {
  const message = error.message.replace(/^error: /, "");
  return new CommandError("usage", message, "Run `openviking-agent --help`", EXIT.usage);
}

/** Parses `args`, runs one command and returns its exit code. */
export async function runProgram(
  runtime: ProcessRuntime,
  args: readonly string[],
): Promise<number> {
  const chosen: { json: boolean; work: Work }[] = [];
  const program = buildProgram((json, work) => chosen.push({ json: json === true, work }));
  const quietly = (command: Command) => {
    command.configureOutput({
      writeOut: (text) => runtime.writeStdout(text),
      writeErr: () => {},
    });
    command.commands.forEach(quietly);
  };
  quietly(program);
  if (args.length === 0) {
    runtime.writeStderr(program.helpInformation());
    return EXIT.usage;
  }
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.done;
    return reportFailure(createOutput(runtime, args.includes("--json")), usageError(error));
  }
  const [command] = chosen;
  if (command === undefined) return EXIT.usage;
  const output = createOutput(runtime, command.json);
  try {
    return await command.work({ runtime, output });
  } catch (error) {
    return reportFailure(output, error);
  }
}
