/**
 * A person's home for tests of the installer: planted files, a runtime that sees only this home,
 * small bundles instead of the real program, and everything that lies there as one map.
 *
 * @module
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Files, ProcessRuntime } from "../../lib/runtime/types.ts";
import { FileError } from "../../lib/runtime/types.ts";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import type { Bundles, BundleSource } from "../../install/types.ts";
import { tempFolder } from "./temp_folder.ts";

/** A file to plant: its text, and how it lies there. */
export interface Planted {
  readonly text: string;
  readonly mode?: number;
  /** Planted here (below the home), with a link at the usual place. */
  readonly behind?: string;
}

/** What a stand-in bundle prints about how it was started. */
export interface BundleReport {
  readonly bundle: string;
  readonly args: readonly string[];
  readonly agent: string | undefined;
  readonly denoDir: string | undefined;
  readonly noProxy: string | undefined;
  readonly exec: string;
  readonly wroteInside: boolean;
  readonly wroteOutside: boolean;
  readonly started: boolean;
  /** What it read from stdin. */
  readonly stdin: string;
}

function standIn(bundle: string): string {
  return `
const agent = Deno.env.get("OPENVIKING_AGENT_HOME");
const attempt = (work) => { try { work(); return true; } catch { return false; } };
const bytes = new Uint8Array(65536);
const read = Deno.stdin.readSync(bytes) ?? 0;
console.log(JSON.stringify({
  bundle: ${JSON.stringify(bundle)},
  args: Deno.args,
  agent,
  denoDir: Deno.env.get("DENO_DIR"),
  noProxy: Deno.env.get("NO_PROXY"),
  exec: Deno.execPath(),
  wroteInside: attempt(() => Deno.writeTextFileSync(agent + "/wrote-" + Deno.pid, "")),
  wroteOutside: attempt(() => Deno.writeTextFileSync(agent + "/../outside", "")),
  started: attempt(() => {
    const child = new Deno.Command(Deno.execPath(), { args: ["--version"] }).outputSync();
    if (!child.success) throw new Error();
  }),
  stdin: new TextDecoder().decode(bytes.subarray(0, read)),
}));
`;
}

/** Bundles of a few lines that report how they were started; another `mark` makes another program. */
export function standInBundles(mark = ""): BundleSource {
  const hooks = ["guard", "prompt", "start", "write"].map((part) => `hook-claude-code-${part}.js`);
  const names = [...hooks, "worker.js", "mcp.js", "cli.js"];
  const bundles: Bundles = new Map(names.map((name) => [name, standIn(name) + `// ${mark}\n`]));
  return { load: () => Promise.resolve(bundles) };
}

/** One home. */
export interface InstallHome {
  readonly root: string;
  readonly home: string;
  readonly agent: string;
  readonly runtime: ProcessRuntime;
  /** The runtime with other variables or other files. */
  with(changes: { env?: Readonly<Record<string, string>>; files?: Files }): ProcessRuntime;
  plant(path: string, file: Planted | string): string;
  read(path: string): string;
  has(path: string): boolean;
  /** Path to kind, mode and content, of everything but `skip`. */
  snapshot(skip?: RegExp): Record<string, string>;
}

/** Makes a home, by default with a name that needs care. */
export function installHome(name = "hö me's (1) & co"): InstallHome {
  const root = tempFolder();
  const home = join(root, name);
  mkdirSync(home, { recursive: true });
  const runtimeWith: InstallHome["with"] = ({ env = {}, files }) => ({
    ...denoProcessRuntime,
    ...(files === undefined ? {} : { files }),
    env: (variable) => ({ HOME: home, PATH: "/usr/bin:/bin", ...env })[variable],
  });
  return {
    root,
    home,
    agent: join(home, ".openviking/agent"),
    runtime: runtimeWith({}),
    with: runtimeWith,
    plant(path, file) {
      const { text, mode, behind } = typeof file === "string" ? { text: file } as Planted : file;
      const real = join(home, behind ?? path);
      mkdirSync(dirname(real), { recursive: true });
      writeFileSync(real, text);
      if (mode !== undefined) chmodSync(real, mode);
      if (behind !== undefined) {
        const link = join(home, path);
        mkdirSync(dirname(link), { recursive: true });
        symlinkSync(relative(dirname(link), real), link);
      }
      return join(home, path);
    },
    read: (path) => readFileSync(join(home, path), "utf8"),
    has: (path) => existsSync(join(home, path)),
    snapshot: (skip = /^\.openviking(\/|$)/) => snapshotOf(home, skip),
  };
}

function snapshotOf(root: string, skip: RegExp): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (below: string) => {
    for (const name of readdirSync(join(root, below)).sort()) {
      const path = below === "" ? name : `${below}/${name}`;
      if (skip.test(path)) continue;
      const stat = lstatSync(join(root, path));
      if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(join(root, path))}`;
      else if (stat.isDirectory()) {
        found[path] = "folder";
        walk(path);
      } else {
        const content = stat.size > 1_000_000
          ? `${stat.ino} ${stat.size} ${stat.mtimeMs}`
          : readFileSync(join(root, path)).toString("base64");
        found[path] = `${(stat.mode & 0o7777).toString(8)} ${content}`;
      }
    }
  };
  walk("");
  return found;
}

/** Methods of {@linkcode Files} that change something. */
const WRITES = [
  "makeDir",
  "writeAtomic",
  "overwrite",
  "append",
  "createEmpty",
  "remove",
  "removeTree",
  "rename",
  "link",
  "copy",
  "chmod",
] as const;

/** How many writes were asked for, and how many were let through. */
export interface WriteCount {
  asked: number;
}

/**
 * Files that stop writing after `allowed` writes, as when the process is killed there: every later
 * write fails too, clean-up included.
 */
export function filesThatStop(files: Files, allowed: number, count: WriteCount): Files {
  const stopped = { ...files };
  for (const method of WRITES) {
    const real = files[method] as (...args: unknown[]) => unknown;
    (stopped as unknown as Record<string, unknown>)[method] = (...args: unknown[]) => {
      count.asked++;
      if (count.asked > allowed) throw new FileError("other", "write (killed)", String(args[0]));
      return real(...args);
    };
  }
  return stopped;
}
