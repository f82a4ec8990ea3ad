/**
 * Which engine, which URL, which key, which identity: decided here and nowhere else.
 *
 * @module
 */
import type { Runtime } from "../runtime/types.ts";
import type { ConfigClient, ConfigProblem, Connection, EngineName, HostInput } from "./types.ts";
import type { Report } from "./layers/layers.ts";
import type { UserFiles } from "./layers/user_files.ts";
import type { ConnectionSource, Sourced } from "./_sources.ts";
import { environmentSource, hostSource, ovcliSource, ovConfSource } from "./_sources.ts";
import { isJsonObject } from "./jsonc.ts";
import { isSameOrigin, maskUrl, normaliseUrl } from "./url.ts";

/** What {@linkcode resolveConnection} needs. */
export interface ConnectionOptions {
  /** Where the environment is read. */
  readonly runtime: Pick<Runtime, "env">;
  /** The user's files, read before. */
  readonly files: UserFiles;
  /** Whose legacy section of `ov.conf` counts. */
  readonly harness: ConfigClient;
  /** What a host's SDK pins. */
  readonly hostInput?: HostInput;
  /**
   * Use `server.root_api_key` of `ov.conf` with the address in that same file when there is no other
   * key. For installations of earlier plugins only: a server in key mode refuses its root key for memory.
   *
   * @default false
   */
  readonly rootKeyFallback?: boolean;
}

/** The connection, what was wrong, and whether it can be used at all. */
export interface ResolvedConnection {
  /** The connection in force. */
  readonly connection: Connection;
  /** What did not take effect. */
  readonly problems: readonly ConfigProblem[];
  /** Why nothing may be sent; then `connection` names no URL. */
  readonly broken?: string;
}

type CredentialMode = Connection["credentialSource"];

const MODES: Readonly<Record<string, CredentialMode>> = {
  auto: "auto",
  env: "env",
  environment: "env",
  cli: "cli",
  ovcli: "cli",
  file: "cli",
  config: "cli",
};

/** `OPENVIKING_CREDENTIAL_SOURCE`; anything unknown is reported and means `auto`. */
function credentialMode(runtime: Pick<Runtime, "env">, report: Report): CredentialMode {
  for (const name of ["OPENVIKING_CREDENTIAL_SOURCE", "OPENVIKING_CREDENTIALS_SOURCE"]) {
    const text = (runtime.env(name) ?? "").trim().toLowerCase();
    if (text === "") continue;
    const mode = Object.hasOwn(MODES, text) ? MODES[text] : undefined;
    if (mode !== undefined) return mode;
    report({
      kind: "invalid",
      source: "environment",
      key: name,
      value: text.slice(0, 40),
      message: `Cannot use ${name} from the environment: "${
        text.slice(0, 40)
      }" is not auto, cli or env`,
    });
  }
  return "auto";
}

/** An engine that was chosen explicitly. */
interface EngineChoice {
  readonly engine: EngineName | "auto";
  readonly source: "plugin.engine" | "OPENVIKING_ENGINE";
}

function engineChoice(options: ConnectionOptions, report: Report): EngineChoice | undefined {
  const { runtime, files } = options;
  const plugin = files.ovcli.value["plugin"];
  const fromFile = isJsonObject(plugin) ? plugin["engine"] ?? "" : "";
  const choices = [
    ["OPENVIKING_ENGINE", "environment", (runtime.env("OPENVIKING_ENGINE") ?? "").trim()],
    ["plugin.engine", files.ovcli.path, fromFile],
  ] as const;
  for (const [source, place, text] of choices) {
    if (text === "") continue;
    const engine = typeof text === "string" ? text.trim().toLowerCase() : "";
    if (engine === "auto" || engine === "local" || engine === "server") return { engine, source };
    const value = String(typeof text === "string" ? text : JSON.stringify(text)).slice(0, 40);
    report({
      kind: "invalid",
      source: place,
      key: source,
      value,
      message: `Cannot use ${source} from ${place}: "${value}" is not auto, local or server`,
    });
  }
  return undefined;
}

