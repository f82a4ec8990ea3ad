/**
 * What an operating system's or a runtime's error means, in the words of `FileErrorCode`.
 *
 * @module
 */
import type { FileErrorCode } from "./types.ts";
import { FileError } from "./types.ts";

const CODES: Readonly<Record<string, FileErrorCode>> = {
  ENOENT: "not-found",
  EACCES: "permission",
  EPERM: "permission",
  EEXIST: "exists",
  EISDIR: "is-directory",
  ENOTDIR: "not-directory",
  EROFS: "read-only",
  ENOSPC: "full",
  EDQUOT: "full",
  ELOOP: "loop",
};

/** Category of an error that a file operation threw. */
export function fileErrorCode(error: unknown): FileErrorCode {
  const { code, name } = error as { code?: string; name?: string };
  const known = CODES[code ?? ""];
  if (known !== undefined) return known;
  switch (name) {
    case "NotFound":
      return "not-found";
    case "PermissionDenied":
    case "NotCapable":
      return "permission";
    case "AlreadyExists":
      return "exists";
    case "FilesystemLoop":
      return "loop";
    default:
      return "other";
  }
}

/** True for a path that starts at a root, a Windows drive included. */
export function isAbsolute(path: string): boolean {
  return /^(?:[A-Za-z]:)?[\\/]/.test(path);
}

/** Runs `work`; what it throws becomes a {@linkcode FileError}. */
export function attempt<T>(action: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new FileError(fileErrorCode(error), action, path, error);
  }
}

/** Copies with `work`; the error names `to` unless `from` itself cannot be read with `open`. */
export function attemptCopy(
  from: string,
  to: string,
  open: (path: string) => { close(): void },
  work: () => void,
): void {
  try {
    work();
  } catch (error) {
    open(from).close();
    throw new FileError(fileErrorCode(error), `copy ${from} to`, to, error);
  }
}

/** Like `attempt`, but absence is an answer. A path below a file, or one no file system could hold, is absent too. */
export function unlessAbsent<T>(action: string, path: string, absent: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === "not-found" || code === "not-directory" || error instanceof TypeError) {
      return absent;
    }
    throw new FileError(code, action, path, error);
  }
}
