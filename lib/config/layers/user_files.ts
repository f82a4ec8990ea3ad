/**
 * Reads the user's own files, `ovcli.conf` and `ov.conf`, and the layers in them.
 *
 * @module
 */
import type { Json, JsonObject, Runtime } from "../../runtime/types.ts";
import type { ConfigClient, ConfigFile } from "../types.ts";
import type { Layer, LayerPlace, Report } from "./layers.ts";
import type { ReadObject } from "../read_file.ts";
import { isConnectionField } from "./connection_fields.ts";
import { sectionNames, toHarnessKey } from "../harness.ts";
import { isJsonObject } from "../jsonc.ts";
import { layerFromObject, reportUnknown } from "./layers.ts";
import { ovcliPath, ovConfPath } from "../paths.ts";
import { readObjectFile } from "../read_file.ts";
import { shown } from "./value.ts";

/** One of the user's files: what it holds, `{}` when there is nothing usable. */
export interface UserFile {
  /** Where it was looked for. */
  readonly path: string;
  /** What was found. */
  readonly state: ReadObject["state"];
  /** Its object. */
  readonly value: JsonObject;
  /** Why it cannot be read, "" otherwise. */
  readonly message: string;
}

/** Both files of the user. */
export interface UserFiles {
  /** The client's configuration. */
  readonly ovcli: UserFile;
  /** The server's configuration. */
  readonly ovConf: UserFile;
}

function readUserFile(runtime: Runtime, path: string): UserFile {
  const read = readObjectFile(runtime, path);
  return {
    path,
    state: read.state,
    value: read.state === "ok" ? read.value : {},
    message: read.state === "unreadable" ? read.message : "",
  };
}

/** Fields by which a file under `OPENVIKING_CONFIG_FILE` is recognised as a client's configuration. */
const CLIENT_FIELDS = [
  "url",
  "api_key",
  "account",
  "account_id",
  "user",
  "user_id",
  "actor_peer_id",
];

function isClientShaped(value: JsonObject): boolean {
  return !isJsonObject(value["server"]) &&
    CLIENT_FIELDS.some((field) => typeof value[field] === "string");
}

/**
 * Reads both files. A file named by `OPENVIKING_CONFIG_FILE` alone that looks like a client's
 * configuration is taken for `ovcli.conf`, as the earlier plugins did.
 */
export function readUserFiles(runtime: Runtime): UserFiles {
  const ovConf = readUserFile(runtime, ovConfPath(runtime));
  const onlyServerFile = (runtime.env("OPENVIKING_CONFIG_FILE") ?? "").trim() !== "" &&
    (runtime.env("OPENVIKING_CLI_CONFIG_FILE") ?? "").trim() === "";
  if (onlyServerFile && isClientShaped(ovConf.value)) {
    return {
      ovcli: ovConf,
      ovConf: { path: ovConf.path, state: "absent", value: {}, message: "" },
    };
  }
  return { ovcli: readUserFile(runtime, ovcliPath(runtime)), ovConf };
}

/** A host's section under any of its spellings; where both have a key, the hyphenated section counts. */
function hostSection(parent: JsonObject, harness: ConfigClient): [name: string, JsonObject] {
  let merged: JsonObject = {};
  let found = "";
  for (const name of sectionNames(harness)) {
    const section = Object.hasOwn(parent, name) ? parent[name] : undefined;
    if (!isJsonObject(section)) continue;
    found = found === "" ? name : found;
    merged = { ...section, ...merged };
  }
  return [found, merged];
}

/** Reports what stands in a plugin section and is no setting. */
function onOther(place: LayerPlace, report: Report): (key: string, raw: Json) => void {
  return (key, raw) => {
    if (key === "engine" && place.section === "plugin") return;
    const host = place.section === "plugin" ? toHarnessKey(key) : undefined;
    if (host !== undefined && isJsonObject(raw)) return;
    if (host !== undefined) {
      report({
        kind: "invalid",
        source: place.source,
        key,
        value: shown(raw),
        message: `Cannot use plugin.${key} from ${place.source}: it is not an object`,
      });
    } else if (isConnectionField(key)) {
      report({
        kind: "forbidden",
        source: place.source,
        key,
        value: "****",
        message:
          `Cannot use ${place.section}.${key} from ${place.source}: connection fields stand at the top of ovcli.conf`,
      });
    } else {
      reportUnknown(place, key, raw, report);
    }
  };
}

/** The layers `ovcli-host`, `ovcli` and `ov.conf` of a host, the highest first. */
export function userLayers(
  files: UserFiles,
  harness: ConfigClient,
  report: Report,
): readonly Layer[] {
  const layers: Layer[] = [];
  const { ovcli, ovConf } = files;
  const plugin = ovcli.value["plugin"] ?? undefined;
  if (isJsonObject(plugin)) {
    const [name, section] = hostSection(plugin, harness);
    const hostPlace: LayerPlace = {
      name: "ovcli-host",
      source: ovcli.path,
      section: `plugin.${name}`,
    };
    const sharedPlace: LayerPlace = { name: "ovcli", source: ovcli.path, section: "plugin" };
    layers.push(
      layerFromObject(hostPlace, section, report, onOther(hostPlace, report)),
      layerFromObject(sharedPlace, plugin, report, onOther(sharedPlace, report)),
    );
  } else if (plugin !== undefined) {
    report({
      kind: "invalid",
      source: ovcli.path,
      key: "plugin",
      value: shown(plugin),
      message: `Cannot use plugin from ${ovcli.path}: it is not an object`,
    });
  }
  if (ovConf.state !== "ok") return layers;
  const [, legacy] = hostSection(ovConf.value, harness);
  const legacyPlace: LayerPlace = { name: "ov.conf", source: ovConf.path };
  // Its section also held credentials and keys of other versions; only settings are looked at here.
  layers.push(layerFromObject(legacyPlace, legacy, report, () => {}));
  return layers;
}

/** Files as the resolved configuration lists them. */
export function userConfigFiles(files: UserFiles): readonly ConfigFile[] {
  return [
    { path: files.ovcli.path, layer: "ovcli", state: files.ovcli.state },
    { path: files.ovConf.path, layer: "ov.conf", state: files.ovConf.state },
  ];
}

/** The legacy section of a host in `ov.conf`, for its credentials. */
export function legacySection(files: UserFiles, harness: ConfigClient): JsonObject {
  return hostSection(files.ovConf.value, harness)[1];
}
