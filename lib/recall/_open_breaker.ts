/**
 * The gate in front of a request.
 *
 * @module
 */
import type { Breaker } from "../http/breaker.ts";
import type { OvFailure } from "../http/types.ts";
import { openedBy } from "../http/breaker.ts";

/** The earlier failure that forbids asking now; `undefined` when asking is allowed. */
export function openBreaker(breaker: Breaker | undefined): OvFailure | undefined {
  if (breaker?.check() !== "open") return undefined;
  const record = breaker.current();
  return record === undefined ? undefined : openedBy(record);
}
