import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import process from "node:process";
import { makePerson, type Person } from "../support/person.ts";
import { payloadOf, type Said, writeTranscript } from "../support/said.ts";
import { projectRoot } from "../support/project.ts";

async function withPerson(work: (person: Person) => Promise<void> | void): Promise<void> {
  const person = await makePerson();
  try {
    await work(person);
  } finally {
    person.close();
  }
}

/** Two rows of a session reach memory. */
function remember(person: Person, session: string, rows: readonly Said[]): void {
  writeTranscript(person, session, rows);
  for (const event of ["Stop", "SessionEnd"]) {
    const end = person.run(["hook", "claude-code", event], {
      stdin: payloadOf(person, session, event),
    });
    assert.deepEqual([end.code, end.out, end.err], [0, "", ""]);
  }
  const drained = person.run(["queue", "drain", "--wait", "20"]);
  assert.equal(drained.code, 0, drained.err);
}

function found(person: Person, query: string): string[] {
  const { results } = JSON.parse(person.run(["search", query, "--json"]).out);
  return results.map((result: { uri: string }) => result.uri);
}

/** Files of ours that hold `word` in any byte. */
function filesWith(folder: string, word: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesWith(path, word);
    return existsSync(path) && readFileSync(path).includes(word) ? [path] : [];
  });
}

const agentOf = (person: Person): string => join(person.home, ".openviking/agent");

test("forget --session deletes what was said, leaves no byte of it, and its transcript does not bring it back", async () => {
  await withPerson((person) => {
    remember(person, "s-1", [["user", "The vault word is marzipan."], [
      "assistant",
      "Noted: marzipan.",
    ]]);
    remember(person, "s-2", [["user", "The gate word is nutmeg."], ["assistant", "Noted."]]);
    assert.ok(found(person, "marzipan").length > 0);

    const refused = person.run(["forget", "--session", "cc-s-1"]);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /--yes/);
    assert.ok(found(person, "marzipan").length > 0);

    const done = person.run(["forget", "--session", "s-1", "--yes"]);
    assert.equal(done.code, 0, done.err);
    assert.match(done.err, /cc-s-1: 2 message\(s\) on the embedded engine/);
    assert.deepEqual(found(person, "marzipan"), []);
    assert.ok(found(person, "nutmeg").length > 0);
    assert.deepEqual(filesWith(agentOf(person), "marzipan"), []);

    // The session goes on: what it said before stays forgotten, what it says now is remembered.
    writeTranscript(person, "s-1", [
      ["user", "The vault word is marzipan."],
      ["assistant", "Noted: marzipan."],
    ]);
    const path = join(person.home, ".claude/projects/p/s-1.jsonl");
    writeFileSync(
      path,
      readFileSync(path, "utf8") + `${
        JSON.stringify({
          type: "user",
          uuid: "s-1-later",
          sessionId: "s-1",
          timestamp: new Date(Date.now() + 1000).toISOString(),
          message: { role: "user", content: "The new vault word is praline." },
        })
      }\n`,
    );
    person.hook("Stop", payloadOf(person, "s-1", "Stop"));
    assert.equal(person.run(["queue", "drain", "--wait", "20"]).code, 0);
    assert.deepEqual(found(person, "marzipan"), []);
    assert.ok(found(person, "praline").length > 0);
    assert.deepEqual(filesWith(agentOf(person), "marzipan"), []);

    const again = person.run(["forget", "--session", "s-9", "--yes", "--json"]);
    assert.equal(again.code, 1);
    assert.equal(JSON.parse(again.out).error.code, "not-found");
  });
});

test("forget --last takes the last session of the directory, its unread events and queued copies included, while the server is away", async () => {
  await withPerson((person) => {
    // Nothing listens there: all stays in the queue.
    person.write(".openviking/ovcli.conf", { url: "http://127.0.0.1:9" });
    writeTranscript(person, "s-3", [["user", "The cellar word is juniper."]]);
    person.hook("Stop", payloadOf(person, "s-3", "Stop"));
    const waiting = () => JSON.parse(person.run(["queue", "list", "--json"]).out).pending.length;
    assert.ok(waiting() > 0);

    const done = person.run(["forget", "--last", "--yes", "--json"]);
    assert.equal(done.code, 1, "what the server may hold could not be deleted");
    const report = JSON.parse(done.out);
    assert.equal(report.engine, "server");
    assert.deepEqual(report.sessions, ["cc-s-3"]);
    assert.match(report.problems.join("\n"), /127\.0\.0\.1:9/);
    assert.equal(waiting(), 0);
    assert.deepEqual(filesWith(agentOf(person), "juniper"), []);

    // The transcript is read again, for the same session and for a fork that repeats its rows.
    person.hook("Stop", payloadOf(person, "s-3", "Stop"));
    writeTranscript(person, "s-4", []);
    const rows = readFileSync(join(person.home, ".claude/projects/p/s-3.jsonl"), "utf8");
    person.write(".claude/projects/p/s-4.jsonl", rows);
    person.hook("Stop", payloadOf(person, "s-4", "Stop"));
    person.run(["queue", "drain"]);
    assert.deepEqual(filesWith(agentOf(person), "juniper"), []);
  });
});

