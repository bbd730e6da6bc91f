import { afterEach, describe, expect, test } from "vitest";
import { gateAnswer } from "./gate.ts";
import { specMarkdown } from "./markdown.ts";
import { changed, sampleSpec, sampleTask } from "./testing/specs.ts";
import { emit, openStudio, PAGES, resultOf, write, type Studio, type StudioOptions, type Turn } from "./testing/studio.ts";

let studio: Studio;
afterEach(() => studio.close());

async function open(script: readonly Turn[], options: StudioOptions = {}): Promise<string> {
  studio = await openStudio(script, options);
  const runId = await studio.start();
  await studio.drive(runId);
  return runId;
}

/** Answers the gate and continues to the next, or to the end. */
async function answer(runId: string, value: unknown) {
  await studio.answer(value);
  return studio.drive(runId);
}

const AMEND = { decision: "AMEND", feedback: "Add a task for exports." };
const search = (query: string) => ({ tool: "web_search", query });
const second = sampleSpec([sampleTask(1), sampleTask(2), sampleTask(3)]);

describe("[FAC-033] after emission", () => {
  test("the run waits, across restarts, with the whole spec, every warning and all searches", async () => {
    const spec = sampleSpec([sampleTask(1, { description: "too short" }), sampleTask(2, { subtasks: ["Read it", "read it"] })]);
    const runId = await open([[search("ledgers"), search("banks")], [emit(spec)]], {
      webSearch: async (query) => (query === "banks" ? [] : PAGES.slice(0, 2)),
    });
    await studio.reopen();
    expect((await studio.drive(runId)).status).not.toBe("completed");
    const { body, context } = await studio.question();
    expect(body).toContain(specMarkdown(spec));
    expect(body).toContain("/pillars/0/epics/0/stories/0/tasks/0/description: TSK-001: the description has 9 characters");
    expect(body).toContain("/pillars/0/epics/0/stories/0/tasks/1/subtasks/1: ");
    expect(body).toContain('- "ledgers": https://example.org/1, https://example.org/2');
    expect(body).toContain('- "banks": nothing found');
    expect(context["sources"]).toEqual([
      { query: "ledgers", urls: ["https://example.org/1", "https://example.org/2"] },
      { query: "banks", urls: [] },
    ]);
    expect(studio.asked).toHaveLength(2);
  });

  test("a refused search is listed as a source without results; no warnings and no searches are stated", async () => {
    await open([[search("ledgers"), emit(sampleSpec())]]);
    const { body } = await studio.question();
    expect(body).toContain('- "ledgers": web_search is off');
    expect(body).toContain("No warnings.");
  });
});

describe("[FAC-034] the gate", () => {
  test("accepts three actions in their forms; anything else is refused and it stays open", async () => {
    const runId = await open([[emit(sampleSpec())]]);
    const { id } = await studio.question();
    const wrong = [
      { decision: "MAYBE" },
      { decision: "approve" },
      { decision: "APPROVE", comment: "fine" },
      { decision: "REJECT" },
      { decision: "REJECT", reasons: "" },
      { decision: "REJECT", reasons: " \n" },
      { decision: "REJECT", feedback: "no" },
      { decision: "AMEND" },
      { decision: "AMEND", feedback: "  " },
      { decision: "AMEND", feedback: ["more"] },
      "APPROVE",
      null,
    ];
    for (const value of wrong) await expect(studio.answer(value), JSON.stringify(value)).rejects.toMatchObject({ code: "answer_invalid" });
    expect((await studio.question()).id).toBe(id);
    expect(resultOf(await answer(runId, { decision: "APPROVE" }))?.status).toBe("approved");
  });

  test("offers exactly these three", async () => {
    await open([[emit(sampleSpec())]]);
    expect((await studio.question()).options.map(({ value }) => value)).toEqual(["APPROVE", "REJECT", "AMEND"]);
    expect(gateAnswer.options.map(({ shape }) => shape.decision.value)).toEqual(["APPROVE", "REJECT", "AMEND"]);
  });
});

