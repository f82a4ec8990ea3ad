/**
 * Answers to `tools/list`, and what the host was shown last.
 *
 * @module
 */
import type { Json, JsonObject } from "../runtime/types.ts";
import type { McpProxyConfig, McpProxyOptions } from "./types.ts";
import { type RequestId, resultText, type RpcMessage } from "./_json_rpc.ts";
import {
  createSeenTools,
  createToolFilter,
  listedLocalTool,
  type LocalOffer,
  offerLocalTools,
  toolName,
} from "./tool_list.ts";

/** What the host's list came from. */
export type Shown = "none" | "server" | "seen" | "local";

/** Keeps track of lists. */
export interface ToolLister {
  /** The answer made of the server's: untouched unless something is hidden or added. */
  fromServer(
    id: RequestId,
    message: RpcMessage,
    text: string,
    config: McpProxyConfig,
    isFirstPage: boolean,
  ): Promise<string>;
  /** The answer without the server: the list last seen for this target, else the local tools. */
  fallback(id: RequestId, config: McpProxyConfig): Promise<string>;
  empty(id: RequestId): string;
  hasSeen(config: McpProxyConfig): Promise<boolean>;
  isHidden(name: string, config: McpProxyConfig): boolean;
  /** A local tool that is on offer, as a function that answers its call. */
  localTool(name: string): ((id: RequestId, args: JsonObject) => Promise<string>) | undefined;
  shown(): Shown;
  forgetShown(): void;
}

/** Makes the lister. `warn` hears of local tools that are refused. */
export function createToolLister(
  options: McpProxyOptions,
  warn: (text: string) => void,
): ToolLister {
  const stores = new Map<string, ReturnType<typeof createSeenTools>>();
  let shown: Shown = "none";
  let offer: LocalOffer = { offered: [], refused: [] };

  function seen(config: McpProxyConfig): ReturnType<typeof createSeenTools> {
    const folder = `${config.agentHome}/state/mcp-tools`;
    const store = stores.get(folder) ?? createSeenTools(options.files, folder);
    stores.set(folder, store);
    return store;
  }

  function hidden(config: McpProxyConfig): (tool: Json) => boolean {
    const matches = createToolFilter(config.hiddenTools);
    return (tool) => matches(toolName(tool));
  }

  function offerBeside(tools: readonly Json[] | undefined): LocalOffer {
    offer = offerLocalTools(options.localToolProvider, tools?.map(toolName));
    for (const name of offer.refused) {
      warn(`Cannot offer the local tool ${name}: the server has a tool of this name.`);
    }
    return offer;
  }

  return {
    async fromServer(id, message, text, config, isFirstPage) {
      const result = message.result as JsonObject | undefined;
      const tools = result?.["tools"];
      if (result === undefined || !Array.isArray(tools)) return text;
      shown = "server";
      if (isFirstPage && result["nextCursor"] === undefined) {
        seen(config).write(await config.targetId(), tools);
      }
      const isHidden = hidden(config);
      const visible = tools.filter((tool) => !isHidden(tool));
      const { offered } = isFirstPage ? offerBeside(tools) : { offered: [] };
      if (visible.length === tools.length && offered.length === 0) return text;
      const listed = [...visible, ...offered.map(listedLocalTool)];
      return JSON.stringify({ ...message, id, result: { ...result, tools: listed } });
    },
    async fallback(id, config) {
      const tools = seen(config).read(await config.targetId());
      const isHidden = hidden(config);
      const visible = (tools ?? []).filter((tool) => !isHidden(tool));
      const { offered } = offerBeside(tools);
      shown = tools === undefined ? "local" : "seen";
      return resultText(id, { tools: [...visible, ...offered.map(listedLocalTool)] });
    },
    empty(id) {
      shown = "local";
      return resultText(id, { tools: [] });
    },
    hasSeen: async (config) => seen(config).read(await config.targetId()) !== undefined,
    isHidden: (name, config) => createToolFilter(config.hiddenTools)(name),
    localTool(name) {
      const tool = offer.offered.find((tool) => tool.name === name);
      if (tool === undefined) return undefined;
      return async (id, args) => {
        try {
          return resultText(id, { content: [{ type: "text", text: await tool.call(args) }] });
        } catch (error) {
          const text = `INTERNAL: ${error instanceof Error ? error.message : String(error)}`;
          return resultText(id, { content: [{ type: "text", text }], isError: true });
        }
      };
    },
    shown: () => shown,
    forgetShown() {
      shown = "none";
    },
  };
}
