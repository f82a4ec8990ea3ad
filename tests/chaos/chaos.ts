/**
 * Real hooks and workers while they, the way and the engine are killed or fail at random, and an
 * audit of what the engine holds in the end.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import process from "node:process";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { projectRoot } from "../support/project.ts";
import type { MortalEngine } from "./engines.ts";
import { FAULT_KINDS, openFaultyWay } from "./faulty_way.ts";

/** What to do. */
export interface ChaosPlan {
  /** Folder of the person's home; empty. */
  readonly home: string;
  readonly engine: MortalEngine;
  readonly rounds: number;
  /** Kills of the engine, spread over the rounds. */
  readonly kills: number;
  readonly seed: number;
  readonly log: (line: string) => void;
}

/** What came of it. The first five must be 0. */
export interface ChaosCounts {
  lost: number;
  doubled: number;
  disordered: number;
  /** Messages that no commit followed, or sessions that could not be read. */
  uncommitted: number;
  /** What the queue still says after the last drain. */
  remaining: number;
  seed: number;
  rounds: number;
  messages: number;
  hooksKilled: number;
  workersKilled: number;
  engineKilled: number;
  faults: Record<string, number>;
}

interface Conversation {
  readonly id: string;
  readonly path: string;
  readonly said: string[];
  ended: boolean;
}

