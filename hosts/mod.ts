/**
 * The registry of hosts: what is registered here is what the product knows.
 *
 * @module
 */
import type { CreateDecoder } from "../lib/capture/model.ts";
import type { HarnessKey } from "../lib/config/types.ts";
import type { HostAdapter } from "../lib/hook/types.ts";
import type { HostRecord } from "./record.ts";
import { claudeCode } from "./claude_code/adapter.ts";
import { claudeCodeRecord } from "./claude_code/record.ts";
import { createClaudeDecoder } from "./claude_code/transcript.ts";

/** One host with everything commands and the worker need of it. */
export interface Host {
  readonly adapter: HostAdapter;
  readonly record: HostRecord;
  readonly createDecoder: CreateDecoder;
}

/** Hosts by id. */
export const HOSTS: Readonly<Partial<Record<HarnessKey, Host>>> = {
  "claude-code": {
    adapter: claudeCode,
    record: claudeCodeRecord,
    createDecoder: createClaudeDecoder,
  },
};
