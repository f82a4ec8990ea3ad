/**
 * `status`: last outcomes, queue and engine, from local files only.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { OutcomeRecord } from "../lib/hook/types.ts";
import type { QueueReport } from "../lib/outbox/queue/queue_entries.ts";
import type { CommandContext } from "./context.ts";
import type { PluginConfig } from "../lib/config/plugin_config.ts";
import { buildPluginConfig } from "../lib/config/plugin_config.ts";
import { checkAgentFolder } from "../lib/diagnose/agent_folder.ts";
import { deriveHarnessSessionId } from "../lib/identity/session_id.ts";
import { readOutcomes } from "../lib/hook/outcome.ts";
import { queueReport } from "../lib/outbox/queue/queue_report.ts";
import { HOSTS } from "../hosts/mod.ts";
import { EXIT, forTerminal } from "./output.ts";

/** Flags of `status`. */
export interface StatusFlags {
  readonly session?: string;
  readonly line?: boolean;
  readonly host?: HarnessKey[];
}

/** What a person should act on, one line each. */
function notices(
  config: PluginConfig,
  queue: QueueReport,
  outcomes: readonly OutcomeRecord[],
): string[] {
  const lines: string[] = [];
  if (config.broken !== undefined) lines.push(config.broken);
  for (const problem of config.problems) {
    if (problem.message !== config.broken) lines.push(problem.message);
  }
  lines.push(...queue.problems);
  const held = new Set(queue.pending.filter((p) => p.state === "held").map((p) => p.reason));
  for (const reason of held) lines.push(`The queue is held: ${reason}`);
  if (queue.dead.length > 0) {
    lines.push(
      `${queue.dead.length} message(s) were refused and are dead letters: see \`openviking-agent queue list\``,
    );
  }
  const failed = outcomes.filter((o) => FAILURES.includes(o.outcome));
  const latest = failed[0];
  if (latest !== undefined) {
    lines.push(
      `Last failure: ${latest.host} ${latest.stage} ${latest.outcome}` +
        (latest.detail === "" ? "" : `: ${latest.detail}`),
    );
  }
  return lines;
}

const FAILURES: readonly string[] = [
  "timeout",
  "auth",
  "breaker",
  "error",
  "enqueue_failed",
  "commit_failed",
];

function countQueue(queue: QueueReport): { pending: number; held: number; dead: number } {
  const held = queue.pending.filter((entry) => entry.state === "held").length;
  return { pending: queue.pending.length - held, held, dead: queue.dead.length };
}

/** Stage whose commit it is, by the commit's reason. */
const COMMITTING: Readonly<Record<string, string>> = {
  "session-end": "session-end",
  clear: "session-end",
  "pre-compact": "pre-compact",
  "subagent-end": "subagent-end",
  "turn-end": "turn-end",
  threshold: "turn-end",
  idle: "turn-end",
};

/** Where a session's last commit failed, that is what its stage came to in the end. */
function withFailedCommits(
  outcomes: readonly OutcomeRecord[],
  commits: QueueReport["commits"],
): OutcomeRecord[] {
  return outcomes.map((outcome) => {
    const last = commits.find(({ session, reason }) =>
      session === outcome.session && COMMITTING[reason] === outcome.stage
    );
    return last?.phase !== "failed" || outcome.outcome !== "queued"
      ? outcome
      : { ...outcome, outcome: "commit_failed", detail: last.detail };
  });
}

/** Session id of the host's JSON on stdin, for a status bar. */
async function sessionFromStdin(context: CommandContext, host: HarnessKey): Promise<string> {
  const adapter = HOSTS[host]?.adapter;
  const { text } = await context.runtime.readStdin(
    1024 * 1024,
    2_000,
    () => context.runtime.exit(EXIT.done),
  );
  try {
    const native = adapter?.normaliseInput("status", JSON.parse(text))?.nativeSessionId;
    return native === undefined ? "" : deriveHarnessSessionId(adapter?.sessionPrefix ?? "", native);
  } catch {
    return "";
  }
}

function shortLine(
  config: PluginConfig,
  queue: QueueReport,
  outcomes: readonly OutcomeRecord[],
): string {
  if (config.broken !== undefined) return "OV configuration broken";
  const last = outcomes.find((outcome) => outcome.stage === "prompt");
  const { pending, held, dead } = countQueue(queue);
  const words = [`OV ${config.connection.engine}`];
  if (last !== undefined) {
    words.push(last.detail === "" ? last.outcome : `${last.outcome}: ${last.detail}`);
  }
  if (pending + held > 0) words.push(`${pending + held} waiting`);
  if (dead > 0) words.push(`${dead} dead`);
  return words.join(" | ");
}

/** Prints the state of memory without asking any engine. */
export async function status(context: CommandContext, flags: StatusFlags): Promise<number> {
  const { runtime, output } = context;
  const host = flags.host?.at(-1);
  const config = buildPluginConfig(host ?? "cli", { runtime, cwd: runtime.cwd() });
  const queue = await queueReport(runtime, config.agentHome);
  const session = flags.line && host !== undefined
    ? await sessionFromStdin(context, host)
    : flags.session ?? "";
  const records = withFailedCommits(readOutcomes(runtime, config.agentHome), queue.commits);
  const outcomes = records.filter((outcome) =>
    (session === "" || outcome.session === session || outcome.session.endsWith(`-${session}`)) &&
    (host === undefined || outcome.host === host)
  );
  const folder = checkAgentFolder(runtime, config.agentHome);
  const unwritable = folder.state === "fail" ? [`${folder.message}. ${folder.fix}`] : [];
  if (flags.line) {
    output.line(
      unwritable.length > 0
        ? "OV cannot write its folder"
        : forTerminal(shortLine(config, queue, outcomes)),
    );
    return EXIT.done;
  }
  const engine = config.broken === undefined ? config.connection.engine : "unknown";
  const counts = countQueue(queue);
  const told = [...unwritable, ...notices(config, queue, outcomes)];
  if (output.json) {
    output.document({ engine, outcomes, queue: counts, commits: queue.commits, notices: told });
    return EXIT.done;
  }
  output.line(`engine   ${engine === "local" ? "embedded" : engine}`);
  output.line(`queue    ${counts.pending} waiting, ${counts.held} held, ${counts.dead} dead`);
  if (outcomes.length === 0 && unwritable.length === 0) output.line("No hook has run yet.");
  for (const { host, session, stage, outcome, ms, at, detail } of outcomes.slice(0, 20)) {
    output.line(forTerminal(
      `${at}  ${host}  ${session}  ${stage.padEnd(14)} ${outcome}  ${ms} ms${
        detail === "" ? "" : `  ${detail}`
      }`,
    ));
  }
  told.forEach((notice) => output.line(forTerminal(`! ${notice}`)));
  return EXIT.done;
}
