/**
 * The gates that every automatic read and write passes.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type { PluginConfig } from "./plugin_config.ts";
import { directorySpellings, readBypass } from "./bypass.ts";
import { matchesGlob } from "./_glob.ts";

/** The part of a configuration that a switch looks at. */
export type GateConfig = Pick<PluginConfig, "settings">;

/** True when automatic recall may send a request. */
export function isRecallEnabled(config: GateConfig): boolean {
  return config.settings.enabled && config.settings.autoRecall;
}

/** True when something new may be recorded. */
export function isCaptureEnabled(config: GateConfig): boolean {
  return config.settings.enabled && config.settings.autoCapture;
}

/** Which session in which directory asks. */
export interface BypassQuestion {
  /** Where the notes of the `bypass` command are read. */
  readonly runtime: Runtime;
  /** Session id on the engine. */
  readonly session: string;
  /** The host's own session id, where it is at hand. */
  readonly nativeSession?: string;
  /** Working directory of the session, "" when unknown. */
  readonly cwd: string;
}

/** Ids under which a session may be named: as the engine knows it, and without the host's prefix. */
function sessionSpellings(question: BypassQuestion): string[] {
  const { session, nativeSession } = question;
  const unprefixed = session.slice(session.indexOf("-") + 1);
  return [...new Set([session, nativeSession ?? unprefixed, unprefixed])];
}

function isBelow(dir: string, path: string): boolean {
  return path === dir || path.startsWith(dir.endsWith("/") ? dir : `${dir}/`);
}

/** The entry that names the session, or the session whose subagent it is. */
function isListed(entries: readonly string[], names: readonly string[]): string | undefined {
  return entries.find((entry) =>
    names.some((name) => name === entry || name.startsWith(`${entry}__`))
  );
}

/**
 * Why this session is left alone, as one phrase, or `undefined` when it takes part: `bypassSession`,
 * a pattern of `bypassSessionPatterns`, or what the `bypass` command noted. Notes that cannot be read
 * count as a bypass: a session that the user excluded must not be remembered because of a broken file.
 */
export function bypassReason(
  config: Pick<PluginConfig, "settings" | "agentHome">,
  question: BypassQuestion,
): string | undefined {
  const { settings, agentHome } = config;
  const { runtime, cwd } = question;
  if (settings.bypassSession) return "bypassSession is true";
  const sessions = sessionSpellings(question);
  const directories = cwd === "" ? [] : directorySpellings(runtime, cwd);
  const names = [...sessions, ...directories];
  for (const pattern of settings.bypassSessionPatterns) {
    if (names.some((name) => matchesGlob(pattern, name))) return `it matches ${pattern}`;
  }
  const noted = readBypass(runtime, agentHome);
  if (!noted.ok) return noted.message;
  const session = isListed(noted.entries.sessions, sessions);
  if (session !== undefined) return `session ${session} is bypassed`;
  const dir = noted.entries.dirs.find((entry) => directories.some((path) => isBelow(entry, path)));
  return dir === undefined ? undefined : `${dir} is bypassed`;
}
