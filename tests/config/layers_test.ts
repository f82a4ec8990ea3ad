import { test } from "node:test";
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../lib/runtime/types.ts";
import type { LayerName } from "../../lib/config/types.ts";
import type { SettingKey, SettingSpec } from "../../lib/config/schema.ts";
import { HARNESS_KEYS } from "../../lib/config/harness.ts";
import { buildPluginConfig } from "../../lib/config/plugin_config.ts";
import { settingKeys, SETTINGS } from "../../lib/config/schema.ts";
import { createScratch } from "../support/scratch.ts";

/** Values of a setting per layer; a text under `environment` is the variable's. */
type Given = Partial<Record<Exclude<LayerName, "default">, JsonObject>>;

const scratch = createScratch();
let rooms = 0;

/** A configuration with `given` in the layers, for a fresh project and home. */
function configFor(given: Given, harness: (typeof HARNESS_KEYS)[number] = "codex") {
  const room = `room${rooms++}`;
  const home = `${scratch.dir}/${room}`;
  const project = `${home}/project`;
  const variables: Record<string, string> = { HOME: home };
  for (const [key, value] of Object.entries(given["environment"] ?? {})) {
    const name = SETTINGS[key as SettingKey]?.env[0] ?? key;
    const items = (list: string[]) => list.join(SETTINGS[key as SettingKey]?.separator ?? ",");
    variables[name] = Array.isArray(value) ? items(value as string[]) : String(value);
  }
  scratch.write(`${room}/project/.git/HEAD`, "ref: refs/heads/main\n");
  const files: Record<string, unknown> = {
    ".openviking/agent/workspaces.json": given["workspace-registry"] === undefined
      ? undefined
      : { version: 1, workspaces: { [project]: given["workspace-registry"] } },
    "project/.openviking/config.local.json": given["workspace-local"],
    "project/.openviking/config.json": given["workspace"],
    ".openviking/ovcli.conf": given["ovcli"] === undefined && given["ovcli-host"] === undefined
      ? undefined
      : {
        plugin: { ...given["ovcli"], [harness.replaceAll("-", "_")]: given["ovcli-host"] ?? {} },
      },
    ".openviking/ov.conf": given["ov.conf"] === undefined
      ? undefined
      : { [harness.replaceAll("-", "_")]: given["ov.conf"] },
  };
  for (const [path, content] of Object.entries(files)) {
    if (content !== undefined) scratch.write(`${room}/${path}`, content);
  }
  return buildPluginConfig(harness, { runtime: scratch.runtime(variables), cwd: project });
}

/** Two different valid values; the first is one that a committed file may set over the second. */
function samples(spec: SettingSpec): readonly [Json, Json] {
  const pair = ((): [Json, Json] => {
    switch (spec.type) {
      case "boolean":
        return [false, true];
      case "number":
        return [spec.min ?? 0, spec.max ?? 1];
      case "enum":
        return [spec.values?.[0] ?? "", spec.values?.[1] ?? ""];
      default:
        return [["b", "a"], ["b"]];
    }
  })();
  return spec.workspace === "higher" ? [pair[1], pair[0]] : pair;
}

const ORDER = [
  "environment",
  "workspace-registry",
  "workspace-local",
  "workspace",
  "ovcli-host",
  "ovcli",
  "ov.conf",
] as const;

/** What a layer may not decide. */
function isBarred(layer: (typeof ORDER)[number], spec: SettingSpec): boolean {
  if (layer === "workspace") return spec.workspace === "never";
  return layer === "workspace-local" && spec.local === "never";
}

