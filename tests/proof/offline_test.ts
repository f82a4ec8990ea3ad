/**
 * `doctor --offline` asks nobody.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { makePerson } from "../support/person.ts";
import { serveRecall } from "../support/recall_server.ts";

test("doctor --offline makes no connection, without the flag it asks the server [DOC-03]", async () => {
  const person = await makePerson();
  const server = await serveRecall();
  try {
    person.write(".openviking/ovcli.conf", { url: server.url, account: "acme", user: "alice" });
    const offline = await person.start(["doctor", "--offline", "--json"]);
    assert.equal(server.asked.length, 0);
    assert.ok(JSON.parse(offline.out), offline.err);
    await person.start(["doctor", "--json"]);
    assert.ok(server.asked.length > 0);
  } finally {
    person.close();
    await server.close();
  }
});
