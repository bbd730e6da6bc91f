import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FeatureResult } from "../../change/feature-run.ts";
import { coder, leanIntake, LETTERS_TWO, OWN, qa, reviewer } from "./testing/artifacts.ts";
import { openBench, shown, type CrewBench } from "./testing/bench.ts";

let bench: CrewBench;
let result: FeatureResult;

beforeAll(async () => {
  bench = await openBench(
    {
      "spec-agent": [leanIntake()],
      coder: [(request) => coder(shown(request, `${OWN}tasks.yaml`), "T-001", LETTERS_TWO)],
      reviewer: [({ prompt }) => reviewer(prompt)],
      qa: [qa()],
    },
    {},
    { mode: "lean" },
  );
  result = await bench.result();
});
afterAll(() => bench.close());

describe("a lean session", () => {
  test("[CRW-082] goes from the request to the merge", () => {
    expect(result.status).toBe("merged");
    expect(bench.states()).toEqual(["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTEGRATE", "DONE"]);
    expect(bench.scratch.git("show", "main:src/a.txt")).toBe("two\n");
  });
});
