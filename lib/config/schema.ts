/**
 * The schema of behaviour settings: each is declared once, in one of the tables below `settings/`,
 * and everything else (types, layers, diagnostics, reference) is derived from here.
 *
 * @module
 */
import { GATE_SETTINGS } from "./settings/gate.ts";
import { RECALL_SETTINGS } from "./settings/recall.ts";
import { CAPTURE_SETTINGS } from "./settings/capture.ts";
import { DELIVERY_SETTINGS } from "./settings/delivery.ts";

/** Who reads a setting; a host offers the settings of the capabilities it has. */
export type Capability =
  | "gate"
  | "identity"
  | "recall"
  | "profile"
  | "capture"
  | "commit"
  | "transport"
  | "worker"
  | "mcp"
  | "diagnostics";

/**
 * What a file of a workspace may do to a setting that the user decided: `set` it freely, only
 * `lower` it (false, a smaller number, an earlier value of an enum), only make it `higher`, only
 * `add` to a list, or `never` touch it.
 */
export type WorkspaceRule = "set" | "lower" | "higher" | "add" | "never";

/** A value of any setting. */
export type SettingValue = boolean | number | string | readonly string[];

/** One declared setting. */
export interface SettingSpec {
  /** What a value is. */
  readonly type: "boolean" | "number" | "string" | "enum" | "string-list";
  /** Absent: without configuration the setting has no value. */
  readonly default?: SettingValue;
  /** The capability that reads it. */
  readonly owner: Capability;
  /** Environment variables; the first is canonical and beats the others. */
  readonly env: readonly string[];
  /** Legacy keys in files, in order of precedence below the canonical one. */
  readonly aliases?: readonly string[];
  /** Smallest number. */
  readonly min?: number;
  /** Largest number. */
  readonly max?: number;
  /** Whole numbers only. */
  readonly integer?: boolean;
  /** Values of an enum, the most restrictive first. */
  readonly values?: readonly string[];
  /** A number that means "not set" under the old plugins' names. */
  readonly unset?: number;
  /** The setting whose configured value counts, cut to this one's range, when this one is not set. */
  readonly follows?: string;
  /** What separates items in an environment variable. @default "," */
  readonly separator?: string;
  /** Rule for the committed `.openviking/config.json`. */
  readonly workspace: WorkspaceRule;
  /** Rule for `.openviking/config.local.json`, which is the user's own. @default "set" */
  readonly local?: WorkspaceRule;
  /** Sent to a server only when some layer set it, so that the server's own default counts else. */
  readonly sendOnlyWhenConfigured?: boolean;
  /** What it does, in one or two sentences. */
  readonly doc: string;
  /** Why our default differs from that of the earlier plugins. */
  readonly why?: string;
}

/** The composed table. */
export type SettingTable =
  & typeof GATE_SETTINGS
  & typeof RECALL_SETTINGS
  & typeof CAPTURE_SETTINGS
  & typeof DELIVERY_SETTINGS;

/** Canonical name of a setting. */
export type SettingKey = keyof SettingTable;

/** Type of the value that a declaration describes. */
export type ValueOf<S> = S extends { readonly type: "boolean" } ? boolean
  : S extends { readonly type: "number"; readonly default: number } ? number
  : S extends { readonly type: "number" } ? number | undefined
  : S extends { readonly type: "enum"; readonly values: readonly (infer V)[] } ? V
  : S extends { readonly type: "string-list" } ? readonly string[]
  : string;

/** Resolved values by canonical name. */
export type Settings = { readonly [K in SettingKey]: ValueOf<SettingTable[K]> };

/** Every setting by canonical name. */
export const SETTINGS: Readonly<Record<SettingKey, SettingSpec>> = {
  ...GATE_SETTINGS,
  ...RECALL_SETTINGS,
  ...CAPTURE_SETTINGS,
  ...DELIVERY_SETTINGS,
};

/** Canonical names in the order of the tables. */
export function settingKeys(): readonly SettingKey[] {
  return Object.keys(SETTINGS) as SettingKey[];
}

/** The canonical name for `name`, a canonical name or a legacy key; `undefined` for anything else. */
export function canonicalKey(name: string): SettingKey | undefined {
  if (Object.hasOwn(SETTINGS, name)) return name as SettingKey;
  return settingKeys().find((key) => SETTINGS[key].aliases?.includes(name));
}
