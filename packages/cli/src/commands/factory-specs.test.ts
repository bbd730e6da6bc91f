import type { ProductSpec } from "@slipway/protocols/factory/product/spec";
import { sampleSpec, sampleTask } from "@slipway/protocols/factory/product/testing/specs";
import { specOf } from "@slipway/protocols/factory/project/testing/specs";
import { describe, expect, test } from "vitest";
import { letters, type Project } from "../testing/project.ts";

/** A project whose product owner always emits this spec. */
function emitting(spec: unknown, rounds = 1): Project {
  const project = letters({ "numbers.md": "# Numbers\n\nDouble numbers.\n" });
  for (let round = 1; round <= rounds; round++)
    project.record("product-owner", `1.${round}`, { calls: [{ tool: "emit_structured_spec", spec }] }, "numbers");
  return project;
}

const factory = (project: Project) => project.slipway(["factory", "numbers.md", "--cassette", project.cassette]);
const goOn = (project: Project) => project.slipway(["resume", "--cassette", project.cassette]);
const question = async (project: Project, name: string) => (await project.slipway(["inbox", name])).stdout;

/** The same spec with other names. */
function named(names: { readonly pillar?: string; readonly epic?: string; readonly story?: string; readonly task?: string }): ProductSpec {
  const spec = sampleSpec([sampleTask(1, names.task === undefined ? {} : { name: names.task })]);
  const pillar = spec.pillars[0]!;
  const epic = pillar.epics[0]!;
  if (names.pillar !== undefined) pillar.name = names.pillar;
  if (names.epic !== undefined) epic.name = names.epic;
  if (names.story !== undefined) epic.stories[0]!.name = names.story;
  return spec;
}

describe("an unusual spec", () => {
  test("without a pillar: it is refused each time, and the question says why", async () => {
    const project = emitting({ ...sampleSpec(), pillars: [] }, 30);
    const ended = await factory(project);
    expect(ended.code).toBe(23);
    expect(ended.stdout).toContain("numbers has no spec yet");
    expect(await question(project, "Q1")).toMatch(/No spec was emitted in 30 rounds\. The last one was refused: [^]*- \/pillars: /);
    await project.slipway(["answer", "Q1", "give_up", "--comment", "not like this"]);
    expect(await goOn(project)).toMatchObject({ code: 3, stdout: expect.stringContaining("not like this") as string });
  });

  test("of 5,000 tasks: it is asked about, planned, and found again without delay", async () => {
    const project = emitting(specOf({ pillars: 5, epics: 10, stories: 10, tasks: 10 }));
    const asked = await factory(project);
    expect(asked.stdout).toContain("Build A product from this spec?");
    expect(asked.code).toBe(23);
    await project.slipway(["answer", "Q1", "APPROVE"]);
    // No provider plays the planner: the first task ends with a question.
    const halted = await goOn(project);
    expect(halted.code).toBe(23);
    expect(halted.stdout).toContain("T-pillar-0-epic-0-story-0-001");
    const [status] = (await project.slipway(["factory", "status", "--json"])).json<{
      summary: { total: number; counts: { PENDING: number } };
    }>();
    expect(status!.summary).toMatchObject({ total: 5000, large: true });
  });

  test("in other scripts: a name with a letter from a to z becomes an id; one without is asked about before anything is written", async () => {
    const fine = emitting(named({ pillar: "Überweisungen — 読む", epic: "🙂 émigré 🙂", story: "ﬁ 1", task: "\u202Eabc" }));
    expect((await factory(fine)).stdout).toContain("Build Ledger from this spec?");
    await fine.slipway(["answer", "Q1", "APPROVE"]);
    expect((await goOn(fine)).stdout).toContain("T-berweisungen-migr-1-001");

    const none = emitting(named({ story: "読み取り" }));
    expect((await factory(none)).code).toBe(23);
    expect(await question(none, "Q1")).toContain('The name of the story "読み取り" has no letter or digit');
    expect((await none.slipway(["factory", "status"])).stdout).toContain("No project yet");
  });

  test("with names of ten thousand characters: one is shortened, three make an id that is too long", async () => {
    const long = "word ".repeat(2000);
    const fine = emitting(named({ task: long, epic: long }));
    expect((await factory(fine)).stdout).toContain("Build Ledger from this spec?");
    const wide = emitting(named({ pillar: long, epic: long, story: long }));
    expect((await factory(wide)).code).toBe(23);
    expect(await question(wide, "Q1")).toMatch(/would have 200 characters [^]*at most 128 are allowed/);
  });
});
