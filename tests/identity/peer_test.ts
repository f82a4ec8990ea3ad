import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { denoRuntime as runtime } from "../../lib/runtime/deno.ts";
import { isPeerId, type Peer, type PeerOptions, resolvePeer } from "../../lib/identity/peer.ts";
import { resolveSessionPeer } from "../../lib/identity/session_peer.ts";
import { tempFolder, writeIn } from "../support/temp_folder.ts";

function peerOf(cwd: string, options: Partial<PeerOptions> = {}): Peer {
  return resolvePeer({ runtime, cwd, workspacePeer: true, ...options });
}

/** A repository as git lays it out; `remotes` is the body of its configuration. */
function repository(folder: string, remotes = ""): string {
  writeIn(folder, ".git/HEAD", "ref: refs/heads/main\n");
  writeIn(folder, ".git/config", `[core]\n\tbare = false\n${remotes}`);
  mkdirSync(join(folder, "src/deep"), { recursive: true });
  return folder;
}

function origin(url: string): string {
  return `[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
}

/** A linked worktree of `main` at `folder`. */
function worktree(main: string, folder: string, name: string): string {
  writeIn(main, `.git/worktrees/${name}/HEAD`, "ref: refs/heads/x\n");
  writeIn(main, `.git/worktrees/${name}/commondir`, "../..\n");
  writeIn(folder, ".git", `gitdir: ${main}/.git/worktrees/${name}\n`);
  return folder;
}

test("resolvePeer() names the Git remote of the payload's directory [IDN-06]", () => {
  const root = repository(join(tempFolder(), "app"), origin("git@github.com:acme/Billing.git"));
  const peer = peerOf(root);
  assert.equal(peer.source, "git-remote");
  assert.match(peer.id, /^acme-billing-[0-9a-f]{12}$/);
  assert.equal(peer.from, "github.com/acme/billing");
});

test("resolvePeer() agrees on subdirectories, worktrees and clones, and differs on forks [IDN-09]", () => {
  const base = tempFolder();
  const main = repository(join(base, "main"), origin("git@git.corp:acme/app.git"));
  const clone = repository(join(base, "clone"), origin("https://u:p@git.corp/acme/app"));
  const fork = repository(
    join(base, "fork"),
    origin("git@git.corp:me/app.git") + '[remote "upstream"]\n\turl = git@git.corp:acme/app.git\n',
  );
  const beside = worktree(main, join(base, "beside"), "beside");
  const inside = worktree(main, join(main, ".trees/inside"), "inside");
  const same = [main, join(main, "src/deep"), clone, beside, inside, join(inside, "gone/too")];
  const ids = same.map((cwd) => peerOf(cwd).id);
  assert.deepEqual(new Set(ids).size, 1, ids.join(" "));
  assert.notEqual(peerOf(fork).id, ids[0]);
});

test("resolvePeer() keeps agreeing after a worktree inside the repository is deleted [IDN-09]", () => {
  const main = repository(join(tempFolder(), "main"), origin("git@git.corp:acme/app.git"));
  const inside = worktree(main, join(main, ".trees/inside"), "inside");
  const before = peerOf(join(inside, "src")).id;
  rmSync(inside, { recursive: true });
  assert.equal(peerOf(join(inside, "src")).id, before);
});

test("resolvePeer() keeps different repositories apart whatever their slugs are [IDN-09]", () => {
  const base = tempFolder();
  const urls = [
    "git@h:a/b-c.git",
    "git@h:a-b/c.git",
    "git@h:x/a/b-c.git",
    "git@h2:a/b-c.git",
    "ssh://git@h:99/a/b-c",
    "git@h:A/b-c.git",
    "git@h:项目/仓库.git",
    "git@h:项目/仓库二.git",
  ];
  const ids = urls.map((url, at) => peerOf(repository(join(base, `r${at}`), origin(url))).id);
  ids.push(...["x/app", "y/app"].map((path) => peerOf(repository(join(base, path))).id));
  assert.equal(new Set(ids).size, ids.length, ids.join(" "));
  for (const id of ids) assert.ok(isPeerId(id), id);
});

test("resolvePeer() names a repository without remote by its folder, worktrees included [IDN-09]", () => {
  const base = tempFolder();
  const main = repository(join(base, "My App"));
  const linked = worktree(main, join(base, "linked"), "linked");
  const peer = peerOf(join(main, "src"));
  assert.equal(peer.source, "git-local");
  assert.match(peer.id, /^my-app-[0-9a-f]{12}$/);
  assert.equal(peerOf(linked).id, peer.id);
});

test("resolvePeer() takes a submodule for a repository of its own", () => {
  const main = repository(join(tempFolder(), "main"), origin("git@h:a/main.git"));
  writeIn(main, ".git/modules/sub/HEAD", "x\n");
  writeIn(main, ".git/modules/sub/config", origin("git@h:a/sub.git"));
  writeIn(main, "sub/.git", "gitdir: ../.git/modules/sub\n");
  assert.equal(peerOf(join(main, "sub")).from, "h/a/sub");
});

test("resolvePeer() gives an ordinary folder no peer [IDN-07]", () => {
  assert.deepEqual(peerOf(tempFolder()), { id: "", source: "none" });
  for (
    const cwd of [
      "",
      "relative/path",
      "/",
      "/nonexistent/x/y",
      "x".repeat(10_000),
      "/a".repeat(20_000),
      "\0",
    ]
  ) {
    assert.equal(peerOf(cwd).id, "", cwd.slice(0, 20));
  }
});

test("resolvePeer() obeys a marker file, inside and outside Git [IDN-08]", () => {
  const base = tempFolder();
  writeIn(base, "notes/.openviking/peer", "my.notes\n");
  const app = repository(join(base, "app"), origin("git@h:a/app.git"));
  writeIn(app, "src/.openviking/peer", "part-of-app\r\nsecond line");
  writeIn(app, "quiet/.openviking/peer", "\n");
  mkdirSync(join(base, "notes/2026"));
  assert.deepEqual([peerOf(join(base, "notes/2026")).id, peerOf(join(base, "notes")).source], [
    "my.notes",
    "marker",
  ]);
  assert.equal(peerOf(join(app, "src/deep")).id, "part-of-app");
  assert.equal(peerOf(app).source, "git-remote");
  assert.equal(peerOf(join(app, "quiet")).source, "none");
});

test("resolvePeer() lets a worktree follow the main checkout's marker, and no marker above it [IDN-08] [IDN-09]", () => {
  const base = tempFolder();
  writeIn(base, ".openviking/peer", "umbrella");
  const main = repository(join(base, "main"), origin("git@h:a/app.git"));
  const linked = worktree(main, join(base, "linked"), "linked");
  assert.equal(peerOf(main).source, "git-remote");
  writeIn(main, ".openviking/peer", "named");
  assert.deepEqual([peerOf(main).id, peerOf(linked).id], ["named", "named"]);
});

test("resolvePeer() refuses markers that are links, too long or no names [IDN-08]", () => {
  const base = tempFolder();
  const outside = writeIn(base, "outside/peer", "evil");
  const places: readonly (readonly [string, (folder: string) => void])[] = [
    ["link", (folder) => symlinkSync(outside, join(folder, ".openviking/peer"))],
    ["folder-link", (folder) => {
      rmSync(join(folder, ".openviking"), { recursive: true });
      symlinkSync(join(base, "outside"), join(folder, ".openviking"));
    }],
    ["long", (folder) => writeFileSync(join(folder, ".openviking/peer"), "x".repeat(5000))],
    ["device", (folder) => symlinkSync("/dev/zero", join(folder, ".openviking/peer"))],
  ];
  for (const [name, make] of places) {
    const folder = repository(join(base, name), origin(`git@h:a/${name}.git`));
    mkdirSync(join(folder, ".openviking"));
    make(folder);
    assert.equal(peerOf(folder).source, "git-remote", name);
  }
  for (const [at, text] of ["../../etc", "a/b", "a b", "a@b@c", "..", "x\u0000y", "名"].entries()) {
    const folder = join(base, `bad${at}`);
    writeIn(folder, ".openviking/peer", text);
    const peer = peerOf(folder);
    assert.equal(peer.id, "", text);
    assert.match(peer.problem ?? "", /Cannot use .*peer/);
  }
});

test("resolvePeer() uses an explicit peer as given, also without Git, and reports an unusable one [IDN-08]", () => {
  const app = repository(join(tempFolder(), "app"), origin("git@h:a/app.git"));
  assert.deepEqual(peerOf(app, { explicitPeer: " Team.A@b " }), {
    id: "Team.A@b",
    source: "explicit",
  });
  assert.equal(peerOf(app, { explicitPeer: "x", workspacePeer: false }).id, "x");
  const bad = peerOf(app, { explicitPeer: "a/b\r\nX-Evil: 1" });
  assert.deepEqual([bad.id, bad.source], ["", "none"]);
  assert.match(bad.problem ?? "", /configured peer/);
});

test("resolvePeer() ignores Git and markers when workspacePeer is false [IDN-07]", () => {
  const app = repository(join(tempFolder(), "app"), origin("git@h:a/app.git"));
  writeIn(app, ".openviking/peer", "named");
  assert.deepEqual(peerOf(app, { workspacePeer: false }), { id: "", source: "none" });
});

test("resolvePeer() reads Git's configuration as text and survives what is broken in it", () => {
  const base = tempFolder();
  const table: readonly (readonly [string, string, string | undefined])[] = [
    ["quoted", '[remote "origin"]\n\turl = "https://h/a/b#c.git" ; note\n', "h/a/b"],
    ["comment", '[remote "origin"]\n\turl = https://h/a/b # note\n', "h/a/b"],
    ["inline", '[REMOTE "origin"] URL=https://h/a/b', "h/a/b"],
    ["continued", '[remote "origin"]\n\turl = https://h/a\\\n/b\n', "h/a/b"],
    ["first of two", '[remote "origin"]\n\turl = https://h/a/b\n\turl = https://h/z\n', "h/a/b"],
    ["crlf", '[remote "origin"]\r\n\turl = https://h/a/b\r\n', "h/a/b"],
    [
      "no origin",
      '[remote "fork"]\n\turl = https://h/a/f\n[remote "zz"]\n\turl = https://h/z/z\n',
      "h/a/f",
    ],
    ["old form", "[remote.origin]\n\turl = https://h/a/b\n", "h/a/b"],
    ["helper", '[remote "origin"]\n\turl = "ext::sh -c touch% pwned"\n', undefined],
    ["other section", '[branch "origin"]\n\turl = https://h/a/b\n', undefined],
    ["garbage", "[[[\n=\nurl\n[remote\n\u0000", undefined],
  ];
  for (const [name, config, remote] of table) {
    const peer = peerOf(repository(join(base, name), config));
    assert.equal(peer.source === "git-remote" ? peer.from : undefined, remote, name);
    assert.notEqual(peer.id, "", name);
  }
});

test("resolvePeer() gives no peer rather than a second one when a repository cannot be read", () => {
  const base = tempFolder();
  const broken = repository(join(base, "broken"));
  rmSync(join(broken, ".git/config"));
  mkdirSync(join(broken, ".git/config"));
  const dangling = join(base, "dangling");
  writeIn(dangling, ".git", "gitdir: /nowhere/at/all\n");
  const endless = repository(join(base, "endless"));
  rmSync(join(endless, ".git/config"));
  symlinkSync("/dev/zero", join(endless, ".git/config"));
  for (const folder of [broken, dangling, endless]) {
    const peer = peerOf(folder);
    assert.deepEqual([peer.id, peer.source], ["", "none"]);
    assert.match(peer.problem ?? "", /^Cannot read /);
  }
});

test("resolvePeer() passes over an empty .git folder and agrees on links to a project [IDN-09]", () => {
  const base = tempFolder();
  const app = repository(join(base, "app"), origin("git@h:a/app.git"));
  mkdirSync(join(app, "src/.git"));
  symlinkSync(app, join(base, "link"));
  const ids = [app, join(app, "src"), join(base, "link/src"), `${app}/`].map((cwd) =>
    peerOf(cwd).id
  );
  assert.equal(new Set(ids).size, 1);
  const local = repository(join(base, "local"));
  symlinkSync(local, join(base, "local-link"));
  assert.equal(peerOf(join(base, "local-link")).id, peerOf(local).id);
});

test("resolveSessionPeer() keeps a session's peer when its directory changes [IDN-10]", () => {
  const base = tempFolder();
  const [one, two] = ["one", "two"].map((name) =>
    repository(join(base, name), origin(`git@h:a/${name}.git`))
  );
  const at = (cwd: string | undefined, session: string, explicitPeer = "") =>
    resolveSessionPeer({
      runtime,
      agentHome: join(base, "agent"),
      session,
      cwd: cwd ?? "",
      workspacePeer: true,
      explicitPeer,
    }).id;
  const first = at(one, "cc-1");
  assert.equal(at(two, "cc-1"), first);
  assert.notEqual(at(two, "cc-2"), first);
  assert.equal(at(two, "cc-1", "explicit"), "explicit");
  assert.equal(at(base, "cc-3"), "");
  assert.equal(at(one, "cc-3"), "", "a session that began without a project stays without one");
  assert.equal(at(one, "../../x"), first, "an odd id stays inside the folder");
  assert.equal(at(two, "../../x"), first);
});
