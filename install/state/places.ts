/**
 * The folders of one run, and the lock that keeps two runs apart.
 *
 * @module
 */
import type { FileLock, ProcessRuntime, Runtime } from "../../lib/runtime/types.ts";
import { agentHome, homeDir, ovcliPath } from "../../lib/config/paths.ts";
import { InstallError } from "../types.ts";

/** Absolute paths, without a trailing slash. */
export interface Places {
  /** The person's home folder. */
  readonly home: string;
  /** Everything ours. */
  readonly agent: string;
  readonly ovcli: string;
}

/** Name of the lock in an agent home. */
export const LOCK_NAME = "install.lock";

/**
 * Finds the folders.
 *
 * @throws {InstallError} `no-home` or `unsupported-platform`.
 */
export function placesOf(runtime: Runtime): Places {
  if (runtime.platform === "windows") {
    throw new InstallError({
      code: "unsupported-platform",
      message: "Cannot install on Windows: the launcher is a POSIX script",
      fix: "Install inside WSL",
    });
  }
  const home = homeDir(runtime);
  if (!home.startsWith("/")) {
    throw new InstallError({
      code: "no-home",
      message: home === ""
        ? "Cannot find the home folder: HOME is not set"
        : `Cannot use the home folder ${home}: HOME is not absolute`,
      fix: "Set HOME to an absolute path, then run the command again",
    });
  }
  const absolute = (path: string) => path.startsWith("/") ? path : `${runtime.cwd()}/${path}`;
  return { home, agent: absolute(agentHome(runtime)), ovcli: absolute(ovcliPath(runtime)) };
}

/**
 * Takes the lock of an agent home, which must exist.
 *
 * @throws {InstallError} `busy` when another run holds it for longer than `waitMs`.
 */
export async function lockInstallation(
  runtime: ProcessRuntime,
  agent: string,
  waitMs = 60_000,
): Promise<FileLock> {
  const until = runtime.now() + waitMs;
  for (;;) {
    const lock = runtime.tryLock(`${agent}/${LOCK_NAME}`);
    if (lock !== undefined) return lock;
    if (runtime.now() >= until) {
      throw new InstallError({
        code: "busy",
        message: `Cannot install into ${agent}: another install or uninstall is running`,
        fix: "Wait for it to end, then run the command again",
        path: agent,
      });
    }
    await runtime.sleep(100);
  }
}
