/**
 * What commands and the worker may use on Node and Bun beside the plain runtime.
 *
 * @module
 */
import type { ProcessResult, ProcessRuntime, RunOptions } from "./types.ts";
import { nodeRuntime, readFromStdin } from "./node.ts";
import { attempt, isAbsolute } from "./_file_code.ts";
import { linesOf } from "./_lines.ts";
import { builtin, nodeHost } from "./_node_builtins.ts";
import { serveHttp } from "./_node_http.ts";
import { sleep } from "./_sleep.ts";

function run(command: readonly string[], options: RunOptions = {}): Promise<ProcessResult> {
  const [program = "", ...args] = command;
  const base = options.clearEnv === true ? {} : nodeHost().env;
  return new Promise((resolve, reject) => {
    const child = builtin("node:child_process").spawn(program, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...base, ...options.env },
      stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const stdout: Uint8Array[] = [];
    const stderr: Uint8Array[] = [];
    let timedOut = false;
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
    }, options.timeoutMs);
    child.stdout?.on("data", (piece: Uint8Array) => stdout.push(piece));
    child.stderr?.on("data", (piece: Uint8Array) => stderr.push(piece));
    child.stdin?.on("error", () => {}); // the child may close its stdin early
    child.stdin?.end(options.stdin);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({
        code: timedOut ? null : code,
        stdout: textOf(stdout),
        stderr: textOf(stderr),
        timedOut,
      });
    });
  });
}

function textOf(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
}

function kill(pid: number, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): boolean {
  try {
    return nodeHost().kill(pid, signal);
  } catch {
    return false;
  }
}

const DESCRIPTORS = { stdin: 0, stdout: 1, stderr: 2 } as const;

/** The runtime of commands and of the worker under Node and Bun. */
export const nodeProcessRuntime: ProcessRuntime = {
  ...nodeRuntime,
  sleep,
  run,
  onTerminate(handler) {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) nodeHost().on(signal, handler);
  },
  kill,
  isTerminal: (stream) => builtin("node:tty").isatty(DESCRIPTORS[stream]),
  envAll: () =>
    Object.fromEntries(
      Object.entries(nodeHost().env).filter((entry): entry is [string, string] =>
        entry[1] !== undefined
      ),
    ),
  serveHttp,
  readStdinLines: (limit) => linesOf(readFromStdin, limit),
  sendStdout: (text) =>
    new Promise((resolve, reject) => {
      nodeHost().stdout.write(text, (error) => error ? reject(error) : resolve());
    }),
  parentPid: () => nodeHost().ppid,
  makeTempDir: (prefix) => {
    const folder = builtin("node:os").tmpdir();
    return attempt("make a folder in", folder, () => {
      const path = builtin("node:fs").mkdtempSync(`${folder}/${prefix}`);
      return isAbsolute(path) ? path : builtin("node:fs").realpathSync(path);
    });
  },
};
