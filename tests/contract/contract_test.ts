/**
 * The same cases on the embedded engine, in process and through `serve`, and on the real server.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { WireResponse } from "../../lib/http/types.ts";
import { fieldsOf } from "../../lib/http/classify.ts";
import {
  type ContractEngine,
  type EngineKind,
  openContractEngine,
} from "../support/contract_engines.ts";
import { CASES, type Expected, type Step } from "./cases.ts";

/** Where `actual` is not what `expected` says, as lines. Objects may hold more than is named. */
function differences(path: string, expected: unknown, actual: unknown): string[] {
  if (typeof expected === "function") {
    return expected(actual) ? [] : [`${path}: ${JSON.stringify(actual)?.slice(0, 300)}`];
  }
  if (expected instanceof RegExp) {
    return expected.test(String(actual)) ? [] : [`${path}: ${String(actual)} !~ ${expected}`];
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return [`${path}: ${JSON.stringify(actual)?.slice(0, 300)} has not ${expected.length} items`];
    }
    return expected.flatMap((item, i) => differences(`${path}[${i}]`, item, actual[i]));
  }
  if (typeof expected === "object" && expected !== null) {
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(`${path}.${key}`, value, fieldsOf(actual)[key])
    );
  }
  return expected === actual
    ? []
    : [`${path}: ${JSON.stringify(actual)?.slice(0, 300)} instead of ${JSON.stringify(expected)}`];
}

function wrong(expected: Expected, { status, body }: WireResponse): string[] {
  const error = fieldsOf(fieldsOf(body).error);
  return [
    ...differences("status", expected.status, status),
    ...(expected.code === undefined ? [] : differences("code", expected.code, error.code)),
    ...(expected.message === undefined
      ? []
      : differences("message", expected.message, error.message)),
    ...(expected.result === undefined
      ? []
      : differences("result", expected.result, fieldsOf(body).result)),
    ...(expected.body === undefined ? [] : differences("body", expected.body, body)),
  ];
}

/** `{name}` is what an earlier step kept; `{read:name/rest}` reads a file below a kept address. */
function filled(path: string, kept: ReadonlyMap<string, string>): string {
  return path
    .replace(
      /^\{read:(\w+)(\/[^}]+)\}$/,
      (_, name, rest) => `/api/v1/content/read?uri=${encodeURIComponent(kept.get(name) + rest)}`,
    )
    .replace(/\{(\w+)\}/g, (_, name) => kept.get(name) ?? "");
}

async function runStep(
  engine: ContractEngine,
  user: string,
  step: Step,
  kept: Map<string, string>,
): Promise<string[]> {
  const { send: [method, path, body], headers, within = 0, local, keep = {} } = step;
  const expected = engine.name === "server" ? step.expect : local?.expect ?? step.expect;
  const until = Date.now() + within * 1000;
  for (;;) {
    const answer = await engine.send(user, method, filled(path, kept), body, { ...headers });
    const found = wrong(expected, answer);
    if (found.length === 0 || Date.now() >= until) {
      const result = fieldsOf(fieldsOf(answer.body).result);
      for (const [name, field] of Object.entries(keep)) kept.set(name, String(result[field]));
      return found.length === 0
        ? []
        : [`${method} ${path}: ${found.join("; ")}`, JSON.stringify(answer.body).slice(0, 600)];
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const ENGINES: readonly (readonly [kind: EngineKind, what: string])[] = [
  ["embedded", "the embedded engine"],
  ["served", "the embedded engine behind `serve`"],
  ["server", "the real server"],
];

for (const [kind, what] of ENGINES) {
  test(`the contract holds on ${what}`, async (t) => {
    const engine = await openContractEngine(t, kind);
    if (engine === undefined) return;
    try {
      for (const { name, steps } of CASES) {
        await t.test(name, async () => {
          const user = `u${randomUUID().slice(0, 8)}`;
          const kept = new Map<string, string>();
          for (const step of steps) {
            assert.deepEqual(await runStep(engine, user, step, kept), [], name);
          }
        });
      }
    } finally {
      await engine.close();
    }
  });
}

test("every difference of the embedded engine from the server has its reason", () => {
  for (const { name, steps } of CASES) {
    for (const { local } of steps) {
      assert.ok(local === undefined || local.why.length > 20, name);
    }
  }
});
