import { test } from "node:test";
import assert from "node:assert/strict";
import { buildOvHeaders, type HeaderConnection } from "../../lib/http/headers.ts";

const key = ["k", "e", "y-1234"].join("");
const BASE: HeaderConnection = {
  apiKey: key,
  account: "acme",
  user: "alice",
  sendIdentityHeaders: false,
  extraHeaders: {},
};
const SENDER = { harness: "codex", version: "1.2.3" };

function headers(
  connection: Partial<HeaderConnection>,
  actorPeer?: string,
): Record<string, string> {
  return buildOvHeaders(
    { ...BASE, ...connection },
    actorPeer === undefined ? SENDER : { ...SENDER, actorPeer },
  );
}

test("buildOvHeaders() sends the key as Bearer only [CRD-11]", () => {
  const sent = headers({});
  assert.equal(sent.authorization, `Bearer ${key}`);
  assert.equal(JSON.stringify(sent).split(key).length, 2);
  assert.equal("x-api-key" in sent, false);
  assert.equal("authorization" in headers({ apiKey: "" }), false);
});

test("buildOvHeaders() sends the identity if and only if it was resolved so [CRD-12]", () => {
  const names = ["x-openviking-account", "x-openviking-user"];
  assert.deepEqual(names.map((name) => headers({})[name]), [undefined, undefined]);
  assert.deepEqual(names.map((name) => headers({ sendIdentityHeaders: true })[name]), [
    "acme",
    "alice",
  ]);
  assert.deepEqual(
    Object.keys(headers({ sendIdentityHeaders: true, account: "", user: " " })).sort(),
    ["authorization", "user-agent"],
  );
});

test("buildOvHeaders() names host and version, and a peer only when there is one [CRD-13]", () => {
  assert.equal(headers({})["user-agent"], "openviking-memory-codex/1.2.3");
  assert.equal(headers({}, "my-repo")["x-openviking-actor-peer"], "my-repo");
  assert.equal("x-openviking-actor-peer" in headers({}, ""), false);
});

test("buildOvHeaders() lets no extra header replace ours [CRD-10] [CRD-11]", () => {
  const extraHeaders = {
    Authorization: "Basic x",
    "X-API-Key": "x",
    "x-openviking-User": "mallory",
    "X-OpenViking-Role": "root",
    "User-Agent": "x",
    Host: "evil",
    "Content-Length": "0",
    "X-Gateway-Token": " t ",
  };
  assert.deepEqual(headers({ extraHeaders }), {
    authorization: `Bearer ${key}`,
    "user-agent": "openviking-memory-codex/1.2.3",
    "x-gateway-token": "t",
  });
  assert.equal(headers({ extraHeaders, apiKey: "" }).authorization, "Basic x");
});

test("buildOvHeaders() refuses values that cannot stand in a header and does not show them", () => {
  const bad: readonly (readonly [Partial<HeaderConnection>, string | undefined, RegExp])[] = [
    [{ apiKey: `${key}\r\nX-Evil: 1` }, undefined, /the API key/],
    [{ apiKey: `${key}\0` }, undefined, /the API key/],
    [{ apiKey: `${key}秘密` }, undefined, /the API key/],
    [{ sendIdentityHeaders: true, user: "爱丽丝" }, undefined, /the user/],
    [{}, "a\nb", /the peer/],
    [{ extraHeaders: { "X-A": "a\nb" } }, undefined, /extra header x-a/],
    [{ extraHeaders: { "X A": "a" } }, undefined, /extra header "X A"/],
  ];
  for (const [connection, peer, message] of bad) {
    assert.throws(() => headers(connection, peer), (error: Error) => {
      assert.match(error.message, message);
      assert.equal(error.message.includes(key), false);
      return error instanceof TypeError;
    });
  }
  assert.equal(headers({ apiKey: `  ${key}\n` }).authorization, `Bearer ${key}`);
});
