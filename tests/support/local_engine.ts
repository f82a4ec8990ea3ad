/**
 * Embedded engines in throw-away folders, and short ways to ask them.
 *
 * @module
 */
import type { WireResponse } from "../../lib/http/types.ts";
import type { Runtime } from "../../lib/runtime/types.ts";
import { denoRuntime } from "../../lib/runtime/deno.ts";
import { type LocalEngine, type LocalEngineOptions, openLocalEngine } from "../../local/engine.ts";

/** A clock that only moves when told to; starts on 2026-11-30. */
export interface TestClock {
  now: number;
}

/** An engine with its file and clock. */
export interface TestEngine extends Disposable {
  readonly engine: LocalEngine;
  readonly path: string;
  readonly clock: TestClock;
  /** Sends a request; `headers` choose identity and peer. */
  send(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<WireResponse>;
  /** Like `send`, but gives the `result` and throws for anything but 200. */
  // deno-lint-ignore no-explicit-any
  ask(...request: Parameters<TestEngine["send"]>): Promise<any>;
}

/** Opens an engine on a fresh file, or on `path` again. */
export async function openTestEngine(
  options: LocalEngineOptions = {},
  path?: string,
): Promise<TestEngine> {
  const folder = path === undefined ? Deno.makeTempDirSync({ prefix: "ov-local-" }) : undefined;
  const clock: TestClock = { now: Date.UTC(2026, 10, 30, 12) };
  const runtime: Runtime = { ...denoRuntime, now: () => clock.now };
  const file = path ?? `${folder}/memory.db`;
  const engine = await openLocalEngine(runtime, file, options);
  const send: TestEngine["send"] = (method, target, body, headers = {}) =>
    engine.handle({ method, path: target, headers, ...(body === undefined ? {} : { body }) });
  return {
    engine,
    path: file,
    clock,
    send,
    async ask(...request) {
      const response = await send(...request);
      if (response.status !== 200) {
        throw new Error(`${request[0]} ${request[1]}: ${JSON.stringify(response)}`);
      }
      return (response.body as { result: unknown }).result;
    },
    [Symbol.dispose]() {
      engine.close();
      if (folder !== undefined) Deno.removeSync(folder, { recursive: true });
    },
  };
}
