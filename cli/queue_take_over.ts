/**
 * `queue adopt` and `queue import-legacy`: a person decides that what waits elsewhere goes to the
 * target in force.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";
import type { CommandContext } from "./context.ts";
import type { Target } from "../lib/outbox/types.ts";
import { buildPluginConfig } from "../lib/config/plugin_config.ts";
import { agentHome, expandHome } from "../lib/config/paths.ts";
import { captureSettings } from "../lib/hook/write_stage.ts";
import { adoptQueue } from "../lib/outbox/queue/adopt_queue.ts";
import { importLegacyQueue } from "../lib/outbox/queue/import_legacy.ts";
import { outboxFolder, targetFor } from "../lib/outbox/target.ts";
import { HOSTS } from "../hosts/mod.ts";
import { CommandError, EXIT, forTerminal } from "./output.ts";

/** The target that the configuration names. */
async function targetInForce({ runtime }: CommandContext): Promise<Target> {
  const config = buildPluginConfig("cli", { runtime, cwd: runtime.cwd() });
  if (config.broken !== undefined) {
    throw new CommandError("configuration", config.broken, "Run `openviking-agent doctor`");
  }
  return await targetFor(config.connection);
}

function knownTargets({ runtime }: CommandContext, current: Target): string[] {
  return [...new Set([current.id, ...runtime.files.list(outboxFolder(agentHome(runtime)))])].sort();
}

/** `queue adopt TARGET`: hands that queue to the target in force, or to its present identity. */
export async function adopt(context: CommandContext, from: string): Promise<number> {
  const { runtime, output } = context;
  const to = await targetInForce(context);
  const known = knownTargets(context, to);
  if (!known.includes(from)) {
    throw new CommandError(
      "usage",
      `Cannot adopt ${from}: no such target`,
      `Known targets: ${known.join(", ")}`,
      EXIT.usage,
    );
  }
  const change = await adoptQueue(runtime, agentHome(runtime), from, to);
  const [problem] = change.problems;
  if (problem !== undefined) {
    throw new CommandError("queue", problem, "See `openviking-agent queue list`");
  }
  if (output.json) output.document({ ...change, from, to: to.id });
  else {
    output.line(`${change.changed} message(s) of ${from} now wait for ${to.id}.`);
    output.note("Run `openviking-agent queue drain` to deliver them now.");
  }
  return EXIT.done;
}

/** The host whose session ids begin so; the one of the earlier plugins' first host otherwise. */
function hostOf(session: string): HarnessKey {
  const host = Object.values(HOSTS).find(({ adapter }) =>
    session.startsWith(adapter.sessionPrefix)
  );
  return host?.adapter.id ?? "claude-code";
}

/** `queue import-legacy --to TARGET`: takes over the pending requests of the earlier plugins. */
export async function importLegacy(context: CommandContext, to: string): Promise<number> {
  const { runtime, output } = context;
  const target = await targetInForce(context);
  if (to !== target.id) {
    throw new CommandError(
      "usage",
      `Cannot import for ${to}: the configuration names ${target.id}`,
      `Use --to ${target.id}, or configure the other target first`,
      EXIT.usage,
    );
  }
  const { settings, connection } = buildPluginConfig("cli", { runtime, cwd: runtime.cwd() });
  const configured = runtime.env("OPENVIKING_PENDING_DIR")?.trim() ?? "";
  const folder = expandHome(runtime, configured === "" ? "~/.openviking/pending" : configured);
  const report = importLegacyQueue({
    runtime,
    agentHome: agentHome(runtime),
    folder,
    to: target,
    settings: captureSettings(settings),
    secrets: connection.apiKey === "" ? [] : [connection.apiKey],
    hostOf,
  });
  if (output.json) output.document({ ...report, folder, to });
  else {
    const { messages, commits, sessions } = report;
    output.line(
      `${messages} message(s) and ${commits} commit(s) of ${sessions} session(s) from ${folder} now wait for ${to}.`,
    );
    report.problems.forEach((problem) => output.note(forTerminal(problem)));
    if (messages + commits > 0) {
      output.note("Run `openviking-agent queue drain` to deliver them now.");
    }
  }
  return report.problems.length === 0 ? EXIT.done : EXIT.remains;
}
