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
 * the same text counts again after 500 ms. The last event of a session stands in one file, whose lock
 * is held until the process ends, so that two deliveries at once are one. When nothing can be kept,
 * every delivery is the first.
 */
export function firstDelivery(
  runtime: Runtime,
  agentHome: string,
  host: string,
  session: string,
  event: { readonly id: string | undefined; readonly text: string },
): boolean {
  const folder = `${agentHome}/state/prompts`;
  const path = `${folder}/${fileNameOf(`${host}.${session}`)}`;
  const now = runtime.now();
  const mark = event.id ?? `text-${checksum(event.text)}`;
  const claim = () => runtime.tryLock(path, `${mark} ${now}`) !== undefined;
  try {
    const [lastMark = "", lastAt = "0"] = lastOf(runtime, path);
    const isSame = lastMark === mark &&
      (event.id !== undefined || now - Number(lastAt) <= SAME_PROMPT_MS);
    return !isSame && claim();
  } catch {
    try {
      runtime.files.makeDir(folder);
      return claim();
    } catch {
      return true;
    }
  }
}

function lastOf(runtime: Runtime, path: string): string[] {
  return runtime.files.readText(path).split(" ");
}
