import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { letters, nothingMissing, planFor, type Ended, type Project } from "../testing/project.ts";

const AGENTS = "version: 1\nroles: {}\nruntime:\n  default_provider: manual\n";
const project = () => letters({ "slipway/agents.yaml": AGENTS });
const run = (on: Project) => on.slipway(["run", "letters.spec.md"]);
const resume = (on: Project) => on.slipway(["resume", "--record", join(on.home, "tape")]);

interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly context: { readonly folder: string; readonly errors: readonly string[]; readonly schema: object };
}

/** The only open question. */
async function asked(on: Project): Promise<Asked> {
  const questions = (await on.slipway(["inbox", "--json"])).json<Asked[]>()[0] ?? [];
  expect(questions).toHaveLength(1);
  return questions[0]!;
}

async function answer(on: Project, value: unknown): Promise<void> {
  const { context } = await asked(on);
  on.write(`${context.folder}/answer.json`, JSON.stringify(value));
  expect(await on.slipway(["answer", (await asked(on)).id, "done"])).toMatchObject({ code: 0 });
}

/** Answers the planner, edits the file as the builder, and answers QA. */
async function play(on: Project): Promise<Ended> {
  await answer(on, planFor("letters", {}));
  expect((await resume(on)).code).toBe(23);
  const { context } = await asked(on);
  expect(on.read(`${context.folder}/pack/src/a.txt`)).toBe("one\n");
  on.write(`${context.folder}/pack/src/a.txt`, "two\n");
  expect((await on.slipway(["answer", "Q2", "done", "--comment", "one is two now"])).code).toBe(0);
  expect((await resume(on)).code).toBe(23);
  await answer(on, nothingMissing("src/a.txt"));
  return resume(on);
}

test("a person plans, builds and tests a feature: each request waits in the inbox; recorded, it replays by itself", async () => {
  const on = project();
  const first = await run(on);
  expect(first).toMatchObject({ code: 23, stdout: expect.stringContaining("Play the planner for letters") });
  expect(await asked(on)).toMatchObject({
    kind: "manual",
    body: expect.stringMatching(/REQUEST\.md describes the task\.\nWrite .*answer\.json\.$/),
  });
  const ready = await play(on);
  expect(ready.code, ready.stdout).toBe(23);
  expect(ready.stdout).toContain("slipway approve letters");
  expect((await on.slipway(["approve", "letters"])).code).toBe(0);
  const merged = await resume(on);
  expect(merged, merged.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("letters is merged into main") });
  expect(on.git("show", "main:src/a.txt")).toBe("two\n");
  const replayed = letters();
  const again = await replayed.slipway(["run", "letters.spec.md", "--cassette", join(on.home, "tape")]);
  expect(again, again.stdout).toMatchObject({ code: 23, stdout: expect.stringContaining("slipway approve letters") });
  expect(readdirSync(on.ungated.manual).toSorted()).toEqual(
    ["builder-1", "planner-1", "qa-1"].map((step) => expect.stringMatching(new RegExp(`_letters-feature-letters-${step}$`))),
  );
});

describe("a request that is open", () => {
  test("is not asked twice, however often the run is resumed", async () => {
    const on = project();
    await run(on);
    const { id, context } = await asked(on);
    on.write(`${context.folder}/answer.json`, "{}");
    for (let time = 0; time < 2; time++) expect((await resume(on)).code).toBe(23);
    expect((await asked(on)).id).toBe(id);
    expect(on.read(`${context.folder}/answer.json`)).toBe("{}");
  });

  test("stays open while its answer is invalid, and every error is reported at once", async () => {
    const on = project();
    await run(on);
    const { id, context } = await asked(on);
    const missing = await on.slipway(["answer", id, "done"]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/^answer_invalid: .*answer\.json does not exist yet\./) });
    on.write(`${context.folder}/answer.json`, JSON.stringify(planFor("letters", { summary: 7 })));
    const wrong = await on.slipway(["answer", id, "done"]);
    expect(wrong.stderr).toMatch(/^answer_invalid: .*answer\.json, \/plan\/summary: expected a string, found 7/);
    expect((await asked(on)).id).toBe(id);
  });

  test("is asked again with the errors if only the run can check the answer", async () => {
    const on = project();
    await run(on);
    const { id } = await asked(on);
    // JSON Schema cannot express that a path must stay inside the repository.
    const outside = planFor("letters", { files: { create: [], modify: ["../a.txt"], delete: [] } });
    await on.slipway(["answer", id, JSON.stringify({ decision: "done", answer: outside })]);
    expect((await resume(on)).code).toBe(23);
    const again = await asked(on);
    expect(again).toMatchObject({ title: "Correct the answer of the planner for letters", kind: "manual" });
    expect(again.context.errors).toEqual([expect.stringMatching(/^\/plan\/files\/modify\/0: /)]);
    expect(on.read(`${again.context.folder}/REQUEST.md`)).toContain(again.context.errors[0]);
    await answer(on, planFor("letters", {}));
    expect((await resume(on)).stdout).toContain("Play the builder for letters");
  });

  test("may be declined, which counts as the attempt; deleting the feature closes it", async () => {
    const on = project();
    await run(on);
    await on.slipway(["answer", "Q1", "reject", "--comment", "too vague"]);
    expect((await resume(on)).stdout).toContain("Play the planner for letters");
    expect((await asked(on)).id).toMatch(/planner:2$/);
    expect((await on.slipway(["delete", "letters", "--yes"])).code).toBe(0);
    expect((await on.slipway(["inbox", "--json"])).json()).toEqual([[]]);
    expect(existsSync(on.ungated.manual)).toBe(true);
  });
});
