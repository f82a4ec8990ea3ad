/**
 * The recall settings of a resolved configuration.
 *
 * @module
 */
import type { PluginConfig } from "../config/plugin_config.ts";
import type { RecallSettings } from "./types.ts";

/** Takes what recall needs from a configuration; what nobody configured is not sent to a server. */
export function recallSettingsOf(
  config: Pick<PluginConfig, "settings" | "isConfigured">,
): RecallSettings {
  const { settings } = config;
  return {
    limit: settings.recallLimit,
    tokenBudget: settings.recallTokenBudget,
    maxContentChars: settings.recallMaxContentChars,
    preferAbstract: settings.recallPreferAbstract,
    minQueryLength: settings.minQueryLength,
    peerScope: settings.recallPeerScope,
    queryExpansion: settings.recallQueryExpansion,
    send: {
      ...(config.isConfigured("recallLimit") ? { limit: settings.recallLimit } : {}),
      ...(config.isConfigured("recallMaxTokens") ? { maxTokens: settings.recallMaxTokens } : {}),
      ...(settings.scoreThreshold === undefined ? {} : { scoreThreshold: settings.scoreThreshold }),
      ...(config.isConfigured("recallDedupTurns") ? { dedupTurns: settings.recallDedupTurns } : {}),
    },
  };
}
