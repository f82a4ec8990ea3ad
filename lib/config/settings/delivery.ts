/**
 * Settings of transport, worker, queue and MCP.
 *
 * @module
 */

/** Owner `transport`, `worker` and `mcp`. */
export const DELIVERY_SETTINGS = {
  timeoutMs: {
    type: "number",
    default: 15000,
    min: 1000,
    max: 300000,
    integer: true,
    owner: "transport",
    env: ["OPENVIKING_TIMEOUT_MS"],
    aliases: ["requestTimeoutMs"],
    workspace: "never",
    doc: "Milliseconds for one request outside the prompt and session-start stages.",
  },
  settleSeconds: {
    type: "number",
    default: 40,
    min: 0,
    max: 3600,
    owner: "worker",
    env: ["OPENVIKING_SETTLE_SECONDS"],
    workspace: "never",
    doc:
      "Seconds a session rests after a request whose outcome is unknown, before the engine is read back.",
  },
  workerLingerMs: {
    type: "number",
    default: 300000,
    min: 0,
    max: 86400000,
    integer: true,
    owner: "worker",
    env: ["OPENVIKING_WORKER_LINGER_MS"],
    workspace: "never",
    doc: "Milliseconds an idle worker stays before it ends.",
  },
  queueMaxAgeDays: {
    type: "number",
    default: 90,
    min: 1,
    max: 3650,
    owner: "worker",
    env: ["OPENVIKING_QUEUE_MAX_AGE_DAYS", "OPENVIKING_PENDING_TTL_DAYS"],
    workspace: "never",
    doc:
      "Days after which what could not be delivered is exported and leaves the queue; a warning comes at half.",
  },
  queueMaxBytes: {
    type: "number",
    default: 536870912,
    min: 1048576,
    max: 1099511627776,
    integer: true,
    owner: "worker",
    env: ["OPENVIKING_QUEUE_MAX_BYTES"],
    workspace: "never",
    doc:
      "Bytes a target's queue may hold; what exceeds them is exported first. A warning comes at half.",
  },
  mcpEnabled: {
    type: "boolean",
    default: true,
    owner: "mcp",
    env: ["OPENVIKING_MCP_ENABLED"],
    workspace: "lower",
    doc: "Memory tools for the model. Off: the MCP entry answers and offers none.",
  },
  mcpHiddenTools: {
    type: "string-list",
    default: ["privacy_*", "*_acl", "list_users", "list_groups"],
    owner: "mcp",
    env: ["OPENVIKING_MCP_HIDDEN_TOOLS"],
    workspace: "add",
    doc: "Tools of the server that the model does not see, `*` is anything.",
    why: "The old proxies showed the administrator's tools to every model.",
  },
  mcpToolCallTimeoutMs: {
    type: "number",
    default: 600000,
    min: 1000,
    max: 3600000,
    integer: true,
    owner: "mcp",
    env: ["OPENVIKING_MCP_TOOL_CALL_TIMEOUT_MS"],
    workspace: "never",
    doc: "Milliseconds for one tool call.",
    why: "60 s cut long calls that the host itself would have waited for.",
  },
} as const;
