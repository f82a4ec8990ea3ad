/**
 * Decides whether a raw value is one that a setting can have.
 *
 * @module
 */
import type { Json } from "../../runtime/types.ts";
import type { SettingSpec, SettingValue, WorkspaceRule } from "../schema.ts";

/** A value in force, absence, or what was expected instead. */
export type Accepted =
  | { readonly kind: "value"; readonly value: SettingValue }
  | { readonly kind: "absent" }
  | { readonly kind: "invalid"; readonly expected: string };

const ABSENT: Accepted = { kind: "absent" };

/** What a setting accepts, in words. */
export function expectation(spec: SettingSpec): string {
  switch (spec.type) {
    case "boolean":
      return "true or false";
    case "number": {
      const what = spec.integer === true ? "a whole number" : "a number";
      return `${what} from ${spec.min} to ${spec.max}`;
    }
    case "enum":
      return (spec.values ?? []).join(" or ");
    case "string-list":
      return "a list of texts";
    case "string":
      return "a text";
  }
}

/** Items and characters of an item that a list may have. */
const MAX_ITEMS = 200;
const MAX_ITEM_CHARS = 1000;

function isAcceptable(spec: SettingSpec, raw: Json): raw is boolean | number | string | string[] {
  switch (spec.type) {
    case "boolean":
      return typeof raw === "boolean";
    case "number":
      return typeof raw === "number" && Number.isFinite(raw) &&
        (spec.integer !== true || Number.isInteger(raw)) &&
        raw >= (spec.min ?? -Infinity) && raw <= (spec.max ?? Infinity);
    case "enum":
      return typeof raw === "string" && (spec.values ?? []).includes(raw);
    case "string-list":
      return Array.isArray(raw) && raw.length <= MAX_ITEMS &&
        raw.every((item) => typeof item === "string" && item.length <= MAX_ITEM_CHARS);
    case "string":
      return typeof raw === "string";
  }
}

/** Judges a value from a file. `null` is absence. */
export function acceptValue(spec: SettingSpec, raw: Json): Accepted {
  if (raw === null || (spec.unset !== undefined && raw === spec.unset)) return ABSENT;
  return isAcceptable(spec, raw)
    ? { kind: "value", value: raw }
    : { kind: "invalid", expected: expectation(spec) };
}

function toList(text: string, separator: string): string[] {
  if (text.startsWith("[")) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) return parsed.map(String);
    } catch { /* a pattern may begin with a bracket */ }
  }
  return text.split(separator).map((item) => item.trim()).filter((item) => item !== "");
}

function fromText(spec: SettingSpec, text: string): Json {
  switch (spec.type) {
    case "boolean":
      if (/^(?:1|true|yes|on)$/i.test(text)) return true;
      return /^(?:0|false|no|off)$/i.test(text) ? false : text;
    case "number":
      return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : text;
    case "enum":
      return text.toLowerCase();
    case "string-list":
      return toList(text, spec.separator ?? ",");
    case "string":
      return text;
  }
}

/** Judges the text of an environment variable. Blank text is absence except where it has a meaning: no text, an empty list. */
export function acceptText(spec: SettingSpec, text: string): Accepted {
  const trimmed = text.trim();
  if (trimmed === "" && spec.type !== "string" && spec.type !== "string-list") return ABSENT;
  return acceptValue(spec, fromText(spec, trimmed));
}

function rank(spec: SettingSpec, value: SettingValue): number {
  return typeof value === "string" ? (spec.values ?? []).indexOf(value) : Number(value);
}

/**
 * The value that `wanted` may become under `rule` where `current` is what the user decided;
 * `undefined` when the rule forbids it.
 */
export function restrict(
  spec: SettingSpec,
  rule: WorkspaceRule,
  current: SettingValue | undefined,
  wanted: SettingValue,
): SettingValue | undefined {
  switch (rule) {
    case "set":
      return wanted;
    case "never":
      return undefined;
    case "add": {
      const [had, more] = [current, wanted] as readonly (readonly string[])[];
      return [...new Set([...(had ?? []), ...(more ?? [])])];
    }
    case "lower":
    case "higher": {
      if (current === undefined) return wanted;
      const difference = rank(spec, wanted) - rank(spec, current);
      return (rule === "lower" ? difference <= 0 : difference >= 0) ? wanted : undefined;
    }
  }
}

/** The words of a rule, for messages: a committed file may only ... it. */
export function ruleInWords(spec: SettingSpec, rule: WorkspaceRule): string {
  if (rule === "add") return "may only add to it";
  if (rule !== "lower" && rule !== "higher") {
    return rule === "set" ? "may set it" : "may not set it";
  }
  if (spec.type === "boolean") return `may only switch it ${rule === "lower" ? "off" : "on"}`;
  if (spec.type === "enum") return "may only narrow it";
  return `may only make it ${rule === "lower" ? "smaller" : "larger"}`;
}

/** A raw value as text for a message, cut short. */
export function shown(raw: Json): string {
  const text = typeof raw === "string" ? raw : JSON.stringify(raw) ?? "";
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