for (const key of settingKeys()) {
  const spec = SETTINGS[key];
  const [restrictive, permissive] = samples(spec);

  for (const [index, higher] of ORDER.entries()) {
    const lower = ORDER[index + 1];
    test(`buildPluginConfig() takes ${key} from ${higher} before ${lower ?? "the default"} [CFG-03] [CFG-04]`, () => {
      const given: Given = { [higher]: { [key]: restrictive } };
      if (lower !== undefined) given[lower] = { [key]: permissive };
      const config = configFor(given);
      if (isBarred(higher, spec)) {
        const decides = lower === undefined || isBarred(lower, spec) ? "default" : lower;
        assert.equal(config.origin(key).layer, decides);
        assert.ok(config.problems.some((p) => p.kind === "forbidden" && p.key === key));
      } else {
        assert.deepEqual(config.settings[key], restrictive);
        assert.equal(config.origin(key).layer, higher);
        assert.notEqual(config.origin(key).source, "");
        assert.equal(config.isConfigured(key), true);
      }
    });
  }

  test(`buildPluginConfig() gives the default of ${key} when no layer has it [CFG-01] [CFG-08]`, () => {
    const config = configFor({});
    assert.deepEqual(config.settings[key], spec.default);
    assert.deepEqual(config.origin(key), { layer: "default", source: "", configured: false });
    assert.deepEqual(config.problems, []);
  });

  if (spec.default !== undefined) {
    test(`buildPluginConfig() tells a configured default of ${key} from an absent one [CFG-08]`, () => {
      const config = configFor({ ovcli: { [key]: spec.default as Json } });
      assert.deepEqual(config.settings[key], spec.default);
      assert.equal(config.isConfigured(key), true);
      assert.equal(configFor({ ovcli: { [key]: null } }).isConfigured(key), false);
    });
  }

  for (const [rank, name] of spec.env.entries()) {
    test(`buildPluginConfig() reads ${key} from ${name} [CFG-01] [CFG-20]`, () => {
      const text = Array.isArray(restrictive)
        ? restrictive.join(spec.separator ?? ",")
        : String(restrictive);
      const config = configFor({ environment: { [name]: text } });
      assert.deepEqual(config.settings[key], restrictive);
      assert.equal(config.origin(key).source, name);
      if (rank > 0) {
        const first = spec.env[0] ?? "";
        const other = Array.isArray(permissive) ? permissive.join(",") : String(permissive);
        const both = configFor({ environment: { [name]: text, [first]: other } });
        assert.deepEqual(both.settings[key], permissive);
      }
    });
  }

  for (const alias of spec.aliases ?? []) {
    test(`buildPluginConfig() reads ${key} as ${alias}, below the canonical name of its layer only [CFG-07] [CFG-20]`, () => {
      const alone = configFor({ ovcli: { [alias]: restrictive } });
      assert.deepEqual(alone.settings[key], restrictive);
      assert.deepEqual(alone.problems, []);
      for (const pair of [[alias, key], [key, alias]]) {
        const values: JsonObject = {};
        for (const name of pair) values[name] = name === key ? permissive : restrictive;
        assert.deepEqual(configFor({ ovcli: values }).settings[key], permissive);
      }
      const across = configFor({
        "ovcli-host": { [alias]: restrictive },
        ovcli: { [key]: permissive },
      });
      assert.deepEqual(across.settings[key], restrictive);
    });
  }
}

/** Values that a setting of a type never takes. */
function wrongValues(spec: SettingSpec): readonly Json[] {
  switch (spec.type) {
    case "boolean":
      return ["true", 1, 0, "", [], {}, "maybe"];
    case "number":
      return [
        String(spec.min),
        (spec.max ?? 0) * 2 + 1,
        (spec.min ?? 0) - 1,
        true,
        [],
        {},
        "",
        ...(spec.integer === true ? [(spec.min ?? 0) + 0.5] : []),
      ].filter((value) => value !== spec.unset);
    case "enum":
      return ["banana", true, 0, "", ["off"]];
    default:
      return ["a,b", [1], [["a"]], {}, true, ["x".repeat(1001)], Array(201).fill("x")];
  }
}

