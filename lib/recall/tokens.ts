/**
 * The server's token estimate, so that a budget means the same on both sides.
 *
 * @module
 */

function isCjk(unit: number): boolean {
  return (unit >= 0x3000 && unit <= 0x30ff) || // punctuation, kana
    (unit >= 0x3400 && unit <= 0x4dbf) ||
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7af) || // Hangul
    (unit >= 0xf900 && unit <= 0xfaff) ||
    (unit >= 0xff00 && unit <= 0xffef);
}

/**
 * Tokens of a text: 1.5 for a CJK character, 2 beyond the basic plane, 0.25 for any other, rounded up
 * (openviking/utils/token_estimation.py, 0.4.16).
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(estimateTokens("four char"), 3);
 * assert.equal(estimateTokens("部署"), 3);
 * ```
 */
export function estimateTokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x3000) quarters += 1;
    else if (unit >= 0xd800 && unit <= 0xdfff) quarters += 4; // half of a pair
    else quarters += isCjk(unit) ? 6 : 1;
  }
  return Math.ceil(quarters / 4);
}

/** The longest beginning of `text` within `tokens`, never half a character. */
export function cutToTokens(text: string, tokens: number): string {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (estimateTokens(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  const last = text.charCodeAt(low - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? low - 1 : low);
}
