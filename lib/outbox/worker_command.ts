/**
 * How the running program starts the worker: the sibling bundle when installed, the source entry in
 * a checkout.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import { bundleFlags, WORKER_V8_FLAGS } from "../runtime/permissions.ts";

/** Path of a `file:` URL. */
export function filePathOf(url: string): string {
  const path = decodeURIComponent(new URL(url).pathname);
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
}

/**
 * The worker's command for one target.
 *
 * @param moduleUrl `import.meta.url` of the entry: a bundle has its siblings beside it; a source
 * entry lies at `hosts/<host>/hook.ts` or `cli/<file>.ts` and the worker's entry is `cli/worker_main.ts`.
 */
export function workerCommand(
  runtime: Runtime,
  moduleUrl: string,
  agentHome: string,
  targetId: string,
): readonly string[] {
  const program = runtime.execPath();
  if (moduleUrl.endsWith(".ts")) {
    const root = moduleUrl.slice(0, moduleUrl.search(/\/(hosts\/[^/]+|cli)\/[^/]+\.ts$/));
    return [program, "run", "-A", filePathOf(`${root}/cli/worker_main.ts`), targetId];
  }
  const bundle = filePathOf(new URL("worker.js", moduleUrl).href);
  const flags = [...bundleFlags(agentHome, program), WORKER_V8_FLAGS];
  return [program, "run", ...flags, bundle, targetId];
}
