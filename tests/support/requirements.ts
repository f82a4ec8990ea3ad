/**
 * What a test needs beyond the checkout: the shared material beside it, a real host, a real server.
 *
 * In a bare clone such a test is skipped by name. With `OPENVIKING_TEST_FULL=1` a missing
 * requirement is a failure. Under Deno, `t.skip()` of `node:test` counts as a pass, so every skip is
 * also written to the file named by `OPENVIKING_TEST_SKIPS`, which the test task reads.
 *
 * @module
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { TestContext } from "node:test";
import { projectRoot } from "./project.ts";

/** Real hosts by the name that the host laboratory gives them, with the path of their program. */
const HOST_PROGRAMS = {
  claude: "claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
  codex: "codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
  opencode: "opencode/node_modules/opencode-linux-x64/bin/opencode",
} as const;

/** A real host that tests can ask for. */
export type HostName = keyof typeof HOST_PROGRAMS;

/** One skipped test as the test task reads it, one JSON document per line. */
export interface SkipRecord {
  /** The test's name with those of its parents, as JUnit has it. */
  readonly name: string;
  readonly reason: string;
}

/** The shared material beside the checkout; `undefined` when this test is skipped, and should return. */
export function requireShared(t: TestContext): string | undefined {
  const shared = join(projectRoot, "..", "shared");
  if (existsSync(join(shared, "spec"))) return shared;
  return skip(t, "needs ../shared");
}

/**
 * The shared material, for tests that take minutes: only `deno task test:full` runs them; `undefined`
 * when this test is skipped.
 */
export function requireFull(t: TestContext): string | undefined {
  if (process.env["OPENVIKING_TEST_FULL"] === "1") return requireShared(t);
  return skip(t, "takes minutes: deno task test:full");
}

/** Path of a real host's program, installed under `HOSTS_DIR`; `undefined` when this test is skipped. */
export function requireHost(t: TestContext, host: HostName): string | undefined {
  if (requireShared(t) === undefined) return undefined;
  const folder = process.env["HOSTS_DIR"] ?? "";
  const program = join(folder, HOST_PROGRAMS[host]);
  if (folder !== "" && existsSync(program)) return program;
  return skip(t, `needs the host ${host} under HOSTS_DIR (../shared/hostlab/install-hosts.sh)`);
}

/** A real OpenViking server that runs on loopback, in trusted mode. */
export interface RealServer {
  readonly url: string;
  /** Goes with the identity headers; every account and user name works, so each test takes its own. */
  readonly rootKey: string;
  readonly dataDir: string;
  readonly version: string;
}

/**
 * The real server whose `state.json` (of `../shared/server/start.mjs`) the variable `OV_SERVER_STATE`
 * names; `undefined` when this test is skipped.
 */
export function requireServer(t: TestContext): RealServer | undefined {
  if (requireShared(t) === undefined) return undefined;
  const file = process.env["OV_SERVER_STATE"] ?? "";
  if (file === "" || !existsSync(file)) {
    return skip(t, "needs a real server in OV_SERVER_STATE (../shared/server/start.mjs)");
  }
  const state = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
  const { url = "", root_key: rootKey = "", data_dir: dataDir = "", version = "" } = state;
  return { url, rootKey, dataDir, version };
}

/** Skips where the operating system cannot do what the test needs, `what` says what. */
export function requirePlatform(t: TestContext, what: string, holds: boolean): true | undefined {
  return holds ? true : skip(t, `needs ${what}`);
}

function skip(t: TestContext, reason: string): undefined {
  if (process.env["OPENVIKING_TEST_FULL"] === "1") {
    throw new Error(`Cannot run "${t.fullName}": it ${reason}`);
  }
  const records = process.env["OPENVIKING_TEST_SKIPS"];
  if (records !== undefined && records !== "") {
    const record: SkipRecord = { name: t.fullName, reason };
    appendFileSync(records, `${JSON.stringify(record)}\n`);
  }
  t.skip(reason);
  return undefined;
}
