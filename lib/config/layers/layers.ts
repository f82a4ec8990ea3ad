/**
 * The layers of behaviour settings and how they decide: the highest layer that holds a valid value
 * wins, whichever spelling it uses.
 *
 * @module
 */
import type { Json, JsonObject, Runtime } from "../../runtime/types.ts";
import type { ConfigProblem, LayerName, Origin } from "../types.ts";
import type { SettingKey, Settings, SettingSpec, SettingValue, WorkspaceRule } from "../schema.ts";
import type { Accepted } from "./value.ts";
import { canonicalKey, settingKeys, SETTINGS } from "../schema.ts";
import { acceptText, acceptValue, restrict, ruleInWords, shown } from "./value.ts";
import { RETIRED_SETTINGS } from "../settings/retired.ts";

/** Takes note of something that did not take effect. */
export type Report = (problem: ConfigProblem) => void;

/** A valid value in a layer, with the variable or file that holds it. */
export interface LayerValue {
  /** The value. */
  readonly value: SettingValue;
  /** Variable or file path. */
  readonly source: string;
  /** The name under which it stands there. */
  readonly name: string;
}

/** One layer: what it holds, and what it may do to each setting. */
export interface Layer {
  /** Which layer. */
  readonly name: LayerName;
  /** Valid values by canonical name. */
  readonly values: ReadonlyMap<SettingKey, LayerValue>;
  /** What this layer may do to a setting. */
  ruleOf(spec: SettingSpec): WorkspaceRule;
}

/** Where a layer's values stand. */
export interface LayerPlace {
  /** Which layer. */
  readonly name: LayerName;
  /** File path or `environment`. */
  readonly source: string;
  /** Section within the file, for messages. */
  readonly section?: string;
}

const free = (): WorkspaceRule => "set";

/** Collects a layer's values: within a layer the canonical name beats an alias, an earlier alias a later one. */
class Collector {
  readonly #place: LayerPlace;
  readonly #report: Report;
  readonly #ranks: Map<SettingKey, number> = new Map();
  readonly values: Map<SettingKey, LayerValue> = new Map();

  constructor(place: LayerPlace, report: Report) {
    this.#place = place;
    this.#report = report;
  }

  add(key: SettingKey, rank: number, accepted: Accepted, found: { name: string; raw: Json }): void {
    if (accepted.kind === "absent") return;
    const { name, source, section } = this.#place;
    if (accepted.kind === "invalid") {
      const where = section === undefined ? source : `${section} in ${source}`;
      this.#report({
        kind: "invalid",
        source,
        key: found.name,
        value: shown(found.raw),
        message: `Cannot use ${found.name} from ${where}: "${
          shown(found.raw)
        }" is not ${accepted.expected}`,
      });
    }
    if (rank >= (this.#ranks.get(key) ?? Infinity)) return;
    this.#ranks.set(key, rank);
    if (accepted.kind === "invalid") this.values.delete(key);
    else {
      this.values.set(key, {
        value: accepted.value,
        source: name === "environment" ? found.name : source,
        name: found.name,
      });
    }
  }
}

/** Reports a key that is no setting; a name of an earlier plugin is told from a wrong one. */
export function reportUnknown(place: LayerPlace, key: string, raw: Json, report: Report): void {
  const retired = Object.hasOwn(RETIRED_SETTINGS, key) ? RETIRED_SETTINGS[key] : undefined;
  const name = key.length > 80 ? `${key.slice(0, 77)}...` : key;
  report({
    kind: retired === undefined ? "unknown-key" : "not-offered",
    source: place.source,
    key: name,
    value: shown(raw),
    message: retired === undefined
      ? `Cannot use ${name} from ${place.source}: there is no such setting`
      : `Cannot use ${name} from ${place.source}: ${retired.reason}`,
  });
}

/** Keys of one file that are reported at most, whatever it holds. */
const MAX_REPORTED_KEYS = 50;

