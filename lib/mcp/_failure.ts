/**
 * What a failed exchange means in words: for the model as a tool error, for everything else as a
 * JSON-RPC error.
 *
 * @module
 */
import type { FailureCategory } from "../http/types.ts";
import type { ExchangeOutcome } from "./_outcome.ts";
import type { McpProxyConfig } from "./types.ts";
import { errorText, type RequestId, resultText, RPC_CODE } from "./_json_rpc.ts";

/** A failure in words. No secret is in it. */
export interface BridgeFailure {
  readonly category: FailureCategory | "disabled" | "configuration" | "stopped";
  /** HTTP status, 0 when there was none. */
  readonly status: number;
  /** What happened and what to do next. */
  readonly message: string;
  /** True when the server may have carried the call out all the same. */
  readonly ambiguous: boolean;
}

/** Why nothing may be sent under this configuration, if so. */
export function blocked(config: McpProxyConfig): BridgeFailure | undefined {
  const failure = (category: BridgeFailure["category"], why: string): BridgeFailure => ({
    category,
    status: 0,
    ambiguous: false,
    message: `Cannot use OpenViking: ${why}`,
  });
  if (config.broken !== undefined) return failure("configuration", config.broken);
  if (config.enabled) return undefined;
  return failure("disabled", "memory is switched off by the setting enabled or mcpEnabled.");
}

/** What the failed outcome of an exchange means. */
export function explainOutcome(outcome: ExchangeOutcome, config: McpProxyConfig): BridgeFailure {
  const server = config.connection.engine === "local"
    ? "the embedded engine"
    : `the OpenViking server at ${config.connection.baseUrl || config.mcpUrl}`;
  if (outcome.kind === "http") {
    return describeStatus(outcome.status, outcome.message, server, config);
  }
  const { category, message, sent } = outcome.kind === "failed"
    ? outcome
    : { category: "protocol" as const, message: "there is no answer", sent: true };
  const doctor = 'Run "openviking-agent doctor" to see what is wrong.';
  const maybeDone = "The call may have been carried out all the same; look before repeating it.";
  switch (category) {
    case "unreachable":
      return {
        category,
        status: 0,
        message: `Cannot reach ${server}: ${message}. Nothing was sent. ${doctor}`,
        ambiguous: false,
      };
    case "timeout":
      return {
        category,
        status: 0,
        message: `Cannot get an answer from ${server}: the time limit passed. ${
          sent ? maybeDone : doctor
        }`,
        ambiguous: sent,
      };
    case "cancelled":
    case "stopped":
      return {
        category: "stopped",
        status: 0,
        message: `Cannot wait for ${server}: the MCP process is ending. ${sent ? maybeDone : ""}`
          .trim(),
        ambiguous: sent,
      };
    case "interrupted":
      return {
        category: "unreachable",
        status: 0,
        message: masked(`Cannot get an answer from ${server}: ${message}. ${maybeDone}`, config),
        ambiguous: true,
      };
    case "protocol":
      return {
        category,
        status: 0,
        message: masked(`Cannot understand ${server}: ${message}. ${maybeDone}`, config),
        ambiguous: true,
      };
  }
}

function describeStatus(
  status: number,
  words: string,
  server: string,
  config: McpProxyConfig,
): BridgeFailure {
  const said = words === "" ? "" : `: ${words.slice(0, 500)}`;
  const failure = (
    category: FailureCategory,
    text: string,
    ambiguous: boolean,
  ): BridgeFailure => ({ category, status, message: masked(text, config), ambiguous });
  if (status === 401 || status === 403) {
    const { apiKey, apiKeySource } = config.connection;
    const key = apiKey === "" ? "a request without an API key" : `the API key from ${apiKeySource}`;
    const next = "Correct it there; a changed file takes effect with the next call.";
    return failure(
      "auth",
      `Cannot use ${server}: it refused ${key} (${status}${said}). ${next}`,
      false,
    );
  }
  if (status === 429 || status === 503) {
    return failure(
      "busy",
      `Cannot use ${server} now: it is busy (${status}${said}). Try again later.`,
      false,
    );
  }
  if (status >= 500) {
    return failure(
      "server",
      `Cannot get a result from ${server}: it failed (${status}${said}).`,
      true,
    );
  }
  return failure(
    status === 404 ? "missing-route" : "refused",
    `Cannot use ${server}: it refused the request (${status}${said}). ` +
      'Run "openviking-agent doctor" to check the URL.',
    false,
  );
}

function masked(text: string, config: McpProxyConfig): string {
  let clean = text.replace(/\b(Bearer|Basic)\s+[^\s"',;)]+/gi, "$1 ***");
  for (const secret of config.secrets) clean = clean.replaceAll(secret, "***");
  return clean;
}

const WORDS: Readonly<Record<string, string>> = {
  auth: "UNAUTHENTICATED",
  unreachable: "UNAVAILABLE",
  timeout: "DEADLINE_EXCEEDED",
  busy: "RESOURCE_EXHAUSTED",
  server: "INTERNAL",
  protocol: "INVALID_RESPONSE",
  disabled: "DISABLED",
  configuration: "INVALID_CONFIGURATION",
  stopped: "ABORTED",
};

/** The response that tells a failure: `isError` with `CODE: message` for a tool call, else a JSON-RPC error. */
export function failureReply(method: string, id: RequestId, failure: BridgeFailure): string {
  const { category, status, message, ambiguous } = failure;
  const data = { category, status, ambiguous };
  if (method === "tools/call") {
    return resultText(id, {
      content: [{ type: "text", text: `${WORDS[category] ?? "REFUSED"}: ${message}` }],
      isError: true,
      _meta: { "openviking/failure": data },
    });
  }
  const code = category === "auth"
    ? RPC_CODE.auth
    : category === "unreachable" || category === "timeout" || category === "stopped"
    ? RPC_CODE.network
    : category === "protocol"
    ? RPC_CODE.protocol
    : RPC_CODE.server;
  return errorText(id, code, message, data);
}
