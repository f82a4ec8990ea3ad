/**
 * `queue adopt` and `queue import-legacy` as a person runs them.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
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

const find = (person: Person, query: string): string[] =>
  JSON.parse(person.run(["search", query, "--json"]).out).results
    .map((result: { text: string }) => result.text)
    .filter((text: string) => text.includes(query));

function legacy(person: Person, n: number, content: string): void {
  person.write(`.openviking/pending/${String(n).padStart(64, "0")}_0.json`, {
    type: "addMessage",
    sessionId: "cc-old",
    payload: { role: "user", content },
    createdAt: 1_796_000_000_000 + n,
    retries: 0,
    dedupKey: "",
  });
}

test("queue import-legacy takes over what an earlier plugin left, only when asked, and once [RTY-07]", async () => {
  await withPerson((person) => {
    legacy(person, 1, "Remember the walrus telescope.");
    legacy(person, 2, "And the copper staircase.");
    person.run(["queue", "drain", "--wait", "5"]);
    assert.deepEqual(find(person, "walrus telescope"), [], "not without being asked");

    const wrong = person.run(["queue", "import-legacy", "--to", "elsewhere"]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /--to local/);
    assert.equal(person.run(["queue", "import-legacy"]).code, 2);

    const done = person.run(["queue", "import-legacy", "--to", "local", "--json"]);
    assert.equal(done.code, 0, done.err);
    const { messages, commits, sessions, problems } = JSON.parse(done.out);
    assert.deepEqual([messages, commits, sessions, problems], [2, 0, 1, []]);
    assert.equal(person.run(["queue", "drain", "--wait", "20"]).code, 0);
    assert.equal(find(person, "walrus telescope").length, 1);
    assert.equal(find(person, "copper staircase").length, 1);

    const again = person.run(["queue", "import-legacy", "--to", "local", "--json"]);
    assert.equal(JSON.parse(again.out).messages, 0);
    legacy(person, 1, "Remember the walrus telescope.");
    person.run(["queue", "import-legacy", "--to", "local"]);
    person.run(["queue", "drain", "--wait", "20"]);
    assert.equal(find(person, "walrus telescope").length, 1);
  });
});

test("queue adopt hands what waits for one target to the one in force [RTY-03]", async () => {
  await withPerson((person) => {
    const conf = person.write(".openviking/ovcli.conf", {
      url: "http://127.0.0.1:9", // nobody listens there
      api_key: "k",
      account: "acme",
      user: "alice",
    });
    const transcript = person.write(
      ".claude/projects/p/s-1.jsonl",
      JSON.stringify({
        type: "user",
        uuid: "u-1",
        sessionId: "s-1",
        isSidechain: false,
        timestamp: "2026-11-30T10:00:01.000Z",
        promptId: "p",
        message: { role: "user", content: "The walrus telescope is broken." },
      }) + "\n",
    );
    const payload = { session_id: "s-1", transcript_path: transcript, cwd: person.project };
    for (const event of ["Stop", "SessionEnd"]) {
      person.hook(event, { ...payload, hook_event_name: event });
    }
    assert.equal(person.run(["queue", "drain", "--wait", "1"]).code, 3);
    const [target = ""] = readdirSync(join(person.home, ".openviking/agent/outbox"));

    person.write(conf, { plugin: { engine: "local" } });
    assert.equal(person.run(["queue", "drain", "--wait", "1"]).code, 3);
    assert.deepEqual(find(person, "walrus telescope"), [], "not without a decision");
    const unknown = person.run(["queue", "adopt", "nobody"]);
    assert.equal(unknown.code, 2);
    assert.ok(unknown.err.includes(target), unknown.err);

    const adopted = person.run(["queue", "adopt", target, "--json"]);
    assert.equal(adopted.code, 0, adopted.err);
    assert.equal(JSON.parse(adopted.out).changed, 1);
    assert.equal(person.run(["queue", "drain", "--wait", "20"]).code, 0);
    assert.equal(find(person, "walrus telescope").length, 1);
    const [commit] = JSON.parse(person.run(["status", "--json"]).out).commits;
    assert.deepEqual([commit.session, commit.target], ["cc-s-1", "local"]);
  });
});
