/**
 * What is measured, as data: each row is a hook of an installed home, in a state.
 *
 * @module
 */
import type { BenchHome } from "./bench_home.ts";
import type { MeasuredCommand } from "./measure.ts";

/** The homes that rows use: in one the worker lives, in the other it is ended before each run. */
export interface BenchHomes {
  readonly living: BenchHome;
  readonly cold: BenchHome;
}

/** One line of the table. */
export interface BenchRow {
  readonly name: string;
  /** Ratio to an empty Deno process that must not be passed; absent where none is promised. */
  readonly limit?: number;
  /** Brings the home into its state before each run; not measured. */
  prepare?(homes: BenchHomes, run: number): Promise<void> | void;
  command(homes: BenchHomes, run: number, question: string): MeasuredCommand;
  /** What stdout must hold, so that a broken hook is not praised for its speed. */
  readonly answers: RegExp;
}

const NOTHING = /^$/;

/** What a host says first. */
const INITIALIZE = `${
  JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    },
  })
}\n`;

async function startWorker(home: BenchHome): Promise<void> {
  await home.waitForWorker();
}

/** Every row, in the order of the table. */
export const ROWS: readonly BenchRow[] = [
  {
    name: "guard, ordinary file",
    limit: 1.3,
    command: ({ living }) =>
      living.hook("PreToolUse", {
        tool_name: "Read",
        tool_input: { file_path: `${living.project}/notes.txt` },
      }),
    answers: NOTHING,
  },
  {
    name: "guard, viking:// path",
    command: ({ living }) =>
      living.hook("PreToolUse", {
        tool_name: "Read",
        tool_input: { file_path: `${living.project}/viking:/user/default/memories/a.md` },
      }),
    answers: /"permissionDecision":"deny"/,
  },
  {
    name: "prompt, embedded engine",
    limit: 1.6,
    command: ({ living }, run, question) =>
      living.hook("UserPromptSubmit", { prompt: question, prompt_id: `bench-${run}` }),
    answers: /additionalContext/,
  },
  {
    name: "session start",
    command: ({ living }) => living.hook("SessionStart", { source: "startup" }),
    answers: /^($|\{)/,
  },
  {
    name: "Stop, worker lives",
    limit: 1.3,
    async prepare({ living }, run) {
      living.appendTurn(run);
      await startWorker(living);
    },
    command: ({ living }) => living.hook("Stop", { stop_hook_active: false }),
    answers: NOTHING,
  },
  {
    name: "Stop, worker is started",
    limit: 1.6,
    async prepare({ cold }, run) {
      cold.appendTurn(run);
      await cold.endWorker();
    },
    command: ({ cold }) => cold.hook("Stop", { stop_hook_active: false }),
    answers: NOTHING,
  },
  {
    name: "SessionEnd, worker lives",
    async prepare({ living }) {
      await startWorker(living);
    },
    command: ({ living }) => living.hook("SessionEnd", { reason: "other" }),
    answers: NOTHING,
  },
  {
    name: "MCP, initialize answered and stdin closed",
    limit: 2.2,
    command: ({ living }) => living.mcp(INITIALIZE),
    answers: /"serverInfo"/,
  },
];
