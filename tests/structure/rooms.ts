/**
 * The rooms of the house and the arrows that are allowed between them (architecture, section 2).
 *
 * @module
 */

/** A room: files whose path matches belong to it; the first match decides. */
export interface Room {
  readonly name: string;
  readonly pattern: RegExp;
  /** Rooms whose modules may be imported, beside its own. `type` arrows vanish at run time. */
  readonly arrows: readonly string[];
  readonly typeArrows?: readonly string[];
  /** Rooms that may be loaded by a literal `import()` only. */
  readonly lazyArrows?: readonly string[];
}

/** What the shared stages and the edges around them may stand on. */
const LIB_FLOOR = ["lib/runtime", "lib/version"];
/** What reads and writes memory over the wire stands on. */
const LIB_WIRE = [
  ...LIB_FLOOR,
  "lib/config",
  "lib/identity",
  "lib/http-contract",
  "lib/http",
];
const LIB = [
  ...LIB_FLOOR,
  "lib/config",
  "lib/identity",
  "lib/http-contract",
  "lib/http",
  "lib/capture",
  "lib/outbox-contract",
  "lib/outbox",
  "lib/recall",
  "lib/hook-contract",
  "lib/guard",
  "lib/hook",
  "lib/mcp",
  "lib/diagnose",
];
const HOST = ["host/adapter", "host/transcript", "host/manifest", "host/record", "host-contract"];

/**
 * Every room. Contracts (`types.ts` and the capture model) are rooms of their own, so that a room
 * can share a shape with its neighbour without standing on its behaviour.
 */
