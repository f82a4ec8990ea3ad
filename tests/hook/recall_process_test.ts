import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { estimateTokens } from "../../lib/recall/tokens.ts";
import { type CommandEnd, makePerson, type Person } from "../support/person.ts";
import { payloadOf, writeTranscript } from "../support/said.ts";
import {
  type Answer,
  type Answering,
  type Asked,
  entries,
  okay,
  type RecallServer,
  serveRecall,
} from "../support/recall_server.ts";

const QUESTION = "How do we deploy the billing service?";
const KEY = ["key", "for", "tests", "0123456789"].join("-");

/** A person with a server of their own, and the recall hook as their host runs it. */
interface World {
  readonly person: Person;
  readonly server: RecallServer;
  /** Runs the prompt hook; `prompt` and other fields of the payload in `fields`. */
  ask(
    fields?: Readonly<Record<string, unknown>>,
    env?: Record<string, string>,
  ): Promise<CommandEnd>;
  fire(event: string, fields?: Readonly<Record<string, unknown>>): Promise<CommandEnd>;
}

async function withWorld(
  answering: Answering,
  work: (world: World) => Promise<void>,
  plugin: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const person = await makePerson();
  const server = await serveRecall(answering);
  person.write(".openviking/ovcli.conf", { url: server.url, api_key: KEY, plugin });
  let prompts = 0;
  const run = (event: string, fields: object, env: Record<string, string> = {}) =>
    person.start(["hook", "claude-code", event], {
      env,
      stdin: payloadOf(person, "s-1", event, { ...fields }),
    });
  try {
    await work({
      person,
      server,
      fire: (event, fields = {}) => run(event, fields),
      ask: (fields = {}, env = {}) =>
        run("UserPromptSubmit", { prompt: QUESTION, prompt_id: `p-${prompts++}`, ...fields }, env),
    });
  } finally {
    await server.close();
    // Waits for a worker that a hook started.
    person.run(["queue", "drain", "--wait", "1"]);
    person.close();
  }
}

function contextOf(end: CommandEnd): string {
  assert.deepEqual([end.code, end.err], [0, ""]);
  return end.out === "" ? "" : JSON.parse(end.out).hookSpecificOutput?.additionalContext ?? "";
}

function noticeOf(end: CommandEnd): string {
  return end.out === "" ? "" : JSON.parse(end.out).systemMessage ?? "";
}

function outcomeOf(person: Person, stage: string): string {
  const { outcomes } = JSON.parse(person.run(["status", "--json"]).out);
  return outcomes.find((one: { stage: string }) => one.stage === stage)?.outcome ?? "none";
}

const zebra: Answering = ({ path }) =>
  path.startsWith("/api/v1/search/") ? entries("We deploy billing with the zebra.") : undefined;

test("a prompt sends one search with session, peer and nothing that nobody configured [CFG-10] [RCL-02] [RCL-03]", async () => {
  await withWorld(zebra, async ({ ask, person, server }) => {
    const end = await ask();
    assert.match(contextOf(end), /^<openviking-context source="prompt">[^]*zebra/);
    const line = await person.start(["status", "--line", "--host", "claude-code"], {
      stdin: payloadOf(person, "s-1", "status"),
    });
    assert.match(line.out, /^OV server/);
    const [search, ...more] = server.searches();
    assert.equal(more.length, 0, "showing a count asks nothing");
    assert.equal(server.asked.length, 1, "the search is its own probe");
    assert.equal(search?.headers["x-openviking-actor-peer"]?.includes("app"), true);
    assert.deepEqual(search?.body, {
      query: QUESTION,
      mode: "context",
      session_id: "cc-s-1",
      query_expansion: "off",
    });
    // A value equal to the default is a configured value.
    await ask({}, { OPENVIKING_RECALL_LIMIT: "10", OPENVIKING_RECALL_MAX_TOKENS: "1600" });
    await ask({}, { OPENVIKING_SCORE_THRESHOLD: "0", OPENVIKING_RECALL_DEDUP_TURNS: "0" });
    const [, second, third] = server.searches();
    assert.deepEqual([second?.body.limit, second?.body.max_tokens], [10, 1600]);
    assert.deepEqual([third?.body.score_threshold, third?.body.dedup_turns], [0, 0]);
  });
});

