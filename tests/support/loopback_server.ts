/**
 * A server on a free loopback port, closed when the test file ends.
 *
 * @module
 */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

/** A running server. */
export interface LoopbackServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a server; its connections are cut when it closes. */
export async function serveLoopback(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  after(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
