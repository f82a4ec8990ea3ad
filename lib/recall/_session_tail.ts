/**
 * Where a session stands, as text.
 *
 * @module
 */
import { fieldsOf } from "../http/classify.ts";
import { safeText } from "./safe_text.ts";
import { indented, shownDate } from "./render.ts";
import { cutToTokens, estimateTokens } from "./tokens.ts";

/** Tokens of one message; the end of a session is told by its last few. */
const MESSAGE_TOKENS = 200;
const MESSAGES = 6;
/** Characters of one message that are looked at. */
const MOST_CHARS = 4000;

/** What a person or the model said; tool calls are left out. */
function saidIn(message: unknown): string {
  const { parts } = fieldsOf(message);
  if (!Array.isArray(parts)) return "";
  return parts.map(fieldsOf).filter((part) => part.type === "text" && typeof part.text === "string")
    .map((part) => safeText(String(part.text).slice(0, MOST_CHARS)).trim()).filter((text) =>
      text !== ""
    ).join("\n");
}

/** The last messages, in order, dated, within `tokens`. */
function tailOf(messages: readonly unknown[], tokens: number): string {
  const items: string[] = [];
  let left = tokens;
  for (let at = messages.length - 1; at >= 0 && items.length < MESSAGES; at--) {
    const said = saidIn(messages[at]);
    if (said === "") continue;
    const { role, created_at: createdAt } = fieldsOf(messages[at]);
    const date = typeof createdAt === "string" ? shownDate(createdAt) : "";
    const head = `- ${role === "assistant" ? "assistant" : "user"}${
      date === "" ? "" : ` (${date})`
    }`;
    const cut = cutToTokens(said, Math.floor(Math.min(MESSAGE_TOKENS, left) * 0.9) - 12);
    if (cut === "") break;
    const item = `${head}\n${indented(cut === said ? said : `${cut}…`)}`;
    left -= estimateTokens(item) + 1;
    if (left < 0) break;
    items.unshift(item);
  }
  return items.join("\n");
}

/**
 * Where a session stands, from `GET /sessions/{id}/context`: its last archive overview, else its
 * unarchived end; "" when there is neither.
 */
export function sessionStand(context: unknown, tokens: number): string {
  const { latest_archive_overview: overview, messages } = fieldsOf(context);
  const lines: string[] = [];
  let left = tokens;
  if (typeof overview === "string" && overview.trim() !== "") {
    const plain = safeText(overview.slice(0, 10 * MOST_CHARS)).trim();
    const cut = cutToTokens(plain, Math.floor(tokens * 0.85));
    lines.push(indented(cut === plain ? plain : `${cut}…`));
    left -= estimateTokens(lines[0] ?? "") + 1;
  }
  if (Array.isArray(messages) && (lines.length === 0 || left > MESSAGE_TOKENS)) {
    const tail = tailOf(messages, left);
    if (tail !== "") lines.push(tail);
  }
  return lines.join("\n");
}
