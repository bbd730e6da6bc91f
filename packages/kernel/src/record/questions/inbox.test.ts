import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openQuestion, type Inbox } from "@slipway/durable/inbox";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openDatabase } from "../../open-database.ts";
import type { Database } from "../database/open.ts";
import type { Actor } from "../operations/operation.ts";
import { openInbox, type NewQuestion, type QuestionInbox } from "./inbox.ts";
import { QUESTION_TRANSITIONS, statusesBefore, type QuestionStatus } from "./status.ts";
import type { ValidityRules } from "./validity.ts";

const person: Actor = { type: "person", id: "ada" };
const databases: Database[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.close();
});

async function open(rules: ValidityRules = {}) {
  const database = await openDatabase({ path: join(mkdtempSync(join(tmpdir(), "slipway-inbox-")), "slipway.db") });
  databases.push(database);
  const clock = { time: 1_000, now: () => clock.time, monotonic: () => clock.time };
  return { ...database, clock, inbox: openInbox({ db: database.db, clock, rules }) };
}

const decision = z.discriminatedUnion("decision", [
  z.strictObject({ decision: z.literal("approve"), token: z.string().min(1) }),
  z.strictObject({ decision: z.literal("reject"), comment: z.string().min(1) }),
]);

function question(overrides: Partial<NewQuestion> = {}): NewQuestion {
  const asked = openQuestion(
    "run_1",
    "approve",
    {
      kind: "approval",
      title: "Merge it?",
      schema: decision,
      options: [
        { value: "approve", label: "yes" },
        { value: "reject", label: "no" },
      ],
      context: { feature_id: "f", tree: "t1" },
    },
    1_000,
  );
  return { ...asked, ...overrides };
}

const yes = { decision: "approve", token: "t" };
const signals = ({ db }: Database) => db.selectFrom("signals").selectAll().execute();

describe("asking", () => {
  test("a question is shown as it was asked, oldest first", async () => {
    const { inbox } = await open();
    await inbox.open(question({ id: "run_2#x", askedAt: 2_000 }));
    await inbox.open(question({ remindAfterMs: [20, 10], expiresAt: 9_000 }));
    const [first, second] = await inbox.listOpen();
    expect(first).toMatchObject({
      id: "run_1#approve",
      runId: "run_1",
      name: "approve",
      kind: "approval",
      title: "Merge it?",
      body: "",
      options: [{ value: "approve" }, { value: "reject" }],
      context: { feature_id: "f", tree: "t1" },
      answerableBy: [],
      remindAt: [1_010, 1_020],
      expiresAt: 9_000,
      status: "open",
      answer: null,
    });
    expect(second?.id).toBe("run_2#x");
  });

  test("a question keeps its number when others are answered, and an answered one is listed as closed", async () => {
    const { inbox } = await open();
    await inbox.open(question({ id: "run_2#x", askedAt: 2_000 }));
    await inbox.open(question());
    const numbers = new Map([
      ["run_1#approve", 1],
      ["run_2#x", 2],
    ]);
    expect(await inbox.numbers()).toEqual(numbers);
    expect(await inbox.listClosed()).toEqual([]);
    await inbox.answer({ id: "run_1#approve", value: { decision: "reject", comment: "no" }, by: person });
    expect((await inbox.listClosed()).map(({ id, status }) => [id, status])).toEqual([["run_1#approve", "answered"]]);
    expect(await inbox.numbers()).toEqual(numbers);
  });

  test("asking again keeps the first version, even after the answer", async () => {
    const { inbox } = await open();
    await inbox.open(question());
    await inbox.open(question({ title: "Something else?" }));
    await inbox.answer({ id: "run_1#approve", value: yes, by: person });
    await inbox.open(question());
    expect(await inbox.find("run_1#approve")).toMatchObject({ title: "Merge it?", status: "answered" });
  });

  test("it is the port that the durable engine asks through", async () => {
    const { inbox } = await open();
    const port: Inbox = inbox;
    await port.open(openQuestion("run_1", "name", { kind: "k", title: "t", schema: z.string() }, 5));
    expect((await inbox.listOpen()).map(({ id }) => id)).toEqual(["run_1#name"]);
  });
});

