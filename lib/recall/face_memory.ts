/**
 * What a server can do, as its own validation errors taught: kept per target, tried anew after six
 * hours, so that an upgraded server is used as such.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";

/** The search routes, newest first. */
export type RecallFace = "context" | "recall" | "find";

/** What was learned. */
export interface FaceRecord {
  readonly face: RecallFace;
  /** Request fields that the server refuses. */
  readonly without: readonly string[];
}

/** Where it is kept. */
export interface FaceMemory {
  read(): FaceRecord;
  write(record: FaceRecord): void;
}

/** The assumption about a server nobody has met. */
export const NEWEST_FACE: FaceRecord = { face: "context", without: [] };

/** Folder of the records below the agent's home. */
export const FACE_FOLDER = "state/faces";
const KEPT_MS = 6 * 3_600_000;

/** Memory in a small file per target. Unreadable or unwritable means: nothing is remembered. */
export function createFaceMemory(
  options: {
    readonly runtime: Pick<Runtime, "files" | "now">;
    readonly agentHome: string;
    /** Target id, safe in a path. */
    readonly target: string;
  },
): FaceMemory {
  const { runtime: { files, now }, agentHome, target } = options;
  const folder = `${agentHome}/${FACE_FOLDER}`;
  const path = `${folder}/${target}.json`;
  return {
    read() {
      try {
        const { face, without, until } = JSON.parse(files.readText(path));
        const known = ["context", "recall", "find"].includes(face) && Array.isArray(without) &&
          until > now() && until <= now() + KEPT_MS;
        return known ? { face, without } : NEWEST_FACE;
      } catch {
        return NEWEST_FACE;
      }
    },
    write(record) {
      const text = JSON.stringify({ ...record, until: now() + KEPT_MS });
      try {
        files.writeAtomic(path, text, { sync: false });
      } catch {
        try {
          files.makeDir(folder);
          files.writeAtomic(path, text, { sync: false });
        } catch { /* a full or read-only disk */ }
      }
    },
  };
}
