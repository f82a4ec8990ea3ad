/**
 * What commands and the worker may use under Deno beside the hook-safe runtime.
 *
 * @module
 */
import type {
  HttpServer,
  ProcessResult,
  ProcessRuntime,
  RunOptions,
  ServeOptions,
} from "./types.ts";
import { attempt, isAbsolute } from "./_file_code.ts";
import { denoRuntime } from "./deno.ts";
import { linesOf } from "./_lines.ts";
import { sleep } from "./_sleep.ts";

async function run(command: readonly string[], options: RunOptions = {}): Promise<ProcessResult> {
  const [program, ...args] = command;
  const child = new Deno.Command(program ?? "", {
    args,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: { ...options.env } }),
    clearEnv: options.clearEnv ?? false,
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let timedOut = false;
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(() => {
    timedOut = true;
    try {
      child.kill("SIGKILL");
    } catch { /* gone */ }
  }, options.timeoutMs);
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    writer.write(new TextEncoder().encode(options.stdin)).then(() => writer.close()).catch(() => {
      // the child may close its stdin early
    });
  }
  const output = await child.output();
  clearTimeout(timer);
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return {
    code: output.signal === null && !timedOut ? output.code : null,
    stdout: decode(output.stdout),
    stderr: decode(output.stderr),
    timedOut,
  };
}

function kill(pid: number, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): boolean {
  try {
    Deno.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function sendStdout(text: string): Promise<void> {
  let rest = new TextEncoder().encode(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(await Deno.stdout.write(rest));
    } catch (error) {
      // A host may hand over a pipe that does not block; then a full one says so.
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      await sleep(2);
    }
  }
}

function serveHttp(options: ServeOptions): Promise<HttpServer> {
  const hostname = options.hostname ?? "127.0.0.1";
  const stop = new AbortController();
  const server = Deno.serve({
    hostname,
    port: options.port,
    signal: stop.signal,
    onListen: () => {},
    onError: () => new Response(null, { status: 500 }),
  }, options.handler);
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return Promise.resolve({
    url: `http://${host}:${server.addr.port}`,
    async close() {
      stop.abort();
      await server.finished;
    },
  });
}

/** The runtime of commands and of the worker under Deno. */
export const denoProcessRuntime: ProcessRuntime = {
  ...denoRuntime,
  sleep,
  run,
  onTerminate(handler) {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      if (Deno.build.os === "windows" && signal === "SIGTERM") continue;
      Deno.addSignalListener(signal, handler);
    }
  },
  kill,
  isTerminal: (stream) => Deno[stream].isTerminal(),
  envAll: () => Deno.env.toObject(),
  serveHttp,
  readStdinLines: (limit) => linesOf((buffer) => Deno.stdin.read(buffer), limit),
  sendStdout,
  parentPid: () => Deno.ppid,
  makeTempDir(prefix) {
    const folder = Deno.env.get("TMPDIR");
    return attempt("make a folder in", folder || "the temporary folder", () => {
      // Deno takes an empty variable for the working directory.
      const path = Deno.makeTempDirSync({ prefix, ...(folder === "" ? { dir: "/tmp" } : {}) });
      return isAbsolute(path) ? path : Deno.realPathSync(path);
    });
  },
};