test("without automatic recall nothing is asked and nothing is given, whatever the adapter does [CFG-14]", async () => {
  for (const env of [{ OPENVIKING_AUTO_RECALL: "0" }, { OPENVIKING_BYPASS_SESSION: "1" }]) {
    await withWorld(zebra, async ({ ask, person, server }) => {
      const end = await ask({}, env);
      assert.deepEqual([end.code, end.out, end.err], [0, "", ""]);
      const start = await person.start(["hook", "claude-code", "SessionStart"], {
        env,
        stdin: payloadOf(person, "s-1", "SessionStart", { source: "startup" }),
      });
      assert.equal(start.out, "");
      assert.deepEqual(server.searches(), []);
      assert.match(outcomeOf(person, "prompt"), /^(disabled|bypassed)$/);
    });
  }
});

test("with capture off, asking leaves no session behind", async () => {
  await withWorld(zebra, async ({ ask, server }) => {
    contextOf(
      await ask({}, {
        OPENVIKING_AUTO_CAPTURE: "0",
        OPENVIKING_RECALL_DEDUP_TURNS: "5",
        OPENVIKING_RECALL_QUERY_EXPANSION: "auto",
      }),
    );
    const [search] = server.searches();
    assert.equal(search?.body.dedup_turns, undefined);
    assert.equal(search?.body.query_expansion, "off");
  });
});

const EMPTY: readonly (readonly [string, Answer])[] = [
  ["no entries", okay({ entries: [], rendered: "", stats: {} })],
  ["a sentinel", okay({ entries: [], rendered: "No relevant memories found.", stats: {} })],
  ["a sentinel in an entry", entries("NO_RELEVANT_MEMORY")],
  [
    "a rewrite that found nothing",
    okay({
      entries: [{ uri: "viking://user/a/memories/x.md", text: "unrelated", level: 2 }],
      stats: { rewrite: "no_relevant" },
    }),
  ],
  [
    "folders only",
    okay({
      entries: [{ uri: "viking://user/a/memories/.overview.md", text: "about", level: 1 }],
      stats: {},
    }),
  ],
  ["null", okay(null)],
  ["blank text", entries("   \n ")],
];

test("an empty answer of any form gives nothing to the model and nothing to the user [RCL-04]", async () => {
  let now: Answer = okay(null);
  await withWorld(
    ({ path }) => path.startsWith("/api/v1/search/") ? now : undefined,
    async (world) => {
      for (const [name, answer] of EMPTY) {
        now = answer;
        const end = await world.ask();
        assert.deepEqual([end.code, end.out, end.err], [0, "", ""], name);
        assert.equal(outcomeOf(world.person, "prompt"), "empty", name);
      }
    },
  );
});

/** Servers that came before context search. */
const OLDER: Readonly<Record<string, Answering>> = {
  "recall only": ({ path, body }) =>
    path.endsWith("/search/recall")
      ? entries("We deploy billing with the zebra.")
      : path.endsWith("/search/search")
      ? {
        status: 422,
        body: {
          status: "error",
          result: null,
          error: {
            code: "INVALID_ARGUMENT",
            message: "Request validation failed: body.mode: Extra inputs are not permitted",
            details: { validation_errors: [{ type: "extra_forbidden", loc: ["body", "mode"] }] },
          },
        },
      }
      : body.never === undefined
      ? undefined
      : "hang",
  "find only": ({ path }) =>
    path.endsWith("/search/find")
      ? okay({
        memories: [{
          uri: "viking://user/default/memories/events/a.md",
          abstract: "We deploy billing with the zebra.",
          score: 0.4,
          level: 2,
        }],
      })
      : path.startsWith("/api/v1/search/")
      ? { status: 404, body: { detail: "Not Found" } }
      : undefined,
};