function randomOf(seed: number): () => number {
  let x = seed || 1;
  return () => (x = (Math.imul(x, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/** One person with their hooks. */
class Somebody {
  readonly #home: string;
  readonly #env: Record<string, string>;
  #minute = 0;
  constructor(home: string, env: Record<string, string>) {
    this.#home = home;
    this.#env = env;
    mkdirSync(join(home, "project/.git"), { recursive: true });
    mkdirSync(join(home, "transcripts"), { recursive: true });
    mkdirSync(join(home, ".openviking"), { recursive: true, mode: 0o700 });
  }
  configure(connection: Record<string, string>): void {
    writeFileSync(join(this.#home, ".openviking/ovcli.conf"), JSON.stringify(connection), {
      mode: 0o600,
    });
  }
  begin(): Conversation {
    const id = randomUUID();
    const path = join(this.#home, "transcripts", `${id}.jsonl`);
    writeFileSync(path, "");
    return { id, path, said: [], ended: false };
  }
  say(conversation: Conversation, text: string, role: "user" | "assistant"): void {
    const row = {
      type: role,
      uuid: randomUUID(),
      sessionId: conversation.id,
      isSidechain: false,
      timestamp: new Date(Date.UTC(2026, 10, 30, 9) + 1000 * this.#minute++).toISOString(),
      ...(role === "user" ? { promptId: randomUUID() } : {}),
      message: { role, content: role === "user" ? text : [{ type: "text", text }] },
    };
    appendFileSync(conversation.path, JSON.stringify(row) + "\n");
    conversation.said.push(text);
  }
  run(args: readonly string[], stdin = "", killAfterMs?: number): Promise<number | null> {
    const child = spawn(
      process.execPath,
      ["run", "-A", "--no-check", join(projectRoot, "cli.ts"), ...args],
      { env: this.#env, cwd: join(this.#home, "project"), stdio: ["pipe", "ignore", "ignore"] },
    );
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
    if (killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    return new Promise((resolve) => child.once("exit", resolve));
  }
  hook(
    { id, path }: Conversation,
    event: string,
    over: Record<string, unknown> = {},
    killAfterMs?: number,
  ): Promise<number | null> {
    const cwd = join(this.#home, "project");
    const payload = { session_id: id, transcript_path: path, cwd, hook_event_name: event, ...over };
    return this.run(["hook", "claude-code", event], JSON.stringify(payload), killAfterMs);
  }
  /** Kills the workers of this home; returns how many. */
  killWorkers(): number {
    let killed = 0;
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        const environment = readFileSync(`/proc/${name}/environ`, "utf8");
        if (command.includes("worker_main") && environment.includes(`HOME=${this.#home}\0`)) {
          process.kill(Number(name), "SIGKILL");
          killed++;
        }
      } catch { /* it ended */ }
    }
    return killed;
  }
}

/** Runs the rounds, lets the trouble end, drains, and counts. */
export async function runChaos(plan: ChaosPlan): Promise<ChaosCounts> {
  const { engine, rounds, seed, log, home } = plan;
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const way = await openFaultyWay();
  const me = new Somebody(home, {
    ...await isolatedEnvironment(home),
    TMPDIR: home,
    OPENVIKING_SETTLE_SECONDS: "3",
    OPENVIKING_WORKER_LINGER_MS: "3000",
  });
  const counts: ChaosCounts = {
    lost: 0,
    doubled: 0,
    disordered: 0,
    uncommitted: 0,
    remaining: 0,
    seed,
    rounds: 0,
    messages: 0,
    hooksKilled: 0,
    workersKilled: 0,
    engineKilled: 0,
    faults: way.met,
  };
  way.target = await engine.start();
  me.configure({ url: way.url, ...engine.credentials() });
  let restart: Promise<void> | undefined;
  const live = [me.begin(), me.begin(), me.begin()];
  const all = [...live];
  let n = 0;
  try {
    for (let round = 0; round < rounds || counts.engineKilled < plan.kills; round++) {
      const conversation = pick(live);
      for (let i = 0; i <= random() * 3; i++) {
        me.say(conversation, `NOMEMORY q${n}`, "user");
        me.say(conversation, `NOMEMORY a${n++}`, "assistant");
      }
      const what = random();
      if (what < 0.45) {
        way.fault = {
          kind: pick(FAULT_KINDS),
          only: random() < 0.5 ? "all" : "writes",
          times: 1 + Math.floor(random() * 3),
        };
      }
      const killsHook = what >= 0.45 && what < 0.6;
      const event = random() < 0.12 ? "PreCompact" : "Stop";
      const hook = me.hook(conversation, event, {}, killsHook ? random() * 150 : undefined);
      if (killsHook) counts.hooksKilled++;
      const due = Math.min(plan.kills, Math.floor((round + 1) * plan.kills / rounds));
      const isDue = counts.engineKilled < due;
      if (isDue && restart === undefined) {
        await sleep(random() * 400);
        engine.kill();
        way.target = "";
        counts.engineKilled++;
        restart = sleep(random() * 500).then(() => engine.start()).then((url) => {
          way.target = url;
          restart = undefined;
        });
      }
      await hook;
      if (what >= 0.6 && what < 0.8) {
        await sleep(random() * 500);
        counts.workersKilled += me.killWorkers();
      }
      await sleep(random() * 250);
      if (random() < 0.1) {
        await me.hook(conversation, "SessionEnd", { reason: "other" });
        conversation.ended = true;
        const next = me.begin();
        live[live.indexOf(conversation)] = next;
        all.push(next);
      }
      // Pauses grow to an hour; without this most rounds would meet a queue that rests.
      if (random() < 0.4) await me.run(["queue", "retry"]);
      counts.rounds = round + 1;
      if ((round + 1) % 25 === 0) log(`${round + 1} rounds, ${n * 2} messages`);
    }
    await restart;
    way.fault = undefined;
    for (const conversation of all) {
      if (!conversation.ended) await me.hook(conversation, "Stop");
      await me.hook(conversation, "SessionEnd", { reason: "other" });
    }
    let code: number | null = null;
    for (let i = 0; i < 8 && code !== 0; i++) {
      code = await me.run(["queue", "retry"]);
      code = await me.run(["queue", "drain", "--wait", "30"]);
    }
    counts.remaining = code === 0 ? 0 : 1;
    await audit(all, way.target, engine.headers(), counts, log);
    return counts;
  } finally {
    me.killWorkers();
    await restart?.catch(() => {});
    engine.close();
    await way.close();
  }
}

/** Texts of a session on the engine, archives first; `undefined` when it cannot be read. */
async function textsOf(
  url: string,
  headers: Record<string, string>,
  session: string,
): Promise<{ texts: string[]; live: number } | undefined> {
  const ask = async (path: string) => {
    const answer = await fetch(url + path, { headers });
    return { status: answer.status, body: await answer.json() };
  };
  const meta = await ask(`/api/v1/sessions/${session}`);
  if (meta.status !== 200) return undefined;
  const { uri, commit_count: commits, message_count: live } = meta.body.result;
  const texts: string[] = [];
  const files = Array.from(
    { length: commits },
    (_, i) => `history/archive_${String(i + 1).padStart(3, "0")}/messages.jsonl`,
  );
  for (const file of [...files, "messages.jsonl"]) {
    const { status, body } = await ask(
      `/api/v1/content/read?uri=${encodeURIComponent(`${uri}/${file}`)}`,
    );
    if (status !== 200) continue;
    for (const line of String(body.result).split("\n").filter((text) => text.trim() !== "")) {
      const { parts } = JSON.parse(line) as { parts: { text?: string }[] };
      texts.push(parts.map(({ text = "" }) => text).join(""));
    }
  }
  return { texts, live };
}

async function audit(
  all: readonly Conversation[],
  url: string,
  headers: Record<string, string>,
  counts: ChaosCounts,
  log: (line: string) => void,
): Promise<void> {
  for (const { id, said } of all) {
    counts.messages += said.length;
    const found: string[] = [];
    let live = 0;
    // A session that broke on the server goes on under a second name.
    for (const name of [`cc-${id}`, `cc-${id}-r1`, `cc-${id}-r2`, `cc-${id}-r3`]) {
      const session = await textsOf(url, headers, name);
      if (session === undefined) continue;
      found.push(...session.texts);
      live += session.live;
    }
    const times = new Map<string, number>();
    for (const text of found) times.set(text, (times.get(text) ?? 0) + 1);
    const lost = said.filter((text) => !times.has(text));
    const doubled = said.filter((text) => (times.get(text) ?? 0) > 1);
    const order = [...new Set(found)].filter((text) => said.includes(text));
    const expected = said.filter((text) => times.has(text));
    const disordered = order.filter((text, i) => text !== expected[i]);
    counts.lost += lost.length;
    counts.doubled += doubled.length;
    counts.disordered += disordered.length;
    counts.uncommitted += live;
    if (lost.length + doubled.length + disordered.length + live > 0) {
      log(`cc-${id}: lost ${lost}; doubled ${doubled}; disordered ${disordered}; live ${live}`);
    }
  }
}

/** Counts in one line, and whether they are what they must be. */
export function judge(counts: ChaosCounts): { readonly ok: boolean; readonly line: string } {
  const { lost, doubled, disordered, uncommitted, remaining } = counts;
  return {
    ok: lost + doubled + disordered + uncommitted + remaining === 0,
    line: JSON.stringify(counts),
  };
}
