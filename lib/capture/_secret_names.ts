/**
 * Values that are secret because of the name beside them: assignments, flags, JSON keys, prose.
 *
 * @module
 */

/** Words that end the name of a secret, with any prefix before them (`DB_PASSWORD`, `clientSecret`). */
const WORDS = "pass(?:word|wd|phrase|code)|pwd|secrets?|token|credentials?|" +
  "(?:api|access|secret|private|account|auth|encryption|signing|master|shared|license|service|" +
  "subscription|deploy|session|webhook|client|admin|ssh|storage|sas|app|role|anon)[_\\- ]?key|" +
  "connection[_-]?string|mnemonic|密码|口令|密钥|令牌";
const TAIL = "(?:[_-]?(?:base|prod|dev|test|staging|live|value|\\d{1,3}))?";

/** Values that stand for a kind of thing and are no secret themselves. */
const ORDINARY =
  /^(?:string|number|boolean|object|any|unknown|never|void|null|none|nil|undefined|true|false|yes|no|required|optional|text|hidden|password|secret|token|example|changeme|change-me|your[\w-]*|my[_-]?(?:password|secret|token|key)|todo|redacted|empty|default|enabled|disabled|bearer|basic|str|bytes|int)$/i;
const REFERENCE =
  /^(?:\$|%[A-Za-z_]+%|\{\{|<|\[redacted|\*{3}|\.{3}|x{4,}|process\.|os\.|env\.|import\.|Deno\.|Bun\.|vault:|op:\/\/|file:|ssm:|secrets?[.:])/i;
const EXPRESSION = /^[A-Za-z_$][\w$]*(?:\(|\[|\?\.|::|->|\.[A-Za-z_$])/;
const PATH = /^(?:~|\.{1,2})?\/[\w.@+-]+(?:\/[\w.@+-]*)*$/;

/** True when a text looks as if a machine had made it up. */
export function looksRandom(text: string): boolean {
  const sample = text.slice(0, 128);
  if (sample.length < 16) return false;
  const distinct = new Set(sample).size;
  if (distinct < 8) return false;
  let digits = 0;
  let letters = 0;
  let changes = 0;
  let previous = "";
  for (const c of sample) {
    const kind = c >= "0" && c <= "9"
      ? "0"
      : c >= "a" && c <= "z"
      ? "a"
      : c >= "A" && c <= "Z"
      ? "A"
      : "-";
    if (kind === "0") digits++;
    if (kind === "a" || kind === "A") letters++;
    if (kind !== previous) changes++;
    previous = kind;
  }
  if (digits > 0 && letters > 0) return changes * 6 >= sample.length || distinct >= 14;
  return letters > 0 && sample.length >= 20 && changes * 100 >= sample.length * 42;
}

/** How a value was written, which decides how much doubt it gets. */
interface Written {
  readonly name: string;
  readonly value: string;
  readonly quoted: boolean;
  readonly by: "sign" | "flag" | "prose" | "space";
}

/** True when a value beside a secret's name is the secret and no reference, type or sentence. */
function isSecretValue({ name, value, quoted, by }: Written): boolean {
  if (value.length < 4 || ORDINARY.test(value) || REFERENCE.test(value)) return false;
  const random = looksRandom(value);
  if (by === "space") return random && value.length >= 20 && !/^[0-9a-f-]+$/i.test(value);
  if (by === "prose" && !/pass|pwd|密码|口令/i.test(name)) return random;
  if (random) return !/^https?:\/\/[^@\s]*$/.test(value);
  if (/^https?:\/\//.test(value) || PATH.test(value)) return false;
  if (!quoted && EXPRESSION.test(value)) return false;
  const isPassword = /pass|pwd|secret|密码|口令|mnemonic/i.test(name);
  if (/^\d+$/.test(value)) return isPassword && value.length >= 6;
  const hasMark = /[\d!@#$%^&*+=~?]/.test(value);
  if (by === "prose") return value.length >= 6 && hasMark;
  if (/\s/.test(value)) return /phrase|mnemonic/i.test(name);
  if (/^[A-Z][A-Z0-9_]*$/.test(name) && by === "sign") return true;
  if (by === "flag") return value.length >= 6;
  if (quoted) return isPassword || hasMark;
  return value.length >= 6 && hasMark;
}

let names: RegExp | undefined;
let wholeName: RegExp | undefined;

/** The word of a secret's name that `key` ends with, or "" when it is no such name. */
function secretWord(key: string): string {
  wholeName ??= new RegExp(`(${WORDS})${TAIL}$`, "i");
  return key.length > 200 ? "" : wholeName.exec(key)?.[1] ?? "";
}

/** Placeholder for a value known by its name. */
function placeholder(word: string): string {
  const label = word.toLowerCase().replace(/[_ -]?key$/, "-key").replace(/[^a-z-]+/g, "-");
  return `[redacted:${/[a-z]/.test(label) ? label : "secret"}]`;
}

/** The placeholder for a JSON value under `key`, or `undefined` when it may stay. */
export function redactedByKey(key: string, value: string): string | undefined {
  const word = secretWord(key);
  if (word === "") return undefined;
  return isSecretValue({ name: key, value, quoted: true, by: "sign" })
    ? placeholder(word)
    : undefined;
}

const QUOTES = "\"'`";
const STOPS = " \t\r\n\"'`\\,;&|()[]{}<>，。；、（）「」”“";

/** Finds where runs of value characters end; each run is walked once however often it is asked. */
function runEnds(text: string): (from: number) => number {
  let known = -1;
  let end = -1;
  return (from) => {
    if (from >= known && from < end) return end;
    let at = from;
    while (at < text.length && !STOPS.includes(text.charAt(at))) at++;
    known = from;
    end = at;
    return at;
  };
}

function quotedEnd(text: string, from: number, quote: string, escaped: boolean): number {
  for (let at = from; at < text.length && at - from < 8192; at++) {
    const c = text.charAt(at);
    if (c === "\n" || c === quote) return at;
    if (c === "\\") {
      if (escaped) return at;
      at++;
    }
  }
  return Math.min(text.length, from + 8192);
}

/** Start of the name whose last word begins at `at`. */
function nameStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < 64 && /[\w.-]/.test(text.charAt(start - 1))) start--;
  return start;
}

/** Replaces values that stand beside the name of a secret. */
export function redactNamedValues(text: string): string {
  names ??= new RegExp(
    `(${WORDS})${TAIL}(?![\\w-])` +
      "(\\\\{0,15}[\"'`\\])?]{0,2}\\s{0,8}(?:=>|:=|={1,3}|：|:|>|\\b(?:is|was)\\s|是|为|(?<=\\s))\\s{0,8})",
    "gi",
  );
  names.lastIndex = 0;
  const endOfRun = runEnds(text);
  let out = "";
  let copied = 0;
  for (let found = names.exec(text); found !== null; found = names.exec(text)) {
    const [, word = "", between = ""] = found;
    const from = found.index + found[0].length;
    const start = nameStart(text, found.index);
    const name = text.slice(start, from - between.length).replace(/^-+/, "");
    const sign = between.trim().replace(/^[\\"'`\])?]+/, "").trim();
    const isFlag = text.startsWith("--", start);
    const by = sign === ""
      ? (isFlag ? "flag" : "space")
      : /^(?:is|was|是|为)$/i.test(sign)
      ? "prose"
      : isFlag
      ? "flag"
      : "sign";
    let quoteAt = from;
    while (text.charAt(quoteAt) === "\\" && quoteAt - from < 16) quoteAt++;
    const escaped = quoteAt > from;
    const quote = text.charAt(quoteAt);
    const quoted = quote !== "" && QUOTES.includes(quote);
    const valueFrom = quoted ? quoteAt + 1 : from;
    const valueTo = quoted ? quotedEnd(text, valueFrom, quote, escaped) : endOfRun(valueFrom);
    const value = text.slice(valueFrom, Math.min(valueTo, valueFrom + 256));
    if (!isSecretValue({ name, value, quoted, by })) {
      names.lastIndex = Math.max(from, found.index + 1);
      continue;
    }
    out += text.slice(copied, valueFrom) + placeholder(word);
    copied = valueTo;
    names.lastIndex = Math.max(valueTo, from);
  }
  return copied === 0 ? text : out + text.slice(copied);
}