test("older servers give a usable block, and are asked in their way from then on [RCL-10]", async () => {
  for (const [name, answering] of Object.entries(OLDER)) {
    await withWorld(answering, async ({ ask, server }) => {
      assert.match(contextOf(await ask()), /zebra/, name);
      const first = server.searches().length;
      assert.match(contextOf(await ask()), /zebra/, name);
      assert.equal(server.searches().length, first + 1, `${name}: one request, no new trial`);
    });
  }
});

test("what a server sends too much of stays within the budget, on every route [RCL-11] [RCL-12] [BR-096]", async () => {
  const flood = Array.from({ length: 40 }, (_, n) => `zebra ${n} ${"deploy billing ".repeat(400)}`);
  const routes: readonly Answering[] = [
    ({ path }) => path.startsWith("/api/v1/search/") ? entries(...flood) : undefined,
    ({ path }) =>
      path.endsWith("/search/find")
        ? okay({
          memories: flood.map((abstract, n) => ({
            uri: `viking://user/default/memories/events/e${n}.md`,
            abstract,
            level: 2,
          })),
        })
        : path.startsWith("/api/v1/search/")
        ? { status: 404, body: { detail: "Not Found" } }
        : undefined,
  ];
  for (const answering of routes) {
    await withWorld(answering, async ({ ask }) => {
      for (const tokens of [300, 1000, 50_000]) {
        const block = contextOf(await ask({}, { OPENVIKING_RECALL_TOKEN_BUDGET: `${tokens}` }));
        assert.match(block, /^<openviking-context source="prompt">\n[^]*\n<\/openviking-context>$/);
        assert.ok(estimateTokens(block) <= tokens, `${estimateTokens(block)} of ${tokens}`);
        assert.ok(block.length <= 10_000, "Claude Code hides more");
      }
    });
  }
});

test("the query is what the user meant, without what was injected before [RCL-13] [BR-099]", async () => {
  const wrappers = ["openviking-context", "relevant-memories", "system-reminder"];
  await withWorld(zebra, async ({ ask, server }) => {
    for (const tag of wrappers) {
      await ask({ prompt: `<${tag} source="prompt">\nthe parrot\n</${tag}>\n${QUESTION}` });
      await ask({ prompt: `${QUESTION}\n<${tag}>the parrot</${tag}>` });
    }
    await ask({ prompt: `/review <private>the parrot</private>${QUESTION}` });
    const log = `2026-11-30T10:00:00Z INFO the parrot\n`.repeat(1500);
    await ask({ prompt: `${log}\n${QUESTION}` });
    assert.equal(server.searches().length, 2 * wrappers.length + 2);
    for (const { body } of server.searches()) {
      assert.ok(String(body.query).includes(QUESTION), String(body.query).slice(0, 200));
      assert.ok(String(body.query).length <= 4000);
    }
    for (const { body } of server.searches().slice(0, -1)) {
      assert.ok(!String(body.query).includes("parrot"), String(body.query));
    }
    const asked = server.searches().length;
    for (const prompt of ["ok, go on", "继续", "/clear", "thanks!"]) {
      assert.equal((await ask({ prompt })).out, "", prompt);
    }
    assert.equal(server.searches().length, asked, "an acknowledgement is not looked up");
  });
});

test("one prompt event is answered once, and the same question later again [RCL-14]", async () => {
  await withWorld(zebra, async ({ ask, server }) => {
    const twice = await Promise.all([ask({ prompt_id: "same" }), ask({ prompt_id: "same" })]);
    assert.equal(twice.filter((end) => contextOf(end) !== "").length, 1);
    assert.equal(server.searches().length, 1);
    assert.match(contextOf(await ask({ prompt_id: "later" })), /zebra/);
    const plain = { prompt_id: undefined };
    const close = await Promise.all([ask(plain), ask(plain)]);
    assert.equal(close.filter((end) => contextOf(end) !== "").length, 1);
  });
});

