/**
 * The user's tree: files that are stored, and the files that sessions look like.
 *
 * @module
 */
import type { Identity } from "../identity.ts";
import type { Owner, Store } from "../store/store.ts";
import type { Session } from "../sessions/session_row.ts";
import type { StoredFile } from "./files.ts";
import type { StoredMessage } from "../messages/message_row.ts";
import { describeSession, listSessions } from "../sessions/sessions.ts";
import { findSession } from "../sessions/session_row.ts";
import { describeMessages, readMessageAt, readMessages } from "../messages/stored_message.ts";
import {
  archiveName,
  archiveOverview,
  latestOverview,
  listArchives,
} from "../sessions/archives.ts";
import { filesBelow, foldersBelow, readFile } from "./files.ts";
import { wholeText } from "../ranking/window.ts";

/** A folder or file below the user's root. */
export interface TreeNode {
  /** Path below the user's root, "" for the root. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** Milliseconds. */
  readonly modified: number;
  /** Bytes; 0 for folders, and for session files in listings, whose text is made when it is read. */
  readonly size: number;
  /** The text of a file. */
  readonly read?: () => string;
  /** One line about it, "" when there is none. */
  readonly abstract: string;
  /** Set when it is a stored file. */
  readonly file?: StoredFile;
  /** Set when it belongs to a session. */
  readonly session?: Session;
  /** Set when it is one message. */
  readonly message?: StoredMessage;
}

/** Where a tree is read. */
export interface TreeView {
  readonly store: Store;
  readonly identity: Identity;
  /** Absent when nothing was ever stored. */
  readonly owner: Owner | undefined;
}

/** What the folders of every user are for. */
const TOP_FOLDERS: Readonly<Record<string, string>> = {
  memories: "Notes that were explicitly remembered or written.",
  peers: "Not used by the embedded engine: messages carry their peer.",
  privacy: "Not used by the embedded engine: secrets are removed before anything is stored.",
  resources: "Documents written by the user.",
  sessions: "Conversations: live messages and archives.",
  skills: "Not used by the embedded engine.",
};

const encoder = new TextEncoder();

function directory(path: string, modified: number, abstract = "", session?: Session): TreeNode {
  return {
    path,
    isDirectory: true,
    modified,
    size: 0,
    abstract,
    ...(session === undefined ? {} : { session }),
  };
}

function fileNode(file: StoredFile): TreeNode {
  return {
    path: file.path,
    isDirectory: false,
    modified: file.updated,
    size: encoder.encode(file.text).length,
    abstract: file.text.replace(/\s+/g, " ").trim(),
    read: () => file.text,
    file,
  };
}

function madeFile(
  path: string,
  modified: number,
  session: Session,
  read: () => string,
  message?: StoredMessage,
): TreeNode {
  return {
    path,
    isDirectory: false,
    modified,
    size: message === undefined ? 0 : encoder.encode(read()).length,
    abstract: "",
    read,
    session,
    ...(message === undefined ? {} : { message }),
  };
}

function toLines(view: TreeView, messages: readonly StoredMessage[]): string {
  return describeMessages(view.store, messages).map((message) => JSON.stringify(message) + "\n")
    .join("");
}

/** Files of an archive's folder. */
function archiveFiles(view: TreeView, session: Session, folder: string): TreeNode[] {
  const { store } = view;
  const archive = listArchives(store, session.id).find((one) =>
    folder.endsWith(archiveName(one.number))
  );
  if (archive === undefined) return [];
  const { fromSeq, toSeq, created } = archive;
  const overview = (): string => archive.overview ? archiveOverview(store, session, archive) : "";
  return [
    madeFile(`${folder}/.abstract.md`, created, session, () => overview().split("\n")[0] ?? ""),
    madeFile(`${folder}/.done`, created, session, () => ""),
    madeFile(`${folder}/.overview.md`, created, session, overview),
    madeFile(
      `${folder}/messages.jsonl`,
      created,
      session,
      () => toLines(view, readMessages(store, session.id, fromSeq, toSeq)),
    ),
  ];
}

function sessionChildren(view: TreeView, session: Session, rest: readonly string[]): TreeNode[] {
  const { store, identity } = view;
  const root = `sessions/${session.name}`;
  const [area, name] = rest;
  if (area === undefined) {
    return [
      madeFile(
        `${root}/.meta.json`,
        session.updated,
        session,
        () => JSON.stringify(describeSession(store, identity, session)),
      ),
      ...(session.commitCount > 0
        ? [directory(`${root}/history`, session.lastCommit, "", session)]
        : []),
      directory(`${root}/messages`, session.updated, "", session),
      madeFile(
        `${root}/messages.jsonl`,
        session.updated,
        session,
        () => toLines(view, readMessages(store, session.id, session.liveFrom, session.nextSeq)),
      ),
    ];
  }
  if (area === "history" && name === undefined) {
    return listArchives(store, session.id).map((archive) =>
      directory(`${root}/history/${archiveName(archive.number)}`, archive.created, "", session)
    );
  }
  if (area === "history" && rest.length === 2) {
    return archiveFiles(view, session, `${root}/history/${name}`);
  }
  if (area === "messages" && name === undefined) {
    return readMessages(store, session.id, 1, session.nextSeq).map((message) =>
      messageNode(session, message)
    );
  }
  return [];
}