describe("finding", () => {
  test("by id, by a unique prefix, open questions first", async () => {
    const { inbox } = await open();
    await inbox.open(question({ id: "run_1#approve:1", name: "approve:1" }));
    await inbox.open(question({ id: "run_1#approve:2", name: "approve:2" }));
    await expect(inbox.find("run_1")).rejects.toMatchObject({
      code: "question_not_found",
      message: expect.stringContaining("run_1#approve:1, run_1#approve:2"),
    });
    await inbox.answer({ id: "run_1#approve:1", value: yes, by: person });
    expect((await inbox.find("run_1")).id).toBe("run_1#approve:2");
    expect((await inbox.find("run_1#approve:1")).status).toBe("answered");
    await expect(inbox.find("run_2")).rejects.toMatchObject({
      code: "question_not_found",
      details: { suggested_next_actions: [expect.stringContaining("inbox")] },
    });
    await expect(inbox.find("%")).rejects.toMatchObject({ code: "question_not_found" });
  });
});

describe("answering", () => {
  test("marks the question and sends the answer to the run, together", async () => {
    const bench = await open();
    await bench.inbox.open(question());
    bench.clock.time = 1_500.7;
    expect(await bench.inbox.answer({ id: "run_1", value: yes, by: person })).toMatchObject({
      status: "answered",
      answer: yes,
      answeredBy: "person:ada",
      answeredAt: 1_500,
    });
    expect(await signals(bench)).toMatchObject([
      {
        run_id: "run_1",
        name: "approve",
        value: '{"decision":"approve","token":"t"}',
        sent_by: "person:ada",
        at: 1_500,
        consumed_at: null,
      },
    ]);
    expect(await bench.inbox.listOpen()).toEqual([]);
  });

  test("if the answer cannot be sent, the question stays open", async () => {
    const bench = await open();
    await bench.inbox.open(question());
    await bench.sqlite.write((database) => database.exec("DROP TABLE signals"));
    await expect(bench.inbox.answer({ id: "run_1", value: yes, by: person })).rejects.toThrow("signals");
    expect(await bench.inbox.find("run_1")).toMatchObject({ status: "open", answer: null });
  });

  test("a question without a run is answered without a signal", async () => {
    const bench = await open();
    await bench.inbox.open(question({ id: "repo#1", runId: null }));
    expect(await bench.inbox.answer({ id: "repo#1", value: yes, by: person })).toMatchObject({ status: "answered" });
    expect(await signals(bench)).toEqual([]);
  });

  test("the first answer wins, also of several at once", async () => {
    const bench = await open();
    await bench.inbox.open(question());
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) =>
        bench.inbox.answer({ id: "run_1", value: { decision: "approve", token: `t${index}` }, by: person }),
      ),
    );
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const refused of answers.filter((answer) => answer.status === "rejected"))
      expect(refused.reason).toMatchObject({ code: "question_closed", details: { status: "answered" } });
    expect(await signals(bench)).toHaveLength(1);
  });

  test.each<[string, unknown, string[]]>([
    ["of the wrong type", 5, [""]],
    ["with a missing field", { decision: "approve" }, ["/token"]],
    ["with an unknown field", { ...yes, more: 1 }, ["/more"]],
    ["outside the options", { decision: "perhaps" }, ["/decision"]],
  ])("an answer %s is refused with every violation, and the question stays open", async (_name, value, pointers) => {
    const bench = await open();
    await bench.inbox.open(question());
    const refused = await bench.inbox.answer({ id: "run_1", value, by: person }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "answer_invalid", details: { options: ["approve", "reject"] } });
    const found = (refused as { details: { violations: { pointer: string }[] } }).details.violations.map(({ pointer }) => pointer);
    expect(found).toEqual(expect.arrayContaining(pointers));
    expect(await bench.inbox.listOpen()).toHaveLength(1);
    expect(await signals(bench)).toEqual([]);
  });

  test("a plain choice must be one of the options, whatever the schema allows", async () => {
    const { inbox } = await open();
    await inbox.open(question({ answerSchema: z.toJSONSchema(z.string()) }));
    await expect(inbox.answer({ id: "run_1", value: "perhaps", by: person })).rejects.toMatchObject({
      code: "answer_invalid",
      details: { violations: [{ pointer: "", rule: "enum" }] },
    });
    expect(await inbox.answer({ id: "run_1", value: "approve", by: person })).toMatchObject({ answer: "approve" });
  });

  test.each<[string, readonly string[], Actor, boolean]>([
    ["no one listed: a person", [], person, true],
    ["no one listed: not an agent", [], { type: "builder", id: "b" }, false],
    ["a role", ["orchestrator"], { type: "orchestrator", id: "o" }, true],
    ["another role", ["orchestrator"], person, false],
    ["one person", ["person:ada"], person, true],
    ["another person", ["person:ada"], { type: "person", id: "bob" }, false],
  ])("answerableBy: %s", async (_name, answerableBy, by, allowed) => {
    const { inbox } = await open();
    await inbox.open(question({ answerableBy }));
    const answering = inbox.answer({ id: "run_1", value: yes, by });
    if (allowed) await expect(answering).resolves.toMatchObject({ status: "answered" });
    else await expect(answering).rejects.toMatchObject({ code: "answer_not_allowed" });
  });

  test("a rule of the kind may refuse an answer", async () => {
    let current = "t2";
    const rules: ValidityRules = { approval: async ({ context }) => (context["tree"] === current ? null : `the tree is now ${current}`) };
    const bench = await open(rules);
    await bench.inbox.open(question());
    await expect(bench.inbox.answer({ id: "run_1", value: yes, by: person })).rejects.toMatchObject({
      code: "answer_invalid",
      message: expect.stringContaining("the tree is now t2"),
    });
    expect(await signals(bench)).toEqual([]);
    current = "t1";
    await expect(bench.inbox.answer({ id: "run_1", value: yes, by: person })).resolves.toMatchObject({ status: "answered" });
  });

  test("an answer after the deadline is refused, also before the question is closed", async () => {
    const { inbox, clock } = await open();
    await inbox.open(question({ expiresAt: 2_000 }));
    clock.time = 2_000;
    await expect(inbox.answer({ id: "run_1", value: yes, by: person })).rejects.toMatchObject({
      code: "question_closed",
      details: { status: "expired" },
    });
  });
});

