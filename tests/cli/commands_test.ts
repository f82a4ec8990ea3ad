import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePerson, type Person } from "../support/person.ts";

async function withPerson(work: (person: Person) => void): Promise<void> {
  const person = await makePerson();
  try {
    work(person);
  } finally {
    person.close();
  }
}

/** A transcript of one turn as Claude Code writes it, and a Stop for it. */
function sayOnce(person: Person, user: string, assistant: string, session = "s-1"): void {
  const row = (type: string, content: unknown, n: number) =>
    JSON.stringify({
      type,
      uuid: `${session}-${n}`,
      sessionId: session,
      isSidechain: false,
      timestamp: `2026-11-30T10:00:0${n}.000Z`,
      promptId: `${session}-p`,
      message: { role: type, content },
    });
  const transcript = person.write(
    `.claude/projects/p/${session}.jsonl`,
    `${row("user", user, 1)}\n${row("assistant", [{ type: "text", text: assistant }], 2)}\n`,
  );
  const payload = { session_id: session, transcript_path: transcript, cwd: person.project };
  for (const event of ["Stop", "SessionEnd"]) {
    const end = person.hook(event, { ...payload, hook_event_name: event });
    assert.deepEqual([end.code, end.out, end.err], [0, "", ""], event);
  }
  const drained = person.run(["queue", "drain", "--wait", "20"]);
  assert.equal(drained.code, 0, drained.err);
}

const USAGE: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /Usage/],
  [["no-such-command"], /no-such-command/],
  [["search"], /query/],
  [["search", "x", "--limit", "many"], /many/],
  [["search", "x", "--nonsense"], /--nonsense/],
  [["install", "--host", "nobody", "--yes"], /nobody.*claude-code/s],
  [["install", "--yes"], /no host was named.*--host/s],
  [["install", "--host", "claude-code"], /consent.*--yes/s],
  [["install", "--all", "--yes", "--hooks-only", "--mcp-only"], /--hooks-only.*--mcp-only/s],
  [["install", "--all", "--yes", "--engine", "cloud"], /cloud/],
  [["install", "--all", "--yes", "--api-key-stdin"], /--server/],
  [["show", "notes.txt"], /notes\.txt.*viking/s],
  [["workspace", "set", "url", "http://x"], /url/],
  [["workspace", "set", "recallLimit", "lots"], /lots/],
  [["serve", "--hostname", "0.0.0.0"], /0\.0\.0\.0.*OPENVIKING_API_KEY/s],
  [["doctor", "--cwd", "/no/such/folder"], /\/no\/such\/folder/],
  [["mcp"], /--host/],
];

test("wrong usage is exit 2 and names the value and the right form", async () => {
  await withPerson((person) => {
    for (const [args, message] of USAGE) {
      const end = person.run(args);
      assert.equal(end.code, 2, `${args.join(" ")}: ${end.err}`);
      assert.equal(end.out, "", args.join(" "));
      assert.match(end.err, message, args.join(" "));
      if (args.length === 0) continue;
      const json = person.run([...args, "--json"]);
      assert.equal(json.code, 2, args.join(" "));
      const { error } = JSON.parse(json.out);
      assert.deepEqual(Object.keys(error), ["code", "message", "fix"], args.join(" "));
      assert.equal(json.err, "", args.join(" "));
    }
  });
});

test("--version and --help answer on stdout with exit 0 [VER-04]", async () => {
  await withPerson((person) => {
    assert.match(person.run(["--version"]).out, /^\d+\.\d+\.\d+\n$/);
    const help = person.run(["--help"]);
    assert.equal(help.code, 0);
    for (const command of ["demo", "install", "doctor", "queue", "search"]) {
      assert.ok(help.out.includes(command), command);
    }
  });
});

