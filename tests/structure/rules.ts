/**
 * Every structure rule by its name, with the ledger rows that it proves.
 *
 * @module
 */
import * as graph from "./graph_rules.ts";
import * as hook from "./hook_closure_rules.ts";
import * as repository from "./repository_rules.ts";
import * as source from "./source_rules.ts";
import type { Rule } from "./graph_rules.ts";

/** A rule with its name and the rows of the ledger. */
export interface NamedRule {
  readonly name: string;
  readonly rows: readonly string[];
  readonly rule: Rule;
}

/** All rules, in the order in which they are worth reading. */
export const RULES: readonly NamedRule[] = [
  { name: "importsResolve", rows: [], rule: graph.importsResolve },
  { name: "tableIsSound", rows: [], rule: graph.tableIsSound },
  { name: "arrowsHold", rows: ["ARC-04", "TST-02"], rule: graph.arrowsHold },
  { name: "noCycles", rows: [], rule: graph.noCycles },
  { name: "namedAndLiteral", rows: ["ARC-12", "GEN-02"], rule: graph.namedAndLiteral },
  { name: "privateFilesStayPrivate", rows: [], rule: graph.privateFilesStayPrivate },
  { name: "testsAreLeaves", rows: ["TST-02"], rule: graph.testsAreLeaves },
  { name: "nothingIsOrphaned", rows: ["ARC-16"], rule: graph.nothingIsOrphaned },
  { name: "adaptersArePure", rows: ["ARC-13"], rule: graph.adaptersArePure },
  { name: "hooksLoadNoPackages", rows: [], rule: hook.hooksLoadNoPackages },
  { name: "hooksLoadNoOtherRooms", rows: ["ARC-04"], rule: hook.hooksLoadNoOtherRooms },
  { name: "hooksStayCheap", rows: [], rule: hook.hooksStayCheap },
  { name: "runtimeIsNamedOnce", rows: [], rule: source.runtimeIsNamedOnce },
  { name: "libKnowsNoHost", rows: ["ARC-05"], rule: source.libKnowsNoHost },
  { name: "onlyEntriesExit", rows: ["ARC-07"], rule: source.onlyEntriesExit },
  { name: "oneDefinitionPerName", rows: ["ARC-01"], rule: source.oneDefinitionPerName },
  { name: "adaptersExtendNothing", rows: [], rule: source.adaptersExtendNothing },
  { name: "modulesIntroduceThemselves", rows: [], rule: source.modulesIntroduceThemselves },
  { name: "filesAreNamedByContent", rows: [], rule: source.filesAreNamedByContent },
  { name: "skipsHaveReasons", rows: [], rule: source.skipsHaveReasons },
  { name: "noKeyShapedLiterals", rows: [], rule: repository.noKeyShapedLiterals },
  { name: "noMachinePaths", rows: [], rule: repository.noMachinePaths },
  { name: "fixturesHaveOrigins", rows: ["TST-09"], rule: repository.fixturesHaveOrigins },
  { name: "oneVersion", rows: [], rule: repository.oneVersion },
];