for (const key of settingKeys()) {
  const spec = SETTINGS[key];
  const [valid] = samples(spec);

  test(`buildPluginConfig() reports a wrong value of ${key} and asks the next layer [CFG-11]`, () => {
    for (const wrong of wrongValues(spec)) {
      const config = configFor({ "ovcli-host": { [key]: wrong }, ovcli: { [key]: valid } });
      assert.deepEqual(config.settings[key], valid, JSON.stringify(wrong));
      assert.equal(config.origin(key).layer, "ovcli");
      const problem = config.problems.find((p) => p.kind === "invalid");
      assert.equal(problem?.key, key);
      assert.match(problem?.source ?? "", /ovcli\.conf$/);
      assert.match(problem?.message ?? "", new RegExp(`^Cannot use ${key} from plugin\\.codex in`));
    }
  });

  test(`buildPluginConfig() honours an explicit false, 0 or emptiness of ${key} where its type has one [CFG-09]`, () => {
    const empty: Json = spec.type === "boolean" ? false : spec.type === "number" ? 0 : [];
    if (spec.type === "enum" || (spec.type === "number" && (spec.min !== 0 || spec.unset === 0))) {
      return;
    }
    for (const layer of ["environment", "workspace-registry", "ovcli", "ov.conf"] as const) {
      const config = configFor({ [layer]: { [key]: empty } });
      assert.deepEqual(config.settings[key], empty, layer);
      assert.equal(config.origin(key).layer, layer);
    }
  });
}

const TEXTS: readonly (readonly [key: SettingKey, text: string, value: unknown])[] = [
  ["autoRecall", " Yes ", true],
  ["autoRecall", "1", true],
  ["autoRecall", "on", true],
  ["autoRecall", "OFF", false],
  ["autoRecall", "no", false],
  ["autoRecall", "0", false],
  ["autoRecall", "banana", true],
  ["autoRecall", "", true],
  ["recallLimit", " 7 ", 7],
  ["recallLimit", "7.5", 10],
  ["recallLimit", "0x10", 10],
  ["recallLimit", "9e99", 10],
  ["recallLimit", "Infinity", 10],
  ["recallLimit", "", 10],
  ["settleSeconds", "0.5", 0.5],
  ["settleSeconds", "1e2", 100],
  ["recallPeerScope", "ACTOR", "actor"],
  ["recallPeerScope", "some", "all"],
  ["bypassSessionPatterns", "/a/*, b ,,", ["/a/*", "b"]],
  ["bypassSessionPatterns", '["/a,b", "[x"]', ["/a,b", "[x"]],
  ["bypassSessionPatterns", "[ab]*,c", ["[ab]*", "c"]],
  ["bypassSessionPatterns", "  ", []],
  ["redactPatterns", "a{1,2}\nb", ["a{1,2}", "b"]],
];

for (const [key, text, value] of TEXTS) {
  test(`buildPluginConfig() reads ${key} from the text ${JSON.stringify(text)} as ${JSON.stringify(value)} [CFG-11]`, () => {
    assert.deepEqual(configFor({ environment: { [key]: text } }).settings[key], value);
  });
}

test("buildPluginConfig() keeps recall on everywhere and capture off for one host [CFG-18]", () => {
  const ovcli = { plugin: { autoRecall: true, codex: { autoCapture: false } } };
  scratch.write("home/.openviking/ovcli.conf", ovcli);
  for (const harness of HARNESS_KEYS) {
    const { settings } = buildPluginConfig(harness, { runtime: scratch.runtime() });
    assert.deepEqual([settings.autoRecall, settings.autoCapture], [true, harness !== "codex"]);
  }
  const { settings } = buildPluginConfig("codex", {
    runtime: scratch.runtime({ OPENVIKING_AUTO_CAPTURE: "1", OPENVIKING_AUTO_RECALL: "0" }),
  });
  assert.deepEqual([settings.autoRecall, settings.autoCapture], [false, true]);
  const local = configFor({
    "workspace-local": { autoCapture: true },
    "ovcli-host": { autoCapture: false },
  });
  assert.equal(local.settings.autoCapture, true);
});

