import { afterEach, describe, expect, test } from "vitest";
import type { AuditReport } from "../audit/report.ts";
import { openStateScene, type StateScene } from "../testing/state-scene.ts";
import { askResolutions, phaseOfReport } from "./ask-resolutions.ts";

let scene: StateScene;
afterEach(() => scene?.close());

const contradiction = (id: string, involved: object[], minimal_scenario: string[] = []) => ({
  id,
  type: "temporal",
  severity: "simple",
  involved,
  minimal_scenario,
  analysis: "Both cannot hold.",
  suggested_resolution_options: ["Drop the first", "Drop the second"],
});
const reportOf = (...found: ReturnType<typeof contradiction>[]) => ({ contradictions_found: found }) as unknown as AuditReport;
const RULE = { constraint: "sums are integers" };
const CONTRACT = { contract: "fee: ENSURES result >= 0" };

test("a report about constraints opens the constraints, one about contracts alone the architecture", () => {
  expect(phaseOfReport(reportOf(contradiction("C1", [RULE, CONTRACT])))).toBe("constraints");
  expect(phaseOfReport(reportOf(contradiction("C1", [CONTRACT])))).toBe("architecture");
});

describe("contradictions that a person resolves", () => {
  const open = async (...found: ReturnType<typeof contradiction>[]) => {
    scene = await openStateScene(async ({ run }) => {
      const text = await askResolutions(run, reportOf(...found), 2);
      return { text, decided: (await run.ledger.list("after")).map(({ constraint, confidence }) => `${constraint} (${confidence})`) };
    });
    await scene.drive();
  };

  test("each is asked about, with what is involved and how it happens, and each answer is a decision", async () => {
    await open(contradiction("C1", [RULE, CONTRACT], ["open", "pay"]), contradiction("C2", [RULE]));
    expect((await scene.question()).body).toContain(
      "- sums are integers\n- fee: ENSURES result >= 0\n\nIt happens like this:\n1. open\n2. pay",
    );
    await scene.answer({ decision: "1" });
    await scene.drive();
    await scene.answer({ decision: "2", comment: "for now" });
    expect(await scene.drive()).toMatchObject({
      value: {
        text: "C1: Drop the first\nC2: Drop the second: for now",
        decided: ["Drop the first (canonical)", "Drop the second: for now (canonical)"],
      },
    });
  });

  test("something else needs words, and is asked about again without them", async () => {
    await open(contradiction("C1", [RULE]));
    await scene.answer({ decision: "other" });
    await scene.drive();
    expect((await scene.question()).body).toMatch(/^The option other needs a comment/);
    await scene.answer({ decision: "other", comment: "sums have two digits" });
    expect(await scene.drive()).toMatchObject({ value: { text: "C1: sums have two digits" } });
  });
});
