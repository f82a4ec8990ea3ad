/**
 * Reads the bodies of find, search and recall: known fields, ranges, what goes with which mode.
 *
 * @module
 */
import type { Fields } from "../validate.ts";
import {
  forbidExtra,
  optionalChoice,
  optionalFlag,
  optionalInteger,
  optionalNumber,
  optionalObject,
  optionalText,
  textList,
} from "../validate.ts";
import { invalidArgument, validationError } from "../wire.ts";

const FIND_FIELDS =
  "query image_url target_uri context_type limit node_limit score_threshold filter tags since until time_field level include_provenance read_content search_type events_time_decay_protection telemetry"
    .split(" ");
const CONTEXT_FIELDS =
  "query_expansion max_tokens quotas purpose detail dedup_turns exclude_uris peer_scope other_peer_penalty rewrite rewrite_max_bullets"
    .split(" ");
const RECALL_FIELDS =
  "query max_chars min_score render quotas peer_scope other_peer_penalty session_id query_expansion max_tokens purpose detail score_threshold dedup_turns exclude_uris rewrite rewrite_max_bullets telemetry"
    .split(" ");
const CATEGORIES: ReadonlySet<string> = new Set(
  "events entities preferences experiences resources skills memories".split(" "),
);

/** Filters that find and search share. */
export interface SearchFilters {
  readonly query: string;
  readonly limit: number;
  readonly threshold: number | undefined;
  readonly contextTypes: readonly string[];
  readonly targets: readonly string[];
  readonly tags: readonly string[];
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly byCreation: boolean;
  /** False when levels were asked for and 2, the only one here, is not among them. */
  readonly levelFits: boolean;
  readonly readContent: boolean;
}

/** What `mode=context` adds. */
export interface ContextFields {
  readonly maxTokens: number;
  readonly actorOnly: boolean;
  readonly dedupTurns: number;
  readonly excludeUris: readonly string[];
  readonly purpose: string | undefined;
  readonly quotas: unknown;
  readonly detail: unknown;
  readonly session: string | undefined;
}

function readLevel(body: Fields): boolean {
  const value = body["level"];
  if (value === undefined || value === null || value === "") return true;
  const levels = (Array.isArray(value) ? value : String(value).split(",")).map(Number);
  if (levels.some((level) => ![0, 1, 2].includes(level))) {
    throw validationError(
      ["body", "level"],
      "Value error, level must be 0, 1 or 2",
      "value_error",
    );
  }
  return levels.includes(2);
}

function readQuery(body: Fields): string {
  if (optionalText(body, "image_url") !== undefined) {
    throw invalidArgument("Image search is not supported by the embedded engine.");
  }
  if (body["filter"] !== undefined && body["filter"] !== null) {
    throw invalidArgument(
      "`filter` is not supported by the embedded engine; use since, until, tags or target_uri.",
    );
  }
  const query = optionalText(body, "query") ?? "";
  if (query.trim() === "") {
    throw invalidArgument(
      "Search query or image_url must not be empty unless a filter is provided.",
    );
  }
  return query;
}

function readFilters(body: Fields): SearchFilters {
  const query = readQuery(body);
  const limit = optionalInteger(body, "limit", 1);
  const types = textList(body, "context_type", true);
  for (const type of types) {
    if (!["memory", "resource", "skill"].includes(type)) {
      throw invalidArgument(`Invalid context_type: ${type}`);
    }
  }
  return {
    query,
    limit: Math.min(optionalInteger(body, "node_limit", 1) ?? limit ?? 10, 200),
    threshold: optionalNumber(body, "score_threshold"),
    contextTypes: types,
    targets: textList(body, "target_uri"),
    tags: textList(body, "tags"),
    since: optionalText(body, "since"),
    until: optionalText(body, "until"),
    byCreation: optionalChoice(body, "time_field", ["updated_at", "created_at"]) === "created_at",
    levelFits: readLevel(body),
    readContent: optionalFlag(body, "read_content"),
  };
}

/** Reads the body of `find`. */
export function readFind(body: Fields): SearchFilters {
  forbidExtra(body, new Set(FIND_FIELDS));
  return readFilters(body);
}

function checkCategories(value: unknown, field: string): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    if (!CATEGORIES.has(key)) {
      throw validationError(
        ["body", field],
        `Value error, unknown ${field} key: ${key}`,
        "value_error",
      );
    }
  }
}

function readContext(body: Fields): ContextFields {
  optionalChoice(body, "query_expansion", ["off", "auto"]);
  optionalInteger(body, "rewrite_max_bullets", 1, 20);
  const quotas = optionalObject(body, "quotas");
  checkCategories(quotas, "quotas");
  const detail = body["detail"] ?? null;
  if (typeof detail === "object") checkCategories(detail, "detail");
  else optionalChoice(body, "detail", ["auto", "abstract", "overview", "full"]);
  const excludeUris = textList(body, "exclude_uris");
  if (excludeUris.length > 200) {
    throw validationError(
      ["body", "exclude_uris"],
      `List should have at most 200 items after validation, not ${excludeUris.length}`,
      "too_long",
    );
  }
  return {
    maxTokens: optionalInteger(body, "max_tokens", 64, 32_000) ?? 1600,
    actorOnly: optionalChoice(body, "peer_scope", ["actor", "all"]) === "actor",
    dedupTurns: optionalInteger(body, "dedup_turns", 0, 100) ?? 0,
    excludeUris,
    purpose: optionalChoice(body, "purpose", ["chat", "coding"]),
    quotas: quotas ?? null,
    detail,
    session: optionalText(body, "session_id"),
  };
}

/** A read search: filters, and the options of `mode=context` when it was asked for. */
export interface SearchRequest {
  readonly filters: SearchFilters;
  readonly context: ContextFields | undefined;
}

/** Reads the body of `search`. */
export function readSearch(body: Fields): SearchRequest {
  forbidExtra(body, new Set([...FIND_FIELDS, ...CONTEXT_FIELDS, "mode", "session_id"]));
  const mode = optionalChoice(body, "mode", ["list", "context"]) ?? "list";
  if (mode === "context") {
    if (body["target_uri"] !== undefined && body["target_uri"] !== "") {
      throw validationError(
        ["body"],
        "Value error, target_uri is not supported in mode='context'",
        "value_error",
      );
    }
    return { filters: readFilters(body), context: readContext(body) };
  }
  const misplaced = CONTEXT_FIELDS.filter((field) => field in body);
  if (misplaced.length > 0) {
    throw validationError(
      ["body"],
      `Value error, ${
        misplaced.join(", ")
      } require mode='context'; set mode='context' or drop these fields`,
      "value_error",
    );
  }
  return { filters: readFilters(body), context: undefined };
}

/** Reads the body of the deprecated `recall`; says which of its old names were used. */
export function readRecall(
  body: Fields,
): {
  readonly filters: SearchFilters;
  readonly context: ContextFields;
  readonly aliases: string[];
} {
  forbidExtra(body, new Set(RECALL_FIELDS));
  const aliases = ["max_chars", "min_score", "render"].filter((field) => field in body);
  const chars = optionalInteger(body, "max_chars", 256) ?? 6500;
  const context = readContext({
    ...body,
    max_tokens: body["max_tokens"] ?? Math.min(32_000, Math.floor(chars / 4)),
    dedup_turns: body["dedup_turns"] ?? (body["session_id"] === undefined ? 0 : 5),
  });
  const filters = readFilters({ query: body["query"], score_threshold: body["score_threshold"] });
  return { filters, context, aliases };
}
