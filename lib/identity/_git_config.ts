/**
 * Remotes in the text of a Git configuration file.
 *
 * @module
 */

/** Value of a line after `=`: comments cut, quotes and escapes resolved. */
function parseValue(text: string): string {
  let value = "";
  let kept = 0; // length up to the last character that is not trailing white space
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') quoted = !quoted;
    else if (character === "\\") {
      at++;
      const escaped = text[at] ?? "";
      value += { n: "\n", t: "\t", b: "\b" }[escaped] ?? escaped;
      kept = value.length;
      continue;
    } else if (!quoted && (character === "#" || character === ";")) break;
    else {
      value += character;
      if (quoted || !/\s/.test(character)) kept = value.length;
    }
  }
  return value.slice(0, kept);
}

/**
 * First URL of each remote in a Git configuration file, in order of appearance. Includes and
 * `insteadOf` are not followed.
 */
export function remotesOf(config: string): Map<string, string> {
  const remotes = new Map<string, string>();
  let remote: string | undefined;
  for (const raw of config.replace(/^\uFEFF/, "").replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    let line = raw.trim();
    const section = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (section !== null) {
      const name = (section[1] ?? "").toLowerCase();
      remote = name === "remote"
        ? section[2]?.replace(/\\(.)/g, "$1")
        : name.startsWith("remote.")
        ? name.slice(7)
        : undefined;
      line = line.slice(section[0].length).trim();
    }
    const url = remote === undefined ? undefined : /^url\s*=\s*(.*)$/i.exec(line)?.[1];
    if (remote !== undefined && url !== undefined && !remotes.has(remote)) {
      remotes.set(remote, parseValue(url));
    }
  }
  return remotes;
}
