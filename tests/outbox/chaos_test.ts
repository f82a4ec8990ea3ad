import { test } from "node:test";
import assert from "node:assert/strict";
import type { Fault } from "../support/fake_engine.ts";
import { OutboxFixture, type Transcript } from "../support/outbox_fixture.ts";

/** Rounds of one run; each is one event with one disturbance. */
const ROUNDS = Number(Deno.env.get("CHAOS_ROUNDS") ?? 60);
const SEEDS = (Deno.env.get("CHAOS_SEEDS") ?? "1,2,3").split(",").map(Number);

function randomOf(seed: number): () => number {
  let x = seed;
  return () => (x = (Math.imul(x, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

const FAULTS: readonly (() => Fault)[] = [
  () => ({ kind: "drop" }),
  () => ({ kind: "drop", after: true }),
  () => ({ kind: "drop", late: 8_000 }),
  () => ({ kind: "status", status: 500 }),
  () => ({ kind: "status", status: 500, after: true }),
  () => ({ kind: "status", status: 503 }),
  () => ({ kind: "status", status: 429, retryAfter: 3 }),
  () => ({ kind: "status", status: 401 }),
  () => ({ kind: "status", status: 409, details: { retryable: true } }),
  () => ({ kind: "html" }),
  () => ({ kind: "html", status: 502 }),
];

class Killed extends Error {}

async function chaos(seed: number): Promise<void> {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const f = new OutboxFixture();
  const said = new Map<string, string[]>();
  const transcripts = new Map<string, Transcript>();
  let n = 0;
  const begin = (): string => {
    const id = `cc-${said.size}`;
    said.set(id, []);
    transcripts.set(id, f.transcript());
    return id;
  };
  const live = [begin(), begin(), begin()];
  const say = (id: string): void => {
    const t = transcripts.get(id)!;
    for (let i = 0; i <= random() * 3; i++) {
      const [u, a] = [`u${n}`, `a${n++}`];
      t.user(u);
      if (random() < 0.3) {
        t.row("assistant", [{
          type: "tool_use",
          id: `tool${n}`,
          name: "Bash",
          input: { command: "ls" },
        }]);
        t.row("user", [{ type: "tool_result", tool_use_id: `tool${n}`, content: `out${n}` }]);
        said.get(id)!.push(u, `out${n}`, a);
      } else said.get(id)!.push(u, a);
      t.assistant(a);
    }
  };
  let kills = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const id = pick(live);
    const path = transcripts.get(id)!.path;
    say(id);
    const kind = random();
    if (kind < 0.1) f.spool(id, { path, boundary: { reason: "pre-compact", keepRecentCount: 0 } });
    else if (kind < 0.2) {
      f.end(id, path);
      live[live.indexOf(id)] = begin();
    } else f.spool(id, { path });
    if (random() < 0.1) f.spool(id, { path, begins: "resume" });

    const fault = random() < 0.6 ? pick(FAULTS)() : undefined;
    const rate = random();
    const onlyWrites = random() < 0.5;
    f.engine.fault = (request) =>
      fault !== undefined && random() < rate && (!onlyWrites || request.method === "POST")
        ? fault
        : undefined;
    let fuse = random() < 0.5 ? Math.floor(random() * 12) : Infinity;
    const result = await f.work(random() * 20, {
      checkpoint: () => {
        if (fuse-- <= 0) throw new Killed("killed");
      },
      random,
    });
    if (result.ended === "failed") {
      assert.equal(result.detail, "killed");
      kills++;
    }
    f.clock.now += random() * 10_000;
    if (fault?.kind === "status" && fault.status === 401) f.key = `k${round}`;
  }
  f.engine.fault = () => undefined;
  for (const [id, transcript] of transcripts) f.end(id, transcript.path);
  f.clock.now += 3_600_000;
  for (let i = 0; i < 5; i++) await f.work(600);

  for (const [id, words] of said) {
    assert.deepEqual(f.engine.texts(id), words, `session ${id}, seed ${seed}`);
  }
  for (const id of said.keys()) {
    const last = f.engine.commits.filter(({ session }) => session === id).at(-1);
    const lastMessage = f.engine.order.filter(({ session }) => session === id).at(-1);
    if (lastMessage !== undefined) {
      assert.ok(last && last.at > lastMessage.n, `commit of ${id}, seed ${seed}`);
    }
  }
  for (const { session, at } of f.engine.commits) {
    assert.ok(
      f.engine.order.some((m) => m.session === session && m.n < at),
      "no commit of nothing",
    );
  }
  assert.ok(kills > 0);
}

for (const seed of SEEDS) {
  test(`runWorker() loses, doubles and reorders nothing under kills and faults, seed ${seed} [CUR-06] [CUR-07] [CUR-09] [CMT-04] [RTY-09]`, () =>
    chaos(seed));
}
