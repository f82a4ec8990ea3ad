/**
 * "Only once" among processes: the first caller creates a file, the others find it.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import { checksum, fileNameOf } from "./_file_name.ts";

/** Without an event id, the same prompt within this time is the same event (two registrations of one hook). */
const SAME_PROMPT_MS = 500;

function createOnce(runtime: Runtime, folder: string, name: string): boolean {
  const path = `${folder}/${name}`;
  try {
    return runtime.files.createEmpty(path, 0o600);
  } catch {
    runtime.files.makeDir(folder);
    return runtime.files.createEmpty(path, 0o600);
  }
}

/**
 * True for the first caller per session and cause. When the mark cannot be kept the answer is
 * false: silence rather than a notice at every prompt.
 */
export function firstNotice(
  runtime: Runtime,
  agentHome: string,
  host: string,
  session: string,
  cause: string,
): boolean {
  try {
    return createOnce(
      runtime,
      `${agentHome}/state/notices/${fileNameOf(host)}`,
      fileNameOf(`${session}.${cause}`),
    );
  } catch {
    return false;
  }
}

/**
 * True when this delivery of a prompt event is the first: one event id answers once; without an id
 * the same text counts again after 500 ms. When no mark can be kept, every delivery is the first.
 */
export function firstDelivery(
  runtime: Runtime,
  agentHome: string,
  host: string,
  session: string,
  event: { readonly id: string | undefined; readonly text: string },
): boolean {
  const folder = `${agentHome}/state/prompts/${fileNameOf(host)}`;
  const name = fileNameOf(`${session}.${event.id ?? `text-${checksum(event.text)}`}`);
  try {
    if (createOnce(runtime, folder, name)) return true;
    if (event.id !== undefined) return false;
    const before = runtime.files.stat(`${folder}/${name}`)?.mtimeMs ?? 0;
    if (runtime.now() - before <= SAME_PROMPT_MS) return false;
    runtime.files.writeAtomic(`${folder}/${name}`, "", { sync: false });
    return true;
  } catch {
    return true;
  }
}
