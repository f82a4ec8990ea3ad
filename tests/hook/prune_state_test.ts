import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { pruneState } from "../../lib/hook/prune_state.ts";

test("pruneState() removes what is older than 30 days, once a day", () => {
  const home = mkdtempSync(join(tmpdir(), "ov-prune-"));
  const file = (name: string, days: number) => {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "{}");
    const seconds = Date.now() / 1000 - days * 86_400;
    utimesSync(path, seconds, seconds);
    return path;
  };
  try {
    const old = file("state/outcomes/claude-code/cc-1/prompt.json", 40);
    const fresh = file("state/outcomes/claude-code/cc-2/prompt.json", 1);
    const other = file("state/breaker/x.json", 40);
    assert.equal(pruneState(denoRuntime, home), 1);
    assert.deepEqual([existsSync(old), existsSync(fresh), existsSync(other)], [false, true, true]);
    file("state/peers/cc-3.json", 40);
    assert.equal(pruneState(denoRuntime, home), 0, "not again on the same day");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
