/**
 * People whose configuration names a fake MCP server.
 *
 * @module
 */
import { createScratch, type Scratch } from "./scratch.ts";
import type { FakeMcpServer, Message } from "./fake_mcp_server.ts";

/** The key in {@linkcode personOf}'s configuration. */
export const TEST_KEY = "key-1";

/** A scratch home whose ovcli.conf names `server`. */
export function personOf(server: FakeMcpServer, conf: object = {}): Scratch {
  const scratch = createScratch();
  configure(scratch, { url: server.url, api_key: TEST_KEY, ...conf });
  return scratch;
}

/** Rewrites ovcli.conf. */
export function configure(scratch: Scratch, conf: object): void {
  scratch.write("home/.openviking/ovcli.conf", conf);
}

/** Text of a tool result, "" when there is none. */
export function textOf(message: Message | undefined): string {
  return message?.result?.content?.[0]?.text ?? "";
}
