/**
 * The server's token estimate over a stretch of a text, unrounded (`lib/recall/tokens.ts` has the whole).
 *
 * @module
 */

/** Weight of one code point: CJK 1.5, beyond the basic plane 2, everything else a quarter. */
function weight(code: number): number {
  if (code < 0x2e80) return 0.25;
  if (code > 0xffff) return 2;
  return code <= 0x9fff || (code >= 0xac00 && code <= 0xd7af) ||
      (code >= 0xf900 && code <= 0xfaff) || (code >= 0xff00 && code <= 0xffef)
    ? 1.5
    : 0.25;
}

/** What weighs a quarter, as most text does; left to the engine's own loop. */
const LIGHT = /[\0-\u2e7f]+/g;

/** Tokens of `text` as the server estimates them (`token_estimation`, 0.5.2), not rounded. */
export function tokenWeight(text: string, from = 0, to: number = text.length): number {
  const whole = from === 0 && to === text.length ? text : text.slice(from, to);
  const heavy = whole.replace(LIGHT, "");
  let sum = (whole.length - heavy.length) / 4;
  for (let at = 0; at < heavy.length; at++) {
    const code = heavy.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff && at + 1 < heavy.length) {
      sum += 2;
      at++;
    } else sum += weight(code);
  }
  return sum;
}

/** Where a cut after at most `budget` tokens falls, never inside a surrogate pair. */
export function cutAtTokens(text: string, budget: number, from = 0): number {
  let sum = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const pair = code >= 0xd800 && code <= 0xdbff && at + 1 < text.length;
    sum += pair ? 2 : weight(code);
    if (sum > budget) return at;
    if (pair) at++;
  }
  return text.length;
}
