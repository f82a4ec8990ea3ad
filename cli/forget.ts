/**
 * `forget`: deletes a memory or a whole session on the engine in force, and every copy of it that
 * waits in a queue.
 *
 * @module
 */
import type { CommandContext } from "./context.ts";
import type { OvFailure, OvHttp } from "../lib/http/types.ts";
import type { PluginConfig } from "../lib/config/plugin_config.ts";
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import { buildPluginConfig } from "../lib/config/plugin_config.ts";
import { resolvePeer } from "../lib/identity/peer.ts";
import { deriveHarnessSessionId } from "../lib/identity/session_id.ts";
import { readLastSession } from "../lib/outbox/last_session.ts";
import {
  type ForgetContext,
  forgetQueued,
  forgetQueuedMessage,
  type QueuedSession,
  queuedSessions,
  takeInEvents,
} from "../lib/outbox/queue/forget_sessions.ts";
import { HOSTS } from "../hosts/mod.ts";
import { stopWorkers } from "../install/program/workers.ts";
import { openEngine } from "./connect.ts";
import { askConsent } from "./consent.ts";
import { CommandError, EXIT, forTerminal } from "./output.ts";
import { wireWorkers } from "./worker_options.ts";

/** Flags of `forget`. */
export interface ForgetFlags {
  readonly session?: string;
  readonly last?: boolean;
  readonly yes?: boolean;
}

/** Milliseconds after which a request that was under way has arrived, or has not. */
const ARRIVAL_MS = 2000;

/** A session with what is kept of it. */
interface Found {
  readonly session: string;
  readonly engineSessions: readonly string[];
  /** Messages on the engine; `undefined` when it could not be asked. */
  readonly onEngine: number | undefined;
  readonly queued: number;
}

interface Work {
  readonly context: CommandContext;
  readonly runtime: ProcessRuntime;
  readonly config: PluginConfig;
  readonly http: OvHttp;
  readonly queue: ForgetContext;
  readonly yes: boolean;
}

function usage(message: string, fix: string): CommandError {
  return new CommandError("usage", message, fix, EXIT.usage);
}

function nothing(what: string, fix: string): CommandError {
  return new CommandError(
    "not-found",
    `Cannot forget ${what}: nothing is kept under that name`,
    fix,
  );
}

const pathOf = (session: string): string => `/api/v1/sessions/${encodeURIComponent(session)}`;

const isGone = (failure: OvFailure): boolean => failure.category === "not-found";

/** Messages of a session on the engine, 0 when there is none; `undefined` when it cannot be asked. */
async function countOnEngine(http: OvHttp, session: string): Promise<number | undefined> {
  const answer = await http.request<{ total_message_count?: number; message_count?: number }>(
    "GET",
    pathOf(session),
  );
  if (!answer.ok) return isGone(answer) ? 0 : undefined;
  const { total_message_count: total = 0, message_count: live = 0 } = answer.result ?? {};
  return Math.max(total, live, 1);
}

async function lookUp(
  work: Work,
  session: string,
  known: QueuedSession | undefined,
): Promise<Found> {
  const engineSessions = known?.engineSessions ?? [session];
  let onEngine: number | undefined = 0;
  for (const name of engineSessions) {
    const count = await countOnEngine(work.http, name);
    onEngine = count === undefined || onEngine === undefined ? undefined : onEngine + count;
  }
  return { session, engineSessions, onEngine, queued: known?.messages ?? 0 };
}

/** The session that `id` names, as it is or with a host's prefix, and the sessions inside it. */
async function findSessions(work: Work, id: string): Promise<Found[]> {
  const known = await queuedSessions(work.runtime, work.config.agentHome);
  const names = [
    id,
    ...Object.values(HOSTS).map((host) => deriveHarnessSessionId(host.adapter.sessionPrefix, id)),
  ];
  for (const name of names) {
    const here = known.find((one) => one.session === name);
    const main = await lookUp(work, name, here);
    const inside = known.filter((one) => one.parent === name);
    if (here === undefined && inside.length === 0 && main.onEngine === 0) continue;
    if (here === undefined && main.onEngine === undefined && name !== names.at(-1)) continue;
    const found = [main];
    for (const one of inside) found.push(await lookUp(work, one.session, one));
    return found;
  }
  return [];
}

