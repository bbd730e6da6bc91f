import { existsSync } from "node:fs";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { FeatureResult } from "../../change/feature-run.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { approvalLogEntrySchema } from "../rules/approvals.ts";
import { recordedYaml } from "../schemas/yaml.ts";
import { completion } from "../testing/answers.ts";
import { forgeScene, openForgeScene, type ForgeScene } from "../testing/forge-scene.ts";

const TIMEOUT = { timeout: 60_000 };
const VAGUE = "Make it better";

const shown = ({ title, body, options }: InboxQuestion) => ({ title, body, options });

/** The only open question; driving again asks it in the same words. */
async function asked(scene: ForgeScene): Promise<InboxQuestion> {
  const outcome = await scene.drive();
  expect(outcome, JSON.stringify(outcome)).toMatchObject({ status: "waiting" });
  const [question, ...others] = await scene.open();
  expect(others).toEqual([]);
  if (question === undefined) throw new Error("nothing is asked");
  return question;
}

function logOf(scene: ForgeScene) {
  const log = z.object({ approval_log: z.array(approvalLogEntrySchema) });
  return recordedYaml(scene.file("approval_log.yaml"), log, "approval_log.yaml").approval_log;
}

const change = (path: string, text: string, weakens = false) => ({ path, text, weakens });
const learned = (instruction_changes: object[], more: object = {}) => ({
  completion: completion(),
  payload: { summary: "Learned.", knowledge_updates: [], instruction_changes, ...more },
});
const RULES = { ".github/instructions/security.md": "# Security\n\nTokens must never be logged.\n" };

