/**
 * Prints the commands in the shell blocks of README.md, in order, for programs that type them.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { printLine } from "../support/terminal.ts";

/** Commands in fenced shell blocks; comments, clones and `cd` are left out. */
export function shellCommands(markdown: string): string[] {
  const commands: string[] = [];
  for (const [, block = ""] of markdown.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```/gm)) {
    for (const line of block.replace(/\\\n\s*/g, " ").split("\n")) {
      const command = line.replace(/\s+#\s.*$/, "").trim();
      if (command !== "" && !/^(#|git clone|cd )/.test(command)) commands.push(command);
    }
  }
  return commands;
}

if (import.meta.main) {
  for (const command of shellCommands(readFileSync("README.md", "utf8"))) printLine(command);
}
