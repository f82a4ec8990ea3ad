/**
 * The bridge's own answer to `initialize`, for when the server's does not come in time.
 *
 * @module
 */
import type { JsonObject } from "../runtime/types.ts";
import type { ServerIntroduction } from "./types.ts";
import { VERSION } from "../version.ts";

/** Protocol versions between which nothing has to be translated but the number, newest first. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** Introduces a server that did not introduce itself. */
const ABSENT_SERVER: ServerIntroduction = {
  name: "openviking",
  title: "OpenViking",
  version: VERSION,
};

/** The result: the version the host asked for if it is known, else the newest. */
export function ownInitializeResult(
  params: JsonObject | undefined,
  introduction: ServerIntroduction = ABSENT_SERVER,
): JsonObject {
  const asked = params?.["protocolVersion"];
  const { instructions, name, title, version } = introduction;
  return {
    protocolVersion: VERSIONS.find((known) => known === asked) ?? VERSIONS[0],
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name, title, version },
    ...(instructions === undefined ? {} : { instructions }),
  };
}
