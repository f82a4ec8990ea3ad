/**
 * The tool surfaces that a skill can be written for, as data.
 *
 * @module
 */

/** What a model finds where it reads a skill. */
export interface SkillSurface {
  /** Tools that exist there, by the names of the MCP server. */
  readonly tools: readonly string[];
  /** How the host shows a tool; `{tool}` stands for its name. */
  readonly shownAs: string;
  /** True where hooks recall and record by themselves. */
  readonly automatic: boolean;
}

/** Tools of the embedded engine. A server has them all. */
const EMBEDDED_TOOLS = ["find", "search", "read", "list", "remember", "forget", "health"];

/** Tools of a server (0.5.2) that are left when `mcpHiddenTools` has its default. */
const SERVER_TOOLS = [
  ...EMBEDDED_TOOLS,
  "tree",
  "grep",
  "glob",
  "download",
  "write",
  "edit",
  "add_resource",
  "add_skill",
  "list_watches",
  "cancel_watch",
];

/**
 * Surfaces by name. Which engine answers is settled when the host starts, so what is shipped for a
 * host names only the tools that both engines have; the two others serve those who know their engine.
 */
export const SKILL_SURFACES: Readonly<
  Record<"agent-plugins" | "claude-code" | "embedded" | "server", SkillSurface>
> = {
  "agent-plugins": { tools: EMBEDDED_TOOLS, shownAs: "{tool}", automatic: false },
  "claude-code": { tools: EMBEDDED_TOOLS, shownAs: "mcp__openviking__{tool}", automatic: true },
  embedded: { tools: EMBEDDED_TOOLS, shownAs: "{tool}", automatic: false },
  server: { tools: SERVER_TOOLS, shownAs: "{tool}", automatic: false },
};
