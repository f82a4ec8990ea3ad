/**
 * Which identity the keys of a target stand for, so that nothing said under one person's key is sent
 * under another's.
 *
 * @module
 */
import type { OvFailure, OvHttp } from "../../http/types.ts";
import { num, type Store, text } from "./store.ts";

/** Who the server says we are; fields are "" where it does not tell. */
export interface Identity {
  readonly account: string;
  readonly user: string;
}

function newest(store: Store): { generation: number; learned: boolean } | undefined {
  const row = store.get("SELECT generation, learned FROM targets ORDER BY generation DESC LIMIT 1");
  return row === undefined
    ? undefined
    : { generation: num(row, "generation"), learned: num(row, "learned") === 1 };
}

function addGeneration(store: Store, now: number): number {
  const generation = (newest(store)?.generation ?? 0) + 1;
  store.run("INSERT INTO targets(generation, created_at) VALUES (?, ?)", generation, now);
  return generation;
}

function bind(store: Store, fingerprint: string, generation: number): void {
  store.run(
    `INSERT INTO target_keys(fingerprint, generation) VALUES (?, ?)
     ON CONFLICT(fingerprint) DO UPDATE SET generation = excluded.generation`,
    fingerprint,
    generation,
  );
}

/** What helps to tell whose a key is that the server was not asked about. */
export interface KeyHints {
  /** The configuration names account and user, which stand for the identity. */
  readonly explicit: boolean;
  /** Generation of the key in use, once the server has told. */
  readonly current: number | undefined;
}

/**
 * The identity that a key's events belong to. `undefined` for a new key while an older one is known
 * to be somebody's, nothing explicit says who speaks, and the server has not told. A key that was
 * never resolved (mistyped, revoked at once) belongs to the only person this target ever knew.
 */
export function generationOfKey(
  store: Store,
  fingerprint: string,
  hints: KeyHints,
  now: number,
): number | undefined {
  const known = store.get("SELECT generation FROM target_keys WHERE fingerprint = ?", fingerprint);
  if (known !== undefined) return num(known, "generation");
  return store.transaction(() => {
    const last = newest(store);
    if (last?.learned && !hints.explicit) {
      const people = num(store.get("SELECT count(*) AS n FROM targets WHERE learned = 1"), "n");
      if (hints.current === undefined || people > 1) return undefined;
      bind(store, fingerprint, hints.current);
      return hints.current;
    }
    const generation = last?.generation ?? addGeneration(store, now);
    bind(store, fingerprint, generation);
    return generation;
  });
}

/**
 * Asks the server who we are: one cheap authenticated request, two where `/health` does not tell. A
 * server that answers without telling gives an empty identity.
 */
export async function askIdentity(http: OvHttp): Promise<Identity | OvFailure> {
  const timeoutMs = 5000;
  const health = await http.request<{ account_id?: unknown; user_id?: unknown } | null>(
    "GET",
    "/health",
    { timeoutMs },
  );
  if (!health.ok && (health.action === "hold" || health.action === "retry")) return health;
  const account = health.ok ? health.result?.account_id : undefined;
  const user = health.ok ? health.result?.user_id : undefined;
  if (typeof account === "string" && typeof user === "string") return { account, user };
  const status = await http.request<{ user?: unknown } | null>("GET", "/api/v1/system/status", {
    timeoutMs,
  });
  if (!status.ok) {
    return status.category === "missing-route" ? { account: "", user: "" } : status;
  }
  const name = status.result?.user;
  return { account: "", user: typeof name === "string" ? name : "" };
}

const agrees = (a: string, b: string): boolean => a === "" || b === "" || a === b;

/**
 * Records whose the key is and returns the generation that may be sent under it. A key of a known
 * identity takes its queue over; one that nobody's key came before takes what waits; another
 * person's leaves it.
 */
export function learnIdentity(
  store: Store,
  fingerprint: string,
  identity: Identity,
  now: number,
): number {
  return store.transaction(() => {
    const rows = store.all("SELECT * FROM targets WHERE learned = 1 ORDER BY generation DESC");
    const bound = store.get(
      "SELECT generation FROM target_keys WHERE fingerprint = ?",
      fingerprint,
    );
    const isKnown = identity.user !== "";
    const same = isKnown
      ? rows.find((row) =>
        text(row, "user") === identity.user && agrees(text(row, "account"), identity.account)
      )
      : undefined;
    const last = newest(store);
    let generation: number;
    if (same !== undefined) generation = num(same, "generation");
    else if (!isKnown) {
      generation = num(bound, "generation") || last?.generation || addGeneration(store, now);
    } else if (last !== undefined && !last.learned) generation = last.generation;
    else generation = addGeneration(store, now);
    bind(store, fingerprint, generation);
    if (isKnown) {
      store.run(
        `UPDATE targets SET user = ?, account = CASE WHEN ? = '' THEN account ELSE ? END, learned = 1
         WHERE generation = ?`,
        identity.user,
        identity.account,
        identity.account,
        generation,
      );
    }
    return generation;
  });
}
