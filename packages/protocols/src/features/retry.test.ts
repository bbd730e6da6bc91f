import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { NOTHING_MISSING, openWorkshop, patchOf, planFor, resultOf, type Script, type Workshop } from "./testing/workshop.ts";

let services: Workshop;
afterEach(() => services.close());

const HAPPY: Script = { planner: [planFor()], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

/** A feature that passed its gates and was then rejected by a person. */
async function refused(script: Script = HAPPY, files: Readonly<Record<string, string>> = {}) {
  services = await openWorkshop(script, { files });
  const runId = await services.start();
  await services.drive(runId);
  const [question] = await services.open();
  await services.answer(question!, { decision: "reject", comment: "not now" });
  expect(resultOf(await services.drive(runId))?.status).toBe("failed");
  return services.asked.length;
}

describe("the retry of a feature that has ended", () => {
  test("from land: no agent is called, and the approval is asked again", async () => {
    const paid = await refused();
    const runId = await services.retry("letters", { from: "land", comment: null });
    await services.drive(runId);
    const [question] = await services.open();
    expect(question).toMatchObject({ kind: "approval" });
    await services.approve(question!);
    expect(resultOf(await services.drive(runId))?.status).toBe("merged");
    expect(services.asked).toHaveLength(paid);
  });

  test("from the gates: they run on the existing tree, and no builder is called", async () => {
    await refused();
    const runId = await services.retry("letters", { from: "gates", comment: null });
    await services.drive(runId);
    expect(await services.open()).toMatchObject([{ kind: "approval" }]);
    expect(services.packs("builder")).toHaveLength(1);
    expect(await services.steps(runId)).toContain("gates:fast:1");
  });

  test("from the gates, if they fail now: the builder is called to fix it", async () => {
    // Outside the tree, so that the same tree passes first and fails later.
    const flag = () => join(services.root, "flag");
    const repair = () => (rmSync(flag()), patchOf("src/a.txt", "two", "three"));
    await refused({ ...HAPPY, builder: [patchOf("src/a.txt", "one", "two"), repair] }, { "check.sh": "test ! -e ../../flag\n" });
    services.write("flag", "");
    const runId = await services.retry("letters", { from: "gates", comment: null });
    await services.drive(runId);
    const steps = (await services.steps(runId)).filter((step) => /^(?:gates:fast|builder):/.test(step));
    expect(steps).toEqual(["gates:fast:1", "builder:2", "gates:fast:2"]);
    expect(await services.open()).toMatchObject([{ kind: "approval" }]);
  });

  test("from build: the person's comment reaches the builder", async () => {
    await refused({ ...HAPPY, builder: [patchOf("src/a.txt", "one", "two"), patchOf("src/a.txt", "two", "three")] });
    const runId = await services.retry("letters", { from: "build", comment: "say three" });
    await services.drive(runId);
    const pack = services.packs("builder").at(-1);
    expect(JSON.stringify(pack?.sections)).toContain("say three");
    expect(services.packs("planner")).toHaveLength(1);
  });

  test("with a plan that collides with a feature of another run: a person is asked without a wait, and may give up", async () => {
    await refused({ ...HAPPY, "planner/numbers": [planFor("numbers")] });
    const other = await services.start("numbers");
    await services.drive(other);
    const runId = await services.retry("letters", { from: "build", comment: null });
    await services.drive(runId);
    const question = (await services.open()).find(({ kind }) => kind === "mend");
    expect(question).toMatchObject({ context: { code: "collision_detected" } });
    expect((await services.steps(runId)).filter((step) => step.startsWith("retry"))).toEqual(["retry"]);
    await services.answer(question!, { decision: "give_up" });
    expect(resultOf(await services.drive(runId))?.status).toBe("failed");
  });
});
