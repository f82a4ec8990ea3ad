import { test } from "node:test";
import assert from "node:assert/strict";
import { OutboxFixture } from "../support/outbox_fixture.ts";

test("runWorker() delivers a transcript once, in order, and commits after it [CMT-04]", async () => {
  const f = new OutboxFixture();
  const t = f.transcript();
  t.user("one");
  t.assistant("two");
  f.spool("cc-1", { path: t.path });
  console.log(await f.work());
  t.user("three");
  f.spool("cc-1", { path: t.path });
  f.spool("cc-1", { path: t.path });
  f.end("cc-1", t.path);
  console.log(await f.work());
  assert.deepEqual(f.engine.texts(), ["one", "two", "three"]);
  console.log(f.engine.commits, f.engine.log.map((r) => `${r.method} ${r.path}`));
});
