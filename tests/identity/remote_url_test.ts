import { test } from "node:test";
import assert from "node:assert/strict";
import { normaliseRemoteUrl } from "../../lib/identity/remote_url.ts";

const secret = ["gh", "p_", "A1b2C3d4"].join("");

const SAME: Readonly<Record<string, readonly string[]>> = {
  "github.com/acme/app": [
    "git@github.com:acme/app.git",
    "git@github.com:/acme/app",
    "github.com:acme/app.git",
    "ssh://git@github.com/acme/app.git",
    "ssh://git@github.com:22/acme/app",
    "git+ssh://git@github.com/acme/app",
    "https://github.com/acme/app",
    "https://github.com/acme/app.git/",
    "https://github.com:443/acme/app.git",
    "http://github.com:80/acme/app",
    "git://github.com:9418/acme/app",
    `https://x-access-token:${secret}@github.com/acme/app.git`,
    `https://${secret}@GitHub.com/Acme/App.git?private_token=${secret}#x`,
    "https://github.com./acme//app",
    "  https://github.com/acme/app  ",
  ],
  "git.corp:2222/Team/App": [
    "ssh://git@git.corp:2222/Team/App.git",
    "ssh://u:p@GIT.corp:2222/Team/App",
  ],
  "git.corp/Team/App": ["git@git.corp:Team/App.git", "https://git.corp/Team/App"],
  "git.corp/team/app": ["https://git.corp/team/app"],
  "[::1]:8080/a/b": ["http://[::1]:8080/a/b.git"],
  "git.corp/a b": ["https://git.corp/a%20b.git"],
  "file:/srv/git/app": [
    "/srv/git/app.git",
    "file:///srv/git/app.git/",
    "../../srv/git/app",
    "/srv/./git/x/../app",
  ],
  "file:C:/git/app": ["C:\\git\\app.git", "c:/git/app"],
};

test("normaliseRemoteUrl() gives one text for every spelling and keeps repositories apart [IDN-09]", () => {
  for (const [normal, spellings] of Object.entries(SAME)) {
    for (const url of spellings) assert.equal(normaliseRemoteUrl(url, "/w/project"), normal, url);
  }
});

test("normaliseRemoteUrl() drops user names, passwords and tokens", () => {
  for (const url of Object.values(SAME).flat()) {
    assert.doesNotMatch(
      normaliseRemoteUrl(url, "/w") ?? "",
      new RegExp(`${secret}|git@|u:p|token`),
    );
  }
});

test("normaliseRemoteUrl() takes no address where there is none", () => {
  const none = [
    "",
    " ",
    "ext::sh -c touch% pwned",
    "https://",
    "https://host",
    "https://host/",

    "git@host:",
    "a\nb:c",
    "x".repeat(3000),
  ];
  for (const url of none) {
    assert.equal(normaliseRemoteUrl(url, "/w"), undefined, JSON.stringify(url));
  }
});
