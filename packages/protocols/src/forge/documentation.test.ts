import { readFile } from "node:fs/promises";
import { openRunFiles } from "@slipway/kernel/record/run-files/run-files";
import { nativeToolsOf } from "@slipway/agents/tools/native-tools";
import { describe, expect, test } from "vitest";
import { FORGE_AGENTS } from "./agents.ts";
import { forgeOrchestrator } from "./export/export-forge.ts";
import { completion } from "./testing/answers.ts";
import { forgeScene } from "./testing/forge-scene.ts";

const PAGE = new URL("../../../../docs/forge.md", import.meta.url);

describe("the page about forge", () => {
  test.each(["DR-1", "DR-2"])(
    "[FOR-154] records the deviation %s with requirement, deviation, rationale, tradeoff and reconciliation",
    async (id) => {
      const page = await readFile(PAGE, "utf8");
      const start = page.indexOf(id);
      expect(start).toBeGreaterThan(0);
      const record = page.slice(start, start + 1_500);
      for (const part of [/requirement/i, /deviation/i, /rationale/i, /constraint|tradeoff/i, /reconciliation/i])
        expect(record).toMatch(part);
    },
  );

  test("[FOR-155] names the missing regression history per file as a known limitation", async () => {
    expect(await readFile(PAGE, "utf8")).toMatch(/no regression history per file/i);
  });
});

test("[FOR-004] the orchestrator has exactly its five duties, and no others", async () => {
  const { prompt } = await forgeOrchestrator();
  const duties = /You have five duties: ([^.]*)\./.exec(prompt)?.[1] ?? "";
  const listed = duties.split(/, (?:and )?/);
  const expected = [
    /route by completion contracts/,
    /approval gates/,
    /transient from lasting errors/,
    /evidence by SQL/,
    /set up the run/,
  ];
  expect(listed).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(listed[index]).toMatch(pattern);
  expect(prompt).toContain("no build, no test");
});

test("[FOR-016] a verifier may run commands and read, and it has no way to change a file", async () => {
  const native = nativeToolsOf(FORGE_AGENTS.verifier.tools);
  expect(native.toSorted()).toEqual(["glob", "grep", "ls", "read", "run"]);
  const scene = await forgeScene({ tasks: 1 });
  await scene.finish();
  const asked = (role: string) => scene.sent.filter((request) => request.role === role);
  const [verifier] = asked("verifier");
  const [implementer] = asked("implementer");
  expect(verifier?.tools.filter((tool) => ["write", "edit", "delete"].includes(tool))).toEqual([]);
  // An agent without a folder hands over files in its answer: the implementer can, the verifier cannot.
  expect([implementer, verifier].map((request) => Object.hasOwn((request?.schema["properties"] ?? {}) as object, "files"))).toEqual([
    true,
    false,
  ]);
});

test("[FOR-149] rows are in SQLite, outputs and the decision log in YAML, companions and findings in Markdown, memories in the store", async () => {
  const memory = {
    completion: completion(),
    payload: { summary: "Learned.", knowledge_updates: [], memories: [{ topic: "tests", text: "Run them." }] },
  };
  const scene = await forgeScene({ tasks: 1, script: { "knowledge-agent": memory } });
  await scene.finish();
  const { db } = scene.scratch.kernel.records.database;
  const phases = await db.selectFrom("anvil_checks").select("phase").distinct().execute();
  expect(phases.map(({ phase }) => phase).toSorted()).toEqual(["after", "baseline", "review"]);
  expect((await db.selectFrom("pipeline_telemetry").select("agent").distinct().execute()).length).toBe(8);
  const paths = await openRunFiles(scene.scratch.kernel.records, scene.run).paths();
  const yaml = paths.filter((path) => path.endsWith(".yaml"));
  expect(yaml).toEqual(
    expect.arrayContaining(["decisions.yaml", "review-verdicts/code.yaml", "spec-output.yaml", "verification-reports/task-01.yaml"]),
  );
  expect(paths).toEqual(expect.arrayContaining(["feature.md", "design.md", "plan.md"]));
  expect(paths.filter((path) => /^review-findings\/code-.*\.md$/.test(path))).toHaveLength(3);
  expect((await scene.scratch.kernel.decisions.list("repository")).map(({ constraint }) => constraint)).toEqual(["Run them."]);
});
