/**
 * Drives the real Claude Code against a mock model, with the product installed in the lab's home.
 * Runs inside a network namespace that has nothing but loopback; prints one JSON document.
 *
 * Arguments: folder of the host lab, folder of the lab run (home and project are below it).
 */
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { printLine } from "../support/terminal.ts";

const [labCode = "", labDir = ""] = process.argv.slice(2);
const lab = await import(pathToFileURL(join(labCode, "lab.mjs")).href);
const adapter =
  (await import(pathToFileURL(join(labCode, "hosts/claude.adapter.mjs")).href)).default;

const context = lab.makeLab(labDir, { keep: true });
const settings = join(context.home, ".claude/settings.json");
const installed = readFileSync(settings);
const scenario = { noUserHooks: true, mcp: false };
const launcher = join(context.home, ".openviking/agent/bin/openviking-agent");

interface ModelRequest {
  readonly body?: { readonly messages?: unknown[]; readonly tools?: { readonly name: string }[] };
}

function requests(): ModelRequest[] {
  try {
    return readFileSync(join(labDir, "requests.jsonl"), "utf8").trim().split("\n")
      .map((row) => JSON.parse(row) as ModelRequest)
      .filter((request) => request.body?.messages !== undefined);
  } catch {
    return [];
  }
}

async function session(name: string, prompt: string, resume = false): Promise<unknown> {
  if (!resume) context.sid = randomUUID();
  const step = adapter.command(context, scenario, {
    name,
    prompt,
    resume,
    args: ["--output-format", "stream-json", "--verbose", "--include-hook-events"],
  });
  const env = { ...step.env, PATH: "/usr/bin:/bin" };
  const before = requests().length;
  const done = await lab.runStep(context, name, step.bin, step.args, env, { limit_ms: 90_000 });
  const events = readFileSync(join(labDir, `${name}.out`), "utf8").split("\n").flatMap((row) => {
    try {
      const event = JSON.parse(row);
      return event.type === "system" && /hook/.test(event.subtype ?? "") ? [event] : [];
    } catch {
      return [];
    }
  });
  return {
    code: done.code,
    session: context.sid,
    stderr: readFileSync(join(labDir, `${name}.err`), "utf8").slice(0, 500),
    hooks: events,
    requests: requests().slice(before).map((request) => request.body),
  };
}

async function product(...args: string[]): Promise<{ code: number | null; out: string }> {
  const name = `product-${args[0]}-${Date.now()}`;
  const env = { HOME: context.home, PATH: "/usr/bin:/bin" };
  const done = await lab.runStep(context, name, launcher, args, env, { limit_ms: 60_000 });
  return { code: done.code, out: readFileSync(join(labDir, `${name}.out`), "utf8") };
}

const say = (text: string) => ({ text });
const read = (path: string) => ({ tools: [{ name: "Read", input: { file_path: path } }] });
const write = (path: string) => ({
  tools: [{ name: "Write", input: { file_path: path, content: "text" } }],
});
context.mock = await lab.startMock(context, {
  turns: [
    say("Noted: PELICAN-7 is the release train."),
    read("viking://user/default/memories/x.md"),
    write("viking://user/default/memories/x.md"),
    { tools: [{ name: "Bash", input: { command: "cat < viking://user/default/x.md" } }] },
    read(`${context.proj}/notes.txt`),
    write(`${context.proj}/new.txt`),
    say("It is PELICAN-7."),
    say("The day is Thursday."),
    say("spare"),
    say("spare"),
  ],
});
Object.assign(console, { log: () => {} }); // the lab reports its steps; stdout is ours
try {
  await adapter.setup(context, scenario);
  writeFileSync(settings, installed); // the lab's adapter writes settings of its own
  const first = await session(
    "first",
    "Please remember: the release train of the billing service is called PELICAN-7 and leaves on Thursdays.",
  );
  const drainFirst = await product("queue", "drain", "--wait", "20");
  const second = await session(
    "second",
    "What is the release train of the billing service called?",
  );
  const resumed = await session("resumed", "And on which day does it leave?", true);
  const drainSecond = await product("queue", "drain", "--wait", "20");
  const found = await product("search", "release", "train", "PELICAN", "--limit", "20", "--json");
  const status = await product("status", "--json");
  printLine(JSON.stringify({ first, second, resumed, drainFirst, drainSecond, found, status }));
} finally {
  context.mock.stop();
}
process.exit(0);
