/**
 * A worker of ours in front of the real server, with the faults of the way between them.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { OvHttp, Transport, WireRequest, WireResponse } from "../../lib/http/types.ts";
import type { QueueReport } from "../../lib/outbox/queue/queue_entries.ts";
import { createOvHttp } from "../../lib/http/client.ts";
import { createFetchTransport } from "../../lib/http/fetch_transport.ts";
import { queueReport } from "../../lib/outbox/queue/queue_report.ts";
import type { WorkerOptions } from "../../lib/outbox/worker/worker_options.ts";
import { runWorker, type WorkerResult } from "../../lib/outbox/worker/worker.ts";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { trustedHeaders } from "./contract_engines.ts";
import { OutboxFixture, SETTINGS } from "./outbox_fixture.ts";
import type { RealServer } from "./requirements.ts";

/** What happens to one request; `lost` is applied and its answer does not arrive. */
export type Trouble = "lost" | "never" | undefined;

/** Sessions, a queue and a person of their own on the real server; the clock is the real one. */
export class RealDelivery {
  readonly user: string = `d${randomUUID().slice(0, 8)}`;
  readonly f: OutboxFixture = new OutboxFixture();
  /** Asked for each request. */
  trouble: (request: WireRequest) => Trouble = () => undefined;
  readonly #transport: Transport;
  readonly #headers: Record<string, string>;
  readonly log: WireRequest[] = [];

  constructor(server: RealServer) {
    this.#transport = createFetchTransport(server.url);
    this.#headers = trustedHeaders(server, this.user);
    this.f.clock.now = Date.now();
  }

  /** A client of the worker's. */
  http(): OvHttp {
    return createOvHttp({
      headers: this.#headers,
      timeoutMs: 30_000,
      transport: async (request) => {
        this.log.push(request);
        const trouble = this.trouble(request);
        if (trouble === "never") throw new TypeError("connection closed before message completed");
        const answer = await this.#transport(request);
        if (trouble === "lost") throw new TypeError("connection closed before message completed");
        return answer;
      },
    });
  }

  /** Asks the server beside the worker. */
  async ask(method: WireRequest["method"], path: string, body?: unknown): Promise<WireResponse> {
    return await this.#transport({
      method,
      path,
      headers: this.#headers,
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Records an event of a session, without a threshold of its own. */
  spool(session: string, over: Parameters<OutboxFixture["spool"]>[1] = {}): void {
    this.f.clock.now = Date.now() - 1000; // the host had time to flush
    this.f.spool(session, { settings: { ...SETTINGS, commitTokenThreshold: 0 }, ...over });
  }

  /** The end of a session. */
  end(session: string, path: string): void {
    this.spool(session, { path, boundary: { reason: "session-end", keepRecentCount: 0 } });
  }

  /** Works until nothing waits, at most `seconds`. */
  async work(seconds = 30, over: Partial<WorkerOptions> = {}): Promise<WorkerResult> {
    return await runWorker(this.f.options({
      runtime: { ...denoProcessRuntime, onTerminate: () => {} },
      connect: () => Promise.resolve({ http: this.http(), keyFingerprint: this.f.key }),
      settleSeconds: 1,
      pollMs: 20,
      untilDelivered: Date.now() + seconds * 1000,
      ...over,
    }));
  }

  /** Lets the worker follow tasks until the newest commit of `session` is in one of `phases`. */
  async follow(session: string, phases: readonly string[], seconds = 60): Promise<string> {
    for (const until = Date.now() + seconds * 1000;;) {
      await this.work(2);
      const commit = (await this.report()).commits.find((entry) => entry.session === session);
      if (commit !== undefined && phases.includes(commit.phase)) return commit.phase;
      if (Date.now() > until) return commit?.phase ?? "none";
      await sleep(300);
    }
  }

  /** What the queue says of itself. */
  async report(): Promise<QueueReport> {
    return await queueReport(denoProcessRuntime, this.f.agentHome);
  }

  /** Texts of a session that the server holds, in order: archives first, then the live list. */
  async texts(session: string): Promise<string[]> {
    const meta = await this.ask("GET", `/api/v1/sessions/${session}`);
    const { uri, commit_count: n } = (meta.body as {
      result: { uri: string; commit_count: number };
    }).result;
    const names = Array.from(
      { length: n },
      (_, i) => `history/archive_${String(i + 1).padStart(3, "0")}/messages.jsonl`,
    );
    const texts: string[] = [];
    for (const name of [...names, "messages.jsonl"]) {
      const path = `/api/v1/content/read?uri=${encodeURIComponent(`${uri}/${name}`)}`;
      const { status, body } = await this.ask("GET", path);
      if (status !== 200) continue;
      for (const line of String((body as { result: string }).result).split("\n")) {
        if (line.trim() === "") continue;
        const { parts } = JSON.parse(line) as { parts: { text?: string }[] };
        texts.push(parts.map((part) => part.text ?? "").join(""));
      }
    }
    return texts;
  }
}
