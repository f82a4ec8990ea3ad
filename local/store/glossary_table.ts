/**
 * Keeps the glossary in the memory file.
 *
 * @module
 */
import type { Database } from "../../lib/runtime/types.ts";
import { GLOSSARY_VERSION, glossaryPairs } from "../text/glossary.ts";
import { tokenise } from "../text/tokenise.ts";

/** Writes the present list unless the file has it; call when opening for writing. */
export function writeGlossary(db: Database): void {
  const row = db.prepare("SELECT value FROM meta WHERE key = 'glossary'").get();
  if (Number(row?.["value"] ?? 0) === GLOSSARY_VERSION) return;
  db.transaction(() => {
    db.exec("DELETE FROM glossary");
    const insert = db.prepare("INSERT INTO glossary (word, others) VALUES (?, ?)");
    for (const [word, others] of glossaryPairs()) {
      // One word's tokens stand together, so that a hook has nothing to take apart.
      const tokens = [...others].map((other) => tokenise(other).join("+"));
      insert.run(word, tokens.filter((one) => one !== "").join(" "));
    }
    db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('glossary', ?)")
      .run(GLOSSARY_VERSION);
  });
}
