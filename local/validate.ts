/**
 * Request validation with the server's messages: types, ranges and unknown fields.
 *
 * @module
 */
import { validationError } from "./wire.ts";

/** A JSON object from outside. */
export type Fields = Readonly<Record<string, unknown>>;

/** The body as an object; absent is `{}` when `optional`. */
export function objectBody(body: unknown, optional = false): Fields {
  if (body === undefined && optional) return {};
  if (body === undefined) throw validationError(["body"], "Field required", "missing");
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw validationError(
      ["body"],
      "Input should be a valid dictionary or object to extract fields from",
      "model_attributes_type",
    );
  }
  return body as Fields;
}

/** Refuses fields that a strict route does not know. */
export function forbidExtra(body: Fields, known: ReadonlySet<string>): void {
  for (const key of Object.keys(body)) {
    if (!known.has(key)) {
      throw validationError(["body", key], "Extra inputs are not permitted", "extra_forbidden");
    }
  }
}

/** A text field; absent or null is `undefined`. */
export function optionalText(
  body: Fields,
  key: string,
  loc: readonly string[] = ["body", key],
): string | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") {
    throw validationError(loc, "Input should be a valid string", "string_type");
  }
  return value;
}

/** A text field that must be there. */
export function requiredText(
  body: Fields,
  key: string,
  loc: readonly string[] = ["body", key],
): string {
  if (!(key in body)) throw validationError(loc, "Field required", "missing");
  const value = body[key];
  if (typeof value !== "string") {
    throw validationError(loc, "Input should be a valid string", "string_type");
  }
  return value;
}

/** A whole number inside `[min, max]`; absent or null is `undefined`. */
export function optionalInteger(
  body: Fields,
  key: string,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
  loc: readonly string[] = ["body", key],
): number | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) {
    throw validationError(loc, "Input should be a valid integer", "int_type");
  }
  if (number < min) {
    throw validationError(
      loc,
      `Input should be greater than or equal to ${min}`,
      "greater_than_equal",
    );
  }
  if (number > max) {
    throw validationError(loc, `Input should be less than or equal to ${max}`, "less_than_equal");
  }
  return number;
}

/** A number; absent or null is `undefined`. */
export function optionalNumber(body: Fields, key: string): number | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw validationError(["body", key], "Input should be a valid number", "float_type");
  }
  return value;
}

/** A switch; absent or null is `fallback`. */
export function optionalFlag(body: Fields, key: string, fallback = false): boolean {
  const value = body[key];
  if (value === undefined || value === null) return fallback;
  if (typeof value !== "boolean") {
    throw validationError(["body", key], "Input should be a valid boolean", "bool_type");
  }
  return value;
}

/** One of `choices`; absent or null is `undefined`. */
export function optionalChoice<T extends string>(
  body: Fields,
  key: string,
  choices: readonly T[],
  loc: readonly string[] = ["body", key],
): T | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  const known = choices.find((choice) => choice === value);
  if (known !== undefined) return known;
  const quoted = choices.map((choice) => `'${choice}'`);
  const last = quoted.pop() ?? "";
  throw validationError(
    loc,
    `Input should be ${quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`}`,
    "literal_error",
  );
}

/** An object field; absent or null is `undefined`. */
export function optionalObject(body: Fields, key: string): Fields | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) {
    throw validationError(["body", key], "Input should be a valid dictionary", "dict_type");
  }
  return value as Fields;
}

/** A list of texts from a text (split at commas when `commas`) or a list; absent is `[]`. */
export function textList(body: Fields, key: string, commas = false): readonly string[] {
  const value = body[key];
  if (value === undefined || value === null || value === "") return [];
  if (typeof value === "string") {
    return commas ? value.split(",").map((item) => item.trim()).filter(Boolean) : [value];
  }
  if (!Array.isArray(value)) {
    throw validationError(["body", key], "Input should be a valid list", "list_type");
  }
  return value.map((item, at) => {
    if (typeof item !== "string") {
      throw validationError(
        ["body", key, String(at)],
        "Input should be a valid string",
        "string_type",
      );
    }
    return item;
  });
}
