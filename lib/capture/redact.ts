/**
 * Takes credentials and private blocks out of text before it is stored, logged or sent.
 *
 * Runs in hooks: nothing is compiled before the first text is redacted.
 *
 * @module
 */
import type { Json, JsonObject } from "../runtime/types.ts";
import { removeBlocks } from "./_blocks.ts";
import { JWT_SHAPE, SECRET_SHAPES } from "./_secret_shapes.ts";
import { looksRandom, redactedByKey, redactNamedValues } from "./_secret_names.ts";

/** What a redactor does. */
export interface RedactOptions {
  /** False keeps credentials; private blocks go all the same. */
  readonly enabled: boolean;
  /** Regular expressions as text; an invalid one is passed over (configuration reports it). */
  readonly patterns?: readonly string[];
  /** Values known to be secret, such as the configured key. Shorter than 8 characters: ignored. */
  readonly secrets?: readonly string[];
}

/** A placeholder is left where a credential was, for example `[redacted:github-token]`. */
export type Redactor = (text: string) => string;

/** Removes `<private>…</private>`; a block that is not closed reaches to the end. */
export function removePrivate(text: string): string {
  return text.includes("<") ? removeBlocks(text, "private", "cut") : text;
}

const KEY_BEGIN = "-----BEGIN ";
const KEY_END = "-----END ";

/** Where the body of a private key that has no end line stops: at the first text that is no key. */
function openKeyEnd(text: string, from: number): number {
  const line =
    /(?:\s|\\[nrt])+(?:[A-Za-z-]{2,40}: [^\n\\]*|[A-Za-z0-9+/=]{12,}|[A-Za-z0-9+/]{1,11}={1,2})/y;
  line.lastIndex = from;
  let end = from;
  while (line.test(text)) end = line.lastIndex;
  return end;
}

/** Replaces private key blocks, also escaped in JSON and cut off. */
function redactKeyBlocks(text: string): string {
  let out = "";
  let copied = 0;
  let endAt = 0;
  for (let at = text.indexOf(KEY_BEGIN); at >= 0; at = text.indexOf(KEY_BEGIN, at + 1)) {
    const head = /^-----BEGIN ((?:[A-Z0-9]+ ){0,4})PRIVATE KEY(?: BLOCK)?-----/
      .exec(text.slice(at, at + 80));
    if (head === null) continue;
    const body = at + head[0].length;
    // Looked for once for all heads before it, so that many heads cost no more than one.
    if (endAt >= 0 && endAt < body) endAt = text.indexOf(KEY_END, body);
    const tail = endAt < 0 || endAt > body + 32_768
      ? null
      : /^-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/.exec(
        text.slice(endAt, endAt + 80),
      );
    const end = tail === null ? openKeyEnd(text, body) : endAt + tail[0].length;
    out += text.slice(copied, at) + "[redacted:private-key]";
    copied = end;
    at = end - 1;
  }
  return copied === 0 ? text : out + text.slice(copied);
}

interface Compiled {
  readonly shapes: RegExp;
  readonly jwt: RegExp;
}
let compiled: Compiled | undefined;

function redactShapes(text: string): string {
  compiled ??= {
    shapes: new RegExp(
      `(?<![A-Za-z0-9])(?:${SECRET_SHAPES.map(([, pattern]) => `(${pattern})`).join("|")})`,
      "g",
    ),
    jwt: new RegExp(JWT_SHAPE, "g"),
  };
  return text
    .replace(compiled.shapes, (match: string, ...groups: unknown[]) => {
      const label = SECRET_SHAPES[groups.findIndex((group) => group !== undefined)]?.[0] ??
        "secret";
      if (!label.endsWith("?")) return `[redacted:${label}]`;
      return looksRandom(match) ? `[redacted:${label.slice(0, -1)}]` : match;
    })
    .replace(compiled.jwt, "[redacted:jwt]");
}