describe("closing", () => {
  test.each<[Parameters<Inbox["close"]>[2], QuestionStatus, RegExp]>([
    ["answered", "answered", /was answered by an unknown actor/],
    ["expired", "expired", /has expired/],
    ["cancelled", "withdrawn", /was withdrawn/],
  ])("%s: the question is %s and accepts no answer", async (reason, status, told) => {
    const { inbox } = await open();
    await inbox.open(question());
    await inbox.close("run_1", "approve", reason);
    expect(await inbox.find("run_1")).toMatchObject({ status, answeredAt: 1_000 });
    await expect(inbox.answer({ id: "run_1", value: yes, by: person })).rejects.toMatchObject({
      code: "question_closed",
      message: expect.stringMatching(told),
    });
  });

  test("does not change ended or unknown questions", async () => {
    const { inbox } = await open();
    await inbox.open(question());
    await inbox.answer({ id: "run_1", value: yes, by: person });
    await inbox.close("run_1", "approve", "expired");
    await inbox.close("run_1", "approve", "answered");
    await inbox.close("run_7", "nothing", "expired");
    expect(await inbox.find("run_1")).toMatchObject({ status: "answered", answer: yes, answeredBy: "person:ada" });
  });

  test("an answer that was sent to the run directly is shown", async () => {
    const bench = await open();
    await bench.inbox.open(question());
    await bench.db
      .insertInto("signals")
      .values({ run_id: "run_1", name: "approve", value: '"sent"', sent_by: "script", at: 1, consumed_at: null })
      .execute();
    await bench.inbox.close("run_1", "approve", "answered");
    expect(await bench.inbox.find("run_1")).toMatchObject({ status: "answered", answer: "sent", answeredBy: "script" });
  });

  test("the table has one initial status and no transition back", () => {
    expect(statusesBefore("answered")).toEqual(["open"]);
    expect(statusesBefore("open")).toEqual([]);
    expect(Object.values(QUESTION_TRANSITIONS).filter((next) => next.length > 0)).toHaveLength(1);
  });
});

test("reminders are due once each; missed ones are handled together", async () => {
  const { inbox, clock } = await open();
  await inbox.open(question({ remindAfterMs: [100, 200, 300] }));
  await inbox.open(question({ id: "run_1#quiet", name: "quiet" }));
  expect(await inbox.dueReminders()).toEqual([]);
  clock.time = 1_250;
  const [due, ...others] = await inbox.dueReminders();
  expect(others).toEqual([]);
  expect(due).toMatchObject({ question: { id: "run_1#approve" }, number: 2 });
  await inbox.markReminded(due!);
  await inbox.markReminded({ ...due!, number: 1 });
  expect(await inbox.dueReminders()).toEqual([]);
  clock.time = 1_300;
  expect(await inbox.dueReminders()).toMatchObject([{ number: 3 }]);
  await inbox.answer({ id: "run_1#approve", value: yes, by: person });
  expect(await inbox.dueReminders()).toEqual([]);
});