for (const harness of HARNESS_KEYS) {
  test(`buildPluginConfig() finds the section of ${harness} under both spellings [CFG-06]`, () => {
    for (const name of [harness, harness.replaceAll("-", "_")]) {
      scratch.write("home/.openviking/ovcli.conf", { plugin: { [name]: { recallLimit: 7 } } });
      const config = buildPluginConfig(harness, { runtime: scratch.runtime() });
      assert.equal(config.settings.recallLimit, 7);
      assert.deepEqual(config.problems, []);
    }
  });
}

test("buildPluginConfig() joins both spellings of a section, the hyphenated first [CFG-06]", () => {
  scratch.write("home/.openviking/ovcli.conf", {
    plugin: {
      claude_code: { recallLimit: 7, autoCapture: false },
      "claude-code": { recallLimit: 8 },
    },
  });
  const { settings } = buildPluginConfig("claude-code", { runtime: scratch.runtime() });
  assert.deepEqual([settings.recallLimit, settings.autoCapture], [8, false]);
});

test("buildPluginConfig() gives commands and worker the shared section only", () => {
  scratch.write("home/.openviking/ovcli.conf", {
    plugin: { settleSeconds: 3, cli: { settleSeconds: 4 }, codex: { settleSeconds: 5 } },
  });
  const { settings } = buildPluginConfig("cli", { runtime: scratch.runtime() });
  assert.equal(settings.settleSeconds, 3);
});

const FOLLOWS: readonly (readonly [given: JsonObject, budget: number, start: number])[] = [
  [{}, 2000, 2000],
  [{ timeoutMs: 20000 }, 20000, 20000],
  [{ timeoutMs: 1000 }, 1000, 1000],
  [{ timeoutMs: 300000 }, 60000, 60000],
  [{ timeoutMs: 20000, recallBudgetMs: 500 }, 500, 20000],
  [{ timeoutMs: 20000, recallTimeoutMs: 5000 }, 5000, 20000],
  [{ timeoutMs: 20000, recallContextTimeoutMs: 0 }, 20000, 20000],
];

for (const [given, budget, start] of FOLLOWS) {
  test(`buildPluginConfig() gives the stages ${budget} and ${start} ms for ${JSON.stringify(given)}`, () => {
    const { settings } = configFor({ ovcli: given });
    assert.deepEqual([settings.recallBudgetMs, settings.sessionStartBudgetMs], [budget, start]);
  });
}

test("buildPluginConfig() reports unknown, retired and misplaced keys and goes on", () => {
  const config = configFor({
    ovcli: {
      nonsense: 1,
      captureMode: "keyword",
      apiKey: "k",
      cursr: { recallLimit: 3 },
      pi: 4,
      engine: "auto",
    },
  });
  const kinds = Object.fromEntries(config.problems.map((p) => [p.key, p.kind]));
  assert.deepEqual(kinds, {
    nonsense: "unknown-key",
    captureMode: "not-offered",
    apiKey: "forbidden",
    cursr: "unknown-key",
    pi: "invalid",
  });
  assert.equal(config.broken, undefined);
});

test("buildPluginConfig() has no effects and gives equal results twice [ARC-09]", () => {
  scratch.write("home/.openviking/ovcli.conf", "{}");
  const runtime = scratch.runtime();
  const before = runtime.files.list(scratch.home);
  const [a, b] = [1, 2].map(() => {
    const { origin, isConfigured, ...rest } = buildPluginConfig("pi", {
      runtime,
      cwd: scratch.dir,
    });
    return { ...rest, origins: settingKeys().map((key) => [origin(key), isConfigured(key)]) };
  });
  assert.deepEqual(a, b);
  assert.deepEqual(runtime.files.list(scratch.home), before);
  assert.equal(runtime.files.stat(`${scratch.home}/.openviking/agent`), undefined);
});