test("search, show, status and queue list tell what a session left on the embedded engine [CAP-08] [IDN-01] [HOOK-10] [CMT-02]", async () => {
  await withPerson((person) => {
    sayOnce(person, "Remember: the deploy window is Tuesday at noon.", "Noted, Tuesday at noon.");
    const found = JSON.parse(person.run(["search", "deploy window", "--json"]).out);
    assert.equal(found.engine, "local");
    const [first] = found.results;
    assert.deepEqual(Object.keys(first), ["uri", "text", "score", "session", "created_at"]);
    assert.match(first.text, /Tuesday at noon/);
    assert.equal(first.session, "cc-s-1");
    const shown = person.run(["show", first.uri]);
    assert.equal(shown.code, 0, shown.err);
    assert.match(shown.out, /Tuesday at noon/);
    assert.deepEqual(JSON.parse(person.run(["search", "zebra giraffe", "--json"]).out).results, []);

    const status = JSON.parse(person.run(["status", "--json"]).out);
    assert.equal(status.engine, "local");
    assert.deepEqual(status.queue, { pending: 0, held: 0, dead: 0 });
    const ended = status.outcomes.find((o: { stage: string }) => o.stage === "session-end");
    assert.equal(ended.outcome, "queued");
    assert.equal(ended.host, "claude-code");
    const [commit] = status.commits;
    assert.equal(commit.session, "cc-s-1");
    assert.match(commit.phase, /^(archived|extracted)$/);
    assert.deepEqual(JSON.parse(person.run(["queue", "list", "--json"]).out).pending, []);
    assert.match(person.run(["status"]).out, /engine +embedded/);
    const line = person.run(["status", "--line", "--host", "claude-code"], {
      stdin: JSON.stringify({ session_id: "s-1" }),
    });
    assert.match(line.out, /^OV local[^\n]*\n$/);
  });
});

test("a bypassed directory is neither read nor written until it is taken back [CFG-13]", async () => {
  await withPerson((person) => {
    assert.equal(person.run(["bypass"]).code, 0);
    sayOnce(person, "The launch code is mango.", "Understood.");
    assert.deepEqual(JSON.parse(person.run(["search", "mango", "--json"]).out).results, []);
    assert.equal(person.run(["bypass", "--off"]).code, 0);
    sayOnce(person, "The launch fruit is papaya.", "Understood.", "s-2");
    assert.equal(
      JSON.parse(person.run(["search", "papaya", "--json"]).out).results.length > 0,
      true,
    );
  });
});

test("workspace values change what a hook does and are shown with their origin [CFG-03] [CFG-04]", async () => {
  await withPerson((person) => {
    assert.equal(person.run(["workspace", "set", "autoCapture", "false"]).code, 0);
    const config = JSON.parse(person.run(["doctor", "--offline", "--json"]).out).config;
    const entry = config.find((c: { key: string }) => c.key === "autoCapture");
    assert.equal(entry.value, false);
    assert.equal(entry.source, "workspace-registry");
    sayOnce(person, "The registry word is quince.", "Understood.");
    assert.deepEqual(JSON.parse(person.run(["search", "quince", "--json"]).out).results, []);
    assert.match(person.run(["workspace", "list"]).out, /autoCapture = false/);
    assert.match(person.run(["workspace", "forget"]).out, /Forgot/);
  });
});

test("doctor tells version, values, connection, peer, hosts and queue, and fails on a broken configuration [DOC-02] [DOC-04] [CRD-14]", async () => {
  await withPerson((person) => {
    const report = JSON.parse(person.run(["doctor", "--offline", "--json"]).out);
    assert.equal(report.ok, true);
    assert.equal(report.connection.engine, "local");
    assert.match(report.peer.id, /app/);
    assert.equal(report.peer.source, "git-remote");
    assert.equal(report.hosts[0].id, "claude-code");
    assert.ok(report.hosts[0].budgets.Stop > 0);
    assert.ok(report.config.length > 20);
    for (const { state } of report.checks) assert.match(state, /^(ok|warn|fail|skip)$/);

    const file = person.write(".openviking/ovcli.conf", '{"url": ', 0o644);
    const broken = person.run(["doctor", "--offline", "--json"]);
    assert.equal(broken.code, 1);
    const checks = JSON.parse(broken.out).checks as { state: string; message: string }[];
    assert.ok(checks.some((c) => c.state === "fail" && c.message.includes(file)));
    assert.ok(checks.some((c) => c.state === "warn" && /Other users can read/.test(c.message)));
  });
});

test("doctor fails with the next step when what install wrote cannot run, and that step mends it [DOC-02] [DOC-08]", async () => {
  await withPerson((person) => {
    const install = () => person.run(["install", "--host", "claude-code", "--yes"]);
    const installation = () => {
      const end = person.run(["doctor", "--offline", "--json"]);
      const found = JSON.parse(end.out).checks.find((c: { id: string }) => c.id === "installation");
      return [end.code, found.state, found.message, found.fix];
    };
    assert.equal(install().code, 0);
    assert.deepEqual(installation(), [0, "ok", "Hooks and MCP are installed", ""]);
    const pointer = join(person.home, ".openviking/agent/current");
    rmSync(pointer);
    assert.deepEqual(installation(), [
      1,
      "fail",
      `The installed hooks cannot run: ${pointer} does not name a version`,
      "Run `openviking-agent install --host claude-code`",
    ]);
    assert.equal(install().code, 0);
    assert.equal(installation()[0], 0);
  });
});