test("APPROVE ends the loop with the spec exactly as it was emitted", async () => {
  const runId = await open([[emit(second)]]);
  const { context } = await studio.question();
  const result = resultOf(await answer(runId, { decision: "APPROVE" }));
  expect(result).toEqual({ status: "approved", spec: second, spec_digest: context["spec_digest"], artifact_ref: context["artifact_ref"] });
  const stored = await studio.kernel.records.objects.get(String(context["spec_digest"]));
  expect(Buffer.from(stored).toString()).toBe(studio.file("state_store/product/spec.json"));
  expect(JSON.parse(Buffer.from(stored).toString())).toEqual(second);
});

test("[FAC-036] REJECT starts over from the person's text and the reasons only", async () => {
  const first = [search("old research"), write("draft.json", "old draft"), emit(sampleSpec())];
  const runId = await open([first, [emit(second)]], { webSearch: async () => PAGES.slice(0, 1) });
  await answer(runId, { decision: "AMEND", feedback: "old feedback" });
  await answer(runId, { decision: "REJECT", reasons: "It must read CSV." });
  const { prompt, input, attempt } = studio.asked[2]!;
  expect(attempt).toBe("2.1");
  expect(input.context_bundle).toEqual([
    {
      title: "SPEC.md",
      kind: "spec",
      text: "# Ledger\n\nRead bank statements and add them up.\n\n## Rejection Feedback\n\nIt must read CSV.\n",
    },
  ]);
  expect(input.last_tool_results).toBe("none");
  expect(prompt).not.toContain("old");
  expect((await studio.question()).context["sources"]).toEqual([]);
  await answer(runId, { decision: "REJECT", reasons: "Still no CSV." });
  expect(studio.section(4, "SPEC.md")).toBe(
    `# Ledger\n\nRead bank statements and add them up.\n\n## Rejection Feedback\n\nStill no CSV.\n`,
  );
});

describe("[FAC-037] AMEND", () => {
  test("continues from the draft with the person's text; validated again, and the gate opens again", async () => {
    const bad = changed(second, "/pillars/0/epics/0/stories/0/tasks/2/subtasks", []);
    const script = [[search("ledgers"), write("draft.json", "my draft"), emit(sampleSpec())], [emit(bad)], [emit(second)]];
    const runId = await open(script, { webSearch: async () => PAGES.slice(0, 1) });
    await answer(runId, AMEND);
    expect(studio.asked[1]?.input.context_bundle.map(({ title, kind, text }) => [kind, title, text.slice(0, 12)])).toEqual([
      ["spec", "SPEC.md", "# Ledger\n\nRe"],
      ["draft", "the spec as it was last emitted", '{\n  "created'],
      ["draft", "draft.json", "my draft"],
      ["human_message", "message 1", "Add a task f"],
    ]);
    expect(studio.section(2, "message 1")).toBe(AMEND.feedback);
    expect(studio.asked[1]?.input.instructions).toContain("Do everything the last human message asks for");
    expect(studio.asked[2]?.input.last_tool_results).toContain("Nothing was emitted");
    expect(studio.section(3, "message 1")).toBe(AMEND.feedback);
    const { context } = await studio.question();
    expect(context).toMatchObject({ amendments: 1, advisory: null, sources: [{ query: "ledgers" }] });
    expect(JSON.parse(studio.file("state_store/product/spec.json") ?? "")).toEqual(second);
  });
});

describe("[FAC-038] after three amendments in a row", () => {
  test("the person is advised to approve or reject, and may still amend; a rejection resets the count", async () => {
    const runId = await open([[emit(sampleSpec())]]);
    const advice = async () => (await studio.question()).body.includes("amended 3 times in a row");
    for (let count = 1; count <= 3; count++) {
      expect(await advice()).toBe(false);
      await answer(runId, AMEND);
    }
    expect(await advice()).toBe(true);
    const { body } = await studio.question();
    expect(body).toMatch(/APPROVE, with its known limitations, or REJECT, with requirements that say more/);
    await answer(runId, AMEND);
    expect((await studio.question()).body).toContain("amended 4 times in a row");
    await answer(runId, { decision: "REJECT", reasons: "too small" });
    expect((await studio.question()).context).toMatchObject({ amendments: 0, advisory: null });
    await answer(runId, AMEND);
    expect((await studio.question()).context).toMatchObject({ amendments: 1, advisory: null });
  });
});
