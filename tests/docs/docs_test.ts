/**
 * The pages agree with each other and with the program.
 *
 * @module
 */
import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { SETTINGS } from "../../lib/config/schema.ts";
import { HOSTS } from "../../hosts/mod.ts";
import { isolatedEnvironment } from "../support/isolated_environment.ts";
import { projectRoot } from "../support/project.ts";
import { pageNames, readPage } from "./pages.ts";
import { shellCommands } from "./readme_commands.ts";

const read = (path: string): string => readFileSync(join(projectRoot, path), "utf8");
const manifest = JSON.parse(read("deno.json")) as {
  version: string;
  tasks: Record<string, string>;
};

/** Generated pages that exist in English only. */
const ENGLISH_ONLY: ReadonlySet<string> = new Set(["configuration.md"]);

const PAIRS: readonly (readonly [english: string, chinese: string])[] = [
  ["README.md", "README_CN.md"],
  ...pageNames("en").filter((name) => !ENGLISH_ONLY.has(name)).map((name) =>
    [`docs/en/${name}`, `docs/zh/${name}`] as const
  ),
];
const PAGES = [
  ...new Set([
    ...PAIRS.flat(),
    ...pageNames("en").map((name) => `docs/en/${name}`),
    ...pageNames("decisions").map((name) => `docs/decisions/${name}`),
    "CONTRIBUTING.md",
    "CHANGELOG.md",
  ]),
].filter((path) => existsSync(join(projectRoot, path))).map(readPage);

/** What every page of a host says, in both languages. */
const HOST_HEADINGS = {
  en: [
    "Supported capabilities and versions",
    "Quickest installation",
    "Credentials",
    "Automatic behaviour and MCP",
    "Switches",
    "Limits",
    "Upgrade and removal",
    "Diagnostics",
    "Tests",
  ],
  zh: [
    "支持的能力与版本",
    "最快的安装方式",
    "凭据",
    "自动行为与 MCP",
    "开关",
    "限制",
    "升级与移除",
    "诊断",
    "测试",
  ],
} as const;

test("pages exist in both languages [DOCS-03]", () => {
  const english = pageNames("en").filter((name) => !ENGLISH_ONLY.has(name));
  assert.deepEqual(pageNames("zh"), english);
});

for (const [english, chinese] of PAIRS) {
  test(`${english} and ${chinese} have the same outline and the same code [DOCS-03]`, () => {
    const [left, right] = [readPage(english), readPage(chinese)];
    const levels = (page: typeof left) => page.headings.map((heading) => heading.level);
    const rows = (page: typeof left) => (page.text.match(/^\|/gm) ?? []).length;
    assert.deepEqual(levels(right), levels(left));
    assert.deepEqual(right.blocks, left.blocks);
    assert.equal(rows(right), rows(left), "rows of tables");
  });
}

for (const language of ["en", "zh"] as const) {
  for (const id of Object.keys(HOSTS)) {
    test(`docs/${language}/${id}.md says what every host's page says [DOCS-01]`, () => {
      const page = readPage(`docs/${language}/${id}.md`);
      const sections = page.headings.filter((heading) => heading.level === 2);
      assert.deepEqual(sections.map((heading) => heading.text), HOST_HEADINGS[language]);
    });
  }
}

test("links between pages lead somewhere [TST-08]", () => {
  const broken = PAGES.flatMap((page) =>
    page.links.filter((link) => !/^(https?:|mailto:|#)/.test(link))
      .map((link) => normalize(join(dirname(page.path), link.split("#")[0] ?? "")))
      .filter((path) => !existsSync(join(projectRoot, path)))
      .map((path) => `${page.path}: ${path}`)
  );
  assert.deepEqual(broken, []);
});

test("paths, variables, settings and tasks that pages name exist [TST-08]", () => {
  const variables = new Set(Object.values(SETTINGS).flatMap((setting) => setting.env));
  const sources = ["lib/config/paths.ts", "lib/config/connection.ts"].map(read).join("\n");
  const wrong: string[] = [];
  // Generated pages list what the schema has, retired names included.
  const written = PAGES.filter((page) => !ENGLISH_ONLY.has(page.path.replace("docs/en/", "")));
  for (const page of written) {
    for (const code of page.codes) {
      const path = /^(?:lib|hosts|local|install|cli|mcp|tests|docs|\.ci)\/[\w./-]*/.exec(code)?.[0];
      if (path === code && !code.endsWith(".db") && !existsSync(join(projectRoot, path))) {
        wrong.push(`${page.path}: ${code}`);
      }
      const variable = /^(OPENVIKING_\w+)/.exec(code)?.[1];
      if (variable !== undefined && !variables.has(variable) && !sources.includes(variable)) {
        wrong.push(`${page.path}: ${code}`);
      }
      const task = /^deno task ([\w:]+)/.exec(code)?.[1];
      if (task !== undefined && !(task in manifest.tasks)) wrong.push(`${page.path}: ${code}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("commands that pages name are commands of the program [TST-08]", () => {
  const program = read("cli/program.ts");
  const named = new Set(
    PAGES.flatMap((page) => [...page.text.matchAll(/openviking-agent ([a-z]+)/g)])
      .map(([, name = ""]) => name),
  );
  const unknown = [...named].filter((name) =>
    !new RegExp(`(command|queueCommand)\\(\\s*"${name}\\b`).test(program)
  );
  assert.deepEqual(unknown, []);
});

test("README.md begins with the demo and the tests, and names the version and the runtime that CI uses", () => {
  const runtime = /^DENO_VERSION=(\S+)$/m.exec(read(".ci/run"))?.[1];
  assert.ok(runtime);
  for (const readme of ["README.md", "README_CN.md"]) {
    const text = read(readme);
    assert.deepEqual(shellCommands(text).slice(0, 2), [
      `npx -y deno@${runtime} task demo`,
      `npx -y deno@${runtime} task test`,
    ]);
    assert.ok(text.includes(manifest.version), `${readme} names ${manifest.version}`);
  }
  for (const page of PAGES) {
    for (const [, version] of page.text.matchAll(/deno@(\d[\w.]*)/g)) {
      assert.equal(version, runtime, page.path);
    }
  }
});

test("README.md installs and uninstalls with the commands as they are written [DOCS-02]", async () => {
  const home = mkdtempSync(join(tmpdir(), "openviking-readme-"));
  try {
    const env = await isolatedEnvironment(home);
    const commands = shellCommands(read("README.md")).slice(2);
    assert.equal(commands.length, 2);
    for (const command of commands) {
      const local = command.replace(/^npx -y deno@\S+/, '"$DENO"');
      const ran = spawnSync("/bin/sh", ["-c", local], {
        cwd: projectRoot,
        env: { ...env, DENO: Deno.execPath() },
        encoding: "utf8",
        timeout: 120_000,
      });
      assert.equal(ran.status, 0, `${command}\n${ran.stderr}`);
      const installed = existsSync(join(home, ".claude/settings.json"));
      assert.equal(installed, command.includes(" install "), command);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("the English pages that are generated are the known ones", () => {
  for (const name of ENGLISH_ONLY) {
    assert.ok(!existsSync(join(projectRoot, "docs/zh", name)), `${name} has a Chinese page now`);
  }
});