interface Model {
  readonly questions: Map<string, { status: QuestionStatus; answer: unknown; expiresAt: number | null }>;
  time: number;
}
interface Real {
  readonly inbox: QuestionInbox;
  readonly clock: { time: number };
  readonly database: Database;
}
const names = ["a", "b"];

class Ask implements fc.AsyncCommand<Model, Real> {
  readonly #name: string;
  readonly #timeout: number | null;
  constructor(name: string, timeout: number | null) {
    [this.#name, this.#timeout] = [name, timeout];
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const expiresAt = this.#timeout === null ? null : model.time + this.#timeout;
    await real.inbox.open(
      question({
        id: `run_1#${this.#name}`,
        name: this.#name,
        askedAt: model.time,
        expiresAt,
        answerSchema: z.toJSONSchema(z.int()),
        options: [],
      }),
    );
    if (!model.questions.has(this.#name)) model.questions.set(this.#name, { status: "open", answer: null, expiresAt });
    await agrees(model, real);
  }
  toString = () => `ask(${this.#name}, ${this.#timeout})`;
}

class Answer implements fc.AsyncCommand<Model, Real> {
  readonly #name: string;
  readonly #value: unknown;
  constructor(name: string, value: unknown) {
    [this.#name, this.#value] = [name, value];
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const answer = await real.inbox
      .answer({ id: `run_1#${this.#name}`, value: this.#value, by: person })
      .catch((error: { code: string }) => error.code);
    const known = model.questions.get(this.#name);
    if (known === undefined) expect(answer).toBe("question_not_found");
    else if (known.status !== "open" || (known.expiresAt !== null && model.time >= known.expiresAt)) expect(answer).toBe("question_closed");
    else if (!Number.isInteger(this.#value)) expect(answer).toBe("answer_invalid");
    else {
      expect(answer).toMatchObject({ status: "answered", answer: this.#value });
      Object.assign(known, { status: "answered", answer: this.#value });
    }
    await agrees(model, real);
  }
  toString = () => `answer(${this.#name}, ${String(this.#value)})`;
}

class Close implements fc.AsyncCommand<Model, Real> {
  readonly #name: string;
  readonly #reason: "expired" | "cancelled";
  constructor(name: string, reason: "expired" | "cancelled") {
    [this.#name, this.#reason] = [name, reason];
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    await real.inbox.close("run_1", this.#name, this.#reason);
    const known = model.questions.get(this.#name);
    if (known?.status === "open") known.status = this.#reason === "expired" ? "expired" : "withdrawn";
    await agrees(model, real);
  }
  toString = () => `close(${this.#name}, ${this.#reason})`;
}

class Jump implements fc.AsyncCommand<Model, Real> {
  readonly #by: number;
  constructor(by: number) {
    this.#by = by;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    model.time += this.#by;
    real.clock.time = model.time;
  }
  toString = () => `jump(${this.#by})`;
}

async function agrees(model: Model, { inbox, database }: Real): Promise<void> {
  for (const [name, { status, answer }] of model.questions) expect(await inbox.find(`run_1#${name}`)).toMatchObject({ status, answer });
  const answered = [...model.questions]
    .filter(([, { status }]) => status === "answered")
    .map(([name, { answer }]) => ({ name, value: String(answer) }));
  const sent = (await signals(database)).map(({ name, value }) => ({ name, value }));
  expect(sent.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(answered.toSorted((a, b) => a.name.localeCompare(b.name)));
}

test("after any asks, answers, closes and clock jumps each question ends once, and each accepted answer is sent once", async () => {
  const name = fc.constantFrom(...names);
  const commands = fc.commands(
    [
      fc.tuple(name, fc.option(fc.nat(100))).map((args) => new Ask(...args)),
      fc.tuple(name, fc.oneof(fc.integer(), fc.constant("text"))).map((args) => new Answer(...args)),
      fc.tuple(name, fc.constantFrom("expired" as const, "cancelled" as const)).map((args) => new Close(...args)),
      fc.integer({ min: -50, max: 100 }).map((by) => new Jump(by)),
    ],
    { maxCommands: 20 },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const { inbox, clock, ...database } = await open();
      await fc.asyncModelRun(() => ({ model: { questions: new Map(), time: 1_000 }, real: { inbox, clock, database } }), sequence);
      await databases.pop()?.close();
    }),
    { numRuns: 60 },
  );
});