test("forget URI deletes one message, or a folder with what is below it, and nothing else", async () => {
  await withPerson((person) => {
    remember(person, "s-1", [["user", "The vault word is marzipan."], [
      "assistant",
      "Also saffron.",
    ]]);
    const [uri = ""] = found(person, "marzipan");
    assert.match(uri, /\/messages\/1$/);
    assert.equal(person.run(["show", uri]).code, 0);
    const done = person.run(["forget", uri, "--yes", "--json"]);
    assert.equal(done.code, 0, done.err);
    assert.equal(JSON.parse(done.out).deleted, 1);
    assert.deepEqual(found(person, "marzipan"), []);
    assert.ok(found(person, "saffron").length > 0);
    assert.equal(person.run(["show", uri]).code, 1);
    assert.deepEqual(filesWith(agentOf(person), "marzipan"), []);
    assert.equal(person.run(["forget", uri, "--yes"]).code, 1);
    // A session's URI means the session.
    const whole = person.run(["forget", "viking://~/sessions/cc-s-1", "--yes"]);
    assert.equal(whole.code, 0, whole.err);
    assert.deepEqual(found(person, "saffron"), []);
  });
});

const WRONG: readonly (readonly [readonly string[], RegExp])[] = [
  [["forget"], /--session.*--last/s],
  [["forget", "viking://~/x", "--last", "--yes"], /more than one/],
  [["forget", "notes.txt", "--yes"], /notes\.txt.*viking/s],
  [["forget", "--last"], /consent.*--yes/s],
  [["forget", "--last", "--json"], /consent/],
  [["forget", "--session", " ", "--yes"], /without an id/],
];

test("forget without a clear object or without consent is exit 2 and deletes nothing", async () => {
  await withPerson((person) => {
    for (const [args, message] of WRONG) {
      const end = person.run(args);
      assert.equal(end.code, 2, `${args.join(" ")}: ${end.err}`);
      assert.match(end.err + end.out, message, args.join(" "));
    }
    const none = person.run(["forget", "--last", "--yes"]);
    assert.equal(none.code, 1);
    assert.match(none.err, /none is known/);
  });
});

test("search, show and forget work on a server as they do on the embedded engine", async () => {
  await withPerson(async (person) => {
    const data = join(person.home, "served");
    mkdirSync(data);
    const server = spawn(process.execPath, [
      "run",
      "-A",
      join(projectRoot, "cli.ts"),
      "serve",
      "--data",
      data,
    ], { stdio: ["ignore", "pipe", "ignore"] });
    try {
      const [line] = await new Promise<string[]>((resolve) =>
        createInterface({ input: server.stdout }).once("line", (text) => resolve([text]))
      );
      const { url } = JSON.parse(line ?? "");
      person.write(".openviking/ovcli.conf", { url });
      remember(person, "s-1", [["user", "The vault word is marzipan."], ["assistant", "Fine."]]);
      const answer = JSON.parse(person.run(["search", "vault word", "--json"]).out);
      assert.equal(answer.engine, "server");
      assert.match(answer.results[0].text, /marzipan/);
      assert.equal(answer.results[0].session, "cc-s-1");
      assert.match(person.run(["show", answer.results[0].uri]).out, /marzipan/);
      const done = person.run(["forget", "--session", "s-1", "--yes"]);
      assert.equal(done.code, 0, done.err);
      assert.match(done.err, /Memories that the server made from them stay/);
      assert.deepEqual(found(person, "marzipan"), []);
      assert.deepEqual(filesWith(agentOf(person), "marzipan"), []);
    } finally {
      server.kill();
    }
  });
});

test("forget ends a worker that lives, and nothing of the session arrives after it", async () => {
  await withPerson((person) => {
    writeTranscript(person, "s-6", [["user", "The attic word is cardamom."]]);
    const end = person.hook("Stop", payloadOf(person, "s-6", "Stop"), {
      env: { OPENVIKING_WORKER_LINGER_MS: "60000" },
    });
    assert.equal(end.code, 0);
    const done = person.run(["forget", "--session", "cc-s-6", "--yes", "--json"]);
    assert.equal(done.code, 0, done.out + done.err);
    const lock = join(agentOf(person), "outbox/local/worker.lock");
    const pid = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : 0;
    if (pid > 1) assert.throws(() => process.kill(pid, 0), "the worker lives");
    assert.deepEqual(found(person, "cardamom"), []);
    assert.deepEqual(filesWith(agentOf(person), "cardamom"), []);
  });
});