function messageNode(session: Session, message: StoredMessage): TreeNode {
  return madeFile(
    `sessions/${session.name}/messages/${message.seq}`,
    message.created,
    session,
    () => wholeText(message),
    message,
  );
}

/** Folders and files of a folder, from the stored paths below it. */
function storedChildren(view: TreeView, folder: string): TreeNode[] {
  const { store, owner } = view;
  if (owner === undefined) return [];
  const prefix = folder === "" ? "" : `${folder}/`;
  const nodes = new Map<string, TreeNode>();
  for (const file of filesBelow(store, owner.id, folder)) {
    const rest = file.path.slice(prefix.length);
    const slash = rest.indexOf("/");
    if (slash < 0) nodes.set(file.path, fileNode(file));
    else {
      const path = prefix + rest.slice(0, slash);
      const known = nodes.get(path)?.modified ?? 0;
      nodes.set(path, directory(path, Math.max(known, file.updated)));
    }
  }
  for (const made of foldersBelow(store, owner.id, folder)) {
    if (made === folder) continue;
    const path = prefix + (made.slice(prefix.length).split("/")[0] ?? "");
    if (!nodes.has(path)) nodes.set(path, directory(path, 0));
  }
  return [...nodes.values()];
}

/** What a folder holds, sorted by path; folders first, as the server lists them. */
export function childrenOf(view: TreeView, path: string): TreeNode[] {
  const { store, owner } = view;
  const [top, name, ...rest] = path.split("/");
  let nodes: TreeNode[];
  if (top === "sessions") {
    const session = name === undefined ? undefined : findSession(store, owner, name);
    if (name === undefined) {
      nodes = listSessions(store, owner).map((one) =>
        directory(`sessions/${one.name}`, one.updated, "", one)
      );
    } else nodes = session === undefined ? [] : sessionChildren(view, session, rest);
  } else {
    nodes = storedChildren(view, path);
    if (path === "") {
      const made = new Map(nodes.map((node) => [node.path, node]));
      for (const [folder, abstract] of Object.entries(TOP_FOLDERS)) {
        made.set(folder, directory(folder, made.get(folder)?.modified ?? 0, abstract));
      }
      nodes = [...made.values()];
    }
  }
  return nodes.sort((a, b) =>
    Number(b.isDirectory) - Number(a.isDirectory) || (a.path < b.path ? -1 : 1)
  );
}

function sessionNode(view: TreeView, path: string): TreeNode | undefined {
  const { store, owner } = view;
  const [, name = "", area, item, ...rest] = path.split("/");
  const session = findSession(store, owner, name);
  if (session === undefined) return undefined;
  if (area === undefined) return directory(path, session.updated, "", session);
  if (area === "messages" && item !== undefined && rest.length === 0) {
    const message = /^\d+$/.test(item) ? readMessageAt(store, session.id, Number(item)) : undefined;
    return message === undefined ? undefined : messageNode(session, message);
  }
  const parent = path.slice(0, path.lastIndexOf("/"));
  return childrenOf(view, parent).find((node) => node.path === path);
}

/** The node at `path`, `undefined` when there is nothing. */
export function nodeAt(view: TreeView, path: string): TreeNode | undefined {
  const { store, owner } = view;
  if (path === "") return directory("", 0, "The user's own memory.");
  const top = TOP_FOLDERS[path];
  if (top !== undefined) return directory(path, 0, top);
  if (path.startsWith("sessions/")) return sessionNode(view, path);
  if (owner === undefined) return undefined;
  const file = readFile(store, owner.id, path);
  if (file !== undefined) return fileNode(file);
  const made = foldersBelow(store, owner.id, path).length > 0;
  return made || filesBelow(store, owner.id, path).length > 0 ? directory(path, 0) : undefined;
}

/** What a folder or session is about, "" when there is nothing to say. */
export function overviewOf(view: TreeView, node: TreeNode): string {
  if (node.session === undefined) return node.abstract;
  const archive = /\/history\/archive_(\d+)/.exec(node.path)?.[1];
  if (archive === undefined) return latestOverview(view.store, node.session);
  const found = listArchives(view.store, node.session.id)
    .find((one) => one.number === Number(archive));
  return found === undefined || !found.overview
    ? ""
    : archiveOverview(view.store, node.session, found);
}
