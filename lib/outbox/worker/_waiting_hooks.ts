/**
 * Hooks that wait until their session is drained, and the mark each of them watches.
 *
 * @module
 */
import type { Files } from "../../runtime/types.ts";
import type { Store } from "../store/store.ts";

/** The hooks that may wait for this worker. */
export interface WaitingHooks {
  /** A hook may wait for the session with that row, until `mark` is gone. */
  add(session: number, mark: string): void;
  /** Lets hooks go whose session is drained. */
  releaseDrained(): void;
  /** Lets all of them go: nothing can be delivered now. */
  releaseAll(): void;
}

/** No hook waits yet. */
export function createWaitingHooks(files: Files, store: Store): WaitingHooks {
  const marks = new Map<string, number>();
  const release = (mark: string): void => {
    files.remove(mark);
    marks.delete(mark);
  };
  return {
    add: (session, mark) => marks.set(mark, session),
    releaseDrained() {
      for (const [mark, session] of marks) {
        const open = store.get("SELECT 1 FROM sessions WHERE id = ? AND open = 1", session);
        if (open === undefined) release(mark);
      }
    },
    releaseAll: () => [...marks.keys()].forEach(release),
  };
}
