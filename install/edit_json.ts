/**
 * Puts the entries of a manifest into a JSON text, finds them, and takes them out again.
 *
 * Edits are minimal and textual. `removeOurs(addEntries(text))` is `text`, byte for byte.
 *
 * @module
 */
import type { Json, JsonObject } from "../lib/runtime/types.ts";
import type { ManifestEntry, ManifestPart, SearchedPlace } from "../lib/manifest.ts";
import { getNodeValue } from "jsonc-parser";
import {
  faultAt,
  type JsonDocument,
  type JsonNode,
  memberOf,
  nodeAt,
  parseDocument,
} from "./json/document.ts";
import { type ContainerNote, insertItem, insertMember } from "./json/insert.ts";
import { collapseContainers, removeChild } from "./json/remove.ts";
import { isOurHook, isOurServer } from "./ownership.ts";

/** A value of ours in a text. */
export interface OurValue {
  readonly part: ManifestPart;
  readonly kind: SearchedPlace["kind"];
  /** Container that holds it: the list of groups, the list of items or the object of members. */
  readonly path: readonly string[];
  /** Name of a member, "" otherwise. */
  readonly name: string;
  /** The handler, item or member as a value. */
  readonly value: Json;
  /** A handler's group without its handlers; `{}` otherwise. */
  readonly group: JsonObject;
}

/** Where one of ours stands: the node, what holds it, and, for a handler, the group and its list. */
interface Found extends OurValue {
  readonly node: JsonNode;
  readonly holder: JsonNode;
  readonly groupNode?: JsonNode;
  readonly list?: JsonNode;
}

/** Containers that match a path in which `*` stands for every key. */
function expand(
  root: JsonNode,
  path: readonly string[],
): { readonly path: readonly string[]; readonly node: JsonNode }[] {
  let level: { path: readonly string[]; node: JsonNode }[] = [{ path: [], node: root }];
  for (const key of path) {
    level = level.flatMap(({ path: above, node }) => {
      if (node.type !== "object") return [];
      const keys = key === "*"
        ? [...new Set(node.children?.map((property) => String(property.children?.[0]?.value)))]
        : [key];
      return keys.flatMap((name) => {
        const child = memberOf(node, name);
        return child === undefined ? [] : [{ path: [...above, name], node: child }];
      });
    });
  }
  return level;
}

function without(object: JsonObject, key: string): JsonObject {
  const rest = { ...object };
  delete rest[key];
  return rest;
}

function findHandlers(
  list: JsonNode,
  path: readonly string[],
  place: Extract<SearchedPlace, { kind: "handler" }>,
): Found[] {
  if (list.type !== "array") return [];
  return (list.children ?? []).flatMap((groupNode) => {
    const holder = groupNode.type === "object" ? memberOf(groupNode, place.handlers) : undefined;
    if (holder?.type !== "array") return [];
    const handlers = holder.children ?? [];
    const group = without(getNodeValue(groupNode) as JsonObject, place.handlers);
    return handlers.filter((node) => isOurHook(getNodeValue(node))).map((node): Found => ({
      part: place.part,
      kind: "handler",
      path,
      name: "",
      value: getNodeValue(node) as Json,
      group,
      node,
      holder,
      groupNode,
      list,
    }));
  });
}

function findAll(document: JsonDocument, places: readonly SearchedPlace[]): Found[] {
  return places.flatMap((place) =>
    expand(document.root, place.path).flatMap(({ path, node }): Found[] => {
      if (place.kind === "handler") return findHandlers(node, path, place);
      const base = { part: place.part, kind: place.kind, path, group: {} };
      if (place.kind === "item" && node.type === "array") {
        return (node.children ?? []).filter((child) => isOurHook(getNodeValue(child)))
          .map((child) => ({
            ...base,
            name: "",
            value: getNodeValue(child) as Json,
            node: child,
            holder: node,
          }));
      }
      if (place.kind !== "member" || node.type !== "object") return [];
      return (node.children ?? []).flatMap((property): Found[] => {
        const name = String(property.children?.[0]?.value);
        const value = property.children?.[1];
        if (value === undefined || !isOurServer(name, getNodeValue(value))) return [];
        return [{
          ...base,
          name,
          value: getNodeValue(value) as Json,
          node: property,
          holder: node,
        }];
      });
    })
  );
}

/** Everything of ours at `places`, in the order of the text. */
export function findOurs(
  document: JsonDocument,
  places: readonly SearchedPlace[],
): readonly OurValue[] {
  return findAll(document, places);
}

/**
 * Takes everything of ours out of `document`. Groups that only held ours go; containers get back the
 * form that `notes` remember.
 *
 * @param notes What adding left; `undefined` when there is no record of this file.
 * @param settings Paths of `setting` entries that were added, removed when they still hold their value.
 */
