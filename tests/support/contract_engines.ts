/**
 * The engines that the contract is tried on: one `send` each, a person of its own per case.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import process from "node:process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Transport, WireRequest, WireResponse } from "../../lib/http/types.ts";
import { createFetchTransport } from "../../lib/http/fetch_transport.ts";
import { isolatedEnvironment } from "./isolated_environment.ts";
import { openTestEngine } from "./local_engine.ts";
import { projectRoot } from "./project.ts";
import { type RealServer, requireServer } from "./requirements.ts";
import { tempFolder } from "./temp_folder.ts";

/** An engine under test. */
export interface ContractEngine {
  readonly name: EngineKind;
  /** Sends a request as `user`. */
  send(
    user: string,
    method: WireRequest["method"],
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<WireResponse>;
  close(): Promise<void>;
}

/** How an engine is reached. */
export type EngineKind = "embedded" | "served" | "server";

/** Headers of an ordinary client of the real server. */
export function trustedHeaders(server: RealServer, user: string): Record<string, string> {
  return {
    "x-api-key": server.rootKey,
    "x-openviking-account": "acme",
    "x-openviking-user": user,
  };
}

function overTransport(
  name: EngineKind,
  transport: Transport,
  identity: (user: string) => Record<string, string>,
  close: () => Promise<void>,
): ContractEngine {
  return {
    name,
    close,
    send: (user, method, path, body, headers = {}) =>
      transport({
        method,
        path,
        headers: { ...identity(user), ...headers },
        ...(body === undefined ? {} : { body }),
      }),
  };
}

const localIdentity = (user: string): Record<string, string> => ({
  "x-openviking-account": "acme",
  "x-openviking-user": user,
});

async function openEmbedded(): Promise<ContractEngine> {
  const local = await openTestEngine();
  return overTransport("embedded", (request) => local.engine.handle(request), localIdentity, () => {
    local[Symbol.dispose]();
    return Promise.resolve();
  });
}

/** `serve` as a person starts it, on a free port. */
async function openServed(): Promise<ContractEngine> {
  const home = tempFolder();
  const child = spawn(
    process.execPath,
    ["run", "-A", join(projectRoot, "cli.ts"), "serve", "--data", join(home, "data")],
    { env: await isolatedEnvironment(home), cwd: home, stdio: ["ignore", "pipe", "ignore"] },
  );
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const [line] = await Promise.race([
    new Promise<[string]>((resolve) =>
      createInterface({ input: child.stdout }).once("line", (text) => resolve([text]))
    ),
    ended.then(() => [""]),
  ]);
  if (line === undefined || line === "") throw new Error("Cannot start `serve`: it ended");
  const { url } = JSON.parse(line) as { url: string };
  return overTransport("served", createFetchTransport(url), localIdentity, async () => {
    child.kill("SIGTERM");
    await ended;
  });
}

/** Opens an engine; `undefined` when the test is skipped because it is not there. */
export async function openContractEngine(
  t: TestContext,
  kind: EngineKind,
): Promise<ContractEngine | undefined> {
  if (kind === "embedded") return await openEmbedded();
  if (kind === "served") return await openServed();
  const server = requireServer(t);
  return server === undefined ? undefined : overTransport(
    "server",
    createFetchTransport(server.url),
    (user) => trustedHeaders(server, user),
    () => Promise.resolve(),
  );
}
