/**
 * Long-term memory for coding agents: the parts that other programs build on, by name.
 *
 * The root is portable: it names no runtime and no host protocol. The command line is the export
 * `./cli`.
 *
 * @module
 */
export { VERSION } from "./lib/version.ts";
export { HARNESS_KEYS, toHarnessKey } from "./lib/config/harness.ts";
export type { HarnessKey } from "./lib/config/types.ts";
export { FileError } from "./lib/runtime/types.ts";
export type {
  Database,
  DatabaseOptions,
  FileErrorCode,
  FileLock,
  Files,
  FileStat,
  HttpServer,
  Json,
  JsonObject,
  ProcessResult,
  ProcessRuntime,
  ReadHandle,
  RunOptions,
  Runtime,
  ServeOptions,
  SqlRow,
  SqlValue,
  Statement,
  StdinLine,
  StdinText,
  WriteOptions,
} from "./lib/runtime/types.ts";
