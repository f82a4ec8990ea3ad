/**
 * A child of the conformance tests: `<runtime> <act> [path]`, prints one JSON line.
 *
 * @module
 */
import { denoProcessRuntime } from "../../lib/runtime/deno_process.ts";
import { nodeProcessRuntime } from "../../lib/runtime/node_process.ts";

const args = denoProcessRuntime.args;
const runtime = args[0] === "node" ? nodeProcessRuntime : denoProcessRuntime;
const print = (value: unknown) => runtime.writeStdout(`${JSON.stringify(value)}\n`);

switch (args[1]) {
  case "stdin":
    print(await runtime.readStdin(100, 60_000, () => runtime.exit(9)));
    break;
  case "silence":
    await runtime.readStdin(100, 20, () => {
      print("silent");
      runtime.exit(0);
    });
    break;
  case "lines":
    for await (const line of runtime.readStdinLines(10)) print(line);
    break;
  case "lock": {
    const lock = runtime.tryLock(args[2] ?? "");
    await runtime.sendStdout(`${lock === undefined ? "held" : "mine"}\n`);
    await runtime.readStdin(100, 60_000, () => runtime.exit(9)); // until the parent lets go
    break;
  }
  case "detach":
    runtime.spawnDetached(
      ["sh", "-c", `echo "$MARK" > "$0.tmp"; mv "$0.tmp" "$0"`, args[2] ?? ""],
      {
        MARK: "here",
      },
    );
    break;
}
runtime.exit(0);
