import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { FeatureResult } from "../../change/feature-run.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { completionSchema } from "../schemas/completion.ts";
import { readYaml } from "../schemas/yaml.ts";
import { sectionOf, taskId } from "../testing/answers.ts";
import { openForgeScene, type ForgeScene } from "../testing/forge-scene.ts";
import { openMeeting } from "../testing/meeting.ts";

const TASKS = 6;
const CAPS = { researcher: 4, "adversarial-reviewer design": 3, implementer: 4, verifier: 4, "adversarial-reviewer code": 3 };
const EXPECTED = { researcher: 4, "adversarial-reviewer design": 3, implementer: TASKS, verifier: TASKS, "adversarial-reviewer code": 3 };
const FOCUSES = ["architecture", "impact", "dependencies", "patterns"];

describe("an autonomous run of six tasks without retries or loops", () => {
  const meeting = openMeeting(EXPECTED, CAPS);
  const running: number[] = [];
  const seen = { setup: [] as boolean[], tags: [] as string[], baselines: [] as string[][], heads: [] as string[] };
  let scene: ForgeScene;
  let result: FeatureResult;
  let base = "";

  beforeAll(async () => {
    const arrive = async (request: { role: string; attempt: string }) => {
      await meeting.arrive(request);
      running.push((await scene.telemetry()).filter(({ status }) => status === "running").length);
      return undefined;
    };
    scene = await openForgeScene({
      tasks: TASKS,
      script: {
        async researcher(request) {
          seen.setup.push(scene.has("initial-request.md"), existsSync(scene.worktree()), (await scene.runId()) !== "");
          return arrive(request);
        },
        async implementer(request) {
          seen.tags.push(scene.scratch.git("tag", "--list").trim());
          const id = request.attempt.slice(0, "task-01".length);
          const rows = (await scene.checks()).filter(({ task_id, phase }) => task_id === id && phase === "baseline");
          seen.baselines.push(rows.map(({ check_name }) => check_name));
          return arrive(request);
        },
        verifier: arrive,
        "knowledge-agent"() {
          seen.heads.push(scene.scratch.git("rev-parse", "main").trim());
        },
        "adversarial-reviewer": arrive,
      },
    });
    base = scene.scratch.git("rev-parse", "HEAD").trim();
    result = await scene.finish();
  }, 120_000);
  afterAll(() => scene.close());

  test("[FOR-047] 26 dispatches: 4 + 1 + 1 + 3 + 1 + 6 + 6 + 3 + 1", async () => {
    expect(scene.dispatched()).toHaveLength(26);
    expect(await scene.telemetry()).toHaveLength(26);
  });

  test("[FOR-001][FOR-022] the steps run in their order, and none is skipped", async () => {
    expect(await scene.rows()).toEqual([1, 2, 3, 5, 6, 7, 10, 11, 11, 12, 15, 18, 19]);
    const steps = [...new Set((await scene.telemetry()).map(({ step }) => step))];
    expect(steps).toEqual(["1", "2", "3", "3b", "4", "5", "6", "7", "8"]);
    const { approval_log } = z.object({ approval_log: z.array(z.looseObject({ gate_id: z.string() })) }).parse(yamlOf("approval_log.yaml"));
    expect(approval_log.map(({ gate_id }) => gate_id)).toEqual(["gate-post-research", "gate-post-planning"]);
  });

  test("[FOR-029][FOR-032][FOR-046] as many agents work at once as their step allows, and never more than four", () => {
    const { all, ...roles } = meeting.most();
    expect(roles).toEqual(CAPS);
    expect(all).toBe(4);
    expect(Math.max(...running)).toBe(4);
  });

  test("[FOR-023][FOR-025] the request, the worktree and the run_id exist before the first agent is dispatched", () => {
    expect(seen.setup).toEqual(Array.from({ length: 12 }, () => true));
  });

  test("[FOR-090] the tag of the base exists once, before the first implementer", async () => {
    const tag = `pipeline-baseline-${(await scene.runId()).replaceAll(":", "-")}`;
    expect([...new Set(seen.tags)]).toEqual([tag]);
    expect(scene.scratch.git("rev-parse", `${tag}^{commit}`).trim()).toBe(base);
  });

  test("[FOR-037][FOR-091] an implementer is asked after the baseline rows of its task, which are in its report, too", async () => {
    expect(seen.baselines).toHaveLength(TASKS);
    for (const names of seen.baselines) expect(names).toEqual(["diagnostics-paths", "tests-fast-check"]);
    const { baseline } = payloadOf(`implementation-reports/${taskId(2)}.yaml`) as { baseline: { check_name: string }[] };
    expect(baseline.map(({ check_name }) => check_name)).toEqual(["diagnostics-paths", "tests-fast-check"]);
  });

  test("[FOR-045] the change is committed with the seed's subject and trailer, and its SHA is recorded", () => {
    expect(result).toMatchObject({ status: "merged" });
    const message = scene.scratch.git("log", "-1", "--format=%B", "main");
    expect(message.split("\n")[0]).toBe("feat(parts): pipeline complete");
    expect(message).toMatch(/^Co-authored-by: pipeline$/m);
    const sha = scene.scratch.git("rev-parse", "main").trim();
    expect(scene.file("evidence-bundle.md")).toContain(sha);
    expect(result.landing?.commit).toBe(sha);
  });

  test("[FOR-128] the run folder has every file of the layout", () => {
    const files = [
      "initial-request.md",
      "verification-ledger.yaml",
      "verification-ledger.db",
      "decisions.yaml",
      ...FOCUSES.flatMap((focus) => [`research/${focus}.yaml`, `research/${focus}.md`]),
      "spec-output.yaml",
      "feature.md",
      "design-output.yaml",
      "design.md",
      "plan-output.yaml",
      "plan.md",
      ...Array.from({ length: TASKS }, (_, index) => taskId(index + 1)).flatMap((id) =>
        ["tasks", "implementation-reports", "verification-reports"].map((folder) => `${folder}/${id}.yaml`),
      ),
      ...["design", "code"].flatMap((scope) => [
        `review-verdicts/${scope}.yaml`,
        ...["gpt-5.3-codex", "gemini-3-pro-preview", "claude-opus-4.6"].map((model) => `review-findings/${scope}-${model}.md`),
      ]),
      "knowledge-output.yaml",
      "evidence-bundle.md",
    ];
    expect(files.filter((path) => !scene.has(path))).toEqual([]);
  });

  test("[FOR-056] no memory, manifest or merge file exists in the run folder", () => {
    const names = readdirSync(scene.place(), { recursive: true }).map(String);
    expect(names.filter((name) => /memory\.md$|\.mem\.md$|manifest|invalid/i.test(name))).toEqual([]);
  });

  test("[FOR-007] nothing is committed before Step 9, and no agent is asked to orchestrate", () => {
    expect(seen.heads).toEqual([base]);
    expect(scene.scratch.git("rev-parse", "main~1").trim()).toBe(base);
    expect(new Set(scene.sent.map(({ role }) => role))).not.toContain("orchestrator");
  });

  test("[FOR-005] the orchestrator has no output file and no telemetry row", async () => {
    const agents = new Set((await scene.telemetry()).map(({ agent }) => String(agent)));
    expect(agents.has("orchestrator")).toBe(false);
    const written = yamlFiles().map((path) => agentOf(path));
    expect(written).not.toContain("orchestrator");
  });

  test("[FOR-009][FOR-010][FOR-011][FOR-012][FOR-013][FOR-015][FOR-017][FOR-019] each role's outputs stand at its own paths, with its own header", () => {
    const byAgent = Map.groupBy(yamlFiles(), agentOf);
    expect(Object.fromEntries([...byAgent].map(([agent, paths]) => [agent, paths.toSorted()]))).toMatchObject({
      researcher: FOCUSES.toSorted().map((focus) => `research/${focus}.yaml`),
      spec: ["spec-output.yaml"],
      designer: ["design-output.yaml"],
      planner: ["plan-output.yaml", ...Array.from({ length: TASKS }, (_, index) => `tasks/${taskId(index + 1)}.yaml`)],
      implementer: Array.from({ length: TASKS }, (_, index) => `implementation-reports/${taskId(index + 1)}.yaml`),
      verifier: Array.from({ length: TASKS }, (_, index) => `verification-reports/${taskId(index + 1)}.yaml`),
      "knowledge-agent": ["knowledge-output.yaml"],
    });
  });

  test("[FOR-049][FOR-051] every typed output has a completion block before its header, with paths that exist", () => {
    for (const path of yamlFiles()) {
      const document = yamlOf(path) as Record<string, unknown>;
      expect(Object.keys(document), path).toEqual(["completion", "agent_output"]);
      const { output_paths } = completionSchema.parse(document["completion"]);
      expect(
        output_paths.filter((one) => !scene.has(one)),
        path,
      ).toEqual([]);
      expect(document["agent_output"], path).toMatchObject({
        schema_version: "1.0",
        started_at: expect.stringMatching(/^\d{4}-/),
        completed_at: expect.stringMatching(/^\d{4}-/),
      });
    }
  });

  test("[FOR-058] a request names its step, the outputs so far by completion block, and then the outputs", () => {
    const designer = scene.sent.find(({ role }) => role === "designer");
    expect(designer?.input.instructions).toMatch(/^Step 3\b/);
    const titles = designer?.input.context_bundle.map(({ title }) => title) ?? [];
    expect(titles.indexOf("outputs so far")).toBeGreaterThanOrEqual(0);
    expect(titles.indexOf("outputs so far")).toBeLessThan(titles.indexOf("spec-output.yaml"));
    expect(designer === undefined ? "" : sectionOf(designer, "outputs so far")).toMatch(
      /^# spec-output\.yaml\ncompletion:\n {2}status: DONE$/m,
    );
  });

  test("[FOR-061] an implementer sees of design and specification only the sections that its task names", () => {
    const implementer = scene.sent.find(({ role }) => role === "implementer");
    const titles = implementer?.input.context_bundle.map(({ title }) => title) ?? [];
    expect(titles).not.toContain("design-output.yaml");
    expect(titles).not.toContain("spec-output.yaml");
    const shown = implementer === undefined ? "" : sectionOf(implementer, "the sections that the task names");
    expect(shown).toContain("D-1");
    expect(shown).toContain("FR-1");
    expect(implementer?.prompt).not.toContain("AC-1: ");
  });

  test("[FOR-040][FOR-098][FOR-099] the code reviewers get the staged diff, reports, evidence and their own focus and model", () => {
    const reviewers = scene.sent.filter(({ attempt }) => attempt.startsWith("code-"));
    const parameters = reviewers.map((request) =>
      readYaml(sectionOf(request, "review"), z.looseObject({ review_focus: z.string() }), "review"),
    );
    const facts = parameters.map((read, index) => [read.ok ? read.value.review_focus : "", reviewers[index]?.model]);
    expect(facts.toSorted()).toEqual([
      ["architecture", "gemini-3-pro-preview"],
      ["correctness", "claude-opus-4.6"],
      ["security", "gpt-5.3-codex"],
    ]);
    for (const request of reviewers) {
      expect(sectionOf(request, "git diff --staged")).toContain('+{"part"');
      expect(sectionOf(request, `implementation-reports/${taskId(1)}.yaml`)).toContain("agent: implementer");
      expect(sectionOf(request, "verification evidence")).toContain("check_name: tests-fast-check");
      expect(sectionOf(request, "review")).toMatch(/review_scope: code[^]*verification_evidence_path: verification-ledger\.db[^]*round: 1/);
    }
  });

  test("[FOR-039] a verifier sees its own task's criteria and rows", () => {
    const verifier = scene.sent.find(({ attempt }) => attempt.startsWith("task-03") && attempt.includes("w1-i1"));
    const own = scene.sent.filter(({ role, attempt }) => role === "verifier" && attempt.startsWith("task-03"));
    expect(verifier).toBeDefined();
    expect(own).toHaveLength(1);
    for (const request of own) {
      expect(sectionOf(request, "tasks/task-03.yaml")).toContain("id: task-03");
      expect(request.input.context_bundle.some(({ title }) => title === "tasks/task-02.yaml")).toBe(false);
    }
  });

  test("[FOR-068][FOR-069][FOR-078] the exported database is the ledger: WAL, both tables, one row per check that ran", async () => {
    const database = new DatabaseSync(scene.place("verification-ledger.db"), { readOnly: true });
    const all = (sql: string) => database.prepare(sql).all();
    expect(all("PRAGMA journal_mode")).toEqual([{ journal_mode: "wal" }]);
    const rows = all("SELECT task_id, phase, check_name, run_id FROM anvil_checks ORDER BY id");
    const telemetry = all("SELECT status FROM pipeline_telemetry");
    database.close();
    expect(rows).toEqual((await scene.checks()).map(({ task_id, phase, check_name, run_id }) => ({ task_id, phase, check_name, run_id })));
    expect(telemetry).toHaveLength(26);
    expect(new Set(telemetry.map(({ status }) => status))).toEqual(new Set(["DONE"]));
  });

  test("[FOR-151] a telemetry row of each dispatch says how often it was dispatched and what it cost", async () => {
    for (const row of await scene.telemetry()) {
      expect(row).toMatchObject({ status: "DONE", dispatch_count: 1, retry_count: 0, notes: "tokens: 10 in, 5 out" });
      expect(Date.parse(row.completed_at ?? "")).toBeGreaterThanOrEqual(Date.parse(row.started_at));
    }
  });

  test("[FOR-043] the evidence bundle has its six parts", () => {
    const bundle = scene.file("evidence-bundle.md");
    expect(bundle).toContain("High");
    for (const part of ["rollback", "blast radius", "known issues", "review", "verification", "confidence"])
      expect(bundle.toLowerCase()).toContain(part);
    expect(bundle).toContain("src/part-01.json");
  });

  test("[FOR-044] the rollback command of the bundle takes the committed change back", () => {
    const [command = ""] = /git revert --no-commit pipeline-baseline-\S+\.\.HEAD/.exec(scene.file("evidence-bundle.md")) ?? [];
    const copy = join(mkdtempSync(join(tmpdir(), "slipway-rollback-")), "repository");
    cpSync(scene.scratch.root, copy, { recursive: true, filter: (path) => !path.includes("/.worktrees") });
    expect(readdirSync(join(copy, "src"))).toContain("part-01.json");
    execFileSync("sh", ["-c", command], { cwd: copy, stdio: "pipe" });
    expect(readdirSync(join(copy, "src")).toSorted()).toEqual(["a.txt", "b.txt"]);
  });

  function yamlFiles(): string[] {
    const names = readdirSync(scene.place(), { recursive: true }).map(String);
    const own = /^(?:approval_log|decisions|verification-ledger)\.yaml$/;
    return names.filter((name) => name.endsWith(".yaml") && !own.test(name)).toSorted();
  }

  function yamlOf(path: string): unknown {
    const read = readYaml(readFileSync(scene.place(path), "utf8"), z.unknown(), path);
    if (!read.ok) throw new Error(read.errors.join("; "));
    return read.value;
  }

  function agentOf(path: string): string {
    return z.looseObject({ agent_output: z.looseObject({ agent: z.string() }) }).parse(yamlOf(path)).agent_output.agent;
  }

  function payloadOf(path: string): unknown {
    return z.looseObject({ agent_output: z.looseObject({ payload: z.unknown() }) }).parse(yamlOf(path)).agent_output.payload;
  }
});

test("[FOR-047] 20 tasks make 54 dispatches", { timeout: 120_000 }, async () => {
  const scene = await openForgeScene({ tasks: 20 });
  await scene.finish();
  expect(scene.dispatched()).toHaveLength(54);
  await scene.close();
});
