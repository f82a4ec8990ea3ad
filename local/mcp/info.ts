/**
 * What the embedded engine's MCP server says of itself. Apart from the server, so that a process can
 * introduce it before it is loaded.
 *
 * @module
 */
import { VERSION } from "../../lib/version.ts";

/** Name and instructions in the answer to `initialize`. */
export interface McpServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** Told to the model by hosts that pass it on. */
  readonly instructions: string;
}

/** The embedded engine's. */
export const LOCAL_MCP_INFO: McpServerInfo = {
  name: "openviking-local",
  title: "OpenViking (embedded engine)",
  version: VERSION,
  instructions:
    "Long-term memory of earlier coding sessions. Relevant memories may already be in the context; " +
    "call find for more, read to expand a viking:// URI, remember when the user asks to keep something.",
};
