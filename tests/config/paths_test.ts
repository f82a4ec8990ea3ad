import { test } from "node:test";
import assert from "node:assert/strict";
import type { PathRuntime } from "../../lib/config/paths.ts";
import {
  agentHome,
  agentPath,
  expandHome,
  homeDir,
  ovcliPath,
  ovConfPath,
} from "../../lib/config/paths.ts";
import { HARNESS_KEYS, sectionNames, toHarnessKey } from "../../lib/config/harness.ts";
import { isSameOrigin, maskUrl, normaliseUrl } from "../../lib/config/url.ts";

function runtime(
  variables: Record<string, string>,
  platform: PathRuntime["platform"] = "linux",
): PathRuntime {
  return { platform, env: (name) => variables[name] };
}

const PATHS: readonly (readonly [
  variables: Record<string, string>,
  home: string,
  agent: string,
  ovcli: string,
  ovConf: string,
])[] = [
  [
    { HOME: "/h" },
    "/h",
    "/h/.openviking/agent",
    "/h/.openviking/ovcli.conf",
    "/h/.openviking/ov.conf",
  ],
  [
    { HOME: "/h/", OPENVIKING_AGENT_HOME: "~/a/", OPENVIKING_CONFIG_FILE: "" },
    "/h",
    "/h/a",
    "/h/.openviking/ovcli.conf",
    "/h/.openviking/ov.conf",
  ],
  [
    { HOME: "/h", OPENVIKING_CLI_CONFIG_FILE: "~/c", OPENVIKING_CONFIG_FILE: "/s" },
    "/h",
    "/h/.openviking/agent",
    "/h/c",
    "/s",
  ],
  [
    { HOME: "/h ", OPENVIKING_CLI_CONFIG_FILE: "/c ", OPENVIKING_CONFIG_FILE: " " },
    "/h ",
    "/h /.openviking/agent",
    "/c ",
    "/h /.openviking/ov.conf",
  ],
  [{ HOME: "" }, "", "/.openviking/agent", "/.openviking/ovcli.conf", "/.openviking/ov.conf"],
  [
    { OPENVIKING_AGENT_HOME: "/x y/.openviking/agent" },
    "/x y",
    "/x y/.openviking/agent",
    "/x y/.openviking/ovcli.conf",
    "/x y/.openviking/ov.conf",
  ],
];

for (const [variables, home, agent, ovcli, ovConf] of PATHS) {
  test(`agentHome() and the paths of files for ${JSON.stringify(variables)}`, () => {
    const given = runtime(variables);
    assert.deepEqual(
      [homeDir(given), agentHome(given), ovcliPath(given), ovConfPath(given)],
      [home, agent, ovcli, ovConf],
    );
    assert.equal(agentPath(agent, "localDatabase"), `${agent}/local/memory.db`);
  });
}

test("homeDir() on Windows is the profile, with slashes", () => {
  const given = runtime({ USERPROFILE: "C:\\Users\\x", HOME: "/c/Users/x" }, "windows");
  assert.equal(homeDir(given), "C:/Users/x");
  assert.equal(expandHome(given, "~\\a"), "C:/Users/x/a");
});

test("expandHome() expands only a leading tilde of its own", () => {
  const given = runtime({ HOME: "/h" });
  const expanded = ["~", "~/a", "~user/a", "/a/~", "a"].map((path) => expandHome(given, path));
  assert.deepEqual(expanded, ["/h", "/h/a", "~user/a", "/a/~", "a"]);
});

test("toHarnessKey() accepts every id in any spelling and nothing else [CFG-06]", () => {
  for (const key of HARNESS_KEYS) {
    for (const text of [key, key.replaceAll("-", "_"), key.toUpperCase(), ` ${key} `]) {
      assert.equal(toHarnessKey(text), key);
    }
    assert.deepEqual(sectionNames(key), [...new Set([key, key.replaceAll("-", "_")])]);
  }
  assert.equal(toHarnessKey("claude"), "claude-code");
  for (const text of ["", "claude code", "vim", "__proto__"]) {
    assert.equal(toHarnessKey(text), undefined);
  }
});

const URLS: readonly (readonly [text: string, url: string | undefined])[] = [
  ["http://127.0.0.1:1933/", "http://127.0.0.1:1933"],
  [" HTTPS://Memory.Example.com:443/Base//?q=1#f ", "https://memory.example.com/Base"],
  ["http://[::1]:80/", "http://[::1]"],
  ["http://例え.jp", "http://xn--r8jz45g.jp"],
  ["localhost:1933", undefined],
  ["ftp://x", undefined],
  ["http://", undefined],
  ["http:///x", undefined],
  ["http://a b", undefined],
  ["http://user@x", undefined],
  ["", undefined],
];

for (const [text, url] of URLS) {
  test(`normaliseUrl() ${url === undefined ? "refuses" : "normalises"} ${JSON.stringify(text)}`, () => {
    const normal = normaliseUrl(text);
    assert.equal(normal.ok ? normal.url : undefined, url);
    if (normal.ok) assert.deepEqual(normaliseUrl(normal.url), normal);
  });
}

test("maskUrl() hides user, password and query", () => {
  const url = ["https://me", "word@x.com/p?key=1#k"].join(":");
  assert.equal(maskUrl(url), "https://****@x.com/p");
});

test("isSameOrigin() compares scheme, host and port", () => {
  assert.ok(isSameOrigin("http://a:1/x", "http://a:1/y"));
  assert.ok(isSameOrigin("http://a:1", "http://a:1/y"));
  assert.ok(!isSameOrigin("http://a:1", "http://a:10"));
  assert.ok(!isSameOrigin("http://a", "https://a"));
});
