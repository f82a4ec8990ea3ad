/**
 * `show`: one memory as it is kept, on either engine.
 *
 * @module
 */
import type { CommandContext } from "./context.ts";
import { connectOrFail } from "./connect.ts";
import { CommandError, EXIT, forTerminal } from "./output.ts";

/** Prints the text at `uri`. */
export async function show({ runtime, output }: CommandContext, uri: string): Promise<number> {
  if (!uri.startsWith("viking://")) {
    throw new CommandError(
      "usage",
      `Cannot show ${uri}: it is no viking:// URI`,
      "Take one from `openviking-agent search`",
      EXIT.usage,
    );
  }
  const { engine, name } = await connectOrFail(runtime);
  try {
    const read = await engine.http.request<unknown>(
      "GET",
      `/api/v1/content/read?uri=${encodeURIComponent(uri)}`,
    );
    if (!read.ok) {
      throw new CommandError(read.category, `Cannot show ${uri}: ${read.message}`);
    }
    const text = typeof read.result === "string"
      ? read.result
      : JSON.stringify(read.result, null, 2);
    if (output.json) output.document({ engine: name, uri, text });
    else output.line(forTerminal(text));
    return EXIT.done;
  } finally {
    engine.close();
  }
}
