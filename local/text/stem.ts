/**
 * A light English stemmer: the inflections that keep a question from finding its answer, no more.
 *
 * @module
 */

/** Words whose ending only looks like a suffix. */
const WHOLE: ReadonlySet<string> = new Set(["embed", "format", "shed", "sched", "needs"]);

function hasVowel(word: string, end: number): boolean {
  for (let at = 0; at < end; at++) {
    const c = word.charCodeAt(at);
    // a e i o u y
    if (c === 97 || c === 101 || c === 105 || c === 111 || c === 117 || c === 121) return true;
  }
  return false;
}

/** `runn` -> `run`; `call`, `miss` and `buzz` keep their pair. */
function undouble(word: string): string {
  const last = word.charCodeAt(word.length - 1);
  return last === word.charCodeAt(word.length - 2) && last !== 108 && last !== 115 && last !== 122
    ? word.slice(0, -1)
    : word;
}

function stripPlural(word: string): string {
  if (word.endsWith("ies")) return word.length > 4 ? word.slice(0, -3) + "y" : word.slice(0, -1);
  const before = word.charCodeAt(word.length - 2);
  // ss, us, is
  if (before === 115 || before === 117 || before === 105) return word;
  return word.slice(0, -1);
}

function stripVerb(word: string): string {
  if (word.endsWith("ied") && word.length > 4) return word.slice(0, -3) + "y";
  const cut = word.endsWith("ing") ? 3 : word.endsWith("ed") && !word.endsWith("eed") ? 2 : 0;
  if (cut === 0 || word.length - cut < 2 || !hasVowel(word, word.length - cut)) return word;
  const rest = word.slice(0, -cut);
  return rest.length > 3 ? undouble(rest) : rest;
}

/**
 * Stem of a lower-case Latin word. `cache`, `caches`, `cached` and `caching` agree; so do
 * `migrate` and `migration`, `deploy` and `deployment`.
 */
export function stem(word: string): string {
  if (word.length < 3 || WHOLE.has(word)) return word;
  let out = word;
  if (out.length > 3 && out.endsWith("s")) out = stripPlural(out);
  if (WHOLE.has(out)) return out;
  if (out.length > 3) out = stripVerb(out);
  if (WHOLE.has(out)) return out;
  if (out.length > 6 && out.endsWith("ly")) out = out.slice(0, -2);
  if (out.length > 6 && (out.endsWith("tion") || out.endsWith("sion"))) out = out.slice(0, -3);
  if (out.length > 3 && out.endsWith("e")) out = out.slice(0, -1);
  else if (out === "use") out = "us";
  if (out.length > 5 && out.endsWith("at")) out = out.slice(0, -2);
  if (out.length > 7 && out.endsWith("ment")) out = out.slice(0, -4);
  if (out.length > 7 && out.endsWith("abl")) out = out.slice(0, -3);
  return out;
}
