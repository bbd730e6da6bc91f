import { afterAll, expect, test } from "vitest";
import { crewInner } from "../inner.ts";
import { leanIntake, qa } from "./testing/artifacts.ts";
import { openBench, shown, type CrewBench } from "./testing/bench.ts";
import { reviews } from "./testing/team.ts";
import { coder, LETTERS_TWO } from "./testing/artifacts.ts";

let bench: CrewBench;
afterAll(() => bench.close());

const OWN_THERE = ".slipway/runs/2026-11-18_some-features/2026-11-18_change-letters/";

test("[CRW-025][CRW-035] a session of a run of features has its folder below the run's, and is named by its last part", async () => {
  bench = await openBench(
    {
      "spec-agent": [leanIntake()],
      coder: [(request) => coder(shown(request, `${OWN_THERE}tasks.yaml`), "T-001", LETTERS_TWO)],
      reviewer: [reviews],
      qa: [qa()],
    },
    {},
    { mode: "lean", inner: true },
  );
  expect((await bench.result()).status).toBe("merged");
  expect(bench.status().session).toBe("2026-11-18_change-letters");
  expect(bench.last("coder").prompt).toContain(`${OWN_THERE}spec.md`);
});

test("[CRW-025] a specification whose name has not two to four words is refused", async () => {
  const spec = { id: "letters", path: "specs/letters.md", bytes: Buffer.from("# Letters\n") } as Parameters<typeof crewInner.prepare>[1];
  const starter = { kernel: bench.scratch.kernel } as Parameters<typeof crewInner.prepare>[0];
  const prepare = (id: string) => crewInner.prepare(starter, { ...spec, id }, {} as Parameters<typeof crewInner.prepare>[2]);
  await expect(prepare("letters")).rejects.toMatchObject({ code: "spec_ingest_failed" });
  expect(await prepare("change-letters")).toEqual({ mode: "full", project_type: "mixed" });
});
