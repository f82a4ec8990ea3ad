import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { importLegacyQueue, type LegacyReport } from "../../lib/outbox/queue/import_legacy.ts";
import { OutboxFixture, SETTINGS } from "../support/outbox_fixture.ts";

/** The earlier plugins' folder, and a way to write what they left. */
class Legacy {
  readonly f = new OutboxFixture();
  readonly folder = `${this.f.home}/pending`;
  #n = 0;
  constructor() {
    mkdirSync(this.folder, { mode: 0o700 });
  }
  write(
    type: string,
    sessionId: string,
    payload: unknown,
    { ending = "_0.json", createdAt = 1_796_000_000_000 + this.#n } = {},
  ): string {
    const name = `${String(++this.#n).padStart(64, "0")}${ending}`;
    const entry = { type, sessionId, payload, createdAt, retries: 0, dedupKey: name.slice(0, 64) };
    writeFileSync(`${this.folder}/${name}`, JSON.stringify(entry));
    return name;
  }
  import(): LegacyReport {
    return importLegacyQueue({
      runtime: this.f.runtime,
      agentHome: this.f.agentHome,
      folder: this.folder,
      to: this.f.target,
      settings: { ...SETTINGS, commitTokenThreshold: 0 },
      secrets: [],
      hostOf: () => "claude-code",
    });
  }
  left(): string[] {
    return readdirSync(this.folder).filter((name) => name !== "imported").sort();
  }
}

test("importLegacyQueue() delivers what earlier plugins left, in order, with its commit and its parameters [RTY-07] [CMT-06] [RTY-09]", async () => {
  const l = new Legacy();
  l.write("addMessage", "cc-a", { role: "user", content: "one", peer_id: "repo-1" });
  l.write("addMessage", "cc-b", { role: "user", content: "other" });
  l.write("addMessage", "cc-a", {
    role: "assistant",
    parts: [{ type: "tool", tool_id: "t1", tool_name: "Bash", tool_output: "two" }],
    created_at: "2026-08-30T10:00:00Z",
    turn_id: "turn-1",
  });
  l.write("commitSession", "cc-a", { keep_recent_count: 1 });
  l.write("addMessage", "cc-a", { role: "user", content: "three" });
  assert.deepEqual(l.import(), { messages: 4, commits: 1, sessions: 2, problems: [] });
  await l.f.work();
  assert.deepEqual(l.f.engine.texts("cc-a"), ["one", "two", "three"]);
  assert.deepEqual(l.f.engine.texts("cc-b"), ["other"]);
  const commit = l.f.engine.commits.find(({ session }) => session === "cc-a");
  assert.equal(l.f.engine.commits.filter(({ session }) => session === "cc-a").length, 1);
  assert.deepEqual([commit?.session, commit?.live, commit?.body["keep_recent_count"]], [
    "cc-a",
    2,
    1,
  ]);
  const second = l.f.engine.order.find(({ text }) => text === "two")?.raw;
  assert.deepEqual([second?.["created_at"], second?.["turn_id"], second?.["peer_id"]], [
    "2026-08-30T10:00:00Z",
    "turn-1",
    "repo-1",
  ]);
});

test("importLegacyQueue() imports nothing twice, whether files were moved or came back", async () => {
  const l = new Legacy();
  const name = l.write("addMessage", "cc-a", { role: "user", content: "one" });
  const text = readFileSync(`${l.folder}/${name}`);
  l.import();
  assert.deepEqual(l.left(), []);
  assert.deepEqual(readdirSync(`${l.folder}/imported`), [name]);
  assert.equal(l.import().messages, 0);
  await l.f.work();
  writeFileSync(`${l.folder}/${name}`, text); // an import that died before it had moved the file
  assert.equal(l.import().messages, 1);
  await l.f.work();
  assert.deepEqual(l.f.engine.texts(), ["one"]);
});

test("importLegacyQueue() leaves what it cannot use or what is being sent, and says so", () => {
  const l = new Legacy();
  writeFileSync(`${l.folder}/broken_0.json`, "{");
  writeFileSync(`${l.folder}/list_0.json`, "[]");
  l.write("deleteEverything", "cc-a", {});
  l.write("addMessage", "", { role: "user", content: "x" });
  const young = l.write("addMessage", "cc-a", { role: "user", content: "in flight" }, {
    ending: "_0.processing",
  });
  const old = l.write("addMessage", "cc-a", { role: "user", content: "given up" }, {
    ending: "_0.processing",
  });
  const now = l.f.clock.now / 1000;
  utimesSync(`${l.folder}/${young}`, now - 60, now - 60);
  utimesSync(`${l.folder}/${old}`, now - 3600, now - 3600);
  const report = l.import();
  assert.deepEqual([report.messages, report.problems.length, l.left().length], [1, 5, 5]);
  assert.match(report.problems.join("\n"), /is sending it/);
  assert.ok(!l.left().includes(old));
});

test("importLegacyQueue() writes no secret anywhere", () => {
  const l = new Legacy();
  const secret = ["sk", "live", "a1B2c3D4e5F6g7H8i9J0k1L2"].join("-");
  l.write("addMessage", "cc-a", { role: "user", content: `use api_key=${secret} now` });
  l.import();
  const spool = `${l.f.folder}/spool`;
  const [file = ""] = readdirSync(spool);
  const text = readFileSync(`${spool}/${file}`, "utf8");
  assert.match(text, /use api_key=/);
  assert.ok(!text.includes(secret));
});