test("status and doctor name the folder and the next step when hooks can keep nothing [DOC-05]", async () => {
  for (const folder of ["agent", "agent/state", "agent/state/outcomes", "agent/outbox"]) {
    await withPerson((person) => {
      const path = person.write(`.openviking/${folder}`, "in the way");
      const status = person.run(["status"]);
      assert.equal(status.code, 0);
      const line =
        `Cannot write ${path}: it is not a folder; hooks and the queue keep nothing there`;
      assert.ok(
        status.out.includes(`! ${line}. Make ${path} a folder that you can write`),
        status.out,
      );
      assert.ok(!status.out.includes("No hook has run yet"), status.out);
      assert.equal(person.run(["status", "--line"]).out, "OV cannot write its folder\n");
      const doctor = person.run(["doctor", "--offline", "--json"]);
      assert.equal(doctor.code, 1, doctor.out);
      const checks = JSON.parse(doctor.out).checks as { message: string; state: string }[];
      assert.equal(checks.find((c) => c.message === line)?.state, "fail");
    });
  }
});

test("demo names TMPDIR and the next step when that folder is absent", async () => {
  await withPerson((person) => {
    const absent = join(person.home, "no/such");
    const end = person.run(["demo"], { env: { TMPDIR: absent } });
    assert.equal(end.code, 1);
    assert.match(end.err, /Cannot make a folder in .*\/no\/such: not-found\n.*Set TMPDIR/);
    assert.ok(end.err.includes(absent));
  });
});

test("doctor and status never print a key [DOC-07]", async () => {
  await withPerson((person) => {
    const key = ["key", "of", "nobody", "0123456789abcdef"].join("-");
    person.write(".openviking/ovcli.conf", { url: "http://127.0.0.1:9", api_key: key });
    for (const args of [["doctor"], ["doctor", "--json"], ["status"], ["status", "--json"]]) {
      const end = person.run(args);
      assert.ok(!(end.out + end.err).includes(key), args.join(" "));
    }
    const report = JSON.parse(person.run(["doctor", "--json"]).out);
    assert.equal(report.ok, false);
    assert.ok(
      report.checks.some((c: { state: string; message: string }) =>
        c.state === "fail" && c.message.includes("127.0.0.1:9")
      ),
    );
  });
});

test("debug writes a log with host, stage, session, latency and trace id and no words of the user [DOC-06] [DOC-07]", async () => {
  await withPerson((person) => {
    const end = person.hook("UserPromptSubmit", {
      session_id: "s-9",
      cwd: person.project,
      prompt: "Where did we hide the marmalade?",
    }, { env: { OPENVIKING_DEBUG: "1" } });
    assert.equal(end.code, 0);
    const path = join(person.home, ".openviking/agent/logs/hooks.log");
    const text = readFileSync(path, "utf8");
    const record = JSON.parse(text.trim());
    assert.deepEqual(
      [record.host, record.stage, record.session, typeof record.ms, typeof record.trace_id],
      ["claude-code", "prompt", "cc-s-9", "number", "string"],
    );
    assert.ok(!text.includes("marmalade"));
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });
});

test("hooks deliver before they end when writePathAsync is off [EXIT-09]", async () => {
  await withPerson((person) => {
    const transcript = person.write(
      ".claude/projects/p/s-5.jsonl",
      `${
        JSON.stringify({
          type: "user",
          uuid: "s-5-1",
          timestamp: "2026-11-30T10:00:01.000Z",
          message: { role: "user", content: "The synchronous word is kumquat." },
        })
      }\n`,
    );
    const end = person.hook("Stop", {
      session_id: "s-5",
      transcript_path: transcript,
      cwd: person.project,
    }, { env: { OPENVIKING_WRITE_PATH_ASYNC: "0" } });
    assert.equal(end.code, 0);
    const found = JSON.parse(person.run(["search", "kumquat", "--json"]).out);
    assert.equal(found.results.length, 1);
    const status = JSON.parse(person.run(["status", "--json"]).out);
    assert.equal(status.outcomes[0].outcome, "ok");
  });
});