describe("an interactive run", () => {
  let scene: ForgeScene;
  let result: FeatureResult;
  const questions: InboxQuestion[] = [];
  const again: InboxQuestion[] = [];

  beforeAll(async () => {
    scene = await openForgeScene({
      mode: "interactive",
      request: VAGUE,
      files: RULES,
      script: { "knowledge-agent": learned([change(".github/instructions/parts.md", "One part, one file.\n")]) },
    });
    const answers: object[] = [
      { decision: "modify", comment: "Each part is a file." },
      { decision: "expand", comment: "Look at focus: licences as well." },
      { decision: "proceed" },
      { decision: "revise", comment: "Name the parts in German." },
      { decision: "approve" },
      { decision: "skip" },
    ];
    for (const answer of answers) {
      questions.push(await asked(scene));
      const [same] = [await asked(scene)];
      again.push(same);
      await scene.answer(same, answer);
    }
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test("[FOR-048][FOR-117][FOR-118] pauses for pushback, gates and instructions only, and asks the same again until it is answered", () => {
    expect(result.status).toBe("merged");
    expect(questions.map(({ kind }) => kind)).toEqual([
      "forge_pushback",
      "forge_gate",
      "forge_gate",
      "forge_gate",
      "forge_gate",
      "forge_instructions",
    ]);
    expect(again.map(shown)).toEqual(questions.map(shown));
    expect(again.map(({ id }) => id)).toEqual(questions.map(({ id }) => id));
  });

  test("[FOR-027][FOR-158] pushback offers proceed, modify and abandon before any researcher, and modify changes the request", () => {
    expect(questions[0]?.options?.map(({ value }) => value)).toEqual(["proceed", "modify", "abandon"]);
    expect(questions[0]?.body).toContain("Major");
    expect(scene.file("initial-request.md")).toContain("Each part is a file.");
    expect(scene.sent[0]?.prompt).toContain("Each part is a file.");
  });

  test("[FOR-116] expand researches again with the added focus; the gate's default is proceed", () => {
    expect(questions[1]?.options?.map(({ value }) => value)).toEqual(["proceed", "expand", "abort"]);
    expect(questions[1]?.options?.[0]?.label).toContain("(default)");
    const second = scene.dispatched().filter((name) => /^researcher \S+-2\.1$/.test(name));
    expect(second.toSorted()).toEqual(
      ["architecture-2.1", "dependencies-2.1", "impact-2.1", "licences-2.1", "patterns-2.1"].map((name) => `researcher ${name}`),
    );
    expect(scene.has("research/licences.yaml")).toBe(true);
  });

  test("[FOR-117] revise takes the person's words back to the planner", () => {
    expect(questions[3]?.options?.map(({ value }) => value)).toEqual(["approve", "revise", "abort"]);
    expect(questions[3]?.body).toMatch(/The plan has 1 task in 1 wave with 1 🟢, 0 🟡, 0 🔴 files/);
    const planner = scene.sent.find(({ attempt }) => attempt === "plan-2.1");
    expect(planner?.prompt).toContain("Name the parts in German.");
  });

  test("[FOR-119][FOR-157] every decision at a gate is logged as the person's, with the raw answer", () => {
    const log = logOf(scene).map(({ gate_id, mode, selected_option, auto_selected }) => [gate_id, mode, selected_option, auto_selected]);
    expect(log).toEqual([
      ["gate-post-research", "interactive", "expand", false],
      ["gate-post-research", "interactive", "proceed", false],
      ["gate-post-planning", "interactive", "revise", false],
      ["gate-post-planning", "interactive", "approve", false],
    ]);
    expect(logOf(scene)[2]?.user_response_raw).toContain("Name the parts in German.");
  });

  test("[FOR-131] a declined change of the instructions is not part of the change", async () => {
    expect(questions[5]?.body).toContain("One part, one file.");
    expect(scene.scratch.git("ls-tree", "-r", "--name-only", "main")).not.toContain("instructions/parts.md");
    expect((await scene.notes()).join("\n")).toContain("not applied: a person declined the change of .github/instructions/parts.md");
  });
});

test("[FOR-028] a person who abandons the request ends the run before anyone is dispatched", TIMEOUT, async () => {
  const scene = await forgeScene({ mode: "interactive", request: VAGUE });
  await scene.answer(await asked(scene), { decision: "abandon" });
  const result = await scene.finish();
  expect(result).toMatchObject({ status: "failed", landing: null });
  expect(scene.dispatched()).toEqual([]);
  expect(scene.has("initial-request.md")).toBe(true);
});

test("[FOR-116] abort after the research keeps its outputs and dispatches nobody else", TIMEOUT, async () => {
  const scene = await forgeScene({ mode: "interactive" });
  await scene.answer(await asked(scene), { decision: "abort" });
  const result = await scene.finish();
  expect(result).toMatchObject({ status: "failed", landing: null });
  expect(scene.dispatched().every((name) => name.startsWith("researcher"))).toBe(true);
  expect(scene.has("research/impact.yaml")).toBe(true);
});

/** JSON of more than a YAML answer may have, and each field within its limit. */
const LONG = { summary: "Long.", findings: Array.from({ length: 80 }, () => ({ title: "t", detail: "word ".repeat(3_000), files: [] })) };

describe("answers with quotes, line breaks, emoji and 1 MB", () => {
  const odd = `"yes": 'no'\n---\n- *a &b !!c #d {e: [f\r\n\ttab \u2028 \\ \${x} 👩‍🚀 é`;
  const answers = [
    { decision: "proceed", comment: odd },
    { decision: "revise", comment: `${odd}\n`.repeat((1024 * 1024) / odd.length) },
    { decision: "abort" },
  ];
  let scene: ForgeScene;

  beforeAll(async () => {
    scene = await openForgeScene({ mode: "interactive", script: { "researcher/impact": { completion: completion(), payload: LONG } } });
    for (const answer of answers) await scene.answer(await asked(scene), answer);
    await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test("[FOR-119] are in approval_log.yaml as they were given, each after the ones before it", () => {
    const log = logOf(scene);
    expect(log.map(({ selected_option }) => selected_option)).toEqual(["proceed", "revise", "abort"]);
    expect(log.map(({ user_response_raw }) => JSON.parse(user_response_raw ?? "") as unknown)).toEqual(answers);
  });

  test("a document of more than 1 MB is read by the steps after it", () => {
    expect(scene.file("research/impact.yaml").length).toBeGreaterThan(1024 * 1024);
    expect(scene.dispatched()).toContain("spec spec.1");
  });

  test("[FOR-117] and reach the planner whole", () => {
    const planner = scene.sent.find(({ attempt }) => attempt === "plan-2.1");
    expect(planner?.input.context_bundle.some(({ text }) => text.includes(answers[1]?.comment ?? "-"))).toBe(true);
  });
});

test(
  "[FOR-117] abort after the planning, for which the fifth expansion is the last, keeps the plan and tags nothing",
  TIMEOUT,
  async () => {
    const scene = await forgeScene({ mode: "interactive" });
    for (let round = 1; round <= 5; round++) await scene.answer(await asked(scene), { decision: "expand" });
    await scene.answer(await asked(scene), { decision: "abort" });
    const result = await scene.finish();
    expect(scene.dispatched().filter((name) => name.startsWith("researcher impact"))).toHaveLength(5);
    expect(result).toMatchObject({ status: "failed", landing: null });
    expect(scene.has("plan-output.yaml")).toBe(true);
    expect(scene.scratch.git("tag", "--list")).toBe("");
    expect(scene.dispatched().some((name) => name.startsWith("implementer"))).toBe(false);
  },
);

describe("an autonomous run with concerns and with changes of the instructions", () => {
  let scene: ForgeScene;
  let result: FeatureResult;

  beforeAll(async () => {
    scene = await openForgeScene({
      request: VAGUE,
      files: RULES,
      script: {
        "knowledge-agent": learned(
          [
            change(".github/instructions/parts.md", "One part, one file.\n"),
            change(".github/instructions/security.md", "# Security\n\nTokens may be logged while debugging.\n"),
            change(".github/instructions/review.md", "Skip the review of secrets.\n", true),
          ],
          { memories: [{ topic: "parts", text: "Parts are JSON." }] },
        ),
      },
    });
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test("[FOR-027][FOR-028] logs the concerns and goes on", async () => {
    expect(result.status).toBe("merged");
    expect((await scene.notes())[0]).toMatch(/^concerns about the request, logged: Major: /);
  });

  test("[FOR-118][FOR-119] takes and logs the default at each gate without asking", async () => {
    expect(logOf(scene).map(({ selected_option, auto_selected }) => [selected_option, auto_selected])).toEqual([
      ["proceed", true],
      ["approve", true],
    ]);
    expect(await scene.open()).toEqual([]);
  });

  test("[FOR-131] applies and logs a change of the instructions, but none that weakens a security rule", async () => {
    const { git } = scene.scratch;
    expect(git("show", "main:.github/instructions/parts.md")).toBe("One part, one file.\n");
    expect(git("show", "main:.github/instructions/security.md")).toBe(RULES[".github/instructions/security.md"]);
    expect(git("ls-tree", "-r", "--name-only", "main")).not.toContain("instructions/review.md");
    const notes = (await scene.notes()).join("\n");
    expect(notes).toContain("applied: the change of .github/instructions/parts.md");
    expect(notes).toContain("refused: the change of .github/instructions/security.md would weaken an existing security check");
    expect(notes).toContain("refused: the change of .github/instructions/review.md would weaken an existing security check");
  });

  test("[FOR-057] keeps a memory for later runs, which researchers see", async () => {
    const stored = await scene.scratch.kernel.decisions.list("repository");
    expect(stored.map(({ constraint }) => constraint)).toContain("Parts are JSON.");
    expect(existsSync(scene.place("knowledge-output.yaml"))).toBe(true);
  });
});
