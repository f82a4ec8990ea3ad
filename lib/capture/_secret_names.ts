/**
 * Values that are secret because of the name beside them: assignments, flags, JSON keys, prose.
 *
 * @module
 */

/** Words that end the name of a secret, with any prefix before them (`DB_PASSWORD`, `clientSecret`). */
const WORDS = "pass(?:word|wd|phrase|code|wort)|pwd|secrets?|token|credentials?|" +
  "(?:api|access|secret|private|preshared|account|auth|encryption|signing|master|shared|license|" +
  "service|subscription|deploy|session|webhook|client|admin|ssh|storage|sas|app|role|anon|hmac)" +
  "[_\\- ]?key|(?:db|user|root|admin|smtp|mail|ftp|ssh|become|sudo|ldap|proxy|redis|mysql|postgres|" +
  "mongo|key|store|wifi|login)[_-]?pass|(?<=[_\"'])auth|connection[_-]?string|mnemonic|contraseña|" +
  "senha|mot de passe|パスワード|비밀번호|密码|口令|密钥|令牌";
const TAIL = "(?:[_-]?(?:base|data|salt|prod|dev|test|staging|live|value|\\d{1,3}))?";
/** What may stand between a name and its value. */
const COLOUR = "(?:\\x1b\\[[\\d;]{0,10}m)?";
const SIGNS =
  ":\\s?&?[A-Za-z][\\w.<>]{0,20}\\s?=(?![=>])|=>|:=|={1,3}|：|:|>|\\b(?:is|was)\\s|是|为|は|" +
  ",\\s{0,12}(?=[\"'])|value\\s?=|\\||[–—]|(?:for|of|to)\\s[^\\n:=]{1,40}:|(?<=\\s)";
/** A value on the next line: a continued command, or a block of YAML. */
const NEXT_LINE = "(?:\\\\\\n\\s{0,40}|[|>][+-]?\\n\\s{1,40})?";

/** Values that stand for a kind of thing and are no secret themselves. */
const ORDINARY =
  /^(?:string|number|boolean|object|any|unknown|never|void|null|none|nil|undefined|true|false|yes|no|required|optional|text|hidden|password|secret|token|example|changeme|change-me|your[\w-]*|my[_-]?(?:password|secret|token|key)|todo|redacted|empty|default|enabled|disabled|bearer|basic|str|bytes|int)$/i;
const REFERENCE =
  /^(?:\$|%[A-Za-z_]+%|\{\{|<|\[redacted|\*{3}|\.{3}|x{4,}|process\.|os\.|env\.|import\.|Deno\.|Bun\.|vault:|op:\/\/|file:|ssm:|secrets?[.:])/i;
const EXPRESSION = /^[A-Za-z_$][\w$]*(?:\(|\[|\?\.|::|->|\.[A-Za-z_$])/;
const PATH = /^(?:~|\.{1,2})?\/[\w.@+-]+(?:\/[\w.@+-]*)*$/;

/** True when a text looks as if a machine had made it up. */
export function looksRandom(text: string): boolean {
  const length = Math.min(text.length, 128);
  if (length < 16) return false;
  const seen = new Uint8Array(128);
  let distinct = 0;
  let digits = 0;
  let letters = 0;
  let changes = 0;
  let previous = 0;
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at);
    const slot = unit & 127;
    if (seen[slot] === 0) {
      seen[slot] = 1;
      distinct++;
    }
    const kind = unit >= 48 && unit <= 57
      ? 1
      : unit >= 97 && unit <= 122
      ? 2
      : unit >= 65 && unit <= 90
      ? 3
      : 4;
    if (kind === 1) digits++;
    else if (kind !== 4) letters++;
    if (kind !== previous) changes++;
    previous = kind;
  }
  if (distinct < 8) return false;
  if (digits > 0 && letters > 0) return changes * 6 >= length || distinct >= 14;
  return letters > 0 && length >= 20 && changes * 100 >= length * 42;
}

/** How a value was written, which decides how much doubt it gets. */
interface Written {
  readonly name: string;
  readonly value: string;
  readonly quoted: boolean;
  readonly by: "sign" | "flag" | "prose" | "space" | "list";
}

/** True for letters, digits and signs together, as people make passwords. */
function looksMadeUp(value: string): boolean {
  return value.length >= 8 && /[A-Za-z]/.test(value) && /\d/.test(value) &&
    /[!@#$%^&*+=~?]/.test(value);
}

/** True when a value beside a secret's name is the secret and no reference, type or sentence. */
function isSecretValue({ name, value, quoted, by }: Written): boolean {
  if (value.length < 4 || ORDINARY.test(value) || REFERENCE.test(value)) return false;
  const random = looksRandom(value);
  if (/auth$/i.test(name)) return random && /^[A-Za-z0-9+/=_-]+$/.test(value);
  const isPass = /pass|pwd|contraseña|senha|パスワード|비밀번호|密码|口令/i.test(name);
  if (by === "space" || by === "list") {
    if (isPass && looksMadeUp(value) && !EXPRESSION.test(value)) return true;
    if (by === "list") return quoted && random;
    return random && value.length >= 20 && !/^[0-9a-f-]+$/i.test(value);
  }
  if (by === "prose" && !isPass) return random;
  if (random) return !/^https?:\/\/[^@\s]*$/.test(value);
  if (/^https?:\/\//.test(value) || PATH.test(value)) return false;
  if (!quoted && EXPRESSION.test(value)) return false;
  const isPassword = isPass || /secret|mnemonic/i.test(name);
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
      `(${COLOUR}\\\\{0,15}["'\`\\])?*]{0,3}\\s{0,8}(?:${SIGNS})\\*{0,2}\\s{0,8}${NEXT_LINE}${COLOUR})`,
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
    const sign = between.trim().replace(/^[\\"'`\])?*]+/, "").trim();
    const isFlag = text.startsWith("--", start);
    const by = sign === ""
      ? (isFlag ? "flag" : "space")
      : /^(?:,|(?:for|of|to)\s)/i.test(sign)
      ? "list"
      : /^(?:is|was|是|为|は|\||[–—])$/i.test(sign)
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
