/**
 * The log of `debug`: one JSON line per stage with host, session, latency and trace id. Outcome
 * records hold no words of the conversation and no key, so neither does the log.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type { OutcomeRecord } from "./types.ts";

/** Bytes after which the log is set aside; one older file is kept. */
const ROTATE_BYTES = 1024 * 1024;

/** Appends a record to `agent/logs/hooks.log`. Never throws. */
export function appendLog(runtime: Runtime, agentHome: string, record: OutcomeRecord): void {
  const folder = `${agentHome}/logs`;
  const path = `${folder}/hooks.log`;
  try {
    runtime.files.makeDir(folder);
    if ((runtime.files.stat(path)?.size ?? 0) > ROTATE_BYTES) {
      runtime.files.rename(path, `${path}.1`);
    }
    runtime.files.append(path, `${JSON.stringify(record)}\n`);
  } catch { /* a full or read-only disk */ }
}
