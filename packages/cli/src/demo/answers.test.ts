import { openQuestion } from "@slipway/durable/inbox";
import { openScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import type { Demo } from "@slipway/protocols/demo/demo";
import { demoNamed } from "@slipway/protocols/demo/demos";
import type { DemoAnswers } from "@slipway/protocols/demo/files";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { collectingIo } from "../init/testing/scratch.ts";
import { demoPerson } from "./answers.ts";

const schema = z.strictObject({ decision: z.string(), reasons: z.array(z.string()).optional() });

async function personWith(answers: DemoAnswers, more: Partial<Demo> = {}) {
  const session = await openScratchKernel();
  onTestFinished(() => session.records.close());
  const said: string[] = [];
  const demo = { ...(await demoNamed().entry.load()), ...more };
  const person = demoPerson(demo, answers, session, collectingIo(session.root), (text) => void said.push(text));
  let asked = 0;
  const ask = (kind: string, body: string) =>
    session.records.inbox.open(openQuestion("run_1", `ask:${asked}`, { kind, title: `${kind}?`, body, schema }, 1_000 + asked++));
  const given = async () => (await session.records.inbox.listClosed()).map(({ answer, answeredBy }) => [answer, answeredBy]);
  return { person, said, ask, given };
}

test("questions of a kind get the answers of that kind in order, in the demo's name", async () => {
  const { person, ask, given } = await personWith({ tone: [{ decision: "plain" }, { decision: "solemn" }] });
  await ask("tone", "first");
  expect(await person.answerAll()).toBe(1);
  await ask("tone", "second");
  expect(await person.answerAll()).toBe(1);
  expect(await given()).toEqual([
    [{ decision: "plain" }, "person:the demo"],
    [{ decision: "solemn" }, "person:the demo"],
  ]);
});

test("a question without an answer left, or of another kind, stays open", async () => {
  const { person, ask, given } = await personWith({ tone: [{ decision: "plain" }] });
  await ask("tone", "first");
  await ask("tone", "second");
  await ask("length", "third");
  expect(await person.answerAll()).toBe(1);
  expect(await person.answerAll()).toBe(0);
  expect(await given()).toHaveLength(1);
});

test("a question is shown by its body, or by the demo's excerpt, with the whole answer", async () => {
  const answers = { tone: [{ decision: "plain", reasons: ["it is short", "it is clear"] }] };
  const whole = await personWith(answers);
  await whole.ask("tone", "one\ntwo");
  await whole.person.answerAll();
  expect(whole.said).toEqual([
    "\nA person is asked: tone?\n  one\n  two\n  The demo answers plain\n    reasons:\n      - it is short\n      - it is clear\n",
  ]);
  const excerpt = await personWith(answers, { excerpt: ({ body }) => body.split("\n").slice(1) });
  await excerpt.ask("tone", "one\ntwo");
  await excerpt.person.answerAll();
  expect(excerpt.said[0]).toContain("tone?\n  two\n");
});
