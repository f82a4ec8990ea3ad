/**
 * What the worker takes for a transcript: for the first capture of a big one, and for one turn more
 * in a big one beside a small one. Homes on the embedded engine; delivery is part of it.
 *
 * @module
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BenchHome, createBenchHome } from "./bench_home.ts";
import { costOf, median, type ProcessCost, timeProcess } from "./measure.ts";

/** One line of the table. */
export interface TranscriptResult {
  readonly name: string;
  /** Milliseconds of CPU of the worker; the median where there are several runs. */
  readonly cpu_ms: number;
  /** CPU over that of the small transcript, and what was promised; `null` where neither is. */
  readonly ratio: number | null;
  readonly limit: number | null;
  /** MiB at the highest of all runs, and what was promised. */
  readonly peak_mib: number;
  readonly peak_limit_mib: number;
}

const SMALL_BYTES = 100 * 1024;
/** Megabytes of the issue, as MiB. */
const FIRST_CAPTURE_MIB = 100e6 / 2 ** 20;
const ONE_TURN_MIB = 60e6 / 2 ** 20;
const TURN_RATIO = 1.1;

/** One turn's end, taken in and delivered by a worker that is watched. */
async function capture(home: BenchHome): Promise<ProcessCost> {
  const before = home.hook("Stop", { stop_hook_active: false });
  await home.withoutWorker(() => timeProcess(before));
  const cost = await costOf(home.worker());
  const { waiting } = home.captured();
  if (waiting > 0) throw new Error(`Cannot measure: ${waiting} messages were not delivered`);
  return cost;
}

/** Measures with a transcript of `bytes`; nothing where the kernel does not tell what a process took. */
export async function measureTranscripts(
  root: string,
  bytes: number,
  rounds: number,
): Promise<TranscriptResult[]> {
  if (Deno.build.os !== "linux") return [];
  const make = async (name: string, size: number): Promise<[BenchHome, ProcessCost]> => {
    mkdirSync(join(root, name));
    const home = await createBenchHome(join(root, name), { messages: [], questions: [] });
    home.fillTranscript(size);
    return [home, await capture(home)];
  };
  const [big, first] = await make("big", bytes);
  const [small] = await make("small", SMALL_BYTES);
  const turns = new Map<BenchHome, ProcessCost[]>([[big, []], [small, []]]);
  for (let round = -2; round < rounds; round++) {
    for (const [home, costs] of turns) {
      home.appendTurn(round + 2);
      const { messages } = home.captured();
      const cost = await capture(home);
      const added = home.captured().messages - messages;
      if (added !== 2) throw new Error(`Cannot measure: a turn added ${added} messages`);
      if (round >= 0) costs.push(cost);
    }
  }
  const cpuOf = (home: BenchHome): number =>
    median((turns.get(home) ?? []).map(({ cpuMs }) => cpuMs));
  const peakOf = (home: BenchHome): number =>
    Math.max(...(turns.get(home) ?? []).map(({ peakMib }) => peakMib));
  const size = (value: number): string => `${Math.round(value / 2 ** 20 * 10) / 10} MiB`;
  return [
    {
      name: `first capture of ${size(bytes)}`,
      cpu_ms: first.cpuMs,
      ratio: null,
      limit: null,
      peak_mib: first.peakMib,
      peak_limit_mib: FIRST_CAPTURE_MIB,
    },
    {
      name: `one turn in ${size(SMALL_BYTES)}`,
      cpu_ms: cpuOf(small),
      ratio: 1,
      limit: null,
      peak_mib: peakOf(small),
      peak_limit_mib: ONE_TURN_MIB,
    },
    {
      name: `one turn in ${size(bytes)}`,
      cpu_ms: cpuOf(big),
      ratio: cpuOf(big) / cpuOf(small),
      limit: TURN_RATIO,
      peak_mib: peakOf(big),
      peak_limit_mib: ONE_TURN_MIB,
    },
  ];
}

/** True when a row took more than was promised. */
export function isOverLimit(row: TranscriptResult): boolean {
  return row.peak_mib > row.peak_limit_mib ||
    (row.limit !== null && row.ratio !== null && row.ratio > row.limit);
}

/** The rows as a table. */
export function renderTranscripts(rows: readonly TranscriptResult[]): string {
  const title = "worker";
  const width = Math.max(...[title, ...rows.map(({ name }) => name)].map((name) => name.length));
  const line = (...cells: readonly [string, string, string, string, string, string, string]) => {
    const [name, cpu, ratio, limit, peak, most, note] = cells;
    return `${name.padEnd(width)}  ${cpu.padStart(10)}  ${ratio.padStart(5)}  ${
      limit.padStart(5)
    }  ${peak.padStart(8)}  ${most.padStart(8)}  ${note}`.trimEnd();
  };
  return [
    line(title, "CPU", "ratio", "limit", "peak", "limit", ""),
    ...rows.map((row) =>
      line(
        row.name,
        `${row.cpu_ms.toFixed(1)} ms`,
        row.ratio?.toFixed(2) ?? "",
        row.limit?.toFixed(2) ?? "",
        `${row.peak_mib.toFixed(0)} MiB`,
        `${row.peak_limit_mib.toFixed(0)} MiB`,
        isOverLimit(row) ? "over its limit" : "",
      )
    ),
  ].join("\n");
}
