/**
 * `deno task build:agent-plugins [FOLDER]`: writes the Agent Plugins package, `dist/agent-plugins/openviking`
 * unless a folder is named.
 *
 * @module
 */
import { denoProcessRuntime } from "../lib/runtime/deno_process.ts";
import { VERSION } from "../lib/version.ts";
import { agentPluginsFolder } from "./agent_plugins.ts";
import { bundleSourceFor } from "./bundles.ts";
import { InstallError } from "./types.ts";

/** Builds, replaces the folder and prints where it is; the exit code. */
async function main(): Promise<number> {
  const { args, files } = denoProcessRuntime;
  const root = decodeURIComponent(new URL("..", import.meta.url).pathname).replace(/\/$/, "");
  const folder = args[0] ?? `${root}/dist/agent-plugins/openviking`;
  try {
    const bundles = await bundleSourceFor(denoProcessRuntime, import.meta.url).load();
    const texts = agentPluginsFolder({
      version: VERSION,
      mcpBundle: bundles.get("mcp.js") ?? "",
      license: files.readText(`${root}/LICENSE`),
    });
    files.removeTree(folder);
    for (const [path, text] of texts) {
      const file = `${folder}/${path}`;
      files.makeDir(file.slice(0, file.lastIndexOf("/")), 0o755);
      files.writeAtomic(file, text, { mode: path.endsWith(".sh") ? 0o755 : 0o644, sync: false });
    }
    denoProcessRuntime.writeStdout(`${folder}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    denoProcessRuntime.writeStderr(`${error.failure.message}\n${error.failure.fix}\n`);
    return 1;
  }
}

if (import.meta.main) denoProcessRuntime.exit(await main());
