import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Runtime } from "../../lib/runtime/types.ts";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { firstDelivery, firstNotice } from "../../lib/hook/once.ts";
import { projectRoot } from "../support/project.ts";

function withHome(work: (home: string) => void | Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "ov-once-"));
  return Promise.resolve(work(home)).finally(() => rmSync(home, { recursive: true, force: true }));
}

/** A runtime in which each call is a process of its own at the time given: no lock outlives it. */
function at(now: number): Runtime {
  return {
    ...denoRuntime,
    now: () => now,
    tryLock: (path, content) => {
      const lock = denoRuntime.tryLock(path, content);
      lock?.release();
      return lock;
    },
  };
}

test("firstDelivery() answers one event id once, and the same text again after 500 ms [RCL-14]", () =>
  withHome((home) => {
    const ask = (now: number, id: string | undefined, text: string, session = "s") =>
      firstDelivery(at(now), home, "claude-code", session, { id, text });
    assert.equal(ask(1000, "e1", "a"), true);
    assert.equal(ask(9000, "e1", "a"), false, "the same event, however late");
    assert.equal(ask(9001, "e2", "a"), true, "another event with the same text");
    assert.equal(ask(9002, undefined, "b"), true);
    assert.equal(ask(9400, undefined, "b"), false, "the same text within 500 ms");
    assert.equal(ask(9950, undefined, "b"), true, "the same text later");
    assert.equal(ask(9951, undefined, "b", "other"), true, "another session");
  }));

test("firstDelivery() keeps no words of the prompt [DOC-07]", () =>
  withHome((home) => {
    firstDelivery(at(1), home, "claude-code", "s", { id: undefined, text: "marmalade" });
    const folder = join(home, "state/prompts");
    const kept = readdirSync(folder).map((name) => name + readFileSync(join(folder, name), "utf8"));
    assert.equal(kept.length, 1);
    assert.ok(!kept.join().includes("marmalade"));
  }));

test("firstDelivery() lets one of two processes at once answer [RCL-14]", () =>
  withHome(async (home) => {
    const program = `
      import { denoRuntime } from ${JSON.stringify(join(projectRoot, "lib/runtime/deno.ts"))};
      import { firstDelivery } from ${JSON.stringify(join(projectRoot, "lib/hook/once.ts"))};
      const first = firstDelivery(denoRuntime, ${
      JSON.stringify(home)
    }, "h", "s", { id: "e", text: "" });
      denoRuntime.writeStdout(first ? "1" : "0");
      await new Promise((resolve) => setTimeout(resolve, 300));`;
    const run = () =>
      new Promise<string>((resolve) => {
        const child = spawn(process.execPath, ["eval", "--ext=ts", program], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        let out = "";
        child.stdout.on("data", (data) => out += data);
        child.on("close", () => resolve(out));
      });
    const answers = await Promise.all([run(), run(), run()]);
    assert.deepEqual(answers.sort(), ["0", "0", "1"]);
  }));

test("firstNotice() is true once per session and cause [BR-014]", () =>
  withHome((home) => {
    const ask = (session: string, cause: string) =>
      firstNotice(denoRuntime, home, "claude-code", session, cause);
    assert.deepEqual(
      [ask("s", "auth"), ask("s", "auth"), ask("s", "queue"), ask("t", "auth")],
      [true, false, true, true],
    );
  }));
