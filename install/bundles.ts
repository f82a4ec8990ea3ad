/**
 * Where the program's bundles come from: a checkout builds them, an installed program copies itself.
 *
 * @module
 */
import type { Files, ProcessRuntime } from "../lib/runtime/types.ts";
import { MANIFESTS } from "./manifests.ts";
import { digestOf } from "./program/digest.ts";
import { type Bundles, type BundleSource, InstallError } from "./types.ts";

/** Milliseconds a build may take; the first one fetches the bundler. */
const BUILD_TIMEOUT_MS = 240_000;

/** Builds kept in `dist/`: another process may be reading the one before. */
const KEPT_BUILDS = 4;

/** Folders whose files are no part of any bundle. */
const NOT_SOURCES: ReadonlySet<string> = new Set([
  "coverage",
  "dist",
  "docs",
  "node_modules",
  "npm",
  "tests",
]);

function buildFailed(state: string, fix: string, cause?: unknown): InstallError {
  const message = `Cannot build the program: ${state}`;
  return new InstallError({ code: "build-failed", message, fix }, cause);
}

function folderOfModule(moduleUrl: string): string {
  const path = decodeURIComponent(new URL(".", moduleUrl).pathname);
  return path === "/" ? path : path.replace(/\/$/, "");
}

/**
 * The source that fits the running program: a checkout (`…/cli/*.ts`) builds, an installed program
 * (`…/cli.js` beside its siblings) copies itself.
 *
 * @param moduleUrl `import.meta.url` of any module of the running program.
 */
export function bundleSourceFor(runtime: ProcessRuntime, moduleUrl: string): BundleSource {
  if (!moduleUrl.startsWith("file:")) {
    return {
      load: () =>
        Promise.reject(
          buildFailed(`${moduleUrl} carries no bundles`, "Install from a checkout of the project"),
        ),
    };
  }
  let folder = folderOfModule(moduleUrl);
  if (!/\.ts$/.test(moduleUrl)) return folderBundles(runtime.files, folder);
  while (folder !== "" && runtime.files.stat(`${folder}/cli.ts`) === undefined) {
    folder = folder.slice(0, folder.lastIndexOf("/"));
  }
  return checkoutBundles(runtime, folder);
}

/** Bundles that lie ready in a folder. */
export function folderBundles(files: Files, folder: string): BundleSource {
  return {
    // deno-lint-ignore require-await -- rejects instead of throwing, like every source
    load: async () => readBundles(files, folder),
  };
}

function readBundles(files: Files, folder: string): Bundles {
  const names = files.list(folder).filter((name) => name.endsWith(".js"));
  if (!names.includes("cli.js")) {
    throw buildFailed(
      `${folder} holds no cli.js`,
      "Install again from where the program came from",
    );
  }
  return new Map(names.sort().map((name) => [name, files.readText(`${folder}/${name}`)]));
}

/** Bundle name to entry, computed from the hosts' manifests. */
function bundleEntries(): Map<string, string> {
  const entries = new Map([
    ["cli.js", "cli.ts"],
    ["worker.js", "cli/worker_main.ts"],
    ["mcp.js", "mcp/main.ts"],
  ]);
  for (const { id, hookEvents } of MANIFESTS) {
    for (const part of Object.keys(hookEvents)) {
      entries.set(`hook-${id}-${part}.js`, `hosts/${id.replaceAll("-", "_")}/${part}_hook.ts`);
    }
  }
  return entries;
}

/**
 * Bundles of a checkout, built with `deno bundle` when its sources have changed. They are kept in
 * `dist/<hash of the sources>/`; in a checkout that cannot be written they are built each time.
 */
export function checkoutBundles(runtime: ProcessRuntime, root: string): BundleSource {
  return {
    async load() {
      const { files } = runtime;
      const hash = (await digestOf(sourcesOf(runtime, root))).slice(0, 16);
      const kept = `${root}/dist/${hash}`;
      if (files.stat(kept) !== undefined) return readBundles(files, kept);
      const place = buildPlace(runtime, root);
      try {
        await build(runtime, root, place.folder);
        const bundles = readBundles(files, place.folder);
        // Sources that changed meanwhile have no name to keep this build under.
        const isSame = kept.endsWith((await digestOf(sourcesOf(runtime, root))).slice(0, 16));
        if (place.keep && isSame) keepBuild(files, place.folder, kept);
        return bundles;
      } finally {
        files.removeTree(place.folder);
      }
    },
  };
}

/** Every file that can be part of a bundle, and the size of the runtime that bundles. */
function sourcesOf(runtime: ProcessRuntime, root: string): Map<string, string | Uint8Array> {
  const { files } = runtime;
  const sources = new Map<string, string | Uint8Array>([
    ["", String(files.stat(runtime.execPath())?.size ?? 0)],
  ]);
  const walk = (below: string) => {
    for (const name of files.list(`${root}${below}`)) {
      if (name.startsWith(".") || (below === "" && NOT_SOURCES.has(name))) continue;
      const path = `${below}/${name}`;
      const kind = files.stat(`${root}${path}`)?.kind;
      if (kind === "directory") walk(path);
      else if (kind === "file") sources.set(path, files.readBytes(`${root}${path}`));
    }
  };
  walk("");
  return sources;
}

