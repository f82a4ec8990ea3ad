/**
 * A turn as Claude Code writes it into its transcript, and the hooks that tell of it.
 *
 * @module
 */
import { appendFileSync, mkdirSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import type { Person } from "./person.ts";

/** One row of a transcript. */
export type Said = readonly [role: "user" | "assistant", text: string];

function rowOf(session: string, [role, text]: Said, uuid: string, at: number): string {
  return `${
    JSON.stringify({
      type: role,
      uuid,
      sessionId: session,
      isSidechain: false,
      timestamp: new Date(at).toISOString(),
      promptId: `${session}-p`,
      message: { role, content: role === "user" ? text : [{ type: "text", text }] },
    })
  }\n`;
}

/** Writes a transcript of `rows`, dated one second apart from `from`; returns its path. */
export function writeTranscript(
  person: Person,
  session: string,
  rows: readonly Said[],
  from: number = Date.now() - 60_000,
): string {
  const text = rows.map((row, n) => rowOf(session, row, `${session}-${n}`, from + n * 1000)).join(
    "",
  );
  return person.write(`.claude/projects/p/${session}.jsonl`, text);
}

/** Adds one row, dated now, as the host does. */
export function appendTranscript(person: Person, session: string, row: Said): void {
  const path = join(person.home, `.claude/projects/p/${session}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, rowOf(session, row, randomUUID(), Date.now()));
}

/** Payload and stdin of a hook of that session. */
export function payloadOf(
  person: Person,
  session: string,
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): string {
  return `${
    JSON.stringify({
      session_id: session,
      transcript_path: `${person.home}/.claude/projects/p/${session}.jsonl`,
      cwd: person.project,
      hook_event_name: event,
      ...fields,
    })
  }\n`;
}
