import type { ApprovedFacts } from "@slipway/kernel/change/testing/scratch-kernel";
import type { FeatureResult } from "../../change/feature-run.ts";
import { beforeAll, afterAll, describe, expect, test } from "vitest";
import { failedAnswer, implementation, modeOf, partFile, sectionOf } from "../testing/answers.ts";
import { forgeScene, openForgeScene, type ForgeScene } from "../testing/forge-scene.ts";
import { viewChanges } from "../../change/view.ts";
import { FORGE_NARRATION } from "../narrate.ts";
import { viewForge } from "../view.ts";

const TIMEOUT = { timeout: 60_000 };
type Asked = { readonly attempt: string };
const asks = (text: string) => text.replace("require_user_approval: false", "require_user_approval: true");

/** Drives the run to its only question and answers it. */
async function answer(scene: ForgeScene, kind: string, value: (facts: ApprovedFacts) => object): Promise<void> {
  expect(await scene.drive()).toMatchObject({ status: "waiting" });
  const [question] = await scene.open();
  if (question === undefined) throw new Error("nothing is asked");
  expect(question.kind).toBe(kind);
  await scene.answer(question, value(question.context as ApprovedFacts));
}

const approve = (scene: ForgeScene) => (facts: ApprovedFacts) => ({ decision: "approve", token: scene.scratch.sign(facts) });

describe("a person who approves only the third time", () => {
  let scene: ForgeScene;
  let result: FeatureResult;
  let turn = 0;

  beforeAll(async () => {
    const implementer = ({ attempt }: Asked) => implementation({ [partFile(1)]: `{ "turn": ${++turn} }\n` }, { mode: modeOf(attempt) });
    scene = await openForgeScene({ policy: asks, script: { implementer } });
    await answer(scene, "approval", () => ({ decision: "changes", comment: "Say turn two." }));
    await answer(scene, "approval", () => ({ decision: "changes", comment: "Say turn three.\nNothing else." }));
    await answer(scene, "approval", approve(scene));
    result = await scene.finish();
  }, 60_000);
  afterAll(() => scene.close());

  test("gets the change with both wishes", () => {
    expect(result.status).toBe("merged");
    expect(scene.scratch.git("show", `main:${partFile(1)}`)).toBe('{ "turn": 3 }\n');
  });

  test("[FOR-041][FOR-097] the first wish is implemented, verified and reviewed again; after two review rounds it is a known issue", async () => {
    const dispatched = scene.dispatched().filter((one) => /sent-back|code-/.test(one));
    expect(dispatched.filter((one) => one.startsWith("implementer"))).toHaveLength(2);
    expect(dispatched.filter((one) => one.startsWith("verifier"))).toHaveLength(2);
    expect(dispatched.filter((one) => one.startsWith("adversarial-reviewer"))).toHaveLength(6);
    const reviewed = scene.sent.filter(({ attempt }) => attempt.startsWith("code-security-"));
    expect(reviewed.map((asked) => /risk_level: \S+/.exec(sectionOf(asked, "review"))?.[0])).toEqual(["risk_level: 🟢", "risk_level: 🟢"]);
    expect(scene.sent.some(({ role, prompt }) => role === "implementer" && prompt.includes("Say turn two."))).toBe(true);
    const issue = "Changed after the last review round, on this request: Say turn three.";
    expect(result.words).toContain(`known issue (Minor): ${issue}`);
    expect(scene.file("evidence-bundle.md")).toContain(issue);
  });
});

test("[FOR-045] a rejected change ends the run with its bundle, and nothing is merged", TIMEOUT, async () => {
  const scene = await forgeScene({ policy: asks });
  const base = scene.scratch.git("rev-parse", "main");
  await answer(scene, "approval", () => ({ decision: "reject", comment: "not wanted" }));
  const result = await scene.finish();
  expect(result).toMatchObject({ status: "failed", landing: null });
  expect(result.words).toContain("a person rejected the change");
  expect(scene.has("evidence-bundle.md")).toBe(true);
  expect(scene.scratch.git("rev-parse", "main")).toBe(base);
});

/** The full gate looks at more than the checks of a task do. */
const FULL = {
  "full.sh": `test ! -e ${partFile(1)} || grep -q fits ${partFile(1)}\n`,
  "slipway/gates.yaml": [
    "version: 1",
    "profiles: { default: { modes: {",
    "  fast: [{ name: check, cmd: [sh, check.sh], timeout_seconds: 20 }],",
    "  full: [{ name: whole, cmd: [sh, full.sh], timeout_seconds: 20 }] } } }\n",
  ].join("\n"),
};

describe("tasks that pass their own checks and fail the repository's gates", () => {
  const says = (text: () => string) => ({
    implementer: ({ attempt }: Asked) =>
      implementation({ [partFile(1)]: `${JSON.stringify({ at: attempt, is: text() })}\n` }, { mode: modeOf(attempt) }),
  });

  test("[FOR-136] are fixed once with the log of the gate, and land", TIMEOUT, async () => {
    let turns = 0;
    const scene = await forgeScene({ files: FULL, script: says(() => (++turns > 1 ? "fits" : "loose")) });
    expect((await scene.finish()).status).toBe("merged");
    const fixed = scene.sent.filter(({ role, attempt }) => role === "implementer" && attempt.includes("gates-review"));
    expect(fixed).toHaveLength(1);
    expect(fixed[0]?.prompt).toContain("whole");
  });

  test("[FOR-114][FOR-136] that still fail are a known issue of a run with Low confidence, which is not committed", TIMEOUT, async () => {
    const scene = await forgeScene({ files: FULL, script: says(() => "loose") });
    const base = scene.scratch.git("rev-parse", "main");
    const result = await scene.finish();
    expect(result.words).toContain("confidence: Low");
    expect(result.words?.join("\n")).toContain("known issue (Critical): the gates of the repository fail");
    expect(scene.scratch.git("rev-parse", "main")).toBe(base);
  });
});

test("a run at work is shown with its steps, its agents and what failed", TIMEOUT, async () => {
  const scene = await forgeScene({
    leaveAt: (event) => /^step \S*designer:r1\.1 begin$/.test(event),
    script: { "researcher/impact": failedAnswer("No access.") },
  });
  await scene.drive();
  const feature = { runId: scene.run, id: scene.feature };
  const reader = { records: scene.scratch.records } as Parameters<typeof viewForge>[0];
  const nodes = await viewForge(reader, feature);
  expect(nodes.filter(({ kind }) => kind === "phase").map(({ title, status }) => [title, status])).toEqual([
    ["1 Research", "done"],
    ["2 Specification", "done"],
    ["3 Design", "active"],
  ]);
  const impact = nodes.find(({ title }) => title === "impact");
  expect(impact).toMatchObject({ status: "ERROR", role: "forge/researcher", attempt: "2", since: null, reason: expect.any(String) });
  expect(nodes.at(-1)).toMatchObject({ title: "r1", status: "running", role: "forge/designer", since: expect.any(Number) });
  const [change] = await viewChanges(reader, scene.run, FORGE_NARRATION);
  expect(change).toMatchObject({ id: `feature:${scene.feature}`, kind: "feature", links: [{ what: "evidence" }, { what: "files" }] });
  expect(await viewForge(reader, { ...feature, id: "another" })).toEqual([]);
});
