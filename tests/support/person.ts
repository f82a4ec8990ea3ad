/**
 * An isolated person: a home, a Git project, and the product run from the checkout as they would.
 *
 * @module
 */
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { isolatedEnvironment } from "./isolated_environment.ts";
import { projectRoot } from "./project.ts";

/** What a command printed and how it ended. */
export interface CommandEnd {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A person's machine for one test; `close` removes it. */
export interface Person {
  readonly home: string;
  readonly project: string;
  /** Writes a file below the home (or at an absolute path), folders included. */
  write(path: string, content: unknown, mode?: number): string;
  /** Runs the command line of the checkout. */
  run(args: readonly string[], options?: RunSettings): CommandEnd;
  /** Runs the command line while servers of this process go on answering. */
  start(args: readonly string[], options?: RunSettings): Promise<CommandEnd>;
  /** Runs one hook of Claude Code. */
  hook(event: string, payload: unknown, options?: RunSettings): CommandEnd;
  close(): void;
}

/** How one command differs. */
export interface RunSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

let base: Record<string, string> | undefined;

/** Makes a person. Workers started by hooks end as soon as nothing is due. */
export async function makePerson(): Promise<Person> {
  const root = mkdtempSync(join(tmpdir(), "ov-person-"));
  const home = join(root, "home");
  const project = join(root, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    join(project, ".git/config"),
    '[remote "origin"]\n\turl = https://git.example.com/team/app.git\n',
  );
  base ??= await isolatedEnvironment(home);
  const environment = { ...base, HOME: home, TMPDIR: root, OPENVIKING_WORKER_LINGER_MS: "0" };

  const cli = ["run", "-A", join(projectRoot, "cli.ts")];
  const start = (args: readonly string[], settings: RunSettings = {}): Promise<CommandEnd> => {
    const child = spawn(process.execPath, [...cli, ...args], {
      env: { ...environment, ...settings.env },
      cwd: settings.cwd ?? project,
      timeout: 60_000,
    });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => out += text);
    child.stderr.setEncoding("utf8").on("data", (text: string) => err += text);
    child.stdin.on("error", () => {}).end(settings.stdin ?? "");
    return new Promise((resolve) => {
      child.on("close", (code) => resolve({ code, out, err }));
    });
  };
  const run = (args: readonly string[], settings: RunSettings = {}): CommandEnd => {
    const done: SpawnSyncReturns<string> = spawnSync(
      process.execPath,
      [...cli, ...args],
      {
        env: { ...environment, ...settings.env },
        cwd: settings.cwd ?? project,
        encoding: "utf8",
        input: settings.stdin ?? "",
        timeout: 60_000,
      },
    );
    return { code: done.status, out: done.stdout, err: done.stderr };
  };
  return {
    home,
    project,
    run,
    start,
    write(path, content, mode = 0o600) {
      const file = path.startsWith("/") ? path : join(home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      chmodSync(file, mode);
      return file;
    },
    hook: (event, payload, settings = {}) =>
      run(["hook", "claude-code", event], {
        ...settings,
        stdin: typeof payload === "string" ? payload : `${JSON.stringify(payload)}\n`,
      }),
    close() {
      // A worker that a hook started may still write while it ends.
      for (let left = 50;; left--) {
        try {
          unlock(root);
          return rmSync(root, { recursive: true, force: true });
        } catch (error) {
          if (left === 0) throw error;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
        }
      }
    },
  };
}

function unlock(folder: string): void {
  try {
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) unlock(join(folder, entry.name));
    }
  } catch { /* removed meanwhile by an ending worker */ }
}