const isPlaceholder = (value: string): boolean =>
  /^(?:\[redacted|\$|\{\{|%[A-Za-z_]\w*%|\*{3})/.test(value);

/** Carriers in which a value of four characters and more goes: what stands before it, then the value. */
const PLAIN_CARRIERS: readonly (readonly [label: string, pattern: string])[] = [
  [
    "password",
    "\\b((?:login|upload)\\s[^\\n|;&]{0,200}?-p\\s{1,3}['\"]?)([^\\s'\"]{4,256})",
  ],
  ["password", "\\b(ldap\\w{3,10}\\s[^\\n|;&]{0,200}?\\s-w\\s{1,3}['\"]?)([^\\s'\"]{4,256})"],
  [
    "password",
    "\\b(htpasswd\\s{1,3}-\\w{0,6}b\\w{0,6}\\s{1,3}\\S{1,200}\\s{1,3}\\S{1,100}\\s{1,3}['\"]?)([^\\s'\"]{4,256})",
  ],
  [
    "password",
    "\\b(zip\\s[^\\n|;&]{0,100}?-P\\s{1,3}['\"]?|7z\\w?\\s[^\\n|;&]{0,100}?\\s-p)([^\\s'\"]{4,256})",
  ],
  ["password", "(\\s-pass(?:in|out)?\\s{1,3}pass:)([^\\s'\"]{4,256})"],
  [
    "password",
    "(\\bauth\\s{0,2}=\\s{0,2}\\(\\s{0,2}[\"'][^\"'\\n]{1,100}[\"']\\s{0,2},\\s{0,2}[\"'])([^\"'\\n]{4,256})(?=[\"'])",
  ],
  [
    "password",
    "(?<![\\w.*-])([\\w.*-]{1,100}:\\d{4,5}:[A-Za-z_][\\w.-]{0,63}:[A-Za-z_][\\w.-]{0,63}:)([^\\s:\"'\\\\]{6,256})(?![:\\w])",
  ],
  [
    "cookie",
    "(\\s(?:-b|--cookie)(?:\\s{1,3}|=)['\"]?[\\w.-]{1,100}=)([^'\"\\n]{4,4096}?)(?=['\"\\n]|\\s-|\\shttp|$)",
  ],
  [
    "signature",
    "([?&](?:X-Amz-Signature|X-Goog-Signature|[Ss]ignature|sig)=)([A-Za-z0-9%+/=_-]{20,1024})",
  ],
  [
    "private-key",
    "(\\bPrivate-Lines: \\d{1,3}\\r?\\n)((?:[A-Za-z0-9+/=]{1,80}\\r?\\n){1,200})",
  ],
  [
    "phrase",
    "\\b((?:[Ss]eed|[Rr]ecovery|[Bb]ackup|[Ss]ecret|SEED|RECOVERY)[ _-]?(?:[Pp]hrase|[Ww]ords|PHRASE)\\b[^\\n:=]{0,20}[:=]\\s{0,4}[\"']?)((?:[a-z]{3,8}[ ,]{1,3}){11,23}[a-z]{3,8})",
  ],
];
let plainCarriers: readonly (readonly [label: string, pattern: RegExp])[] | undefined;

function redactPlainCarriers(text: string): string {
  plainCarriers ??= PLAIN_CARRIERS.map(([label, pattern]) => [label, new RegExp(pattern, "g")]);
  let clean = text;
  for (const [label, pattern] of plainCarriers) {
    clean = clean.replace(
      pattern,
      (whole, before: string, value: string) =>
        isPlaceholder(value) ? whole : `${before}[redacted:${label}]`,
    );
  }
  return clean;
}

/** Credentials in URLs, headers and the flags of well-known programs. */
function redactCarriers(text: string): string {
  return text
    .replace(
      /:\/\/([^\s:@/?#'"<>]{0,256}):([^\s/?#'"<>]{1,512})@/g,
      (whole, user: string, value: string) =>
        isPlaceholder(value) ? whole : `://${user}:[redacted:url-password]@`,
    )
    .replace(
      /:\/\/([\w-]{20,256})@/g,
      (whole, value: string) => looksRandom(value) ? "://[redacted:url-token]@" : whole,
    )
    .replace(
      /\b((?:proxy-)?authorization)(\\{0,2}["'`]{0,1}\s{0,3}[:=,]\s{0,3}\\{0,2}["'`]{0,1})((?:(?:bearer|basic|token|digest|apikey|negotiate|key|hmac|aws4-hmac-sha256)\s{1,3})?)([^\s"'`\\,;<>]{6,})/gi,
      (whole, name: string, sign: string, scheme: string, value: string) =>
        isPlaceholder(value) || /^[a-z]+$/i.test(value)
          ? whole
          : `${name}${sign}${scheme}[redacted:authorization]`,
    )
    .replace(
      /\b(bearer\s{1,3})([A-Za-z0-9._~+/=-]{16,})/gi,
      (whole, scheme: string, value: string) =>
        looksRandom(value) ? `${scheme}[redacted:bearer-token]` : whole,
    )
    .replace(
      /\b((?:set-)?cookie["']?\s{0,3}:\s{0,3}["']?)([^"'\r\n]+)/gi,
      (whole, name: string, value: string) =>
        /^[\w.-]{1,128}=[^\s]/.test(value) ? `${name}[redacted:cookie]` : whole,
    )
    .replace(
      /(\s(?:-u|--user|--proxy-user)(?:\s{1,3}|=)["']?)([^\s:"']{1,128}):([^\s"']{1,256})/g,
      (whole, flag: string, user: string, value: string, at: number) => {
        const line = text.slice(Math.max(0, at - 300), at + 1);
        const isCurl = /\b(?:curl|wget|http|https|xh)\b/.test(line);
        if (isPlaceholder(value) || /^\d+$/.test(value) || (!isCurl && /^[a-z_-]+$/.test(value))) {
          return whole;
        }
        return `${flag}${user}:[redacted:password]`;
      },
    )
    .replace(
      /\b(mysql(?:dump|admin)?\s[^\n|;&]{0,200}?\s-p|sshpass\s{1,3}-p\s{0,3}|redis-cli\s[^\n|;&]{0,200}?-a\s{1,3})(['"]?)([^\s'"]{4,256})/g,
      (whole, flag: string, quote: string, value: string) =>
        isPlaceholder(value) ? whole : `${flag}${quote}[redacted:password]`,
    )
    .replace(
      /\b(login\s{1,3}\S{1,100}\s{1,3}password\s{1,3})(\S{4,256})/g,
      (whole, name: string, value: string) =>
        isPlaceholder(value) ? whole : `${name}[redacted:password]`,
    );
}

function compilePatterns(patterns: readonly string[]): RegExp[] {
  return patterns.flatMap((pattern) => {
    try {
      return [new RegExp(pattern, "g")];
    } catch {
      return [];
    }
  });
}

/** Makes the function that cleans one text. Cheap to call; compiles at the first text. */
export function createRedactor(options: RedactOptions): Redactor {
  const secrets = (options.secrets ?? []).filter((secret) => secret.length >= 8);
  let own: RegExp[] | undefined;
  return (text) => {
    let clean = removePrivate(text);
    for (const secret of secrets) clean = clean.replaceAll(secret, "[redacted:configured-key]");
    if (!options.enabled || clean.length < 6) return clean;
    clean = redactNamedValues(
      redactPlainCarriers(redactCarriers(redactShapes(redactKeyBlocks(clean)))),
    );
    own ??= compilePatterns(options.patterns ?? []);
    for (const pattern of own) {
      clean = clean.replace(pattern, (match) => match === "" ? match : "[redacted:pattern]");
    }
    return clean;
  };
}

/** Cleans every string of a JSON value; a value under the name of a secret goes whole. */
export function redactJson(value: Json, redact: Redactor): Json {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return redactObject(value, redact);
}

/** Like {@linkcode redactJson} for an object. Keys are cleaned too: they can be anything. */
export function redactObject(value: JsonObject, redact: Redactor): JsonObject {
  const clean: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const name = key.length < 8 ? key : redact(key);
    const byKey = typeof item === "string" ? redactedByKey(key, item) : undefined;
    Object.defineProperty(clean, name, {
      value: byKey ?? redactJson(item, redact),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return clean;
}