export function removeOurs(
  document: JsonDocument,
  places: readonly SearchedPlace[],
  notes: readonly ContainerNote[] | undefined,
  settings: readonly AddedSetting[] = [],
): string {
  let current = document;
  const shrink = (text: string, path: readonly string[]) => {
    const collapsed = collapseContainers(document.path, text, path, notes);
    current = parseDocument(document.path, document.bom + collapsed);
  };
  for (;;) {
    const ours = findAll(current, places).at(-1);
    if (ours === undefined) break;
    const { text } = current;
    const last = ours.holder.children?.length === 1;
    shrink(
      ours.groupNode !== undefined && ours.list !== undefined && last
        ? removeChild(text, ours.list, ours.groupNode)
        : removeChild(text, ours.holder, ours.node),
      ours.path,
    );
  }
  for (const { path, value } of settings) {
    const holder = nodeAt(current.root, path.slice(0, -1));
    const node = nodeAt(current.root, path);
    const property = holder?.children?.findLast((p) => p.children?.[1] === node);
    if (holder === undefined || node === undefined || property === undefined) continue;
    if (!sameJson(getNodeValue(node), value)) continue;
    shrink(removeChild(current.text, holder, property), path.slice(0, -1));
  }
  return current.text;
}

/** A `setting` entry that was not there before. */
export interface AddedSetting {
  readonly path: readonly string[];
  readonly value: Json;
}

/** A text with entries added, and what the inverse must know. */
export interface Added {
  readonly text: string;
  readonly notes: readonly ContainerNote[];
  readonly settings: readonly AddedSetting[];
  /** Entries left out because a value that is not ours stands there. */
  readonly foreign: readonly (readonly string[])[];
}

/**
 * Adds every entry to a text that holds none of ours.
 *
 * @throws {InstallError} `invalid-config` when a container has the wrong type.
 */
export function addEntries(document: JsonDocument, entries: readonly ManifestEntry[]): Added {
  let current = document;
  const notes: ContainerNote[] = [];
  const settings: AddedSetting[] = [];
  const foreign: (readonly string[])[] = [];
  for (const entry of entries) {
    if (entry.kind === "setting" || entry.kind === "member") {
      const holder = nodeAt(current.root, entry.path.slice(0, -1));
      if (holder?.type === "object" && nodeAt(current.root, entry.path) !== undefined) {
        if (entry.kind === "member") foreign.push(entry.path);
        continue;
      }
      if (entry.kind === "setting") settings.push({ path: entry.path, value: entry.value });
    }
    const inserted = entry.kind === "handler"
      ? insertItem(current, entry.path, { ...entry.group, [entry.handlers]: [entry.handler] })
      : entry.kind === "item"
      ? insertItem(current, entry.path, entry.value)
      : insertMember(current, entry.path, entry.value);
    notes.push(...inserted.notes);
    current = parseDocument(document.path, document.bom + inserted.text);
  }
  return { text: current.text, notes, settings, foreign };
}

/**
 * True when what is ours in `document` is exactly `entries`: nothing missing, doubled or left over.
 * A member of others under a name of ours counts as settled, because it will not be touched.
 */
export function holdsExactly(
  document: JsonDocument,
  places: readonly SearchedPlace[],
  entries: readonly ManifestEntry[],
): boolean {
  const left = [...findAll(document, places)];
  for (const entry of entries) {
    const at = left.findIndex((ours) => matches(ours, entry));
    if (at !== -1) left.splice(at, 1);
    else if (entry.kind === "handler" || entry.kind === "item") return false;
    else if (nodeAt(document.root, entry.path) === undefined) return false;
  }
  return left.length === 0;
}

function matches(ours: OurValue, entry: ManifestEntry): boolean {
  const place = entry.kind === "handler" || entry.kind === "item"
    ? entry.path
    : entry.path.slice(0, -1);
  if (ours.kind !== entry.kind || !sameJson([...ours.path], [...place])) return false;
  if (entry.kind === "handler") {
    return sameJson(ours.value, entry.handler) && sameJson(ours.group, entry.group);
  }
  return ours.name === (entry.kind === "member" ? entry.path.at(-1) : "") &&
    sameJson(ours.value, entry.value);
}

/** Equality of JSON values; the order of members does not matter. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
      a.every((item, i) => sameJson(item, b[i] as Json));
  }
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => key in b && sameJson(a[key] as Json, b[key] as Json));
}

/** The value at `path`, `undefined` when it is not there. */
export function valueAt(document: JsonDocument, path: readonly string[]): Json | undefined {
  const node = nodeAt(document.root, path);
  return node === undefined ? undefined : getNodeValue(node) as Json;
}

/**
 * Sets a member: replaced where it stands, else added.
 *
 * @throws {InstallError} `invalid-config` when something on the way is no object.
 */
export function setMember(
  document: JsonDocument,
  path: readonly string[],
  value: Json,
): { readonly text: string; readonly notes: readonly ContainerNote[] } {
  const node = nodeAt(document.root, path);
  if (node === undefined) return insertMember(document, path, value);
  const { text } = document;
  const end = node.offset + node.length;
  return { text: text.slice(0, node.offset) + JSON.stringify(value) + text.slice(end), notes: [] };
}

/** An `invalid-config` error at the value of `path`, or at the start of the document. */
export function faultAtPath(
  document: JsonDocument,
  path: readonly string[],
  state: string,
): Error {
  const node = nodeAt(document.root, path) ?? document.root;
  return faultAt(document.path, document.text, node.offset, state);
}
