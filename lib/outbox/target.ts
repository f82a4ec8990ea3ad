/**
 * Who receives the writes, and the folder that holds their queue.
 *
 * @module
 */
import type { Connection } from "../config/types.ts";
import type { Runtime } from "../runtime/types.ts";
import type { Target } from "./types.ts";
import { OUTBOX_LAYOUT } from "./types.ts";

/**
 * Where events wait when the configuration cannot be read: no worker sends from here. The next
 * worker of a target that could be resolved takes them over.
 */
export const UNRESOLVED_TARGET: Target = {
  id: "unresolved",
  engine: "server",
  url: "",
  account: "",
  user: "",
  keyFingerprint: "",
};

/** Folder of all queues. */
export function outboxFolder(agentHome: string): string {
  return `${agentHome}/outbox`;
}

/** Folder of one target's queue. */
export function targetFolder(agentHome: string, targetId: string): string {
  return `${outboxFolder(agentHome)}/${targetId}`;
}

async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Host of a URL as it may stand in a folder name. */
function hostLabel(url: string): string {
  const host = /^[a-z]+:\/\/(?:[^/@]*@)?([^/?#]*)/i.exec(url)?.[1] ?? "";
  return host.toLowerCase().replace(/[^a-z0-9.-]+/g, "-").replace(/^[.-]+/, "").slice(0, 40) ||
    "server";
}

/**
 * The target of a connection: URL, account and user decide, the key does not. A new key of the same
 * person keeps the queue.
 */
export async function targetFor(
  connection: Pick<Connection, "engine" | "baseUrl" | "account" | "user" | "apiKey">,
): Promise<Target> {
  const { engine, baseUrl: url, account, user, apiKey } = connection;
  if (engine === "local") {
    return { id: "local", engine, url: "", account, user, keyFingerprint: "" };
  }
  const [hash, fingerprint] = await Promise.all([
    sha256Hex(`${url}\n${account}\n${user}`),
    apiKey === "" ? "" : sha256Hex(apiKey),
  ]);
  return {
    id: `${hostLabel(url)}-${hash.slice(0, 10)}`,
    engine,
    url,
    account,
    user,
    keyFingerprint: fingerprint.slice(0, 16),
  };
}

/** Writes `target.json` of a target when there is none yet, so that a person can tell the folders apart. */
export function writeTargetFile(runtime: Runtime, agentHome: string, target: Target): void {
  const path = `${targetFolder(agentHome, target.id)}/${OUTBOX_LAYOUT.target}`;
  if (runtime.files.stat(path) !== undefined) return;
  runtime.files.writeAtomic(path, JSON.stringify(target, null, 2) + "\n", { sync: false });
}

/** Reads `target.json`; `undefined` when there is none or it cannot be used. */
export function readTargetFile(
  runtime: Runtime,
  agentHome: string,
  targetId: string,
): Target | undefined {
  try {
    const path = `${targetFolder(agentHome, targetId)}/${OUTBOX_LAYOUT.target}`;
    const value = JSON.parse(runtime.files.readText(path)) as Partial<Target>;
    if (typeof value !== "object" || value === null || value.id !== targetId) return undefined;
    const text = (field: unknown): string => (typeof field === "string" ? field : "");
    return {
      id: targetId,
      engine: value.engine === "local" ? "local" : "server",
      url: text(value.url),
      account: text(value.account),
      user: text(value.user),
      keyFingerprint: text(value.keyFingerprint),
    };
  } catch {
    return undefined;
  }
}
