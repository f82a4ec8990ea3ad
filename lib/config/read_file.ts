/**
 * Reads one configuration file into an object, or says why not.
 *
 * @module
 */
import type { FileError, JsonObject, Runtime } from "../runtime/types.ts";
import { isJsonObject, parseJsonc } from "./jsonc.ts";

/** Bytes a configuration file may have. */
export const MAX_CONFIG_BYTES = 1048576;

/** What reading a configuration file gave. */
export type ReadObject =
  | { readonly state: "absent" }
  | { readonly state: "ok"; readonly value: JsonObject }
  /** There, but not usable; `message` is one sentence with the file and the place. */
  | { readonly state: "unreadable"; readonly message: string };

function unreadable(path: string, why: string): ReadObject {
  return { state: "unreadable", message: `Cannot read ${path}: ${why}` };
}

/**
 * True when `path` is surely absent. Asked of its folder, which is small: under Deno a look at an
 * absent file is an exception and costs more than the list.
 */
function isAbsent(runtime: Runtime, path: string): boolean {
  const cut = path.lastIndexOf("/");
  try {
    return !runtime.files.list(path.slice(0, cut)).includes(path.slice(cut + 1));
  } catch {
    return false;
  }
}

/** Reads the object in `path`; comments, trailing commas and a byte order mark are fine, an empty file is not. */
export function readObjectFile(runtime: Runtime, path: string): ReadObject {
  if (isAbsent(runtime, path)) return { state: "absent" };
  let text: string;
  try {
    let stat = runtime.files.lstat(path);
    if (stat === undefined) return { state: "absent" };
    if (stat.kind === "symlink") stat = runtime.files.stat(path);
    if (stat === undefined) return unreadable(path, "it is a link that leads nowhere");
    // A pipe or device would be waited for without end.
    if (stat.kind !== "file") return unreadable(path, "it is not a regular file");
    if (stat.size > MAX_CONFIG_BYTES) {
      return unreadable(path, `it has more than ${MAX_CONFIG_BYTES} bytes`);
    }
    text = runtime.files.readText(path);
  } catch (error) {
    return unreadable(path, (error as FileError).code ?? "it cannot be opened");
  }
  const parsed = parseJsonc(text);
  if (!parsed.ok) {
    return unreadable(path, `${parsed.message}, line ${parsed.line}, column ${parsed.column}`);
  }
  if (!isJsonObject(parsed.value)) return unreadable(path, "it does not hold a JSON object");
  return { state: "ok", value: parsed.value };
}