/** Sources that the mode lets in, the first with a URL decides. */
function sourcesOf(
  options: ConnectionOptions,
  mode: CredentialMode,
  report: Report,
): readonly ConnectionSource[] {
  const { runtime, files, harness, hostInput } = options;
  const sources: ConnectionSource[] = [];
  if (hostInput !== undefined) sources.push(hostSource(hostInput));
  if (mode !== "cli") sources.push(environmentSource(runtime));
  if (mode !== "env") {
    if (files.ovcli.state === "ok") sources.push(ovcliSource(files, report));
    if (files.ovConf.state === "ok") {
      sources.push(ovConfSource(files, harness, report, options.rootKeyFallback ?? false));
    }
  }
  return sources;
}

function withUrl(source: ConnectionSource, baseUrl: string): boolean {
  const normal = normaliseUrl(source.url.text);
  return normal.ok && normal.url === baseUrl;
}

const NOTHING: Sourced = { text: "", source: "" };

function firstOf(
  sources: readonly ConnectionSource[],
  field: "key" | "account" | "user" | "peer" | "authMode",
): Sourced {
  return sources.map((source) => source[field]).find((found) => found.text !== "") ?? NOTHING;
}

/** Reports keys that stay unused because they have no URL of their own: the owner meant them for something. */
function reportLonelyKeys(
  sources: readonly ConnectionSource[],
  used: Sourced,
  urlSource: string,
  report: Report,
): void {
  for (const { key, url } of sources) {
    if (key.text === "" || url.text !== "" || key.source === used.source) continue;
    const target = urlSource === "" ? "there is no URL" : `the URL comes from ${urlSource}`;
    report({
      kind: "connection",
      source: key.source,
      key: "api_key",
      value: "****",
      message:
        `Cannot use the API key from ${key.source}: ${target}, and a key is only sent to a URL of its own source; set both in one place`,
    });
  }
}

/** Values of an authentication mode, and whether account and user are sent under it. */
const SENDS_IDENTITY: Readonly<Record<string, boolean>> = {
  auto: true,
  trusted: true,
  dev: true,
  api_key: false,
  ldap: false,
  oidc: false,
};

function sendsIdentity(authMode: Sourced, report: Report): boolean {
  if (authMode.text === "") return true;
  const mode = authMode.text.toLowerCase();
  if (Object.hasOwn(SENDS_IDENTITY, mode)) return SENDS_IDENTITY[mode] === true;
  report({
    kind: "invalid",
    source: authMode.source,
    key: "auth_mode",
    value: mode.slice(0, 40),
    message: `Cannot use the auth mode from ${authMode.source}: "${
      mode.slice(0, 40)
    }" is not trusted or api_key`,
  });
  return true;
}

/** The MCP address: another origin than the server's only gets a key that stands beside it in the environment. */
function mcpUrlOf(
  source: ConnectionSource | undefined,
  baseUrl: string,
  key: Sourced,
  chosen: ConnectionSource,
  report: Report,
): string {
  const usual = `${baseUrl}/mcp`;
  if (source === undefined || source.mcpUrl.text === "") return usual;
  const normal = normaliseUrl(source.mcpUrl.text);
  const isOwn = chosen === source && (key.text === "" || key === source.key);
  if (normal.ok && (isOwn || isSameOrigin(normal.url, baseUrl))) return normal.url;
  const why = normal.ok
    ? "the connection comes from another source, and its key must not travel there"
    : normal.why;
  report({
    kind: "connection",
    source: "environment",
    key: source.mcpUrl.source,
    value: maskUrl(source.mcpUrl.text),
    message: `Cannot use ${source.mcpUrl.source} from the environment: ${why}`,
  });
  return usual;
}

