import { expect, test } from "vitest";
import { cachedAnswers } from "./answer-cache.ts";
import { scratch } from "../testing/scratch.ts";

test("a question is asked once per repository, unless it failed or the answer is too large", async () => {
  const [one, other] = [await scratch().open(), await scratch().open()];
  const asked: string[] = [];
  const answers = cachedAnswers<string>((text) => text.length < 10);
  const ask = (repo: typeof one, question: string, answer: string | Error) =>
    answers(repo, ["about", question], async () => {
      asked.push(question);
      if (answer instanceof Error) throw answer;
      return answer;
    });
  expect(await Promise.all([ask(one, "a", "first"), ask(one, "a", "second")])).toEqual(["first", "first"]);
  expect(await ask(one, "a", "third")).toBe("first");
  expect(await ask(other, "a", "theirs")).toBe("theirs");
  await expect(ask(one, "b", new Error("gone"))).rejects.toThrow("gone");
  expect(await ask(one, "b", "there")).toBe("there");
  expect(await ask(one, "c", "as long as this")).toBe("as long as this");
  expect(await ask(one, "c", "short")).toBe("short");
  expect(asked).toEqual(["a", "a", "b", "b", "c", "c"]);
});

test("only a limited number of answers is cached", async () => {
  const repo = await scratch().open();
  const answers = cachedAnswers<number>(() => true);
  let asked = 0;
  const ask = (question: number) => answers(repo, [String(question)], async () => ++asked);
  for (let question = 0; question < 150; question++) await ask(question);
  expect(await ask(149)).toBe(150);
  expect(await ask(0)).toBe(151);
});
