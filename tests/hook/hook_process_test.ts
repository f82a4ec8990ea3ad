import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../support/project.ts";
import { type CommandEnd, makePerson, type Person } from "../support/person.ts";

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "Stop",
  "PreCompact",
  "SessionEnd",
  "SubagentStart",
  "SubagentStop",
] as const;

const RECORDED: Readonly<Record<string, string>> = {
  SessionStart: "SessionStart.startup",
  PreToolUse: "PreToolUse.Read",
  PreCompact: "PreCompact.manual",
  SessionEnd: "SessionEnd.other",
};

function payload(person: Person, event: string, over: Record<string, unknown> = {}) {
  const name = RECORDED[event] ?? event;
  const file = join(projectRoot, `tests/fixtures/claude-code-2.1.332/hooks/${name}.json`);
  return {
    ...JSON.parse(readFileSync(file, "utf8")),
    cwd: person.project,
    transcript_path: join(person.home, "no-transcript.jsonl"),
    ...over,
  };
}

function assertNoOp(end: CommandEnd, what: string): void {
  assert.deepEqual([end.code, end.out, end.err], [0, "", ""], what);
}

function outcomes(person: Person): { stage: string; outcome: string; detail: string }[] {
  return JSON.parse(person.run(["status", "--json"]).out).outcomes;
}

async function withPerson(work: (person: Person) => void | Promise<void>): Promise<void> {
  const person = await makePerson();
  try {
    await work(person);
  } finally {
    person.run(["queue", "drain", "--wait", "10"]);
    person.close();
  }
}

test("hook answers every event with a valid no-op on an empty memory [HOOK-05] [RCL-04] [HOOK-01]", async () => {
  await withPerson((person) => {
    for (const event of EVENTS) assertNoOp(person.hook(event, payload(person, event)), event);
  });
});

test("hook answers malformed input with nothing and a record [HOOK-07] [BR-043]", async () => {
  const inputs = [
    "",
    " ",
    "null",
    "[]",
    "42",
    '"text"',
    "{",
    '{"session_id":',
    "\u0000",
    "<html>",
    "}{",
    "\ufeff{}",
  ];
  await withPerson((person) => {
    for (const input of inputs) {
      assertNoOp(person.hook("UserPromptSubmit", input), JSON.stringify(input));
    }
    const last = outcomes(person).filter((o) => o.stage === "prompt");
    assert.ok(last.length > 0);
    assert.ok(last.some((o) => o.outcome === "error" && /stdin/.test(o.detail)));
  });
});

test("hook answers odd fields with nothing [HOOK-07]", async () => {
  await withPerson((person) => {
    for (const odd of [null, 5, [], { a: 1 }, "\ud800", "../../etc/passwd", "/dev/zero"]) {
      const over = { session_id: odd, cwd: odd, transcript_path: odd, prompt: odd, source: odd };
      for (const event of ["SessionStart", "UserPromptSubmit", "Stop"]) {
        assertNoOp(person.hook(event, payload(person, event, over)), `${event} ${String(odd)}`);
      }
    }
  });
});

test("hook answers unknown hosts, events and flags with nothing and one record", async () => {
  await withPerson((person) => {
    for (
      const args of [
        ["no-such-host", "Stop"],
        ["claude-code", "NoSuchEvent"],
        ["claude-code", "stop"],
        ["claude-code", ""],
        ["claude-code", "Stop", "--flag"],
        [],
      ]
    ) {
      assertNoOp(person.run(["hook", ...args], { stdin: "{}" }), args.join(" "));
    }
    const details = outcomes(person).map((o) => o.detail).join("\n");
    assert.match(details, /No hook for host "no-such-host"/);
    assert.match(details, /Unknown event "NoSuchEvent"/);
  });
});

test("hook reads and writes nothing when memory is off or bypassed [CFG-13] [DOC-05] [HOOK-02]", async () => {
  const cases: readonly [Record<string, string>, string][] = [
    [{ OPENVIKING_MEMORY_ENABLED: "0" }, "disabled"],
    [{ OPENVIKING_BYPASS_SESSION: "1" }, "bypassed"],
    [{ OPENVIKING_BYPASS_SESSION_PATTERNS: "**/project" }, "bypassed"],
  ];
  for (const [env, outcome] of cases) {
    await withPerson((person) => {
      for (const event of EVENTS) {
        if (event === "PreToolUse") continue;
        assertNoOp(person.hook(event, payload(person, event), { env }), `${event} ${outcome}`);
      }
      const agent = join(person.home, ".openviking/agent");
      assert.equal(existsSync(join(agent, "outbox")), false, "nothing was queued");
      assert.equal(existsSync(join(agent, "local")), false, "no memory was opened");
      assert.deepEqual([...new Set(outcomes(person).map((o) => o.outcome))], [outcome]);
    });
  }
});

test("hook keeps denying with a broken configuration and memory off [HOOK-06] [GRD-01]", async () => {
  await withPerson((person) => {
    person.write(".openviking/ovcli.conf", '{"url": ');
    const call = { tool_name: "Read", tool_input: { file_path: "viking://user/x" } };
    const end = person.hook("PreToolUse", payload(person, "PreToolUse", call), {
      env: { OPENVIKING_MEMORY_ENABLED: "0" },
    });
    assert.equal(end.code, 0);
    assert.equal(JSON.parse(end.out).hookSpecificOutput.permissionDecision, "deny");
  });
});

test("hook says once per session that the configuration is broken, and keeps the event [CFG-19] [BR-014] [RTY-10]", async () => {
  await withPerson((person) => {
    const file = person.write(".openviking/ovcli.conf", '{"url": ');
    const start = person.hook("SessionStart", payload(person, "SessionStart"));
    assert.equal(start.code, 0);
    assert.match(JSON.parse(start.out).systemMessage, /ovcli\.conf.*openviking-agent doctor/s);
    assertNoOp(person.hook("UserPromptSubmit", payload(person, "UserPromptSubmit")), "only once");
    assertNoOp(person.hook("Stop", payload(person, "Stop")), "Stop");
    const status = JSON.parse(person.run(["status", "--json"]).out);
    assert.equal(status.engine, "unknown");
    assert.ok(status.queue.pending + status.queue.held > 0, "the events wait");
    assert.ok(status.notices.some((notice: string) => notice.includes(file)));
    assert.equal(readFileSync(file, "utf8"), '{"url": ', "the file is untouched");
    person.write(".openviking/ovcli.conf", "{}");
    assert.equal(
      person.run(["queue", "drain", "--wait", "20"]).code,
      0,
      "and go once it is mended",
    );
  });
});

test("hook keeps its files to the user [BR-135]", async () => {
  await withPerson((person) => {
    person.hook("SessionStart", payload(person, "SessionStart"));
    const agent = join(person.home, ".openviking/agent");
    for (const folder of ["", "outbox", "outbox/local", "outbox/local/spool", "state"]) {
      assert.equal(statSync(join(agent, folder)).mode & 0o777, 0o700, folder);
    }
  });
});

test("hook answers validly where nothing can be written [HOOK-05]", async () => {
  // As root permissions bind nobody: a file in the place of the folder has the same effect.
  await withPerson((person) => {
    const blocked = person.write("blocked", "");
    const env = { OPENVIKING_AGENT_HOME: join(blocked, "agent") };
    for (const event of EVENTS) {
      const end = person.hook(event, payload(person, event), { env });
      assert.deepEqual([end.code, end.err], [0, ""], event);
      if (end.out !== "") assert.doesNotThrow(() => JSON.parse(end.out), event);
    }
  });
});
