/**
 * Engines that can be killed and started again where they were.
 *
 * @module
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import process from "node:process";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { projectRoot } from "../support/project.ts";

/** An engine of its own folder. */
export interface MortalEngine {
  /** Starts it; its address. */
  start(): Promise<string>;
  /** SIGKILL. */
  kill(): void;
  /** Ends it and what belongs to it. */
  close(): void;
  /** Headers of a client, for the audit; the product gets the same by its configuration. */
  headers(): Record<string, string>;
  /** `api_key`, `account` and `user` of ovcli.conf. */
  credentials(): Record<string, string>;
}

/** The embedded engine behind `serve`. */
export function servedEngine(folder: string): MortalEngine {
  let child: ChildProcess | undefined;
  mkdirSync(folder, { recursive: true });
  return {
    async start() {
      const started = spawn(
        process.execPath,
        ["run", "-A", "--no-check", join(projectRoot, "cli.ts"), "serve", "--data", folder],
        { env: await isolatedEnvironment(folder), stdio: ["ignore", "pipe", "ignore"] },
      );
      child = started;
      const line = await new Promise<string>((resolve, reject) => {
        createInterface({ input: started.stdout }).once("line", resolve);
        started.once("exit", () => reject(new Error("`serve` ended before it was ready")));
      });
      return (JSON.parse(line) as { url: string }).url;
    },
    kill: () => void child?.kill("SIGKILL"),
    close: () => void child?.kill("SIGKILL"),
    headers: () => ({ "x-openviking-account": "acme", "x-openviking-user": "alice" }),
    credentials: () => ({ api_key: "any", account: "acme", user: "alice" }),
  };
}

/** The real server of `../shared/server`, in `OV_VENV`. */
export function realEngine(folder: string): MortalEngine {
  const tools = join(projectRoot, "..", "shared", "server");
  let key = "";
  return {
    async start() {
      const child = spawn("node", [join(tools, "start.mjs"), "--data", folder], {
        stdio: ["ignore", "ignore", "inherit"],
        env: { OV_START_TIMEOUT: "180", ...process.env },
      });
      const code = await new Promise((resolve) => child.once("exit", resolve));
      if (code !== 0) throw new Error(`start.mjs ended with ${code}`);
      const state = JSON.parse(readFileSync(join(folder, "state.json"), "utf8"));
      key = state.root_key;
      return state.url;
    },
    kill: () => void spawnSync("bash", [join(tools, "stop.sh"), folder, "--kill"]),
    close: () => void spawnSync("bash", [join(tools, "stop.sh"), folder]),
    headers: () => ({
      "x-api-key": key,
      "x-openviking-account": "acme",
      "x-openviking-user": "alice",
    }),
    credentials: () => ({ api_key: key, account: "acme", user: "alice" }),
  };
}
