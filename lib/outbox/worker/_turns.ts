/**
 * What a worker does under its lease, one turn at a time: take in, connect, deliver, tidy up.
 *
 * @module
 */
import type { OvFailure, OvHttp } from "../../http/types.ts";
import type { DeliveryContext, Step } from "../deliver/delivery.ts";
import type { Connected, WorkerOptions } from "./worker_options.ts";
import type { Store } from "../store/store.ts";
import { serveNextSession } from "../deliver/drain.ts";
import { followTask, hasTaskDue, resendFailed } from "../deliver/follow_task.ts";
import { askIdentity, learnIdentity } from "../store/identity.ts";
import { enforceLimits } from "../store/limits.ts";
import { forgetArchived, sweepIdle } from "../ingest/sweep.ts";
import {
  downState,
  heldState,
  OPEN_TARGET,
  readTargetState,
  type TargetState,
  writeTargetState,
} from "../store/target_state.ts";
import { createRedactors, ingestSpool, spoolNames } from "../ingest/ingest.ts";
import { num } from "../store/store.ts";
import { readTargetFile, targetFolder, UNRESOLVED_TARGET } from "../target.ts";
import { shareWithReaders } from "./_shared_breaker.ts";
import { createWaitingHooks } from "./_waiting_hooks.ts";
import { takeOverSpool } from "../ingest/take_over.ts";

/** The turns of a worker. */
export interface Turns {
  /** Takes spool files in; returns how many are done with. */
  takeIn(): Promise<number>;
  /** Does one step of delivery if one is due; false when none was. */
  deliver(): Promise<boolean>;
  /** Spool files that have to wait. */
  waitingNames(): readonly string[];
  /** When the next step or file is due; `Infinity` when nothing of ours waits. */
  nextDueAt(): number;
  /** True while a request is under way. */
  isBusy(): boolean;
  /** True when this worker found the target held: refused credentials or no usable connection. */
  isHeld(): boolean;
  /** Messages taken in. */
  messages(): number;
  /** Messages acknowledged. */
  delivered(): number;
}

const CONNECT_EVERY_MS = 1000;
const SWEEP_EVERY_MS = 30_000;

