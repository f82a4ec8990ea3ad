/**
 * Runs a real host in the shared host lab: the product installed in a home of its own, the host in a
 * network namespace that has nothing but loopback.
 *
 * @module
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { projectRoot } from "./project.ts";
import { tempFolder } from "./temp_folder.ts";

/** One lab run: `folder` holds what the lab writes, `home` the person's files. */
export interface HostLab {
  readonly folder: string;
  readonly home: string;
  /** Runs the command line of this checkout as this person; throws when it fails. */
  cli(...args: string[]): string;
  /** Runs a scenario of `tests/e2e/` in the namespace; the document it printed last. */
  run(scenario: string, ...args: string[]): unknown;
}

/** Environment of one person: nothing of this machine but what fetching modules needs. */
function environment(home: string): Record<string, string> {
  const kept =
    /^(PATH|DENO_DIR|DENO_CERT|DENO_TLS_CA_STORE|SSL_CERT_.*|NODE_EXTRA_CA_CERTS|HOSTS_DIR)$/;
  const env: Record<string, string> = { HOME: home, TMPDIR: tmpdir() };
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && kept.test(name)) env[name] = value;
  }
  return env;
}

/**
 * Makes a lab; it is removed after the test.
 *
 * @param shared Folder of the shared material.
 */
export function createHostLab(shared: string): HostLab {
  const folder = tempFolder();
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const run = (scenario: string, ...args: string[]): unknown => {
    const unshare = process.getuid?.() === 0 ? ["-n"] : ["-rn"];
    const program = [process.execPath, "run", "-A", "--no-config"];
    const done = spawnSync("unshare", [
      ...unshare,
      "sh",
      "-c",
      'ip link set lo up; exec "$@"',
      "sh",
      ...program,
      join(projectRoot, "tests/e2e", scenario),
      join(shared, "hostlab"),
      folder,
      ...args,
    ], { env: environment(home), encoding: "utf8", timeout: 240_000 });
    assert.equal(done.status, 0, done.stderr);
    return JSON.parse(done.stdout.trim().split("\n").at(-1) ?? "");
  };
  return {
    folder,
    home,
    cli: (...args) =>
      execFileSync(process.execPath, ["run", "-A", join(projectRoot, "cli.ts"), ...args], {
        env: environment(home),
        cwd: home,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      }),
    run,
  };
}
