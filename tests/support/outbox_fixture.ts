/**
 * A queue under test: a temporary home, a clock that only moves when somebody sleeps, an engine that
 * can fail, and a transcript to write to.
 *
 * @module
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import type { ProcessRuntime } from "../../lib/runtime/types.ts";
import type { SpoolRecord, Target } from "../../lib/outbox/types.ts";
import type { OvHttp } from "../../lib/http/types.ts";
import type { WorkerOptions } from "../../lib/outbox/worker/worker_options.ts";
import { createClaudeDecoder } from "../../hosts/claude_code/transcript.ts";
import { createOvHttp } from "../../lib/http/client.ts";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { writeSpoolRecord } from "../../lib/outbox/spool.ts";
import { runWorker, type WorkerResult } from "../../lib/outbox/worker/worker.ts";
import { FakeEngine } from "./fake_engine.ts";
import { tempFolder } from "./temp_folder.ts";

/** Settings of a record unless a test says otherwise. */
export const SETTINGS: SpoolRecord["settings"] = {
  captureAssistantTurns: true,
  captureToolMaxChars: 1_000_000,
  captureMaxLength: 24_000,
  redact: true,
  redactPatterns: [],
  commitTokenThreshold: 20_000,
  commitKeepRecentCount: 10,
};

/** The target that records go to. */
export const TARGET: Target = {
  id: "test-target",
  engine: "server",
  url: "http://127.0.0.1:9",
  account: "acme",
  user: "alice",
  keyFingerprint: "k1",
};

/** A transcript in Claude Code's form. */
export class Transcript {
  readonly path: string;
  #clock = Date.parse("2026-11-30T09:00:00Z");
  constructor(folder: string, name: string = randomUUID()) {
    this.path = `${folder}/${name}.jsonl`;
    writeFileSync(this.path, "");
  }
  /** A row of the conversation; returns its id. */
  row(type: "user" | "assistant", content: unknown, over: Record<string, unknown> = {}): string {
    const uuid = randomUUID();
    this.#clock += 1000;
    appendFileSync(
      this.path,
      JSON.stringify({
        type,
        uuid,
        timestamp: new Date(this.#clock).toISOString(),
        isSidechain: false,
        message: { role: type, content },
        ...over,
      }) + "\n",
    );
    return uuid;
  }
  user(text: string): string {
    return this.row("user", text, { promptId: randomUUID() });
  }
  assistant(text: string): string {
    return this.row("assistant", [{ type: "text", text }]);
  }
  lines(): string[] {
    return readFileSync(this.path, "utf8").split("\n").filter((line) => line !== "");
  }
  rewrite(lines: readonly string[]): void {
    writeFileSync(this.path, lines.map((line) => line + "\n").join(""));
  }
}

/** Everything a test of the queue needs. */
export class OutboxFixture {
  readonly home: string = tempFolder();
  readonly agentHome: string = `${this.home}/agent`;
  readonly clock: { now: number } = { now: Date.parse("2026-11-30T10:00:00Z") };
  readonly engine: FakeEngine = new FakeEngine(() => this.clock.now);
  readonly runtime: ProcessRuntime = {
    ...denoProcessRuntime,
    now: () => this.clock.now,
    sleep: async (ms) => {
      this.clock.now += ms;
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
    onTerminate: () => {},
  };
  target: Target = TARGET;
  key: string = "k1";
  held: string | undefined;

  get folder(): string {
    return `${this.agentHome}/outbox/${this.target.id}`;
  }

  transcript(): Transcript {
    return new Transcript(this.home);
  }

  /** Records an event as a hook does. */
  spool(session: string, over: Partial<SpoolRecord> & { readonly path?: string } = {}): string {
    const { path, ...fields } = over;
    this.clock.now += 1;
    const result = writeSpoolRecord(this.runtime, this.agentHome, {
      ...this.target,
      keyFingerprint: this.key,
    }, {
      version: 1,
      host: "claude-code",
      event: "Stop",
      at: new Date(this.clock.now).toISOString(),
      session,
      cwd: "/project",
      settings: SETTINGS,
      ...(path === undefined
        ? {}
        : { transcript: { path, size: 0, inode: 0, decoder: "claude-code" } }),
      ...fields,
    });
    if (!result.ok) throw new Error(result.reason);
    return result.file;
  }

  /** The end of a session. */
  end(session: string, path: string): string {
    return this.spool(session, {
      path,
      event: "SessionEnd",
      boundary: { reason: "session-end", keepRecentCount: 0 },
    });
  }

  http(): OvHttp {
    return createOvHttp({ transport: this.engine.transport, headers: {}, timeoutMs: 1000 });
  }

  options(over: Partial<WorkerOptions> = {}): WorkerOptions {
    return {
      runtime: this.runtime,
      agentHome: this.agentHome,
      targetId: this.target.id,
      decoders: { "claude-code": createClaudeDecoder },
      connect: () =>
        Promise.resolve(
          this.held === undefined
            ? { http: this.http(), keyFingerprint: this.key }
            : { held: this.held },
        ),
      lingerMs: 0,
      settleSeconds: 40,
      pollMs: 1000,
      random: () => 0.5,
      signal: new AbortController().signal,
      ...over,
    };
  }

  /** Runs the worker until nothing waits, at most `seconds` of the clock. */
  work(seconds = 600, over: Partial<WorkerOptions> = {}): Promise<WorkerResult> {
    return runWorker(this.options({ untilDelivered: this.clock.now + seconds * 1000, ...over }));
  }
}