/** Makes the turns of a worker over its open store. */
export function createTurns(
  options: WorkerOptions,
  folder: string,
  store: Store,
  isStopped: () => boolean,
): Turns {
  const { runtime, agentHome, targetId, decoders } = options;
  const checkpoint = options.checkpoint ?? (() => {});
  const random = options.random ?? Math.random;
  const now = (): number => runtime.now();
  const target = readTargetFile(runtime, agentHome, targetId) ??
    { ...UNRESOLVED_TARGET, id: targetId };
  const limits = { maxAgeDays: options.maxAgeDays ?? 0, maxBytes: options.maxBytes ?? 0 };
  store.run("INSERT OR REPLACE INTO meta(key, value) VALUES ('limits', ?)", JSON.stringify(limits));
  const capabilities = { batch: true, workingMemory: true };
  let connected: Connected | undefined;
  let connectedAt = -Infinity;
  /** Key whose identity is known, and the generation that may be sent under it. */
  let known: { readonly key: string; readonly generation: number } | undefined;
  let sweptAt = -Infinity;
  let busy = false;
  /** What this worker itself found; the stored state may be an earlier one's. */
  let looked = false;
  let taken = 0;
  let acknowledged = 0;
  let waiting: readonly string[] = [];
  const hooks = createWaitingHooks(runtime.files, store);

  const secrets = (): readonly string[] =>
    connected !== undefined && "http" in connected ? connected.secrets ?? [] : [];
  const keyOf = (http: Connected): string => "http" in http ? http.keyFingerprint ?? "" : "";

  async function connect(): Promise<Connected> {
    if (connected === undefined || now() - connectedAt >= CONNECT_EVERY_MS) {
      connected = await options.connect(target);
      connectedAt = now();
    }
    return connected;
  }

  /** The client to use now, with its generation; `undefined` when the target has to wait. */
  async function usable(): Promise<{ http: OvHttp; generation: number } | undefined> {
    const state = readTargetState(store);
    const isPaused = now() < state.nextTryAt;
    if (isPaused && state.state !== "held") return undefined;
    const connection = await connect();
    looked = true;
    if ("held" in connection) {
      if (state.state !== "held" || state.reason !== connection.held) {
        note({ ...OPEN_TARGET, state: "held", reason: connection.held, nextTryAt: 0 });
      }
      return undefined;
    }
    const key = keyOf(connection);
    const wasRefused = state.state === "held" && state.status !== 0;
    if (isPaused && wasRefused && state.keyFingerprint === key) return undefined;
    if (known?.key !== key || wasRefused) {
      const generation = await identify(connection.http, key, state);
      if (generation === undefined) return undefined;
      known = { key, generation };
    }
    if (state.state === "held") note(OPEN_TARGET);
    return { http: connection.http, generation: known.generation };
  }

  async function identify(
    http: OvHttp,
    key: string,
    state: TargetState,
  ): Promise<number | undefined> {
    if (targetId === "local") return learnIdentity(store, key, { account: "", user: "" }, now());
    const identity = await askIdentity(http);
    share(key, "ok" in identity ? identity : undefined);
    if (!("ok" in identity)) {
      const generation = learnIdentity(store, key, identity, now());
      store.run("UPDATE waiting_events SET next_try_at = 0"); // those that waited to know this
      return generation;
    }
    note(
      identity.action === "hold"
        ? heldState(
          state,
          `${identity.status} auth: ${identity.message}`,
          identity.status,
          key,
          now(),
        )
        : downState(state, identity, now(), random()),
    );
    return undefined;
  }

  function share(credential: string, failure: OvFailure | undefined): void {
    if (targetId === "local") return;
    shareWithReaders({ runtime, agentHome, target: targetId, credential }, failure);
  }

  function note(state: TargetState): void {
    writeTargetState(store, state);
  }

  function afterStep(step: Step, http: Connected): void {
    const state = readTargetState(store);
    if (step.kind !== "waits") share(keyOf(http), step.kind === "done" ? undefined : step.failure);
    if (step.kind === "target" || step.kind === "hold") hooks.releaseAll();
    else hooks.releaseDrained();
    switch (step.kind) {
      case "target":
        return note(downState(state, step.failure, now(), random()));
      case "hold":
        known = undefined;
        return note(
          heldState(
            state,
            `${step.failure.status} ${step.failure.category}: ${step.failure.message}`,
            step.failure.status,
            keyOf(http),
            now(),
          ),
        );
      case "done":
        if (state.state !== "open") note(OPEN_TARGET);
    }
  }

  async function tidy(context: DeliveryContext, generation: number): Promise<void> {
    if (now() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = now();
    const sweep = {
      runtime,
      agentHome,
      store,
      decoders,
      redactorFor: createRedactors(secrets),
      idleMs: (options.idleMinutes ?? 30) * 60_000,
      checkpoint,
    };
    await sweepIdle(sweep);
    forgetArchived(sweep);
    resendFailed(context, generation);
    enforceLimits(runtime, folder, store, limits);
  }

  /** What was recorded under a broken configuration belongs to the target that it names when mended. */
  async function takeOverUnresolved(): Promise<void> {
    const from = targetFolder(agentHome, UNRESOLVED_TARGET.id);
    if (from === folder || spoolNames({ runtime, folder: from }).length === 0) return;
    connectedAt = -Infinity;
    if ("http" in await connect()) takeOverSpool(runtime, from, folder);
  }

  /** True when a session or a task might be due, of whatever identity, or a key is not known yet. */
  function mightDeliver(): boolean {
    const at = now();
    const isNewKey = connected !== undefined && "http" in connected &&
      keyOf(connected) !== known?.key;
    return (waiting.length > 0 && isNewKey) ||
      store.get("SELECT 1 FROM sessions WHERE open = 1 AND next_try_at <= ? LIMIT 1", at) !==
        undefined ||
      hasTaskDue(store, at) || at - sweptAt >= SWEEP_EVERY_MS;
  }

  return {
    async takeIn() {
      await takeOverUnresolved();
      if (spoolNames({ runtime, folder }).length === 0) {
        waiting = [];
        return 0;
      }
      await connect(); // its secrets must not be stored
      const report = await ingestSpool({
        runtime,
        agentHome,
        folder,
        store,
        decoders,
        keyHints: () => ({
          explicit: target.account !== "" && target.user !== "",
          current: known?.generation,
        }),
        secrets,
        checkpoint,
        onAwaited: hooks.add,
        ...(options.onTakenIn === undefined ? {} : { onTakenIn: options.onTakenIn }),
      }, isStopped);
      taken += report.messages;
      waiting = report.waiting;
      return report.files;
    },
    async deliver() {
      if (!mightDeliver()) {
        hooks.releaseAll();
        return false;
      }
      busy = true;
      try {
        const use = await usable();
        if (use === undefined) {
          hooks.releaseAll();
          return false;
        }
        const { http, generation } = use;
        const context: DeliveryContext = {
          store,
          http,
          capabilities,
          settleMs: (options.settleSeconds ?? 40) * 1000,
          now,
          random,
          checkpoint,
          onAcknowledged: (count) => {
            acknowledged += count;
          },
        };
        await tidy(context, generation);
        const step = await serveNextSession(context, generation) ??
          await followTask(context, generation);
        if (step === false) return false;
        afterStep(step, connected ?? { held: "" });
        return true;
      } finally {
        busy = false;
      }
    },
    waitingNames: () => waiting,
    nextDueAt() {
      const state = readTargetState(store);
      const row = store.get(
        "SELECT min(next_try_at) AS at FROM sessions WHERE open = 1 AND (? = 0 OR target = ?)",
        known?.generation ?? 0,
        known?.generation ?? 0,
      );
      const event = store.get("SELECT min(next_try_at) AS at FROM waiting_events");
      const isOpen = row !== undefined && row["at"] !== null;
      const pausedTo = looked || state.state !== "held" ? state.nextTryAt : 0;
      const sessionAt = isOpen ? Math.max(num(row, "at"), pausedTo) : Infinity;
      const eventAt = event === undefined || event["at"] === null ? Infinity : num(event, "at");
      return waiting.length > 0 && eventAt === Infinity
        ? Math.min(sessionAt, now())
        : Math.min(sessionAt, eventAt);
    },
    isBusy: () => busy,
    isHeld: () => looked && readTargetState(store).state === "held",
    messages: () => taken,
    delivered: () => acknowledged,
  };
}
