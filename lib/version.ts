/**
 * The version of the running artefact. `deno.json` is its only source.
 *
 * @module
 */
import manifest from "../deno.json" with { type: "json" };

/** Semantic version, for example `0.1.0`. */
export const VERSION: string = manifest.version;
