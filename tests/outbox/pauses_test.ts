import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { type CaptureEvent, noteCapture, prunePauses } from "../../lib/outbox/pauses.ts";
import { OutboxFixture, type Transcript } from "../support/outbox_fixture.ts";

/** A session whose hooks note what they find. */
class PausedSession {
  readonly f = new OutboxFixture();
  readonly t: Transcript = this.f.transcript();

  #note(kind: CaptureEvent["kind"], isCaptured: boolean): void {
    this.f.clock.now += 5000;
    noteCapture(this.f.runtime, this.f.agentHome, {
      session: "cc-1",
      isCaptured,
      kind,
      at: this.f.clock.now,
      transcriptPath: this.t.path,
    });
  }
  say(text: string): void {
    this.f.clock.now += 5000;
    this.t.row("user", text, { timestamp: new Date(this.f.clock.now).toISOString() });
  }
  prompt(isCaptured: boolean): void {
    this.#note("prompt", isCaptured);
  }
  start(isCaptured: boolean): void {
    this.#note("start", isCaptured);
  }
  /** A turn's end that the foreground records, or does not. */
  stop(isCaptured: boolean): void {
    this.#note("end", isCaptured);
    if (!isCaptured) return;
    const { path } = this.t;
    const size = statSync(path).size;
    this.f.spool("cc-1", { transcript: { path, size, inode: 0, decoder: "claude-code" } });
  }
  async texts(): Promise<string[]> {
    await this.f.work();
    return this.f.engine.texts();
  }
}

test("a turn recorded before a pause and read during it is kept, the pause is not", async () => {
  const s = new PausedSession();
  s.say("a");
  s.stop(true);
  s.prompt(false);
  s.say("SECRET");
  assert.deepEqual(await s.texts(), ["a"]);
  s.stop(false);
  s.prompt(true);
  s.say("b");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a", "b"]);
});

test("rows that the host writes late belong to the pause they were said in", async () => {
  const s = new PausedSession();
  s.prompt(false);
  s.say("SECRET 1");
  s.stop(false);
  s.say("SECRET 2");
  s.prompt(true);
  s.say("a");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a"]);
});

test("a turn in whose middle capture is switched on is passed over whole, the next one is kept", async () => {
  const s = new PausedSession();
  s.prompt(false);
  s.say("SECRET");
  s.stop(true);
  s.prompt(true);
  s.say("a");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a"]);
});

test("an interrupted turn of a pause does not take the next turn with it", async () => {
  const s = new PausedSession();
  s.prompt(false);
  s.say("SECRET");
  s.prompt(true);
  s.say("a");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a"]);
});

test("a session that was off from its start is not taken in when it is resumed", async () => {
  const s = new PausedSession();
  s.start(false);
  s.say("SECRET");
  s.stop(false);
  s.start(true);
  s.say("a");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a"]);
});

test("several pauses in one session are all passed over", async () => {
  const s = new PausedSession();
  for (const round of ["1", "2", "3"]) {
    s.say(`on ${round}`);
    s.stop(true);
    s.say(`SECRET ${round}`);
    s.stop(false);
  }
  s.say("on 4");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["on 1", "on 2", "on 3", "on 4"]);
});

test("the idle sweep passes over a pause that still goes on", async () => {
  const s = new PausedSession();
  s.say("a");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a"]);
  s.say("SECRET");
  s.stop(false);
  s.f.clock.now += 24 * 3_600_000;
  assert.deepEqual(await s.texts(), ["a"]);
  assert.ok(s.f.engine.commits.length > 0, "the sweep ran");
});

test("what is said after the event that is read waits for the next one, which may find capture off", async () => {
  const s = new PausedSession();
  s.say("a");
  s.stop(true);
  s.say("SECRET");
  assert.deepEqual(await s.texts(), ["a"]);
  s.stop(false);
  s.say("b");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a", "b"]);
});

test("a row of the turn that the host writes after its hook is read", async () => {
  const s = new PausedSession();
  s.say("a");
  s.stop(true);
  s.t.row("assistant", [{ type: "text", text: "b" }], {
    timestamp: new Date(s.f.clock.now - 1000).toISOString(),
  });
  assert.deepEqual(await s.texts(), ["a", "b"]);
});

test("the idle sweep reads what no event told of", async () => {
  const s = new PausedSession();
  s.say("a");
  s.stop(true);
  s.say("b");
  assert.deepEqual(await s.texts(), ["a"]);
  s.f.clock.now += 24 * 3_600_000;
  assert.deepEqual(await s.texts(), ["a", "b"]);
});

test("what is written after a pause's last event waits for the event that tells", async () => {
  const s = new PausedSession();
  s.say("a");
  s.stop(true);
  s.say("SECRET 1");
  s.stop(false);
  s.say("b");
  assert.deepEqual(await s.texts(), ["a"]);
  s.stop(true);
  s.say("SECRET 2");
  s.stop(false);
  s.say("SECRET 3");
  assert.deepEqual(await s.texts(), ["a", "b"]);
  s.stop(false);
  s.say("c");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a", "b", "c"]);
});

test("dates tell when the transcript is another file by now", async () => {
  const s = new PausedSession();
  s.say("a");
  s.stop(true);
  await s.f.work();
  s.say("SECRET");
  s.stop(false);
  const lines = s.t.lines();
  renameSync(s.t.path, `${s.t.path}.old`);
  s.t.rewrite(lines);
  s.say("b");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a", "b"]);
});

test("a damaged note counts everything so far as said while off", async () => {
  const s = new PausedSession();
  s.say("SECRET");
  s.stop(false);
  writeFileSync(`${s.f.agentHome}/state/pauses/cc-1.json`, "{");
  s.start(true);
  s.say("a");
  s.stop(true);
  assert.deepEqual(await s.texts(), ["a"]);
});

test("noteCapture() leaves no file where capture was never off", () => {
  const s = new PausedSession();
  mkdirSync(`${s.f.agentHome}/state`, { recursive: true });
  s.say("a");
  s.prompt(true);
  assert.equal(existsSync(`${s.f.agentHome}/state/pauses`), false);
});

test("prunePauses() keeps a note as long as its transcript is there", () => {
  const s = new PausedSession();
  s.say("SECRET");
  s.stop(false);
  const note = `${s.f.agentHome}/state/pauses/cc-1.json`;
  utimesSync(note, 1, 1);
  assert.equal(prunePauses(s.f.runtime, s.f.agentHome, Date.now()), 0);
  renameSync(s.t.path, `${s.t.path}.old`);
  assert.equal(prunePauses(s.f.runtime, s.f.agentHome, Date.now()), 1);
});