const REFUSAL = (status: number, code: string): Answer => ({
  status,
  body: { status: "error", result: null, error: { code, message: `refused ${KEY}` } },
});
const FAULTS: Readonly<Record<string, Answer>> = {
  hang: "hang",
  slow: { ...(okay({ entries: [] }) as object), afterMs: 30_000 } as Answer,
  "500": REFUSAL(500, "INTERNAL"),
  "401": REFUSAL(401, "UNAUTHENTICATED"),
  "403": REFUSAL(403, "PERMISSION_DENIED"),
  html: { body: "<html><body>Sign in</body></html>", type: "text/html" },
  truncated: { body: '{"status": "ok", "result": {"entr' },
};

test("a sick server costs one request, is named once in a session, and nobody asks it again for a while [BR-101]", async () => {
  for (const [name, answer] of Object.entries(FAULTS)) {
    await withWorld(() => answer, async ({ ask, fire, person, server }) => {
      const ends = [
        await fire("SessionStart", { source: "startup" }),
        await ask(),
        await ask(),
        await ask(),
      ];
      const asked = server.asked.length;
      for (const end of ends) {
        assert.deepEqual([end.code, end.err, contextOf(end)], [0, "", ""], name);
        assert.ok(!end.out.includes(KEY), `${name}: the key is not told`);
      }
      const told = ends.map(noticeOf).filter((notice) => notice !== "");
      assert.equal(told.length, 1, `${name}: ${told.join(" / ")}`);
      assert.match(told[0] ?? "", /openviking-agent doctor/);
      assert.ok(asked <= 12, `${name}: ${asked} requests, all of the first stage`);
      assert.equal(outcomeOf(person, "prompt"), "breaker", name);
      assert.match(outcomeOf(person, "session-start"), /^(timeout|auth|error)$/, name);
    }, { recallBudgetMs: 600, sessionStartBudgetMs: 600 });
  }
});

test("a slow server is waited for as long as the setting says, and no longer [BR-056]", async () => {
  const slow: Answering = (asked) => {
    const answer = zebra(asked);
    return answer === undefined || answer === "hang" ? answer : { ...answer, afterMs: 2500 };
  };
  await withWorld(slow, async ({ ask }) => {
    assert.match(contextOf(await ask({}, { OPENVIKING_RECALL_TIMEOUT_MS: "20000" })), /zebra/);
  });
  await withWorld(slow, async ({ ask, person }) => {
    assert.equal(contextOf(await ask()), "", "2 s are the default");
    assert.equal(outcomeOf(person, "prompt"), "timeout");
  });
});

test("every outcome can be told apart in status [DOC-05]", async () => {
  let answering: Answering = () => undefined;
  await withWorld((asked: Asked) => answering(asked), async ({ ask, fire, person, server }) => {
    const prompt = (): string => outcomeOf(person, "prompt");
    await ask({}, { OPENVIKING_MEMORY_ENABLED: "0" });
    assert.equal(prompt(), "disabled");
    await ask({}, { OPENVIKING_BYPASS_SESSION: "1" });
    assert.equal(prompt(), "bypassed");
    await ask();
    assert.equal(prompt(), "empty");
    // The write succeeds, the commit is refused for good.
    answering = ({ path, method }) =>
      /\/messages(\/batch)?$/.test(path) && method === "POST"
        ? okay({ added: 1, message_count: 1 })
        : /\/commit$/.test(path)
        ? REFUSAL(400, "INVALID_ARGUMENT")
        : undefined;
    writeTranscript(person, "s-1", [["user", QUESTION]]);
    await fire("Stop");
    await person.start(["queue", "drain", "--wait", "8"]);
    assert.equal(outcomeOf(person, "turn-end"), "queued");
    await fire("SessionEnd", { reason: "other" });
    await person.start(["queue", "drain", "--wait", "8"]);
    assert.equal(outcomeOf(person, "session-end"), "commit_failed");
    answering = () => "hang";
    await ask({}, { OPENVIKING_RECALL_BUDGET_MS: "300" });
    assert.equal(prompt(), "timeout");
    answering = () => REFUSAL(401, "UNAUTHENTICATED");
    person.write(".openviking/ovcli.conf", { url: server.url, api_key: `${KEY}-2` });
    await ask();
    assert.equal(prompt(), "auth");
    // The spool is no folder: nothing can be queued.
    const agent = join(person.home, ".openviking/agent");
    const [target = ""] = JSON.parse(
      (await person.start(["queue", "list", "--json"])).out,
    ).commits.map((commit: { target: string }) => commit.target);
    rmSync(join(agent, "outbox", target, "spool"), { recursive: true, force: true });
    person.write(join(agent, "outbox", target, "spool"), "");
    await fire("Stop");
    assert.equal(outcomeOf(person, "turn-end"), "enqueue_failed");
  });
});

