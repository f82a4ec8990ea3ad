/**
 * What ended a worker before its time, kept beside the queue for the report: nobody reads its streams.
 *
 * @module
 */
import type { Runtime } from "../../runtime/types.ts";

const FILE = "worker-problem.txt";

/** Writes the problem, or forgets it when it is "". Fails silently: the disk may be the problem. */
export function noteWorkerProblem(runtime: Runtime, folder: string, problem: string): void {
  const path = `${folder}/${FILE}`;
  try {
    if (problem !== "") runtime.files.writeAtomic(path, problem.slice(0, 1000), { sync: false });
    else if (runtime.files.stat(path) !== undefined) runtime.files.remove(path);
  } catch { /* see above */ }
}

/** The problem of the last worker, "" when it had none. */
export function readWorkerProblem(runtime: Runtime, folder: string): string {
  try {
    return runtime.files.readText(`${folder}/${FILE}`);
  } catch {
    return "";
  }
}
