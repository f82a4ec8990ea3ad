/**
 * The registered host ids, and how the spellings people type map to them.
 *
 * @module
 */
import type { ConfigClient, HarnessKey } from "./types.ts";

/** Every registered host id, canonical spelling. */
export const HARNESS_KEYS: readonly HarnessKey[] = [
  "claude-code",
  "codex",
  "cursor",
  "trae",
  "trae-cn",
  "trae-cli",
  "zcode",
  "opencode",
  "dsh",
  "pi",
  "openclaw",
  "agent-plugins",
];

/**
 * Canonical id for `text`: case and `_` against `-` do not matter, `claude` is `claude-code`.
 * `undefined` when no such host is registered.
 */
export function toHarnessKey(text: string): HarnessKey | undefined {
  const id = text.trim().toLowerCase().replaceAll("_", "-");
  const canonical = id === "claude" ? "claude-code" : id;
  return HARNESS_KEYS.find((key) => key === canonical);
}

/** Names of a client's section in a configuration file; where both stand, the first wins per key. */
export function sectionNames(client: ConfigClient): readonly string[] {
  if (client === "cli") return [];
  const underscored = client.replaceAll("-", "_");
  return underscored === client ? [client] : [client, underscored];
}
