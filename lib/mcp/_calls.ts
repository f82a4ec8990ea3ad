/**
 * The host's requests that are not answered yet.
 *
 * @module
 */
import type { RequestId } from "./_json_rpc.ts";
import type { AbortCause } from "./_outcome.ts";
import type { Upstream } from "./_upstream.ts";

/** One request in flight. */
export interface Call {
  readonly id: RequestId;
  readonly signal: AbortSignal;
  /** Where it was sent; `undefined` while it waits. */
  upstream: Upstream | undefined;
  /** True when the host wants no answer any more. */
  cancelled: boolean;
  abort(cause: AbortCause): void;
}

/** The register of requests in flight. */
export interface Calls {
  open(id: RequestId): Call;
  close(call: Call): void;
  get(id: RequestId): Call | undefined;
  abortAll(cause: AbortCause): void;
}

/** Makes an empty register. Two requests under one id are both kept; `get` finds the later one. */
export function createCalls(): Calls {
  const byId = new Map<RequestId, Call>();
  const all = new Set<Call>();
  return {
    open(id) {
      const controller = new AbortController();
      const call: Call = {
        id,
        signal: controller.signal,
        upstream: undefined,
        cancelled: false,
        abort: (cause) => controller.abort(cause),
      };
      byId.set(id, call);
      all.add(call);
      return call;
    },
    close(call) {
      all.delete(call);
      if (byId.get(call.id) === call) byId.delete(call.id);
    },
    get: (id) => byId.get(id),
    abortAll(cause) {
      for (const call of all) call.abort(cause);
    },
  };
}
