/**
 * The environment of a child process that must not see the developer's own agents and settings.
 *
 * @module
 */
import { projectRoot } from "./project.ts";

/** Variables that decide what an agent or the product does; never handed on. */
const FOREIGN = /^(OPENVIKING|CLAUDE|ANTHROPIC|CODEX|OPENAI|CURSOR|GEMINI|XDG|GIT)_|^CLAUDECODE$/;

/**
 * This process's environment without {@linkcode FOREIGN} variables, with `home` as HOME and with
 * Deno's present cache, so that an empty HOME does not fetch everything again.
 */
export async function isolatedEnvironment(home: string): Promise<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(Deno.env.toObject())) {
    if (!FOREIGN.test(name)) environment[name] = value;
  }
  return {
    ...environment,
    HOME: home,
    DENO_DIR: await denoDir(),
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
  };
}

async function denoDir(): Promise<string> {
  const info = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    cwd: projectRoot,
    stdout: "piped",
    stderr: "null",
  }).output();
  return (JSON.parse(new TextDecoder().decode(info.stdout)) as { denoDir: string }).denoDir;
}
