/**
 * Checks of what is configured: problems by file and key, and who may read our files.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type { PluginConfig } from "../config/plugin_config.ts";
import type { Check } from "./types.ts";
import { ovcliPath, ovConfPath } from "../config/paths.ts";
import { check } from "./types.ts";

/** One check per problem, or one that says that there is none. */
export function checkConfiguration(config: PluginConfig): Check[] {
  const { problems, broken } = config;
  const checks: Check[] = [];
  if (broken !== undefined) {
    checks.push(
      check("configuration", "fail", broken, "Correct the file; until then nothing is sent"),
    );
  }
  for (const { kind, source, key, value, message } of problems) {
    if (message === broken) continue;
    const at = [source, ...(key === undefined ? [] : [key])].join(": ");
    const told = value === undefined ? message : `${message} (${value})`;
    checks.push(check(
      kind === "forbidden" || kind === "outside" || kind === "interpolation"
        ? "workspace"
        : "configuration",
      "warn",
      told.includes(source) ? told : `${at}: ${told}`,
      `Correct ${at}`,
    ));
  }
  const { settings } = config;
  if (!settings.enabled) {
    checks.push(check("enabled", "warn", "Memory is switched off (enabled is false)"));
  }
  if (!settings.redact) {
    checks.push(
      check("redaction", "warn", "Secrets are not removed (redact is false)", "Remove redact"),
    );
  }
  if (checks.length === 0) checks.push(check("configuration", "ok", "The configuration is sound"));
  return checks;
}

/** Warns when others can read files that hold keys or memory. */
export function checkFileModes(runtime: Runtime, config: PluginConfig): Check[] {
  if (runtime.platform === "windows") {
    return [check("file-modes", "skip", "Windows has no permission bits")];
  }
  const checks: Check[] = [];
  for (const path of [ovcliPath(runtime), ovConfPath(runtime), config.agentHome]) {
    try {
      const stat = runtime.files.stat(path);
      if (stat !== undefined && (stat.mode & 0o077) !== 0) {
        const mode = stat.mode.toString(8).padStart(3, "0");
        const right = stat.kind === "directory" ? "700" : "600";
        checks.push(check(
          "file-modes",
          "warn",
          `Other users can read ${path} (mode ${mode})`,
          `chmod ${right} '${path.replaceAll("'", "'\\''")}'`,
        ));
      }
    } catch (error) {
      checks.push(
        check("file-modes", "warn", error instanceof Error ? error.message : String(error)),
      );
    }
  }
  return checks.length > 0 ? checks : [check("file-modes", "ok", "Only you can read our files")];
}
