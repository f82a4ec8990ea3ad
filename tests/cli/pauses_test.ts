import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makePerson, type Person, type RunSettings } from "../support/person.ts";
import { appendTranscript, payloadOf } from "../support/said.ts";

const SESSION = "8d6d0000-1111-4111-8111-111111111111";

/** Says one thing more and lets a turn end. */
function turn(person: Person, text: string, settings: RunSettings = {}): void {
  appendTranscript(person, SESSION, ["user", text]);
  const end = person.hook("Stop", payloadOf(person, SESSION, "Stop"), settings);
  assert.deepEqual([end.code, end.out, end.err], [0, "", ""]);
}

/** Every byte that we keep. */
function kept(folder: string): string {
  return readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? kept(path) : readFileSync(path, "latin1");
  }).join("\n");
}

type Switch = (person: Person, on: boolean) => RunSettings;
const SWITCHES: Readonly<Record<string, Switch>> = {
  "bypass --session": (person, on) => {
    person.run(["bypass", "--session", SESSION, ...(on ? ["--off"] : [])]);
    return {};
  },
  "bypass --dir": (person, on) => {
    person.run(["bypass", "--dir", person.project, ...(on ? ["--off"] : [])]);
    return {};
  },
  OPENVIKING_BYPASS_SESSION: (_, on) => ({ env: on ? {} : { OPENVIKING_BYPASS_SESSION: "1" } }),
  OPENVIKING_AUTO_CAPTURE: (_, on) => ({ env: on ? {} : { OPENVIKING_AUTO_CAPTURE: "false" } }),
  OPENVIKING_MEMORY_ENABLED: (_, on) => ({ env: on ? {} : { OPENVIKING_MEMORY_ENABLED: "false" } }),
};

for (const [name, setSwitch] of Object.entries(SWITCHES)) {
  test(`what is said while ${name} has capture off is kept nowhere, and what comes after is [CFG-16]`, async () => {
    const person = await makePerson();
    try {
      turn(person, "The gate word is nutmeg.");
      turn(person, "The vault word is marzipan.", setSwitch(person, false));
      turn(person, "The lamp word is cardamom.", setSwitch(person, true));
      person.hook("SessionEnd", payloadOf(person, SESSION, "SessionEnd"));
      const drained = person.run(["queue", "drain", "--wait", "20"]);
      assert.equal(drained.code, 0, drained.err);
      const { results } = JSON.parse(person.run(["search", "word", "--json"]).out);
      const texts = JSON.stringify(results);
      assert.deepEqual(
        ["nutmeg", "marzipan", "cardamom"].map((word) => texts.includes(word)),
        [true, false, true],
      );
      assert.ok(!kept(join(person.home, ".openviking")).includes("marzipan"));
    } finally {
      person.close();
    }
  });
}