function lastSession({ runtime, config }: Work): string {
  const { agentHome, connection, settings } = config;
  const peer = resolvePeer({
    runtime,
    cwd: runtime.cwd(),
    explicitPeer: connection.peer,
    workspacePeer: settings.workspacePeer,
  });
  const last = peer.id === "" ? undefined : readLastSession(runtime, agentHome, peer.id);
  if (last !== undefined) return last.session;
  throw new CommandError(
    "not-found",
    `Cannot forget the last session of ${runtime.cwd()}: none is known`,
    "Give --session <id>; `openviking-agent status` lists them",
  );
}

/** Says what goes and asks, unless `--yes` was given. */
async function confirmed({ context, yes }: Work, lines: readonly string[]): Promise<void> {
  if (!context.output.json) lines.forEach((line) => context.output.note(forTerminal(line)));
  if (!yes && !await askConsent("Delete this for good?")) {
    throw new CommandError("cancelled", "Nothing was deleted");
  }
}

function nameOfEngine({ config }: Work): string {
  return config.connection.engine === "local" ? "the embedded engine" : config.connection.baseUrl;
}

function describe(work: Work, found: readonly Found[]): string[] {
  const where = nameOfEngine(work);
  const lines = found.map(({ session, onEngine, queued }) =>
    `Session ${session}: ${
      onEngine === undefined ? `what ${where} holds` : `${onEngine} message(s) on ${where}`
    }, ${queued} copies in queues on this machine`
  );
  lines.push("Events that wait for these sessions go as well. The host's own transcripts stay.");
  if (work.config.connection.engine === "server") {
    lines.push("Memories that the server made from them stay; forget those by their URI.");
  }
  return lines;
}

async function deleteSessions(work: Work, found: readonly Found[]): Promise<OvFailure | undefined> {
  let failed: OvFailure | undefined;
  for (const name of found.flatMap(({ engineSessions }) => engineSessions)) {
    const answer = await work.http.request("DELETE", pathOf(name));
    if (!answer.ok && !isGone(answer)) failed = answer;
  }
  return failed;
}

