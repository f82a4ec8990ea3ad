/**
 * Cutting a text to its ends.
 *
 * @module
 */

/** A third of `max` from the beginning and the rest from the end: questions stand at the ends. */
export function cutEnds(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Math.floor(max / 3);
  return `${text.slice(0, head)}\n${text.slice(text.length - (max - head - 1))}`.toWellFormed();
}
