import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderConfigReference } from "../../lib/config/reference.ts";
import { canonicalKey, settingKeys, SETTINGS } from "../../lib/config/schema.ts";
import { RETIRED_SETTINGS } from "../../lib/config/settings/retired.ts";
import { acceptValue } from "../../lib/config/layers/value.ts";
import { isConnectionField } from "../../lib/config/layers/connection_fields.ts";
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { formatMarkdown, GENERATED_PAGES } from "../../docs/generate.ts";
import { projectRoot } from "../support/project.ts";

for (const [page, render] of Object.entries(GENERATED_PAGES)) {
  test(`${page} is current [DOCS-05] [ARC-03]`, async () => {
    const text = await formatMarkdown(denoProcessRuntime, render());
    assert.equal(readFileSync(join(projectRoot, page), "utf8"), text, "run: deno task docs");
  });
}

for (const key of settingKeys()) {
  test(`SETTINGS declares ${key} completely [CFG-01]`, () => {
    const spec = SETTINGS[key];
    assert.ok(spec.env.length > 0 && spec.env.every((name) => name.startsWith("OPENVIKING_")));
    assert.ok(spec.doc.endsWith("."));
    if (spec.type === "number") assert.ok(spec.min !== undefined && spec.max !== undefined);
    if (spec.type === "enum") assert.ok((spec.values ?? []).length > 1);
    if (spec.workspace === "add") assert.equal(spec.type, "string-list");
    if (spec.default !== undefined) {
      const accepted = acceptValue(spec, spec.default as string);
      assert.deepEqual(accepted, { kind: "value", value: spec.default });
    }
    if (spec.follows !== undefined) assert.ok(canonicalKey(spec.follows) !== undefined);
    assert.ok(!isConnectionField(key));
    assert.ok(!Object.hasOwn(RETIRED_SETTINGS, key));
  });
}

test("SETTINGS gives every name and variable to one setting only [CFG-01]", () => {
  const names = settingKeys().flatMap((key) => [key, ...(SETTINGS[key].aliases ?? [])]);
  const variables = [
    ...settingKeys().flatMap((key) => [...SETTINGS[key].env]),
    ...Object.values(RETIRED_SETTINGS).flatMap(({ env }) => [...env]),
  ];
  for (const list of [names, variables]) assert.equal(new Set(list).size, list.length);
  for (const name of names) assert.ok(!Object.hasOwn(RETIRED_SETTINGS, name));
});

/** Names that the earlier plugins promised in files, canonical or not. */
const PROMISED = [
  "recallScoreThreshold",
  "recallMinQueryLength",
  "recallBudget",
  "profileBudget",
  "bypassPatterns",
  "syncTurns",
  "requestTimeoutMs",
  "recallTimeoutMs",
  "recallContextTimeoutMs",
  "resumeArchiveTokenBudget",
];

test("canonicalKey() knows every promised alias [CFG-20]", () => {
  for (const alias of PROMISED) assert.notEqual(canonicalKey(alias), undefined, alias);
  for (const name of ["", "__proto__", "toString", "captureMode"]) {
    assert.equal(canonicalKey(name), undefined);
  }
});

test("renderConfigReference() names every setting, variable and alias, and every differing default", () => {
  const text = renderConfigReference();
  for (const key of settingKeys()) {
    const { env, aliases = [], why } = SETTINGS[key];
    for (const name of [key, ...env, ...aliases]) assert.ok(text.includes(`\`${name}\``), name);
    if (why !== undefined) assert.ok(text.includes(why));
  }
});
