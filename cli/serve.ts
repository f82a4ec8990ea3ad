/**
 * `serve`: the embedded engine over HTTP with the server's contract.
 *
 * @module
 */
import type { CommandContext } from "./context.ts";
import { buildPluginConfig } from "../lib/config/plugin_config.ts";
import { agentPath } from "../lib/config/paths.ts";
import { createRedactor } from "../lib/capture/redact.ts";
import { isLoopback } from "../local/loopback_guard.ts";
import { serveLocal } from "../local/serve.ts";
import { CommandError, EXIT } from "./output.ts";

/** Flags of `serve`. */
export interface ServeFlags {
  readonly port: number;
  readonly data?: string;
  readonly hostname: string;
}

/** Serves until a signal; the first line on stdout is `{"url": ...}`. The key is `OPENVIKING_API_KEY`. */
export async function serve(
  { runtime, output }: CommandContext,
  flags: ServeFlags,
): Promise<number> {
  const key = runtime.env("OPENVIKING_API_KEY")?.trim() ?? "";
  if (!isLoopback(flags.hostname) && key === "") {
    throw new CommandError(
      "usage",
      `Cannot serve on ${flags.hostname}: other machines could read the memory`,
      "Use 127.0.0.1, or set OPENVIKING_API_KEY",
      EXIT.usage,
    );
  }
  if (flags.port > 65_535) {
    throw new CommandError(
      "usage",
      `Cannot serve on port ${flags.port}: it takes 0 to 65535`,
      "",
      EXIT.usage,
    );
  }
  const { settings, agentHome } = buildPluginConfig("cli", { runtime });
  const file = agentPath(agentHome, "localDatabase");
  const server = await serveLocal(runtime, {
    port: flags.port,
    hostname: flags.hostname,
    dataDir: flags.data ?? file.slice(0, file.lastIndexOf("/")),
    redact: createRedactor({ enabled: settings.redact, patterns: settings.redactPatterns }),
    ...(key === "" ? {} : { key }),
  });
  runtime.writeStdout(`${JSON.stringify({ url: server.url })}\n`);
  output.note("The embedded engine is served until this process ends.");
  await new Promise<void>((resolve) => runtime.onTerminate(resolve));
  await server.close();
  return EXIT.done;
}
