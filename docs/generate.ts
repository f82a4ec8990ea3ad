/**
 * Writes the generated pages: `deno task docs`.
 *
 * @module
 */
import type { ProcessRuntime } from "../lib/runtime/types.ts";
import { renderConfigReference } from "../lib/config/reference.ts";
import { denoProcessRuntime } from "../lib/runtime/deno_process.ts";

/** Generated pages: path in the checkout, and what makes the text. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  "docs/en/configuration.md": renderConfigReference,
};

/**
 * A generated text as `deno fmt` writes it.
 *
 * @throws {Error} when the formatter fails.
 */
export async function formatMarkdown(runtime: ProcessRuntime, text: string): Promise<string> {
  const format = [runtime.execPath(), "fmt", "--ext", "md", "--line-width", "100", "-"];
  const { code, stdout, stderr } = await runtime.run(format, { stdin: text });
  if (code !== 0) throw new Error(`Cannot format a generated page: ${stderr}`);
  return stdout;
}

if (import.meta.main) {
  const root = decodeURIComponent(new URL("../", import.meta.url).pathname);
  for (const [page, render] of Object.entries(GENERATED_PAGES)) {
    const text = await formatMarkdown(denoProcessRuntime, render());
    denoProcessRuntime.files.writeAtomic(root + page, text, { mode: 0o644 });
  }
}
