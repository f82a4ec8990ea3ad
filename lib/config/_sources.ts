/**
 * What each source of a connection holds: the host's SDK, the environment, `ovcli.conf`, `ov.conf`.
 * Nothing is decided here.
 *
 * @module
 */
import type { Json, JsonObject, Runtime } from "../runtime/types.ts";
import type { ConfigClient, HostInput } from "./types.ts";
import type { Report } from "./layers/layers.ts";
import type { UserFiles } from "./layers/user_files.ts";
import { isJsonObject } from "./jsonc.ts";
import { legacySection } from "./layers/user_files.ts";
import { toHarnessKey } from "./harness.ts";

/** A text and where it stands; "" for both when there is none. */
export interface Sourced {
  /** The text, trimmed. */
  readonly text: string;
  /** Variable name, file path or `host`. */
  readonly source: string;
}

/** A field of a connection that is a text. */
export type ConnectionField = "url" | "mcpUrl" | "key" | "account" | "user" | "peer" | "authMode";

/** Everything one source says about a connection. */
export interface ConnectionSource extends Readonly<Record<ConnectionField, Sourced>> {
  /** Which source. */
  readonly kind: "host" | "environment" | "ovcli" | "ov.conf";
  /** More headers for every request, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Names of the fields: environment variables, keys of `ovcli.conf`, keys of a legacy section of `ov.conf`; the first beats the others. */
export const CONNECTION_NAMES: Readonly<
  Record<ConnectionField, Readonly<Record<"env" | "ovcli" | "legacy", readonly string[]>>>
> = {
  url: { env: ["OPENVIKING_URL", "OPENVIKING_BASE_URL"], ovcli: ["url"], legacy: [] },
  mcpUrl: { env: ["OPENVIKING_MCP_URL"], ovcli: [], legacy: [] },
  key: {
    env: ["OPENVIKING_BEARER_TOKEN", "OPENVIKING_API_KEY"],
    ovcli: ["api_key"],
    legacy: ["apiKey"],
  },
  account: {
    env: ["OPENVIKING_ACCOUNT", "OPENVIKING_ACCOUNT_ID"],
    ovcli: ["account", "account_id"],
    legacy: ["accountId"],
  },
  user: {
    env: ["OPENVIKING_USER", "OPENVIKING_USER_ID"],
    ovcli: ["user", "user_id"],
    legacy: ["userId"],
  },
  peer: {
    env: ["OPENVIKING_PEER_ID"],
    ovcli: ["actor_peer_id", "peer_id"],
    legacy: ["peerId", "peer_id"],
  },
  authMode: {
    env: ["OPENVIKING_AUTH_MODE"],
    ovcli: ["auth_mode"],
    legacy: ["authMode", "auth_mode"],
  },
};

const NOTHING: Sourced = { text: "", source: "" };

function sourced(text: string | undefined, source: string): Sourced {
  const trimmed = (text ?? "").trim();
  return trimmed === "" ? NOTHING : { text: trimmed, source };
}

/** The first variable that is set and not blank. */
function variable(runtime: Pick<Runtime, "env">, names: readonly string[]): Sourced {
  for (const name of names) {
    const found = sourced(runtime.env(name), name);
    if (found.text !== "") return found;
  }
  return NOTHING;
}

/** Looks up every field of one kind of source. */
function fieldsOf(
  where: "env" | "ovcli" | "legacy",
  look: (names: readonly string[]) => Sourced,
): Record<ConnectionField, Sourced> {
  const entries = Object.entries(CONNECTION_NAMES).map(([field, names]) => [
    field,
    look(names[where]),
  ]);
  return Object.fromEntries(entries) as Record<ConnectionField, Sourced>;
}

/** What the environment holds. */
export function environmentSource(runtime: Pick<Runtime, "env">): ConnectionSource {
  const fields = fieldsOf("env", (names) => variable(runtime, names));
  // The MCP address alone names the server as well when it has the usual form.
  if (fields.url.text === "" && fields.mcpUrl.text !== "") {
    const base = /^(.+)\/mcp\/*$/.exec(fields.mcpUrl.text)?.[1];
    fields.url = sourced(base, fields.mcpUrl.source);
  }
  return { kind: "environment", ...fields, headers: {} };
}

/** What a host's SDK pins. */
export function hostSource(input: HostInput): ConnectionSource {
  const pinned = (text: string | undefined) => sourced(text, "host");
  return {
    kind: "host",
    url: pinned(input.baseUrl),
    mcpUrl: NOTHING,
    key: pinned(input.apiKey),
    account: pinned(input.account),
    user: pinned(input.user),
    peer: pinned(input.peer),
    authMode: NOTHING,
    headers: {},
  };
}

/** Reads texts out of a file's object and reports what is no text. */
function fieldReader(
  path: string,
  value: JsonObject,
  report: Report,
): (names: readonly string[]) => Sourced {
  return (names) => {
    for (const name of names) {
      const raw: Json | undefined = Object.hasOwn(value, name) ? value[name] : null;
      if (raw === null || raw === undefined) continue;
      if (typeof raw === "string") {
        const found = sourced(raw, path);
        if (found.text !== "") return found;
        continue;
      }
      report({
        kind: "invalid",
        source: path,
        key: name,
        value: "****",
        message: `Cannot use ${name} from ${path}: it is not a text`,
      });
    }
    return NOTHING;
  };
}

function fileHeaders(path: string, value: JsonObject, report: Report): Record<string, string> {
  const headers: Record<string, string> = {};
  const gateway = fieldReader(path, value, report)(["gateway_token"]);
  if (gateway.text !== "") headers["x-gateway-token"] = gateway.text;
  const extra = value["extra_headers"] ?? value["extra_header"] ?? {};
  const entries = isJsonObject(extra) ? Object.entries(extra) : [["", null] as const];
  for (const [name, text] of entries) {
    if (typeof text === "string" && /^[!#$%&'*+.^`|~\w-]+$/.test(name)) {
      headers[name.toLowerCase()] = text;
    } else {
      report({
        kind: "invalid",
        source: path,
        key: "extra_headers",
        value: name,
        message: `Cannot use extra_headers from ${path}: "${name}" is no header with a text value`,
      });
    }
  }
  return headers;
}

/** What `ovcli.conf` holds. */
export function ovcliSource(files: UserFiles, report: Report): ConnectionSource {
  const { path, value } = files.ovcli;
  const fields = fieldsOf("ovcli", fieldReader(path, value, report));
  return { kind: "ovcli", ...fields, headers: fileHeaders(path, value, report) };
}

/** Address on which a server listens when its configuration names none. */
const SERVER_HOST = "127.0.0.1";
const SERVER_PORT = 1933;

/** The address that a server's configuration implies; "" when the file is no server's. */
function serverUrl(path: string, value: JsonObject, report: Report): Sourced {
  const isSection = (key: string) => toHarnessKey(key) !== undefined;
  if (Object.keys(value).every(isSection)) return NOTHING;
  const server = isJsonObject(value["server"]) ? value["server"] : {};
  const field = fieldReader(path, server, report);
  const url = field(["url"]);
  if (url.text !== "") return url;
  const named = field(["host"]).text || SERVER_HOST;
  const host = named === "0.0.0.0" || named === "::" ? SERVER_HOST : named;
  const port = typeof server["port"] === "number" ? server["port"] : SERVER_PORT;
  return { text: `http://${host.includes(":") ? `[${host}]` : host}:${port}`, source: path };
}

/**
 * What `ov.conf` holds: the address of the server it configures, and the host's legacy credentials.
 * The server's own root key is only taken with `rootKeyFallback`.
 */
export function ovConfSource(
  files: UserFiles,
  harness: ConfigClient,
  report: Report,
  rootKeyFallback: boolean,
): ConnectionSource {
  const { path, value } = files.ovConf;
  const fields = fieldsOf("legacy", fieldReader(path, legacySection(files, harness), report));
  const server = isJsonObject(value["server"]) ? value["server"] : {};
  const inServer = fieldReader(path, server, report);
  const { key, authMode } = fields;
  return {
    kind: "ov.conf",
    ...fields,
    url: serverUrl(path, value, report),
    key: key.text === "" && rootKeyFallback ? inServer(["root_api_key"]) : key,
    authMode: authMode.text === "" ? inServer(["auth_mode"]) : authMode,
    headers: {},
  };
}
