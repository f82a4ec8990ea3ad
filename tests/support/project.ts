/**
 * Where the project under test lies.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

/** Absolute path of the checkout, without a trailing slash. */
export const projectRoot: string = fileURLToPath(new URL("../..", import.meta.url)).replace(
  /\/$/,
  "",
);