test("a cool-down is off, and when it is on what the session has stays away until it is compacted", async () => {
  const person = await makePerson();
  try {
    writeTranscript(person, "s-0", [["user", "The vault word is marzipan."], ["assistant", "Ok."]]);
    person.hook("Stop", payloadOf(person, "s-0", "Stop"));
    assert.equal(person.run(["queue", "drain", "--wait", "20"]).code, 0);
    let n = 0;
    const ask = (env: Record<string, string> = {}) =>
      contextOf(person.hook(
        "UserPromptSubmit",
        payloadOf(person, "s-1", "UserPromptSubmit", {
          prompt: "What is the vault word?",
          prompt_id: `p${n++}`,
        }),
        { env },
      ));
    assert.match(ask(), /marzipan/);
    assert.match(ask(), /marzipan/);
    const on = { OPENVIKING_RECALL_DEDUP_TURNS: "2" };
    assert.match(ask(on), /marzipan/);
    assert.doesNotMatch(ask(on), /marzipan/);
    const file = join(person.home, ".openviking/agent/state/shown/cc-s-1.json");
    assert.match(readFileSync(file, "utf8"), /viking:/);
    person.hook(
      "SessionStart",
      payloadOf(person, "s-1", "SessionStart", { source: "compact" }),
      { env: on },
    );
    assert.match(ask(on), /marzipan/);
  } finally {
    person.close();
  }
});

test("what a session was given is not captured from it, neither from the host's rows nor from a model that quotes it [RCL-08]", async () => {
  const person = await makePerson();
  try {
    const drain = () => assert.equal(person.run(["queue", "drain", "--wait", "20"]).code, 0);
    writeTranscript(person, "s-0", [["user", "The vault word is marzipan."], ["assistant", "Ok."]]);
    person.hook("Stop", payloadOf(person, "s-0", "Stop"));
    drain();
    const prompt = "What is the vault word?";
    const block = contextOf(
      person.hook("UserPromptSubmit", payloadOf(person, "s-1", "UserPromptSubmit", { prompt })),
    );
    assert.match(block, /marzipan/);
    // The rows in which Claude Code 2.1.332 keeps a hook's context, then a model that repeats it.
    const path = writeTranscript(person, "s-1", [
      ["user", prompt],
      ["assistant", `I was given this:\n${block}\nI will look it up.`],
      ["user", `<system-reminder>\n${block}\n</system-reminder>\nThanks for looking.`],
    ]);
    const attachment = {
      type: "attachment",
      uuid: "a-1",
      isSidechain: false,
      timestamp: new Date().toISOString(),
      sessionId: "s-1",
      attachment: {
        type: "hook_additional_context",
        content: [block],
        hookName: "UserPromptSubmit",
        hookEvent: "UserPromptSubmit",
      },
      rendered: [{ content: `<system-reminder>\n${block}\n</system-reminder>` }],
      renderedRole: "system",
    };
    person.write(path, `${JSON.stringify(attachment)}\n${readFileSync(path, "utf8")}`);
    person.hook("Stop", payloadOf(person, "s-1", "Stop"));
    drain();
    const search = (query: string): { session: string; text: string }[] =>
      JSON.parse(person.run(["search", query, "--json"]).out).results;
    assert.ok(search("thanks looking").some(({ session }) => session === "cc-s-1"));
    for (const { session, text } of search("vault word marzipan")) {
      if (session === "cc-s-1") assert.doesNotMatch(text, /marzipan/);
    }
    assert.ok(search("marzipan").every(({ session }) => session === "cc-s-0"));
  } finally {
    person.close();
  }
});
