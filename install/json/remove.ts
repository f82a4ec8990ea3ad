/**
 * Takes values out of a JSON text; the inverse of adding them.
 *
 * @module
 */
import { endOf, type JsonNode, nodeAt, parseDocument } from "./document.ts";
import { commaAfter, lastCommentEnd, splice } from "./gaps.ts";
import type { ContainerNote } from "./insert.ts";

/**
 * Removes one child (a property of an object, an element of an array) with the comma and the
 * whitespace that belong to it. Comments of others stay.
 */
export function removeChild(text: string, container: JsonNode, child: JsonNode): string {
  const children = container.children ?? [];
  const index = children.indexOf(child);
  const previous = children[index - 1];
  const from = previous === undefined ? container.offset + 1 : endOf(previous);
  const before = previous === undefined ? -1 : commaAfter(text, from);
  const after = commaAfter(text, endOf(child));
  const start = lastCommentEnd(text, Math.max(from, before + 1), child.offset);
  if (after !== -1) {
    return splice(splice(text, after, after + 1, ""), start, endOf(child), "");
  }
  const without = splice(text, start, endOf(child), "");
  return before === -1 ? without : splice(without, before, before + 1, "");
}

/**
 * Gives emptied containers, from `path` upwards, back the form they had: those that were created go,
 * the others get their old whitespace. Without any note about the file, emptied containers go.
 */
export function collapseContainers(
  file: string,
  whole: string,
  path: readonly string[],
  notes: readonly ContainerNote[] | undefined,
): string {
  let text = whole;
  for (let depth = path.length; depth >= 0; depth--) {
    const { root } = parseDocument(file, text);
    const here = path.slice(0, depth);
    const container = nodeAt(root, here);
    if (container === undefined) continue;
    const open = container.offset + 1;
    const close = endOf(container) - 1;
    if ((container.children?.length ?? 0) > 0 || !/^\s*$/.test(text.slice(open, close))) {
      return text;
    }
    const note = notes?.find((n) => n.path.join("\0") === here.join("\0"));
    if (depth > 0 && (notes === undefined || note?.created === true)) {
      const parent = nodeAt(root, path.slice(0, depth - 1)) as JsonNode;
      const property = parent.children?.find((p) => p.children?.[1] === container) as JsonNode;
      text = removeChild(text, parent, property);
      continue;
    }
    text = splice(text, open, close, note?.inner ?? "");
    return text;
  }
  return text;
}
