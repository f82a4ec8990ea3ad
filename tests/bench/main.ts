/**
 * `deno task bench [--rounds N] [--messages N] [--transcript-mb N] [--only TEXT] [--json FILE]
 * [--check]`: what each hook costs as a whole process, through the installed launcher, beside an
 * empty Deno process of the same run, and what transcripts cost the worker. `--check` fails when a row
 * passes its limit.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VERSION } from "../../lib/version.ts";
import { printErrorLine, printLine } from "../support/terminal.ts";
import { createBenchHome } from "./bench_home.ts";
import { createCorpus, createRandom, type Random } from "./corpus.ts";
import { type MeasuredCommand, median, peakMemory, timeProcess } from "./measure.ts";
import { type BenchReport, type BenchResult, renderReport, rowsOverLimit } from "./report.ts";
import { isOverLimit, measureTranscripts, renderTranscripts } from "./transcripts.ts";
import { type BenchHomes, type BenchRow, ROWS } from "./rows.ts";

const USAGE =
  "usage: deno task bench [--rounds N] [--messages N] [--transcript-mb N] [--only TEXT] [--json FILE] [--check]";

interface Options {
  readonly rounds: number;
  readonly messages: number;
  readonly transcriptMb: number;
  readonly only: string;
  readonly json: string;
  readonly check: boolean;
}

function parseOptions(args: readonly string[]): Options | undefined {
  const options = {
    rounds: 30,
    messages: 10_000,
    transcriptMb: 100,
    only: "",
    json: "",
    check: false,
  };
  const rest = [...args];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "--check") {
      options.check = true;
      continue;
    }
    const value = rest.shift();
    if (value === undefined) return undefined;
    if (name === "--only") options.only = value;
    else if (name === "--json") options.json = value;
    else if (!/^[1-9]\d{0,6}$/.test(value)) return undefined;
    else if (name === "--rounds") options.rounds = Number(value);
    else if (name === "--messages") options.messages = Number(value);
    else if (name === "--transcript-mb") options.transcriptMb = Number(value);
    else return undefined;
  }
  return options;
}

/** The unit: a Deno process that runs an empty program from a warm cache. */
function emptyRow(root: string): BenchRow {
  const program = join(root, "empty.js");
  writeFileSync(program, "");
  const command: MeasuredCommand = {
    argv: [Deno.execPath(), "run", "--no-config", "--no-lock", program],
    environment: {
      HOME: root,
      PATH: "/usr/bin:/bin",
      DENO_DIR: join(root, "empty-cache"),
      DENO_NO_UPDATE_CHECK: "1",
    },
    cwd: root,
    stdin: "{}\n",
  };
  return { name: "empty Deno process", command: () => command, answers: /^$/ };
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items.map((item) => ({ item, key: random() })).sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

async function measure(
  options: Options,
  homes: BenchHomes,
  rows: readonly BenchRow[],
  questions: readonly string[],
): Promise<BenchResult[]> {
  const random = createRandom(7);
  const times = new Map(rows.map((row) => [row, [] as number[]]));
  const question = (run: number) => questions[run % questions.length] ?? "";
  // The first two rounds warm the caches and do not count.
  for (let round = -2; round < options.rounds; round++) {
    for (const row of shuffled(random, rows)) {
      const run = round + 2;
      await row.prepare?.(homes, run);
      const { ms, stdout } = await timeProcess(row.command(homes, run, question(run)));
      if (!row.answers.test(stdout)) {
        throw new Error(`Cannot measure "${row.name}": it answered ${stdout.slice(0, 300)}`);
      }
      if (round >= 0) times.get(row)?.push(ms);
    }
  }
  const [empty] = rows;
  const unit = median(empty === undefined ? [] : times.get(empty) ?? []);
  const results: BenchResult[] = [];
  for (const row of rows) {
    const ms = median(times.get(row) ?? []);
    const peaks: number[] = [];
    for (let run = 0; run < 3; run++) {
      await row.prepare?.(homes, options.rounds + 2 + run);
      const peak = await peakMemory(row.command(homes, run, question(run)));
      if (peak !== undefined) peaks.push(peak);
    }
    results.push({
      name: row.name,
      ms,
      ratio: ms / unit,
      limit: row.limit ?? null,
      peak_mib: peaks.length === 0 ? null : Math.max(...peaks),
    });
  }
  return results;
}

/** Runs the benchmark; the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === undefined) {
    printErrorLine(USAGE);
    return 2;
  }
  const root = mkdtempSync(join(tmpdir(), "openviking-bench-"));
  const homes: Partial<Record<keyof BenchHomes, BenchHomes["living"]>> = {};
  try {
    printErrorLine(`Installing, and storing ${options.messages} messages ...`);
    const corpus = createCorpus(options.messages);
    for (const name of ["living", "cold"] as const) {
      mkdirSync(join(root, name));
      homes[name] = await createBenchHome(
        join(root, name),
        name === "living" ? corpus : { messages: [], questions: [] },
      );
    }
    const both = homes as BenchHomes;
    both.living.appendTurn(0);
    await timeProcess(both.living.hook("Stop", { stop_hook_active: false }));
    const rows = [
      emptyRow(root),
      ...ROWS.filter((row) => row.name.includes(options.only)),
    ];
    const report: BenchReport = {
      version: VERSION,
      deno: Deno.version.deno,
      platform: `${Deno.build.os} ${Deno.build.arch}`,
      rounds: options.rounds,
      messages: options.messages,
      rows: await measure(options, both, rows, corpus.questions),
    };
    printLine(renderReport(report));
    const transcripts = "transcripts".includes(options.only)
      ? await measureTranscripts(root, options.transcriptMb * 2 ** 20, options.rounds)
      : [];
    if (transcripts.length > 0) printLine(`\n${renderTranscripts(transcripts)}`);
    if (options.json !== "") {
      writeFileSync(options.json, `${JSON.stringify({ ...report, transcripts }, null, 2)}\n`);
    }
    return options.check && (rowsOverLimit(report).length > 0 || transcripts.some(isOverLimit))
      ? 1
      : 0;
  } finally {
    for (const home of Object.values(homes)) await home.endWorker();
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
