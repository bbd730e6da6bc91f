import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderRequest } from "@slipway/agents/provider";
import { afterAll, expect, test } from "vitest";
import { crewInner } from "../inner.ts";
import { runRecordSchema } from "../prompts/run-record.ts";
import { leanIntake, qa } from "./testing/artifacts.ts";
import { openBench, shown, type CrewBench } from "./testing/bench.ts";
import { reviews } from "./testing/team.ts";
import { coder, LETTERS_TWO } from "./testing/artifacts.ts";

let bench: CrewBench;
let pair: CrewBench | null = null;
afterAll(async () => {
  await bench.close();
  await pair?.close();
});

const OWN_THERE = ".slipway/runs/2026-11-18_some-features/2026-11-18_change-letters/";
const TWIN_THERE = ".slipway/runs/2026-11-18_some-features/2026-11-18_other-letters/";

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

test("[CRW-027][CRW-053] two sessions side by side have their own states, tasks, logs and decisions, and both merge", async () => {
  const builds = (request: ProviderRequest) => {
    const place = request.prompt.includes(TWIN_THERE) ? TWIN_THERE : OWN_THERE;
    return coder(shown(request, `${place}tasks.yaml`).replaceAll("src/b.", "src/a."), "T-001", LETTERS_TWO);
  };
  const models = { "spec-agent": [leanIntake()], coder: [builds], reviewer: [reviews], qa: [qa()] };
  pair = await openBench(models, {}, { mode: "lean", inner: true, twin: "other-letters" });
  const outcome = await pair.run();
  expect(outcome).toMatchObject({ status: "completed", value: [{ status: "merged" }, { status: "merged" }] });
  const { root, git } = pair.scratch;
  for (const [place, letter] of [
    [OWN_THERE, "a"],
    [TWIN_THERE, "b"],
  ] as const) {
    const read = (name: string) => readFileSync(join(root, place, name), "utf8");
    const session = place.split("/").at(-2);
    expect(JSON.parse(read("status.json"))).toMatchObject({ session, current_state: "DONE", retry_counts: {}, user_decisions: [] });
    expect(read("tasks.yaml")).toMatch(new RegExp(`status: completed[^]*src/${letter}\\.txt`));
    const dispatched = read("run-log.jsonl")
      .trimEnd()
      .split("\n")
      .flatMap((line) => runRecordSchema.parse(JSON.parse(line)).dispatch.map(({ agent }) => agent));
    expect(dispatched).toEqual(["SpecAgent", "Coder", "Reviewer", "QA"]);
    expect(git("show", `main:src/${letter}.txt`)).toBe("two\n");
  }
  expect(pair.sent).toHaveLength(8);
});
