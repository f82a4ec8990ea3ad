/**
 * Work under a time limit.
 *
 * @module
 */

/**
 * Runs `work` with a signal that is aborted with the reason `"timeout"` after `ms`, or with the reason
 * of `outer` when that comes first. The timer is gone when the work is done.
 */
export async function withDeadline<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const follow = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  outer?.addEventListener("abort", follow, { once: true });
  const timer = setTimeout(() => controller.abort("timeout"), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", follow);
  }
}

/**
 * Resolves with `undefined` after `ms` unless `promise` was quicker. Meant for seldom and short waits:
 * the timer runs on, but unlike `setTimeout` it costs nothing at the start of a process.
 */
export function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => {
    AbortSignal.timeout(ms).onabort = () => resolve(undefined);
  });
  return Promise.race([promise, late]);
}

/** Waits `ms`, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
  });
}

/** A signal that is aborted with the reason `"timeout"` after `ms`; for seldom use, as the timer runs on. */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  AbortSignal.timeout(ms).onabort = () => controller.abort("timeout");
  return controller.signal;
}
