/**
 * Rules about the files of the repository, sources or not.
 *
 * @module
 */
import type { Finding, Rule } from "./graph_rules.ts";
import { isTestFile } from "./rooms.ts";

/** Reports each line of each file that matches one of `patterns`. */
function eachLine(
  tree: ReadonlyMap<string, string>,
  patterns: readonly (readonly [name: string, pattern: RegExp])[],
  skip: (path: string) => boolean,
): Finding[] {
  const findings: Finding[] = [];
  for (const [path, text] of tree) {
    if (skip(path)) continue;
    text.split("\n").forEach((content, i) => {
      for (const [name, pattern] of patterns) {
        if (pattern.test(content)) findings.push({ path, line: i + 1, message: name });
      }
    });
  }
  return findings;
}

/** Shapes of real credentials. Tests put theirs together while they run. */
const KEY_SHAPES: readonly (readonly [string, RegExp])[] = [
  ["looks like a GitHub token", /\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})/],
  ["looks like a GitLab token", /\bglpat-[A-Za-z0-9_-]{18,}/],
  ["looks like an AWS key id", /\b(AKIA|ASIA)[A-Z0-9]{16}\b/],
  ["looks like a Google key", /\bAIza[A-Za-z0-9_-]{30,}/],
  ["looks like a Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/],
  ["looks like a Stripe key", /\b[rsp]k_(live|test)_[A-Za-z0-9]{16,}/],
  ["looks like a model provider's key", /\bsk-[A-Za-z0-9][A-Za-z0-9_-]{19,}/],
  ["looks like an npm token", /\bnpm_[A-Za-z0-9]{30,}/],
  ["looks like a PyPI token", /\bpypi-[A-Za-z0-9_-]{30,}/],
  ["looks like a JSON web token", /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[\w-]{8,}/],
  ["holds a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
];

/** No file holds anything shaped like a credential. */
export const noKeyShapedLiterals: Rule = (tree) =>
  eachLine(tree, KEY_SHAPES, (path) => path === "deno.lock");

/** Places of one machine, and hosts that package clients reach by themselves; put together here. */
const MACHINE_PATHS: readonly (readonly [string, RegExp])[] = [
  ["names a path of one machine", new RegExp(`(^|[^\\w./-])/${"work"}/(main|shared)\\b`)],
  ["names a path of one machine", new RegExp(`/${"tmp"}/tool\\b`)],
  ["names a home folder", new RegExp(`(^|[^\\w.])/${"root"}/`)],
  ["names a registry's host", new RegExp(`registry\\.npm${"js"}\\.org|\\bnpm${"js"}\\.com`, "i")],
  ["names a registry's host", new RegExp(`\\bpypi\\.${"org"}|\\bdeno\\.${"land"}\\/x`, "i")],
];
/** Outside of tests and recordings, nobody's home is named either. */
const HOMES: readonly (readonly [string, RegExp])[] = [
  ["names a home folder", new RegExp(`(^|[^\\w.])/(${"home"}|${"Users"})/\\w`)],
];

/** No file names a place that exists on one machine only. */
export const noMachinePaths: Rule = (tree) => [
  ...eachLine(tree, MACHINE_PATHS, (path) => path === "LICENSE"),
  ...eachLine(tree, HOMES, (path) => isTestFile(path) || path.startsWith("cli/demo/")),
];

/** Every file under tests/fixtures/ is covered by a line of its README that tells its origin. */
export const fixturesHaveOrigins: Rule = (tree) => {
  const readme = "tests/fixtures/README.md";
  const covered = [...(tree.get(readme) ?? "").matchAll(/^\s*[-|*]\s*`([^`]+)`(.*)$/gm)]
    .filter(([, , note]) => (note ?? "").replace(/[^\p{L}]/gu, "").length >= 10)
    .map(([, path]) => `tests/fixtures/${(path ?? "").replace(/\/$/, "")}`);
  return [...tree.keys()]
    .filter((path) => path.startsWith("tests/fixtures/") && path !== readme)
    .filter((path) => !covered.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)))
    .map((path) => ({ path, line: 0, message: `no line of ${readme} tells its origin` }));
};

/** The version stands in deno.json and nowhere else in the sources. */
export const oneVersion: Rule = (tree, graph) => {
  const version = /"version": "([^"]+)"/.exec(tree.get("deno.json") ?? "")?.[1];
  if (version === undefined) return [{ path: "deno.json", line: 0, message: "has no version" }];
  const findings: Finding[] = [];
  for (const module of graph.modules.values()) {
    if (isTestFile(module.path)) continue;
    for (const token of module.tokens) {
      if ((token.kind === "string" || token.kind === "template") && token.text === version) {
        const message = "repeats the version of deno.json";
        findings.push({ path: module.path, line: token.line, message });
      }
    }
  }
  return findings;
};
