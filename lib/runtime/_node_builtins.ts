/**
 * Node's built-in modules without a static import, so that a plugin's module closure stays free of
 * `node:` and a bundler has nothing to resolve. Needs Node >= 22.3 or a Bun with
 * `process.getBuiltinModule`.
 *
 * @module
 */
import type nodeProcess from "node:process";
import type * as childProcess from "node:child_process";
import type * as fs from "node:fs";
import type * as http from "node:http";
import type * as os from "node:os";
import type * as tty from "node:tty";
import type * as sqlite from "node:sqlite";

/** The `process` object of Node and Bun. */
export function nodeHost(): typeof nodeProcess {
  return (globalThis as unknown as { process: typeof nodeProcess }).process;
}

/** The built-in modules in use, by name. */
export interface Builtins {
  readonly "node:child_process": typeof childProcess;
  readonly "node:fs": typeof fs;
  readonly "node:http": typeof http;
  readonly "node:os": typeof os;
  readonly "node:tty": typeof tty;
  readonly "node:sqlite": typeof sqlite;
}

/**
 * A built-in module.
 *
 * @throws {Error} when the runtime does not have it (`node:sqlite` in Bun and in Node before 22.5).
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  const found = nodeHost().getBuiltinModule(name) as Builtins[Name] | undefined;
  if (found === undefined) {
    throw new Error(`Cannot load ${name}: this runtime does not have it; use Node 22.16 or newer`);
  }
  return found;
}

/**
 * `node:sqlite` without the one warning that Node 22 prints when it is loaded; every other warning
 * is let through.
 */
export function quietSqlite(): typeof sqlite {
  const host = nodeHost();
  const original = host.emitWarning;
  host.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    const text = typeof warning === "string" ? warning : warning.message;
    if (!text.startsWith("SQLite is an experimental feature")) {
      original.call(host, warning, ...rest);
    }
  }) as typeof original;
  try {
    return builtin("node:sqlite");
  } finally {
    host.emitWarning = original;
  }
}
