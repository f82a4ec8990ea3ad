/**
 * Reads the JUnit files that `deno test --junit-path` writes.
 *
 * @module
 */

/** One test and what became of it. */
export interface JUnitCase {
  /** Name with those of its parents, separated by ` > `. */
  readonly name: string;
  readonly file: string;
  readonly state: "passed" | "failed" | "skipped";
  /** First line of the failure, "" otherwise. */
  readonly message: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

function unescapeXml(text: string): string {
  return text.replace(/&(#x?[0-9a-fA-F]+|[a-z]+);/g, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    const digits = name.slice(1);
    return String.fromCodePoint(
      digits.startsWith("x") ? parseInt(digits.slice(1), 16) : parseInt(digits, 10),
    );
  });
}

function attribute(tag: string, name: string): string {
  return unescapeXml(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
}

/** Every test case of a JUnit document. */
export function parseJUnit(xml: string): JUnitCase[] {
  const cases: JUnitCase[] = [];
  for (
    const [, tag = "", body = ""] of xml.matchAll(
      /<testcase([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
    )
  ) {
    const failure = /<(?:failure|error)([^>]*)/.exec(body);
    cases.push({
      name: attribute(tag, "name"),
      file: attribute(tag, "classname"),
      state: failure !== null ? "failed" : body.includes("<skipped") ? "skipped" : "passed",
      message: failure === null
        ? ""
        : attribute(` ${failure[1] ?? ""}`, "message").trim().split("\n")[0] ?? "",
    });
  }
  return cases;
}

/** Ids of ledger rows in a test's name: `[CFG-03]`. */
export function rowsOf(name: string): string[] {
  return [...name.matchAll(/\[([A-Z]+(?:-[A-Z]+)?-\d+)\]/g)].map((match) => match[1] ?? "");
}
