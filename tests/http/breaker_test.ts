import { test } from "node:test";
import assert from "node:assert/strict";
import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import type { FailureCategory, OvFailure } from "../../lib/http/types.ts";
import { type Breaker, createBreaker } from "../../lib/http/breaker.ts";
import { tempFolder } from "../support/temp_folder.ts";

function failure(category: FailureCategory, more: Partial<OvFailure> = {}): OvFailure {
  return {
    ok: false,
    status: 503,
    action: "retry",
    category,
    ambiguous: false,
    code: "",
    message: "down",
    ...more,
  };
}

function lab(agentHome = tempFolder()) {
  const clock = { ms: 1_000_000 };
  const open = (credential = "k1", target = "srv-1"): Breaker =>
    createBreaker({
      runtime: { files: denoRuntime.files, now: () => clock.ms },
      agentHome,
      target,
      credential,
    });
  return { agentHome, clock, open };
}

test("createBreaker() opens at the first failure for every process and closes at the first success", () => {
  const { clock, open, agentHome } = lab();
  const first = open();
  assert.equal(first.check(), "closed");
  assert.equal(first.recordFailure(failure("timeout")), true);
  assert.equal(open().check(), "open");
  assert.equal(open("k1", "srv-2").check(), "closed");
  clock.ms += 30_000;
  const probe = open();
  assert.equal(probe.check(), "probe");
  probe.recordSuccess();
  assert.equal(open().check(), "closed");
  assert.deepEqual(readdirSync(join(agentHome, "state/breaker")), []);
});

test("createBreaker() lets one caller try after the pause, and another when that one died", () => {
  const { clock, open } = lab();
  open().recordFailure(failure("server"));
  clock.ms += 10_000;
  const all = Array.from({ length: 20 }, () => open());
  assert.deepEqual(all.map((breaker) => breaker.check()).filter((state) => state === "probe"), [
    "probe",
  ]);
  clock.ms += 14_999;
  assert.equal(open().check(), "open");
  clock.ms += 1;
  assert.deepEqual(
    Array.from({ length: 5 }, () => open().check()).filter((state) => state === "probe"),
    ["probe"],
  );
});

test("createBreaker() lets one caller try although none had written its claim down", () => {
  const { agentHome, clock, open } = lab();
  open().recordFailure(failure("server"));
  clock.ms += 10_000;
  const file = join(agentHome, "state/breaker/srv-1.json");
  const before = denoRuntime.files.readText(file);
  assert.equal(open().check(), "probe");
  writeFileSync(file, before); // as another process read it a moment earlier
  assert.equal(open().check(), "open");
  clock.ms += 15_000;
  assert.equal(open().check(), "probe");
});

test("createBreaker() doubles the pause of failures in a row up to five minutes", () => {
  const { clock, open } = lab();
  const pauses: number[] = [];
  for (let turn = 0; turn < 7; turn++) {
    const breaker = open();
    breaker.check();
    breaker.recordFailure(failure("unreachable"));
    const { until = 0 } = breaker.current() ?? {};
    pauses.push((until - clock.ms) / 1000);
    clock.ms = until;
  }
  assert.deepEqual(pauses, [10, 20, 40, 80, 160, 300, 300]);
});

test("createBreaker() counts failures of simultaneous callers once", () => {
  const { clock, open } = lab();
  const all = Array.from({ length: 10 }, () => open());
  for (const breaker of all) breaker.check();
  clock.ms += 5;
  for (const breaker of all) breaker.recordFailure(failure("timeout"));
  assert.equal(open().current()?.failures, 1);
});

test("createBreaker() obeys Retry-After and ignores failures that say nothing about the server", () => {
  const { clock, open } = lab();
  for (
    const category of [
      "refused",
      "not-found",
      "missing-route",
      "broken-session",
      "upstream",
    ] as const
  ) {
    assert.equal(open().recordFailure(failure(category)), false, category);
  }
  assert.equal(open().check(), "closed");
  open().recordFailure(failure("busy", { retryAfterMs: 3_600_000 }));
  clock.ms += 3_599_999;
  assert.equal(open().check(), "open");
  clock.ms += 1;
  assert.equal(open().check(), "probe");
});

test("createBreaker() asks again at once when the credentials change", () => {
  const { open } = lab();
  open("k1").recordFailure(failure("auth", { status: 401 }));
  assert.equal(open("k1").check(), "open");
  assert.equal(open("k2").check(), "closed");
});

test("createBreaker() stays closed over damaged files, a clock set back and a read-only disk", () => {
  const { agentHome, clock, open } = lab();
  open().recordFailure(failure("timeout"));
  const file = join(agentHome, "state/breaker/srv-1.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  clock.ms -= 86_400_000;
  assert.equal(open().check(), "closed");
  clock.ms += 86_400_000;
  for (const text of ["", "{", "[]", "null", '{"until":"x"}']) {
    writeFileSync(file, text);
    assert.equal(open().check(), "closed", text);
  }
  const nowhere = lab(join(file, "below-a-file"));
  assert.equal(nowhere.open().recordFailure(failure("timeout")), true);
  nowhere.open().recordSuccess();
  assert.equal(nowhere.open().check(), "closed");
  const sealed = lab();
  chmodSync(sealed.agentHome, 0o500);
  sealed.open().recordFailure(failure("timeout"));
  sealed.open().check();
  chmodSync(sealed.agentHome, 0o700);
});
