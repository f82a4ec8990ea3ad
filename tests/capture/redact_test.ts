import { test } from "node:test";
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { createRedactor, redactJson, removePrivate } from "../../lib/capture/redact.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const any = (n: number, set = LETTERS): string =>
  Array.from(randomBytes(n), (byte) => set[byte % set.length]).join("");
const hex = (n: number): string => randomBytes(n).toString("hex").slice(0, n);
const upper = (n: number): string => any(n, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");
const password = (): string => `${any(12)}!x9`;
const redact = createRedactor({ enabled: true });

/** Name, secret and the text it stands in (`%`). Shapes are put together here, so that no file holds one. */
function secrets(): [name: string, secret: string, text: string][] {
  const jwt = `${base64url({ alg: "HS256" })}.${base64url({ sub: "x", iat: 1 })}.${any(40)}`;
  const prose = "my key is % ok";
  return [
    ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((
      p,
    ): [string, string, string] => [p, p + any(36), prose]),
    ["GitHub fine-grained", `github_${"pat"}_${any(22)}_${any(59)}`, prose],
    ["GitLab", `glp${"at"}-${any(20)}`, "use `%` here"],
    ["AWS id", `AKI${"A"}${upper(16)}`, prose],
    ["AWS secret", any(40), "aws_secret_access_key = %"],
    ["AWS secret in env", any(40), 'export AWS_SECRET_ACCESS_KEY="%"'],
    ["Google", `AIz${"a"}${any(35)}`, prose],
    ["Google OAuth", `ya2${"9"}.${any(80)}`, prose],
    ["Slack", `xox${"b"}-${any(12, "0123456789")}-${any(24)}`, 'tokens: ["a","%","b"]'],
    ["Stripe", `sk_${"live"}_${any(24)}`, prose],
    ["OpenAI", `sk-${"proj"}-${any(48)}`, "我的密钥是%，请不要泄露。"],
    ["OpenAI old", `sk-${any(48)}`, prose],
    ["Anthropic", `sk-${"ant"}-api03-${any(80)}-${any(8)}`, prose],
    ["npm", `npm${"_"}${any(36)}`, "//npm.example.com/:_authToken=%"],
    ["PyPI", `pypi${"-"}AgEI${any(120)}`, prose],
    ["Docker", `dckr${"_pat_"}${any(27)}`, prose],
    ["SendGrid", `SG${"."}${any(22)}.${any(43)}`, prose],
    ["Telegram", `${any(9, "123456789")}:AA${any(33)}`, prose],
    ["JWT", jwt, prose],
    ["bearer", any(40), 'curl -H "Authorization: Bearer %" https://api.example.com'],
    ["basic", Buffer.from(`admin:${password()}`).toString("base64"), "authorization: Basic %"],
    ["cookie", any(30), "Cookie: theme=dark; session=%; lang=en"],
    ["X-API-Key", hex(40), "X-API-Key: %"],
    ["curl -u", password(), "curl -u admin:% https://intra.example.com/x"],
    ["URL", any(14), "connect to postgres://app:%@db.example.com:5432/app please"],
    ["URL without user", any(14), "redis://:%@cache:6379/0"],
    ["env", password(), "DB_PASSWORD=%\nDB_HOST=localhost"],
    ["env, letters only", "correcthorsebattery", "DB_PASSWORD=%"],
    ["env, quoted", password(), "export ADMIN_PASSWORD='%'"],
    ["uuid under a name", randomUUID(), "ARK_API_KEY=%"],
    ["YAML", any(32), "  client_secret: %\n  region: eu"],
    ["JSON", any(32), '{"apiKey": "%", "region": "eu"}'],
    ["JSON in JSON", "Tr0ub4dor", '{\\"password\\": \\"%\\"}'],
    ["INI", password(), "passwd=%"],
    ["flag", any(28), "tool login --token % --yes"],
    ["flag with sign", any(28), "tool login --password=% --yes"],
    ["connection string", `${any(86)}==`, "AccountName=dev;AccountKey=%;EndpointSuffix=x"],
    ["subscript", "abcd1234efgh", 'os.environ["API_KEY"] = "%"'],
    ["XML", "Tr0ub4dor3", "<password>%</password>"],
    ["prose", "abc123xyz", "the password is %."],
    ["Chinese prose", "abc123xyz", "密码是 %"],
    ["netrc", password(), "machine h login joe password %"],
    ["sshpass", password(), "sshpass -p % ssh host"],
  ];
}

for (const [name, secret, text] of secrets()) {
  test(`redact() takes out a secret: ${name}`, () => {
    const whole = text.replace("%", () => secret);
    for (const form of [whole, `before\n${whole}\nafter`, JSON.stringify({ a: whole })]) {
      const clean = redact(form);
      assert.ok(!clean.includes(secret), clean);
      assert.match(clean, /\[redacted:[a-z0-9-]+\]/);
      assert.equal(redact(clean), clean, "redacting again changes nothing");
    }
    const json = JSON.stringify(redactJson({ command: whole, env: { V: whole } }, redact));
    assert.ok(!json.includes(JSON.stringify(secret).slice(1, -1)), json);
  });
}

const PEM = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;

test("redact() takes out private key blocks, escaped and cut ones too", () => {
  const pem = PEM();
  const body = pem.split("\n")[1] ?? "";
  const begin = `-----BEGIN OPENSSH ${"PRIVATE"} KEY-----`;
  const lines = [any(64), any(64), any(20)];
  assert.equal(redact(`here it is:\n${pem}thanks`), "here it is:\n[redacted:private-key]\nthanks");
  assert.ok(!redact(JSON.stringify({ private_key: pem })).includes(body));
  assert.equal(redact(`${begin}\n${lines.join("\n")}`).includes(lines[1] ?? ""), false);
  assert.match(redact(`the line ${begin} starts a key, as everyone knows`), /as everyone knows/);
});

const LOOK_ALIKES: readonly (readonly [string, string])[] = [
  ["commit", hex(40)],
  ["short commit", `fixed in ${hex(8)}`],
  ["uuid", `session ${randomUUID()} started`],
  ["integrity", `"integrity": "sha512-${randomBytes(64).toString("base64")}"`],
  ["checksum", `checksum = "${hex(64)}"`],
  ["pip hash", `--hash=sha256:${hex(64)}`],
  ["digest", `FROM node@sha256:${hex(64)}`],
  ["image", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"],
  ["identifier", "createOpenVikingMcpProxySessionRecoveryHandlerFactory"],
  ["token variable", "const tokenBudgetForRecall = computeTokenBudget(maxTokens)"],
  ["password prose", "password rotates every 45 days"],
  ["password page", "the password reset page is broken for new users"],
  ["Chinese prose", "密码重置页面对新用户不可用"],
  ["reference", "DB_PASSWORD=${DB_PASSWORD}"],
  ["shell variable", "Authorization: Bearer $TOKEN"],
  ["type", "interface A { password: string; token?: string }"],
  ["placeholder", "set OPENAI_API_KEY to sk-..."],
  ["number", "max_tokens=1600"],
  ["keyword argument", "connect(user=user, password=password)"],
  ["property", "api_key=config.apiKey"],
  ["call", "const token = await getToken(x)"],
  ["file flag", "--password-file /run/secrets/db"],
  ["token type", "token_type: bearer"],
  ["primary key", "primaryKey: user_id"],
  ["public key", "public key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG"],
  ["git address", "git@github.com:denoland/deno.git"],
  ["docker user", "docker run -u 1000:1000 image"],
  ["certificate", `-----BEGIN CERTIFICATE-----\nMIIB${any(60)}\n-----END CERTIFICATE-----`],
  ["trace", `traceparent: 00-${hex(32)}-${hex(16)}-01`],
  ["path", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30-gdb.py"],
  ["version", "1.24.0-rc.1+build.20261130.abcdef0"],
  ["viking", "viking://user/alice/memories/events/2026/11/30/launch.md"],
  ["cookie in code", "const cookie: Cookie | undefined"],
  ["css class", `sk-${"loading"}-indicator-wrapper-element`],
];
for (const [name, text] of LOOK_ALIKES) {
  test(`redact() leaves a look-alike: ${name}`, () => assert.equal(redact(text), text));
}

test("removePrivate() removes blocks, nested and unclosed ones to the end", () => {
  const table: readonly (readonly [string, string])[] = [
    ["a <private>b\nc</private> d", "a  d"],
    ["a <PRIVATE>b</private> c", "a  c"],
    ['a <private why="x">b</private> c', "a  c"],
    ["a <private>b <private>c</private> d</private> e", "a  e"],
    ["a <private>b to the end", "a "],
    ["a </private> b", "a </private> b"],
    ["a <privateer> b", "a <privateer> b"],
  ];
  for (const [text, clean] of table) assert.equal(removePrivate(text), clean);
});

test("createRedactor() keeps credentials but not private blocks when it is switched off", () => {
  const off = createRedactor({ enabled: false });
  const secret = `ghp${"_"}${any(36)}`;
  assert.equal(off(`${secret} <private>x</private>!`), `${secret} !`);
});

test("createRedactor() obeys own patterns and known secrets, and passes over an invalid pattern", () => {
  const own = createRedactor({
    enabled: true,
    patterns: ["EMP-\\d{4}", "("],
    secrets: ["plain-words-here"],
  });
  assert.equal(
    own("EMP-1234 has plain-words-here"),
    "[redacted:pattern] has [redacted:configured-key]",
  );
});

test("redactJson() takes a value under a secret's name whole and keeps structure", () => {
  assert.deepEqual(
    redactJson(
      { password: "hunter2", "__proto__x": 1, list: [null, true, { token: "string" }] },
      redact,
    ),
    { password: "[redacted:password]", "__proto__x": 1, list: [null, true, { token: "string" }] },
  );
});

test("redact() is linear in hostile text", () => {
  const units = [
    "a",
    "eyJ-",
    "eyJaaaaaaaa.",
    "token=",
    "token:",
    'pwd="',
    "cookie:",
    "://",
    "://a:",
    "://a:b@",
    `-----BEGIN ${"PRIVATE"} KEY-----`,
    "-----BEGIN ",
    "Authorization: ",
    "ghp_",
    "SG.",
    "mysql -x ",
    " -u a:",
    "<private>",
    "login a ",
    "A1b2",
    "password is ",
    "0",
    "token ",
    '\\"',
    "redis-cli ",
    "密码是",
    "password for a",
    "password |",
    "seed phrase: ab ",
    "abc ",
    " docker login ",
    "Private-Lines: 1\nAAAA",
    "auth=('",
    "a:1234:b:c:",
    "?sig=",
    "curl -b a=",
    `-----BEGIN ${"PRIVATE"} KEY-----\n`,
  ];
  for (const unit of units) redact(unit.repeat(Math.ceil(1_000_000 / unit.length)));
});
