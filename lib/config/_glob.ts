/**
 * Patterns on paths and session ids, matched in time proportional to pattern times text.
 *
 * @module
 */

/**
 * True when the whole of `text` matches `pattern`: `*` stands for anything but `/`, `**` for
 * anything, every other character for itself.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  // One row per pattern element: reached[i] says that text[0..i) can be matched so far.
  let reached = new Uint8Array(text.length + 1);
  reached[0] = 1;
  for (let at = 0; at < pattern.length; at++) {
    const next = new Uint8Array(text.length + 1);
    if (pattern[at] === "*") {
      const deep = pattern[at + 1] === "*";
      while (pattern[at + 1] === "*") at++;
      let open = false;
      for (let i = 0; i <= text.length; i++) {
        open = reached[i] === 1 || (open && (deep || text[i - 1] !== "/"));
        next[i] = open ? 1 : 0;
      }
    } else {
      for (let i = 0; i < text.length; i++) {
        if (reached[i] === 1 && text[i] === pattern[at]) next[i + 1] = 1;
      }
    }
    reached = next;
  }
  return reached[text.length] === 1;
}
