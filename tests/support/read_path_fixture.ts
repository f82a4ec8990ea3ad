/**
 * Recorded answers of the real server's read routes.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { WireResponse } from "../../lib/http/types.ts";
import { projectRoot } from "./project.ts";

interface Exchange {
  readonly name: string;
  readonly response: WireResponse;
}

let exchanges: ReadonlyMap<string, WireResponse> | undefined;

/** The answer recorded under `name`. */
export function recordedAnswer(name: string): WireResponse {
  exchanges ??= new Map(
    readFileSync(join(projectRoot, "tests/fixtures/server-0.5.2/read_path.jsonl"), "utf8")
      .trim().split("\n").map((line) => JSON.parse(line) as Exchange)
      .map(({ name, response }) => [name, response]),
  );
  const found = exchanges.get(name);
  if (found === undefined) throw new Error(`Cannot find the recorded answer ${name}`);
  return found;
}