async function forgetSession(work: Work, id: string): Promise<number> {
  const { context: { output }, runtime, config, queue } = work;
  const found = await findSessions(work, id);
  if (found.length === 0) {
    throw nothing(`session ${id}`, "`openviking-agent status` lists sessions");
  }
  await confirmed(work, describe(work, found));
  const stuck = await stopWorkers(runtime, config.agentHome);
  const gone = await forgetQueued(queue, new Set(found.map(({ session }) => session)));
  let failed = await deleteSessions(work, found);
  if (gone.mayStillArrive && failed === undefined) {
    await runtime.sleep(ARRIVAL_MS);
    failed = await deleteSessions(work, found);
  }
  const problems = [
    ...gone.problems,
    ...stuck.map((pid) => `A worker does not end: process ${pid}`),
    ...(failed === undefined
      ? []
      : [`Cannot delete on ${nameOfEngine(work)}: ${failed.message}. Run the command again later`]),
  ];
  const sessions = found.map(({ session }) => session);
  if (output.json) {
    output.document({
      engine: config.connection.engine,
      sessions,
      messages: found.reduce((sum, { onEngine = 0 }) => sum + onEngine, 0),
      queued: gone.messages,
      events: gone.events,
      problems,
    });
  } else {
    problems.forEach((problem) => output.note(forTerminal(problem)));
    if (problems.length === 0) output.line(`Forgot ${forTerminal(sessions.join(", "))}.`);
  }
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

/** The words of a single message, which exists on the embedded engine only. */
async function wordsOf(http: OvHttp, uri: string): Promise<string> {
  const read = await http.request<unknown>(
    "GET",
    `/api/v1/content/read?uri=${encodeURIComponent(uri)}`,
  );
  return read.ok && typeof read.result === "string" ? read.result : "";
}

async function forgetUri(work: Work, uri: string): Promise<number> {
  const { context: { output }, runtime, config, http } = work;
  const query = `uri=${encodeURIComponent(uri)}`;
  const stat = await http.request<{ isDir?: boolean; count?: number }>(
    "GET",
    `/api/v1/fs/stat?${query}`,
  );
  if (!stat.ok) {
    if (isGone(stat)) throw nothing(uri, "`openviking-agent search` shows what there is");
    throw new CommandError(stat.category, `Cannot forget ${uri}: ${stat.message}`);
  }
  const isFolder = stat.result?.isDir === true;
  const message = /\/sessions\/([^/]+)\/messages\/\d+$/.exec(uri);
  await confirmed(work, [
    `${uri} on ${nameOfEngine(work)}${
      isFolder ? ", a folder with everything below it" : message === null ? "" : ", one message"
    }`,
  ]);
  const words = message === null ? "" : await wordsOf(http, uri);
  const done = await http.request<{ estimated_deleted_count?: number }>(
    "DELETE",
    `/api/v1/fs?${query}${isFolder ? "&recursive=true" : ""}`,
  );
  if (!done.ok) throw new CommandError(done.category, `Cannot forget ${uri}: ${done.message}`);
  const session = decodeURIComponent(message?.[1] ?? "");
  const queued = words === ""
    ? 0
    : await forgetQueuedMessage(runtime, config.agentHome, session, words);
  if (output.json) {
    output.document({
      engine: config.connection.engine,
      uri,
      deleted: done.result?.estimated_deleted_count ?? 1,
      queued,
    });
  } else output.line(`Forgot ${forTerminal(uri)}.`);
  return EXIT.done;
}

function checkFlags(
  { runtime, output }: CommandContext,
  uri: string | undefined,
  flags: ForgetFlags,
): void {
  const named = [uri, flags.session, flags.last].filter((one) => one !== undefined);
  if (named.length !== 1) {
    throw usage(
      `Cannot forget: ${
        named.length === 0 ? "nothing was named" : "more than one thing was named"
      }`,
      "Give one of <uri>, --session <id> and --last",
    );
  }
  if (uri !== undefined && !uri.startsWith("viking://")) {
    throw usage(
      `Cannot forget ${uri}: it is no viking:// URI`,
      "Take one from `openviking-agent search`, or give --session <id>",
    );
  }
  if (flags.session?.trim() === "") throw usage("Cannot forget a session without an id", "");
  const canAsk = runtime.isTerminal("stdin") && runtime.isTerminal("stdout") && !output.json;
  if (flags.yes !== true && !canAsk) {
    throw usage("Cannot forget without a terminal: consent is missing", "Give --yes");
  }
}

/** Deletes what `uri`, `--session` or `--last` names, after saying what that is. */
export async function forget(
  context: CommandContext,
  uri: string | undefined,
  flags: ForgetFlags,
): Promise<number> {
  checkFlags(context, uri, flags);
  const { runtime } = context;
  const config = buildPluginConfig("cli", { runtime, cwd: runtime.cwd() });
  if (config.broken !== undefined) {
    throw new CommandError("configuration", config.broken, "Run `openviking-agent doctor`");
  }
  const { agentHome, connection, settings } = config;
  const wiring = wireWorkers(runtime);
  const engine = await openEngine(runtime, agentHome, connection, "cli", settings.timeoutMs);
  try {
    const work: Work = {
      context,
      runtime,
      config,
      http: engine.http,
      yes: flags.yes === true,
      queue: {
        runtime,
        agentHome,
        decoders: wiring.options.decoders,
        secrets: connection.apiKey === "" ? [] : [connection.apiKey],
      },
    };
    const session = /^viking:\/\/(?:(?:~|user\/[^/]+)\/sessions|session)\/([^/]+)\/?$/
      .exec(uri ?? "")?.[1];
    if (uri !== undefined && session === undefined) return await forgetUri(work, uri);
    await takeInEvents(work.queue);
    const id = session === undefined
      ? flags.session ?? lastSession(work)
      : decodeURIComponent(session);
    return await forgetSession(work, id);
  } finally {
    engine.close();
    wiring.close();
  }
}
