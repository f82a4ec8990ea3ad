/**
 * Stored text made safe to stand in a block that a model and a terminal read.
 *
 * @module
 */

/** The two-byte and the one-byte control sequence introducer. */
const ESC = String.fromCharCode(0x1b);
const CSI = String.fromCharCode(0x9b);
const BEL = String.fromCharCode(0x07);

/**
 * Removes terminal escapes, control characters (line breaks and tabs stay), bidirectional and
 * invisible format characters, and lone surrogates; `<` before what could be a tag becomes `&lt;`, so
 * that no wrapper can be closed or opened from inside.
 */
export function safeText(text: string): string {
  let plain = text.toWellFormed();
  if (/[^\n\t\x20-\x7e]/.test(plain)) {
    const escapes = new RegExp(
      `${ESC}\\][^${BEL}${ESC}]{0,1000}(?:${BEL}|${ESC}\\\\)?|` +
        `(?:${ESC}\\[|${CSI})[0-?]{0,100}[ -/]{0,20}[@-~]?|${ESC}[ -/]{0,20}[0-~]?`,
      "g",
    );
    plain = plain
      .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
      .replace(escapes, "")
      // The joiners 200c and 200d and the Arabic signs belong to words.
      .replace(/(?![\n\t\u200c\u200d\u0600-\u0605\u06dd])[\p{Cc}\p{Cf}]/gu, "")
      .replace(/[\u{e0100}-\u{e01ef}]/gu, "");
  }
  return plain.replace(/<(?=[A-Za-z/!?])/g, "&lt;");
}

/** A `viking://` URI for display: as written, but for what could end its line or open a tag. */
export function safeUri(uri: string): string {
  if (/^[!#-;=?-~]{0,1000}$/.test(uri)) return uri;
  return uri.toWellFormed().slice(0, 1000).replace(
    /[\p{Cc}\p{Cf}\u2028\u2029<>"]/gu,
    encodeURIComponent,
  );
}
