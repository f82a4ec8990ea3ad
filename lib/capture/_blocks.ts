/**
 * Removes tagged blocks from text.
 *
 * @module
 */

/**
 * Removes `<tag …>…</tag>` blocks, nested ones included.
 *
 * @param tags Alternatives of a regular expression, without groups.
 * @param unclosed `cut` removes what follows a block that is not closed, `keep` leaves it as it is.
 */
export function removeBlocks(
  text: string,
  tags: string,
  unclosed: "cut" | "keep",
  restarts = 16,
  [left, right]: readonly [string, string] = ["<", ">"],
): string {
  const marks = new RegExp(`${left}(/?)(${tags})(?:\\s[^<>]{0,500}?)?${right}`, "gi");
  let out = "";
  let copied = 0;
  let open = "";
  let openAt = 0;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const tag = (mark[2] ?? "").toLowerCase();
    if (open === "") {
      if (mark[1] !== "") continue;
      open = tag;
      openAt = mark.index;
      depth = 1;
    } else if (tag === open) {
      depth += mark[1] === "" ? 1 : -1;
      if (depth > 0) continue;
      out += text.slice(copied, openAt);
      copied = marks.lastIndex;
      open = "";
    }
  }
  if (open === "") return copied === 0 ? text : out + text.slice(copied);
  if (unclosed === "cut") return out + text.slice(copied, openAt);
  // What opens and never closes is only text; blocks behind it still count.
  const rest = openAt + 1;
  const behind = restarts > 0
    ? removeBlocks(text.slice(rest), tags, unclosed, restarts - 1, [left, right])
    : text.slice(rest);
  return out + text.slice(copied, rest) + behind;
}
