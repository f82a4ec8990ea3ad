/**
 * What the embedded engine's `/mcp` can be told.
 *
 * @module
 */

/** Options of the embedded engine's MCP server. */
export interface LocalMcpOptions {
  /** Takes secrets out of what `remember` stores. Nothing is taken out when absent. */
  readonly redact?: (text: string) => string;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}
