/**
 * Compaction and `/clear` wait for their session: the host reads memory as soon as they are over.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { makePerson } from "../support/person.ts";

const LONG = { OPENVIKING_DRAIN_WAIT_MS: "10000", OPENVIKING_WORKER_LINGER_MS: "0" };

for (
  const [what, event, over] of [
    ["compaction", "PreCompact", { trigger: "manual" }],
    ["/clear", "SessionEnd", { reason: "clear" }],
  ] as const
) {
  test(`hook returns from ${what} when what was said can be read back [CMT-02] [EXIT-09]`, async () => {
    const person = await makePerson();
    try {
      const transcript = person.write(
        ".claude/projects/p/s-1.jsonl",
        JSON.stringify({
          type: "user",
          uuid: "u-1",
          sessionId: "s-1",
          isSidechain: false,
          timestamp: "2026-11-30T10:00:01.000Z",
          promptId: "p",
          message: { role: "user", content: "The walrus telescope is in the attic." },
        }) + "\n",
      );
      const end = person.hook(event, {
        session_id: "s-1",
        transcript_path: transcript,
        cwd: person.project,
        hook_event_name: event,
        ...over,
      }, { env: LONG });
      assert.deepEqual([end.code, end.out, end.err], [0, "", ""]);
      const { commits } = JSON.parse(person.run(["status", "--json"]).out);
      assert.deepEqual(
        commits.map((c: { session: string; phase: string }) => [
          c.session,
          /^(archived|extracted)$/.test(c.phase),
        ]),
        [["cc-s-1", true]],
      );
      const found = JSON.parse(person.run(["search", "walrus telescope", "--json"]).out);
      assert.equal(found.results.length, 1);
      const spool = join(person.home, ".openviking/agent/outbox/local/spool");
      assert.deepEqual(readdirSync(spool), []);
    } finally {
      person.run(["queue", "drain", "--wait", "10"]);
      person.close();
    }
  });
}