/** Reads the keys of an object; `onOther` gets those that are no setting. */
export function layerFromObject(
  place: LayerPlace,
  entries: JsonObject,
  report: Report,
  onOther: (key: string, raw: Json) => void,
  ruleOf: (spec: SettingSpec) => WorkspaceRule = free,
): Layer {
  const collector = new Collector(place, report);
  let others = 0;
  for (const [name, raw] of Object.entries(entries)) {
    const key = canonicalKey(name);
    if (key === undefined) {
      if (raw !== null && others++ < MAX_REPORTED_KEYS) onOther(name, raw);
      continue;
    }
    const spec = SETTINGS[key];
    const rank = (spec.aliases ?? []).indexOf(name) + 1;
    collector.add(key, rank, acceptValue(spec, raw), { name, raw });
  }
  return { name: place.name, values: collector.values, ruleOf };
}

/** Reads the variables of every setting. */
export function environmentLayer(runtime: Pick<Runtime, "env">, report: Report): Layer {
  const collector = new Collector({ name: "environment", source: "environment" }, report);
  for (const key of settingKeys()) {
    const spec = SETTINGS[key];
    for (let rank = 0; rank < spec.env.length; rank++) {
      const name = spec.env[rank] ?? "";
      const raw = runtime.env(name);
      if (raw !== undefined) collector.add(key, rank, acceptText(spec, raw), { name, raw });
    }
  }
  return { name: "environment", values: collector.values, ruleOf: free };
}

/** A value with its origin. */
interface Resolved {
  readonly value: SettingValue | undefined;
  readonly origin: Origin;
}

const DEFAULT_ORIGIN: Origin = { layer: "default", source: "", configured: false };

function resolveFrom(
  layers: readonly Layer[],
  from: number,
  key: SettingKey,
  report: Report,
): Resolved {
  const spec = SETTINGS[key];
  for (let index = from; index < layers.length; index++) {
    const layer = layers[index];
    const found = layer?.values.get(key);
    if (layer === undefined || found === undefined) continue;
    const origin: Origin = { layer: layer.name, source: found.source, configured: true };
    const rule = layer.ruleOf(spec);
    if (rule === "set") return { value: found.value, origin };
    const below = resolveFrom(layers, index + 1, key, report);
    const value = restrict(spec, rule, below.value, found.value);
    if (value !== undefined) return { value, origin };
    report({
      kind: "forbidden",
      source: found.source,
      key: found.name,
      value: shown(found.value as Json),
      message: `Cannot set ${found.name} from ${found.source}: a file of the workspace ${
        ruleInWords(spec, rule)
      }`,
    });
    return below;
  }
  return { value: spec.default, origin: DEFAULT_ORIGIN };
}

/** Resolved settings with the origin of each. */
export interface ResolvedSettings {
  /** Values by canonical name. */
  readonly settings: Settings;
  /** Where each configured value came from. */
  readonly origins: ReadonlyMap<SettingKey, Origin>;
}

/** Resolves every setting over `layers`, the highest first. */
export function resolveSettings(layers: readonly Layer[], report: Report): ResolvedSettings {
  const filled = layers.filter((layer) => layer.values.size > 0);
  const settings: Record<string, SettingValue | undefined> = {};
  const origins = new Map<SettingKey, Origin>();
  const keys = settingKeys();
  for (const key of keys) settings[key] = SETTINGS[key].default;
  // Few settings are configured: the others are done.
  for (const key of new Set(filled.flatMap((layer) => [...layer.values.keys()]))) {
    const { value, origin } = resolveFrom(filled, 0, key, report);
    settings[key] = value;
    if (origin.configured) origins.set(key, origin);
  }
  for (const key of keys) {
    const { follows, min, max } = SETTINGS[key];
    if (follows === undefined || origins.has(key)) continue;
    const origin = origins.get(follows as SettingKey);
    const value = settings[follows];
    if (origin === undefined || typeof value !== "number") continue;
    settings[key] = Math.min(Math.max(value, min ?? value), max ?? value);
    origins.set(key, origin);
  }
  return { settings: settings as unknown as Settings, origins };
}