/** A fresh folder to build in: in `dist/`, or in the temporary folder when that cannot be written. */
function buildPlace(
  runtime: ProcessRuntime,
  root: string,
): { readonly folder: string; readonly keep: boolean } {
  const folder = `${root}/dist/.build-${runtime.pid}-${runtime.randomId().slice(0, 8)}`;
  try {
    runtime.files.makeDir(folder, 0o755);
    return { folder, keep: true };
  } catch {
    return { folder: runtime.makeTempDir("openviking-build-"), keep: false };
  }
}

/** Moves a build to its name; when another process was faster, its build stays. */
function keepBuild(files: Files, built: string, kept: string): void {
  try {
    files.rename(built, kept);
  } catch {
    return; // a build of the same sources stands there
  }
  const dist = kept.slice(0, kept.lastIndexOf("/"));
  const age = (name: string) => files.stat(`${dist}/${name}`)?.mtimeMs ?? 0;
  files.list(dist).filter((name) => /^[0-9a-f]{16}$/.test(name))
    .sort((a, b) => age(b) - age(a)).slice(KEPT_BUILDS)
    .forEach((name) => files.removeTree(`${dist}/${name}`));
}

async function build(runtime: ProcessRuntime, root: string, out: string): Promise<void> {
  const { files } = runtime;
  const entries = bundleEntries();
  for (const entry of entries.values()) {
    if (files.stat(`${root}/${entry}`) === undefined) {
      throw buildFailed(`${root}/${entry} is not there`, "Use a complete checkout");
    }
  }
  const raw = `${out}/raw`;
  const texts = new Map<string, string>();
  for (const [name, entry] of entries) {
    await bundle(runtime, root, raw, platformOf(name), [entry]);
    const text = files.readText(`${raw}/${entry.replace(/^.*\//, "").replace(/\.ts$/, ".js")}`);
    texts.set(name, onlyEntryIsMain(name, entry, text));
  }
  files.removeTree(raw);
  const write = (path: string, text: string) =>
    files.writeAtomic(path, text, { mode: 0o644, sync: false });
  files.makeDir(raw);
  for (const [name, text] of texts) write(`${isTimed(name) ? raw : out}/${name}`, inAscii(text));
  const timed = [...texts.keys()].filter(isTimed);
  const flags = ["--no-config", "--no-lock", "--minify"];
  await bundle(runtime, root, out, "deno", [...flags, ...timed.map((name) => `${raw}/${name}`)]);
  for (const name of timed) write(`${out}/${name}`, inAscii(files.readText(`${out}/${name}`)));
  files.removeTree(raw);
}

/**
 * The packages of the MCP bundle have a form for browsers that needs no `node:` module, which would
 * be loaded before the first answer.
 */
function platformOf(name: string): "deno" | "browser" {
  return name === "mcp.js" ? "browser" : "deno";
}

/** One byte per character: V8 reads such a source faster. Escapes mean the same wherever text may stand. */
function inAscii(text: string): string {
  return text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** True for a bundle that somebody waits for at every start: it is made small, which parses faster. */
function isTimed(name: string): boolean {
  return name.startsWith("hook-") || name === "mcp.js";
}

async function bundle(
  runtime: ProcessRuntime,
  cwd: string,
  out: string,
  platform: "deno" | "browser",
  args: readonly string[],
): Promise<void> {
  const fixed = ["bundle", "--quiet", "--platform", platform, "--outdir", out];
  const done = await runtime.run([runtime.execPath(), ...fixed, ...args], {
    cwd,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  if (done.code === 0) return;
  throw buildFailed(
    done.timedOut ? "`deno bundle` took too long" : faultOf(done.stderr),
    "Make sure that the npm registry can be reached: the bundler is fetched once",
  );
}

/** What the bundler says is wrong and where, without what it adds about itself. */
function faultOf(text: string): string {
  const [said = ""] = text.split("Stack backtrace:");
  const lines = said.split("\n").map((line) => line.trim());
  const telling = lines.filter((line) => /^(error: (?!bundling failed)|at file:)/.test(line)).map((
    line,
  ) => line.replace(/^error: /, ""));
  const words = telling.length > 0 ? telling : lines.filter((line) => line !== "");
  return words.slice(0, 4).join(" ") || "`deno bundle` failed without a word";
}

/**
 * In one file every module sees `import.meta.main` true. The bundler puts the entry last under a
 * comment with its path; what stands before is not main.
 *
 * @throws {InstallError} `build-failed` when the bundle still imports something, or has no entry.
 */
export function onlyEntryIsMain(name: string, entry: string, text: string): string {
  const foreign = /^import\s[^"']*["'](?!node:)([^"']+)["'];?$/m.exec(text);
  if (foreign !== null) {
    throw buildFailed(`${name} is not whole, it imports ${foreign[1]}`, "Report this as a fault");
  }
  const start = text.lastIndexOf(`\n// ${entry}\n`);
  if (start === -1 && !text.startsWith(`// ${entry}\n`)) {
    throw buildFailed(`${name} does not hold its entry ${entry}`, "Report this as a fault");
  }
  const at = Math.max(start, 0);
  return text.slice(0, at).replaceAll("import.meta.main", "false") + text.slice(at);
}