/** Why the sources cannot be trusted with a decision, when that is so. */
function distrust(
  options: ConnectionOptions,
  mode: CredentialMode,
  engine: EngineChoice["engine"],
  chosen: ConnectionSource | undefined,
): string | undefined {
  const { ovcli, ovConf } = options.files;
  if (ovcli.state === "unreadable") return ovcli.message;
  if (engine === "local" || chosen !== undefined) return undefined;
  if (mode !== "env" && ovConf.state === "unreadable") return ovConf.message;
  if (mode === "auto") return undefined;
  // Only the mode keeps the configured server out: that is no wish for the embedded engine.
  const barred = sourcesOf(options, "auto", () => {})
    .find(({ url, key, kind }) => url.text !== "" || (kind === "environment" && key.text !== ""));
  if (barred === undefined) return undefined;
  const [missing, place] = mode === "env" ? ["OPENVIKING_URL", ""] : ["url", ` in ${ovcli.path}`];
  return `Cannot find the server: OPENVIKING_CREDENTIAL_SOURCE is ${mode} and ${missing} is not set${place}; set it`;
}

/** Resolves the connection. Reads nothing but the environment and the files it is given. */
export function resolveConnection(options: ConnectionOptions): ResolvedConnection {
  const problems: ConfigProblem[] = [];
  const report: Report = (problem) => problems.push(problem);
  const mode = credentialMode(options.runtime, report);
  const choice = engineChoice(options, report);
  const sources = sourcesOf(options, mode, report);
  const chosen = sources.find((source) => source.url.text !== "");
  const engine = choice?.engine ?? "auto";
  const base = {
    peer: firstOf(sources, "peer").text,
    credentialSource: mode,
    watchedFiles: [options.files.ovcli.path, options.files.ovConf.path],
  };
  const none = {
    baseUrl: "",
    mcpUrl: "",
    urlSource: "",
    apiKey: "",
    account: "",
    user: "",
    sendIdentityHeaders: false,
    extraHeaders: {},
    apiKeySource: "",
    ...base,
  };
  const failed = (broken: string): ResolvedConnection => ({
    connection: { ...none, engine: "server", engineSource: choice?.source ?? "url" },
    problems,
    broken,
  });

  const distrusted = distrust(options, mode, engine, chosen);
  if (distrusted !== undefined) return failed(distrusted);
  if (engine === "local" && choice !== undefined) {
    const unusedUrl = chosen === undefined ? {} : { unusedUrl: maskUrl(chosen.url.text) };
    const connection = { ...none, engine, engineSource: choice.source, ...unusedUrl };
    return { connection, problems };
  }
  if (chosen === undefined) {
    if (engine === "server") {
      return failed(
        `Cannot use the server engine: ${choice?.source} asks for it and no URL is configured; set url in ${options.files.ovcli.path} or OPENVIKING_URL`,
      );
    }
    reportLonelyKeys(sources, NOTHING, "", report);
    return {
      connection: { ...none, engine: "local", engineSource: "nothing-configured" },
      problems,
    };
  }
  const normal = normaliseUrl(chosen.url.text);
  if (!normal.ok) {
    return failed(
      `Cannot use the URL "${maskUrl(chosen.url.text)}" from ${chosen.url.source}: ${normal.why}`,
    );
  }
  const baseUrl = normal.url;
  const owners = [
    chosen,
    ...sources.filter((other) => other !== chosen && withUrl(other, baseUrl)),
  ];
  const key = firstOf(owners, "key");
  reportLonelyKeys(sources, key, chosen.url.source, report);
  // Who asks is no secret: the environment may name it for the file's server, unless a host pinned the connection.
  const environment = sources.find((source) => source.kind === "environment");
  const tellers = chosen.kind === "host" || environment === undefined
    ? owners
    : [environment, ...owners];
  const account = firstOf(tellers, "account").text;
  const user = firstOf(tellers, "user").text;
  const sends = sendsIdentity(firstOf(tellers, "authMode"), report);
  const connection: Connection = {
    ...base,
    engine: "server",
    engineSource: engine === "server" && choice !== undefined ? choice.source : "url",
    baseUrl,
    mcpUrl: mcpUrlOf(environment, baseUrl, key, chosen, report),
    urlSource: chosen.url.source,
    apiKey: key.text,
    account,
    user,
    sendIdentityHeaders: sends && (account !== "" || user !== ""),
    extraHeaders: owners.find((owner) => Object.keys(owner.headers).length > 0)?.headers ?? {},
    apiKeySource: key.source,
  };
  return { connection, problems };
}
