/**
 * The record every host must have: each fact of its contract with the evidence for it.
 *
 * @module
 */
import type { HarnessKey } from "../lib/config/types.ts";

/** How a fact is known. Only `verified` was seen by us, on the named version. */
export type Evidence = "verified" | "documented" | "observed elsewhere" | "unknown";

/** One fact with its evidence. An unknown fact has the value `null`. */
export interface Fact<T> {
  readonly value: T | null;
  readonly evidence: Evidence;
  /** Host version, or the documentation's date. */
  readonly version: string;
}

/** A fact with its evidence. */
export function fact<T>(
  value: T,
  evidence: Exclude<Evidence, "unknown">,
  version: string,
): Fact<T> {
  return { value, evidence, version };
}

/** What is not known, and is not filled in from another host. */
export function unknown<T>(version: string): Fact<T> {
  return { value: null, evidence: "unknown", version };
}

/** What a host does for us: seen, with a fallback, or not at all. */
export type Capability = "verified" | "fallback" | "unsupported";

/** A host's contract. Adapters read facts from here; the support matrix is generated from it. */
export interface HostRecord {
  readonly id: HarnessKey;
  readonly name: string;
  readonly versions: {
    readonly minimum: Fact<string>;
    readonly tried: Fact<readonly string[]>;
    readonly platforms: Fact<readonly string[]>;
    readonly onOlder: Fact<string>;
  };
  readonly installation: {
    readonly form: Fact<"settings" | "plugin" | "in-process" | "mcp-only">;
    readonly why: string;
    readonly files: Fact<readonly string[]>;
    readonly detectedBy: Fact<readonly string[]>;
    /** What the host demands before it runs our hooks. */
    readonly trust: Fact<string>;
  };
  readonly events: {
    readonly emitted: Fact<readonly string[]>;
    readonly registered: readonly string[];
    readonly sessionEnd: Fact<string>;
    readonly commitPoints: readonly string[];
  };
  readonly input: { readonly format: Fact<string>; readonly session: Fact<string> };
  readonly output: {
    readonly empty: Fact<string>;
    readonly context: Fact<string>;
    readonly unknownKeys: Fact<string>;
    /** Characters of injected context after which the host replaces it. */
    readonly contextLimit: Fact<number>;
  };
  readonly limits: {
    readonly unit: Fact<"seconds" | "milliseconds">;
    /** Limits that install writes, by event, in that unit. */
    readonly written: Readonly<Record<string, number>>;
    readonly sessionEndDefaultMs: Fact<number>;
    readonly onTimeout: Fact<string>;
  };
  readonly messages: {
    readonly source: Fact<string>;
    readonly flush: Fact<string>;
    readonly id: Fact<string>;
    readonly tools: Fact<string>;
  };
  readonly processes: { readonly perEvent: Fact<string>; readonly detached: Fact<string> };
  readonly mcp: {
    readonly file: Fact<string>;
    readonly toolPrefix: Fact<string>;
    readonly environment: Fact<string>;
  };
  readonly recovery: {
    readonly resume: Fact<string>;
    readonly clear: Fact<string>;
    readonly fork: Fact<string>;
    readonly compaction: Fact<string>;
    readonly abnormalEnd: Fact<string>;
  };
  readonly capabilities: {
    readonly recall: Capability;
    readonly capture: Capability;
    readonly guard: Capability;
    readonly mcp: Capability;
    readonly install: Capability;
    readonly subagents: Capability;
  };
}
