/**
 * Runs a whole process and tells how long a host waits for it, or how much memory it takes.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";

/** A process to run. The environment is all of it. */
export interface MeasuredCommand {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: string;
}

/** One timed run. */
export interface TimedRun {
  /** Milliseconds from the start until the process is gone and its streams are closed. */
  readonly ms: number;
  readonly stdout: string;
}

function spawn(command: MeasuredCommand): Deno.ChildProcess {
  const [program = "", ...args] = command.argv;
  return new Deno.Command(program, {
    args,
    env: { ...command.environment },
    clearEnv: true,
    cwd: command.cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function finish(child: Deno.ChildProcess, stdin: string): Promise<string> {
  const writer = child.stdin.getWriter();
  // A process that reads nothing may be gone before the write: that is no failure of it.
  writer.write(new TextEncoder().encode(stdin)).then(() => writer.close()).catch(() => {});
  const output = await child.output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (output.code !== 0 || output.stderr.length > 0) {
    throw new Error(`Cannot measure: exit ${output.code}, stderr: ${decode(output.stderr)}`);
  }
  return decode(output.stdout);
}

/** Runs `command` once and takes the time. */
export async function timeProcess(command: MeasuredCommand): Promise<TimedRun> {
  const startedAt = performance.now();
  const stdout = await finish(spawn(command), command.stdin);
  return { ms: performance.now() - startedAt, stdout };
}

/**
 * Runs `command` once and watches its memory; MiB at the highest seen, `undefined` where there is no
 * `/proc`. The kernel keeps the high-water mark, so the last look before the end counts. Not for timing.
 */
export async function peakMemory(command: MeasuredCommand): Promise<number | undefined> {
  const child = spawn(command);
  const state = { running: true };
  const done = finish(child, command.stdin).finally(() => state.running = false);
  let peak = 0;
  while (state.running) {
    peak = Math.max(peak, ...processTree(child.pid).map(highWaterMark));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await done;
  return peak === 0 ? undefined : peak / 1024;
}

/** What a process took: milliseconds of CPU in all its threads, and MiB at the highest. */
export interface ProcessCost {
  readonly cpuMs: number;
  readonly peakMib: number;
}

/**
 * Runs `command` once and watches what it takes, as the kernel counts it until the last look, some
 * two milliseconds before the end. Linux only.
 */
export async function costOf(command: MeasuredCommand): Promise<ProcessCost> {
  const child = spawn(command);
  const state = { running: true };
  const done = finish(child, command.stdin).finally(() => state.running = false);
  let [cpuMs, peakKib] = [0, 0];
  while (state.running) {
    cpuMs = Math.max(cpuMs, cpuTime(child.pid));
    peakKib = Math.max(peakKib, highWaterMark(child.pid));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await done;
  return { cpuMs, peakMib: peakKib / 1024 };
}

/** Milliseconds of CPU of all threads that live. */
function cpuTime(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [onCpu] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      return sum + Number(onCpu) / 1e6;
    }, 0);
  } catch {
    return 0;
  }
}

function processTree(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return [pid, ...children.split(" ").filter((id) => id !== "").map(Number)];
  } catch {
    return [pid];
  }
}

/** KiB. */
function highWaterMark(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The middle value; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return low === undefined || high === undefined ? NaN : (low + high) / 2;
}
