/**
 * What the worker and the reading hooks tell each other about the way to a server.
 *
 * @module
 */
import type { FailureCategory, OvFailure } from "../../http/types.ts";
import { type BreakerOptions, createBreaker } from "../../http/breaker.ts";

/** Failures that concern every route: a slow or failing one says nothing about another. */
const SHARED: readonly FailureCategory[] = ["unreachable", "auth"];

/**
 * Opens the breaker of the reading path after a failure that would cost it its budget, and closes one
 * that such a failure opened once the server has answered the worker.
 *
 * @param failure What came of the worker's last request; `undefined` when it was answered.
 */
export function shareWithReaders(options: BreakerOptions, failure: OvFailure | undefined): void {
  const breaker = createBreaker(options);
  const known = breaker.current();
  if (failure !== undefined) {
    if (known === undefined && SHARED.includes(failure.category)) breaker.recordFailure(failure);
  } else if (known !== undefined && SHARED.includes(known.category)) {
    breaker.check();
    breaker.recordSuccess();
  }
}
