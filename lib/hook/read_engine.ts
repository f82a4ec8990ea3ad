/**
 * What the reading stages share: a client of the engine in force within the stage's budget, and what
 * a block's end means for the host and for the user.
 *
 * @module
 */
import type { OvFailure, OvHttp } from "../http/types.ts";
import type { ReadOutcome } from "../recall/types.ts";
import { FileError } from "../runtime/types.ts";
import { agentPath } from "../config/paths.ts";
import { type Breaker, createBreaker } from "../http/breaker.ts";
import { createOvHttp } from "../http/client.ts";
import { createFetchTransport } from "../http/fetch_transport.ts";
import { buildOvHeaders } from "../http/headers.ts";
import { targetFor } from "../outbox/target.ts";
import { VERSION } from "../version.ts";
import { type ReadResult, silent, type StageContext, type StageResult } from "./stage.ts";

/** A client of the engine in force. */
export interface ReadEngine {
  readonly http: OvHttp;
  readonly targetId: string;
  readonly breaker?: Breaker;
}

/** Share of a budget that is left for requests; starting the process and answering take the rest. */
const FOR_REQUESTS = 0.93;

/** A client of the engine in force whose calls all end within the stage's budget; `undefined` when nothing was ever stored. */
export async function openReadEngine(
  context: StageContext,
  budgetMs: number,
): Promise<ReadEngine | undefined> {
  const { host, config, startedAt } = context;
  const { runtime } = host;
  const { connection, agentHome } = config;
  const deadline = startedAt + budgetMs * FOR_REQUESTS;
  const sender = { harness: host.adapter.id, version: VERSION };
  const headers = buildOvHeaders(connection, sender);
  const client = { headers, timeoutMs: budgetMs, deadline, now: runtime.now };
  if (connection.engine === "local") {
    if (host.openLocal === undefined) throw new Error(`This entry cannot run ${host.event}`);
    try {
      const transport = await host.openLocal(agentPath(agentHome, "localDatabase"));
      return { http: createOvHttp({ ...client, transport }), targetId: "local" };
    } catch (error) {
      if (error instanceof FileError && error.code === "not-found") return undefined;
      throw error;
    }
  }
  const target = await targetFor(connection);
  const transport = createFetchTransport(connection.baseUrl);
  return {
    http: createOvHttp({ ...client, transport }),
    targetId: target.id,
    breaker: createBreaker({
      runtime,
      agentHome,
      target: target.id,
      credential: target.keyFingerprint,
    }),
  };
}

/** What a block's end means for the host and for the user. */
export function toReadResult(
  context: StageContext,
  block: {
    readonly block: string;
    readonly outcome: ReadOutcome;
    readonly detail: string;
    readonly failure?: OvFailure;
    readonly traceId?: string;
  },
): ReadResult {
  const { outcome, detail, failure, traceId } = block;
  const result: StageResult = {
    answer: block.block === "" ? { kind: "none" } : { kind: "context", text: block.block },
    outcome,
    detail,
    ...(traceId === undefined ? {} : { traceId }),
  };
  if (outcome === "ok" || outcome === "empty" || outcome === "disabled") return { result };
  const where = context.config.connection.baseUrl || "the embedded engine";
  const name = failure?.category === "auth" ? "auth" : "engine";
  const what = name === "auth" ? "refuses the credentials" : "did not answer";
  return { result, cause: { name, text: `${where} ${what} (${detail})` } };
}

/** Runs the reading half of a stage; never throws. */
export async function withoutThrowing(work: () => Promise<ReadResult>): Promise<ReadResult> {
  try {
    return await work();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { result: silent("error", text), cause: { name: "engine", text } };
  }
}