export const ROOMS: readonly Room[] = [
  { name: "lib/version", pattern: /^lib\/version\.ts$/, arrows: [] },
  { name: "lib/runtime", pattern: /^lib\/runtime\//, arrows: [] },
  { name: "lib/config", pattern: /^lib\/config\//, arrows: [...LIB_FLOOR] },
  { name: "lib/identity", pattern: /^lib\/identity\//, arrows: [...LIB_FLOOR, "lib/config"] },
  { name: "lib/http-contract", pattern: /^lib\/http\/types\.ts$/, arrows: ["lib/runtime"] },
  {
    name: "lib/http",
    pattern: /^lib\/http\//,
    arrows: [...LIB_FLOOR, "lib/config", "lib/identity", "lib/http-contract"],
  },
  {
    name: "lib/capture",
    pattern: /^lib\/capture\//,
    arrows: LIB_WIRE,
  },
  {
    name: "lib/outbox-contract",
    pattern: /^lib\/outbox\/types\.ts$/,
    arrows: [],
    typeArrows: ["lib/capture", "lib/config", "lib/runtime"],
  },
  {
    name: "lib/outbox",
    pattern: /^lib\/outbox\//,
    arrows: [...LIB_WIRE, "lib/capture", "lib/outbox-contract"],
  },
  {
    name: "lib/recall",
    pattern: /^lib\/recall\//,
    arrows: [...LIB_WIRE, "lib/capture"],
  },
  {
    name: "lib/hook-contract",
    pattern: /^lib\/hook\/types\.ts$/,
    arrows: [],
    typeArrows: ["lib/runtime", "lib/config", "lib/capture"],
  },
  {
    name: "lib/guard",
    pattern: /^lib\/guard\//,
    arrows: LIB_WIRE,
    typeArrows: ["lib/hook-contract"],
  },
  {
    name: "lib/hook",
    pattern: /^lib\/hook\//,
    arrows: LIB.filter((name) => !["lib/mcp", "lib/diagnose"].includes(name)),
  },
  {
    name: "lib/mcp",
    pattern: /^lib\/mcp\//,
    arrows: LIB.filter((name) => !["lib/recall", "lib/hook", "lib/diagnose"].includes(name)),
  },
  {
    name: "lib/diagnose",
    pattern: /^lib\/diagnose\//,
    arrows: LIB.filter((name) => !["lib/guard", "lib/mcp"].includes(name)),
  },
  {
    name: "lib/manifest-contract",
    pattern: /^lib\/manifest\.ts$/,
    arrows: [],
    typeArrows: ["lib/config", "lib/runtime"],
  },
  {
    name: "local",
    pattern: /^local\//,
    arrows: [...LIB_FLOOR, "lib/http-contract", "lib/capture", "lib/recall"],
  },
  {
    name: "host/hook",
    pattern: /^hosts\/.+\/(hook|\w+_hook|plugin)\.ts$/,
    arrows: ["host/adapter", "host/transcript", "host/hook", ...LIB],
    lazyArrows: ["local"],
  },
  {
    name: "host/manifest",
    pattern: /^hosts\/.+\/manifest\.ts$/,
    arrows: ["host/adapter"],
    typeArrows: ["lib/runtime", "lib/config", "lib/hook-contract", "lib/manifest-contract"],
  },
  {
    name: "host-contract",
    pattern: /^hosts\/record\.ts$/,
    arrows: [],
    typeArrows: ["lib/config"],
  },
  {
    name: "host/record",
    pattern: /^hosts\/.+\/record\.ts$/,
    arrows: ["host-contract", "host/manifest"],
  },
  {
    name: "host/transcript",
    pattern: /^hosts\/.+\/(_?\w*transcript\w*|_\w+)\.ts$/,
    arrows: ["lib/capture"],
    typeArrows: ["lib/runtime"],
  },
  {
    name: "host/adapter",
    pattern: /^hosts\/.+\/\w+\.ts$/,
    arrows: ["lib/guard", "lib/capture", "host/transcript"],
    typeArrows: ["lib/runtime", "lib/config", "lib/hook-contract", "lib/outbox-contract"],
  },
  {
    name: "hosts",
    pattern: /^hosts\/mod\.ts$/,
    arrows: [...HOST],
    typeArrows: ["lib/hook-contract", "lib/config", "lib/capture", "lib/manifest-contract"],
  },
  {
    name: "install",
    pattern: /^install\//,
    arrows: [
      "host/manifest",
      "skills",
      "lib/manifest-contract",
      "lib/config",
      "lib/outbox-contract",
      ...LIB_FLOOR,
    ],
  },
  { name: "mcp", pattern: /^mcp\//, arrows: ["hosts", ...HOST, "local", ...LIB] },
  {
    name: "cli",
    pattern: /^cli(\/|\.ts$)/,
    arrows: [
      "hosts",
      "host/hook",
      ...HOST,
      "local",
      "install",
      "lib/manifest-contract",
      "mcp",
      ...LIB,
    ],
  },
  { name: "api", pattern: /^mod\.ts$/, arrows: ["hosts", "local", ...LIB] },
  { name: "docs", pattern: /^docs\/\w+\.ts$/, arrows: ["hosts", ...LIB] },
  { name: "npm", pattern: /^npm\//, arrows: ["hosts", "install", ...LIB_FLOOR] },
  { name: "skills", pattern: /^skills\//, arrows: [...LIB_FLOOR] },
];

/** The room of `path`; `undefined` for tests and for files that have none. */
export function roomOf(path: string): Room | undefined {
  return ROOMS.find((room) => room.pattern.test(path));
}

/** Folder of the host that `path` belongs to, "" outside of `hosts/`. */
export function hostFolderOf(path: string): string {
  return path.startsWith("hosts/") && path.split("/").length > 2
    ? path.slice(0, path.lastIndexOf("/"))
    : "";
}

/** True for the entry of a host that is started once per event or loaded in the host's process. */
export function isHookEntry(path: string): boolean {
  return roomOf(path)?.name === "host/hook";
}

/** True for everything under `tests/`, which may use what it likes. */
export function isTestFile(path: string): boolean {
  return path.startsWith("tests/");
}
