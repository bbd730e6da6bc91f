import { readdirSync } from "node:fs";
import { SlipwayError } from "@slipway/agents/errors";
import type { FeatureResult } from "../../change/feature-run.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { partFile, reviewAnswer, sectionOf, type SaidFinding } from "../testing/answers.ts";
import { forgeScene, openForgeScene, type ForgeScene } from "../testing/forge-scene.ts";

const no = (title: string, more: SaidFinding = {}) => reviewAnswer("needs_revision", [{ title, ...more }]);
const TIMEOUT = { timeout: 60_000 };

describe("a run whose reviews ask for revisions", () => {
  let scene: ForgeScene;
  let result: FeatureResult;

  beforeAll(async () => {
    scene = await openForgeScene({
      tasks: [{ number: 1 }, { number: 2, risk: "🔴" }],
      script: {
        "adversarial-reviewer/design-architecture-r1": no("The parts are coupled"),
        "adversarial-reviewer/design-correctness-r1": no("Empty parts are not said"),
        "adversarial-reviewer/design-security-r2": no("Names are not escaped"),
        "adversarial-reviewer/design-architecture-r2": no("The parts are still coupled"),
        "adversarial-reviewer/code-security-r1": no("Part 2 is not escaped", { affected_artifacts: [partFile(2)] }),
        "adversarial-reviewer/code-correctness-r1": no("Part 2 is wrong", { affected_artifacts: [`${partFile(2)}:1`] }),
        "adversarial-reviewer/code-architecture-r2": no("I would have named it otherwise", { severity: "Critical" }),
      },
    });
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  const reviews = async () => (await scene.checks()).filter(({ phase }) => phase === "review");

  test("[FOR-033] fewer than two approvals send the design back with the findings, and round 2 follows", () => {
    const designer = scene.sent.find(({ attempt }) => attempt === "r2.1");
    expect(designer?.prompt).toContain("The parts are coupled");
    expect(designer?.prompt).toContain("Empty parts are not said");
    expect(scene.dispatched().filter((name) => name.startsWith("designer"))).toEqual(["designer r1.1", "designer r2.1"]);
  });

  test("[FOR-034] after round 2 the open findings are constraints of the plan, and the exhaustion is recorded", async () => {
    const planner = scene.sent.find(({ role }) => role === "planner");
    const constraints = planner === undefined ? "" : sectionOf(planner, "open findings: constraints of the plan");
    expect(constraints).toContain("Names are not escaped");
    expect(constraints).toContain("The parts are still coupled");
    expect(constraints).not.toContain("Empty parts are not said");
    expect((await scene.routes()).flatMap(({ escalation }) => escalation ?? [])).toEqual(["design-review-exhausted"]);
  });

  test("[FOR-097][FOR-110][FOR-088] each round of each scope has three reviewers and three rows of its round, whatever the risk", async () => {
    const rounds = (await reviews()).map(({ task_id, round }) => `${task_id} ${round}`);
    const times = (key: string) => rounds.filter((one) => one === key).length;
    expect(Object.fromEntries(rounds.map((key) => [key, times(key)]))).toEqual({
      "parts-design-review 1": 3,
      "parts-design-review 2": 3,
      "parts-code-review 1": 3,
      "parts-code-review 2": 3,
    });
  });

  test("[FOR-041] the affected task alone is fixed and verified again before round 2", async () => {
    const after = scene.dispatched().slice(scene.dispatched().findIndex((name) => name.includes("fix-r1")));
    expect(after.slice(0, 2)).toEqual(["implementer task-02-fix-r1-i1.1", "verifier task-02-fix-r1-i1.1"]);
    expect(after.filter((name) => /task-01/.test(name))).toEqual([]);
    const fix = scene.sent.find(({ attempt }) => attempt === "task-02-fix-r1-i1.1");
    expect(fix?.prompt).toContain("Part 2 is wrong");
    const rounds = (await scene.checks()).filter(({ phase, check_name }) => phase === "after" && check_name === "syntax-json");
    expect(rounds.map(({ task_id, round }) => `${task_id} ${round}`)).toEqual(["task-01 1", "task-02 1", "task-02 2"]);
  });

  test("[FOR-104] two approvals proceed, and the dissent is a known issue with its severity", async () => {
    expect(result.status).toBe("merged");
    expect(result.words).toContain("confidence: Medium");
    expect(result.words?.join("\n")).toContain("known issue (Critical): I would have named it otherwise");
    expect(scene.file("evidence-bundle.md")).toMatch(/Critical[^]*I would have named it otherwise/);
    expect((await scene.rows()).filter((row) => [7, 8, 15, 16].includes(row))).toEqual([8, 8, 16, 15]);
  });

  test("[FOR-102] the verdict file holds the current round, and the ledger the earlier one", async () => {
    const verdicts = scene.file("review-verdicts/code.yaml");
    expect(verdicts).toMatch(/round: 2/);
    expect([...verdicts.matchAll(/review_focus: (\w+)/g)].map(([, focus]) => focus).toSorted()).toEqual([
      "architecture",
      "correctness",
      "security",
    ]);
    const first = (await reviews()).filter(({ task_id, round }) => task_id === "parts-code-review" && round === 1);
    expect(first.filter(({ verdict }) => verdict === "needs_revision")).toHaveLength(2);
  });
});

test(
  "[FOR-041][FOR-086][FOR-136] a code review without two approvals in round 2 leaves its findings open, and the confidence is Low",
  TIMEOUT,
  async () => {
    const scene = await forgeScene({
      script: {
        "adversarial-reviewer": ({ attempt }) =>
          attempt.startsWith("code-") && !attempt.includes("security") ? no("Not good") : undefined,
      },
    });
    const result = await scene.finish();
    expect(result).toMatchObject({ status: "failed", landing: null });
    expect(result.words?.join("\n")).toMatch(/confidence: Low[^]*known issue \(Major\): Not good/);
    expect((await scene.rows()).filter((row) => row >= 15)).toEqual([16, 16, 18, 20]);
  },
);

test(
  "[FOR-085][FOR-105][FOR-106] a security finding of severity Blocker ends the run at once, whatever the verdict says",
  TIMEOUT,
  async () => {
    const scene = await forgeScene({
      script: {
        "adversarial-reviewer/design-security-r1": reviewAnswer("needs_revision", [{ severity: "Blocker", category: "security" }]),
      },
    });
    const result = await scene.finish();
    expect(result).toMatchObject({ status: "failed", landing: null });
    expect(result.words?.[0]).toMatch(/^ERROR in step 3b: a reviewer blocks the design/);
    expect((await scene.checks()).map(({ check_name, verdict }) => [check_name, verdict])).toContainEqual([
      "review-design-gpt-5.3-codex-security",
      "blocker",
    ]);
    expect(scene.dispatched()).toHaveLength(9);
    expect(scene.has("design-output.yaml") && scene.has("review-verdicts/design.yaml")).toBe(true);
  },
);

test(
  "[FOR-087][FOR-105] one blocker in the code review ends the run, also from another focus and against two approvals",
  TIMEOUT,
  async () => {
    const scene = await forgeScene({
      script: { "adversarial-reviewer/code-correctness-r1": reviewAnswer("blocker", [{ severity: "Blocker", category: "correctness" }]) },
    });
    const base = scene.scratch.git("rev-parse", "main");
    const result = await scene.finish();
    expect(result.words?.[0]).toMatch(/^ERROR in step 7: a reviewer blocks the code/);
    expect(scene.scratch.git("rev-parse", "main")).toBe(base);
    expect(scene.dispatched().some((name) => name.startsWith("knowledge-agent"))).toBe(false);
    expect((await scene.rows()).at(-1)).toBe(17);
  },
);

test(
  "[FOR-107] one model for all three: the focus keeps rows and files apart, and telemetry and bundle carry the warning",
  TIMEOUT,
  async () => {
    const scene = await forgeScene({ model: () => "one-model" });
    const result = await scene.finish();
    expect(result.words).toContain("confidence: Medium");
    const findings = readdirSync(scene.place("review-findings")).filter((name) => name.endsWith(".md"));
    const focuses = ["architecture", "correctness", "security"];
    expect(findings.toSorted()).toEqual(["code", "design"].flatMap((scope) => focuses.map((focus) => `${scope}-one-model-${focus}.md`)));
    const notes = (await scene.telemetry()).filter(({ agent }) => agent === "adversarial-reviewer").map((row) => row.notes ?? "");
    expect(notes.some((note) => note.includes("Model diversity was not achieved"))).toBe(true);
    expect(scene.file("evidence-bundle.md")).toContain("Model diversity was not achieved");
  },
);

describe("reviewers whose own models cannot be used", () => {
  const missing = ["gpt-5.3-codex", "gemini-3-pro-preview"];
  let scene: ForgeScene;

  beforeAll(async () => {
    scene = await openForgeScene({
      script: {
        "adversarial-reviewer": ({ model, attempt }) => {
          if (missing.includes(model ?? "")) return new SlipwayError("agent_not_installed", `${model} is not here.`);
          return attempt.startsWith("design-") && attempt.includes("-r1.") ? no("The parts are coupled") : undefined;
        },
      },
    });
    await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  const modelsOf = (round: string) =>
    scene.sent
      .filter(({ role, attempt }) => role === "adversarial-reviewer" && attempt.includes(round))
      .map(({ attempt, model }) => `${attempt.replace(/^design-|^code-/, "")}: ${model}`)
      .toSorted();

  test("[FOR-107][FOR-133] are asked once more with the model of their role; the one whose model answers keeps it", () => {
    expect(modelsOf("-r1.").filter((line) => !line.includes("one-model"))).toEqual([
      "architecture-r1.1: gemini-3-pro-preview",
      "correctness-r1.1: claude-opus-4.6",
      "security-r1.1: gpt-5.3-codex",
    ]);
    const again = scene.sent.filter(({ attempt }) => /^design-.*-r1\.2$/.test(attempt));
    expect(again.map(({ attempt, model }) => `${attempt}: ${model}`).toSorted()).toEqual([
      "design-architecture-r1.2: one-model",
      "design-security-r1.2: one-model",
    ]);
  });

  test("[FOR-107] and once two of a round had one model, later rounds ask all three for the model of their role, and none for its own", () => {
    const focuses = ["architecture", "correctness", "security"];
    expect(modelsOf("design-").filter((line) => line.includes("-r2."))).toEqual(focuses.map((focus) => `${focus}-r2.1: one-model`));
    expect(modelsOf("code-")).toEqual(focuses.map((focus) => `${focus}-r1.1: one-model`));
  });
});
