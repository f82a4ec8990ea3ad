/**
 * Paths as text, with `/` between the segments on every platform.
 *
 * @module
 */

/** `\` becomes `/` in a path that begins like one of Windows, whose drive letter becomes upper case. */
export function toSlashes(path: string): string {
  if (!/^(?:[A-Za-z]:[\\/]|\\\\)/.test(path)) return path;
  return path.replace(/\\/g, "/").replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}

/** True for `/x`, `C:/x` and `//server/share`. */
export function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(toSlashes(path));
}

/** The folder above, or `undefined` at the top. */
export function parentOf(path: string): string | undefined {
  const trimmed = path.replace(/\/+$/, "");
  const slash = trimmed.lastIndexOf("/");
  if (slash < 0) return undefined;
  const parent = trimmed.slice(0, slash);
  if (parent === "") return trimmed === "" ? undefined : "/";
  return /^[A-Za-z]:$/.test(parent) ? `${parent}/` : parent;
}

/** Last segment, "" at the top. */
export function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** `path` seen from the folder `base`, with `.` and `..` folded. */
export function resolveFrom(base: string, path: string): string {
  const target = toSlashes(path);
  const whole = isAbsolute(target) ? target : `${base}/${target}`;
  const root = /^(?:\/\/|\/|[A-Za-z]:\/)/.exec(whole)?.[0] ?? "";
  const kept: string[] = [];
  for (const segment of whole.slice(root.length).split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  return root + kept.join("/");
}
