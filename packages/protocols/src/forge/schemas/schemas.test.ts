import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checkSchema } from "@slipway/kernel/schema/violations";
import { FORGE_AGENTS, type PlayedForgeRole } from "../agents.ts";
import { answerSchemaOf } from "./answers.ts";
import { completionSchema } from "./completion.ts";
import { documentOf, documentSchemaOf, type DispatchFacts } from "./documents.ts";
import { SEVERITIES } from "./enums.ts";
import { EXAMPLE_ANSWERS, EXAMPLE_BASELINE } from "./examples.ts";
import { fieldsOf } from "./field-facts.ts";
import { SCHEMAS } from "./table.ts";
import { readYaml, toYaml } from "./yaml.ts";

const ROLES = Object.keys(EXAMPLE_ANSWERS) as PlayedForgeRole[];
const facts: DispatchFacts = {
  instance: "one",
  step: "3",
  started_at: "2026-02-26T14:30:00Z",
  completed_at: "2026-02-26T14:40:00Z",
  output_paths: ["design-output.yaml"],
};

function changed(role: PlayedForgeRole, path: readonly (string | number)[], value: unknown): unknown {
  const answer = structuredClone(EXAMPLE_ANSWERS[role]) as unknown;
  let at = answer as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  at[path.at(-1)!] = value;
  return answer;
}

function problems(role: PlayedForgeRole, answer: unknown): string[] {
  const checked = checkSchema(answerSchemaOf(role), answer);
  return checked.ok ? [] : checked.violations.map(({ pointer, message }) => `${pointer}: ${message}`);
}

describe("the table of schemas", () => {
  test("[FOR-144][FOR-145] has the ten documents with the producers and consumers of the reference", () => {
    expect(SCHEMAS.map(({ name, producer, consumers }) => `${name}: ${producer} > ${consumers.join(", ")}`)).toEqual([
      "completion-contract: all agents > orchestrator",
      "research-output: researcher > spec, designer",
      "spec-output: spec > designer, planner, implementer, verifier",
      "design-output: designer > planner, implementer, adversarial-reviewer",
      "plan-output: planner > orchestrator, implementer, verifier",
      "task-schema: planner > implementer, verifier",
      "implementation-report: implementer > verifier",
      "verification-report: verifier > orchestrator, adversarial-reviewer",
      "review-findings: adversarial-reviewer > orchestrator, knowledge-agent",
      "knowledge-output: knowledge-agent > ",
    ]);
  });

  test.each(SCHEMAS.map((entry) => [entry.name, entry] as const))("[FOR-147] the example of %s validates", (_name, { schema, example }) => {
    expect(checkSchema(schema, parse(JSON.stringify(example)))).toMatchObject({ ok: true });
  });

  test("[FOR-147] names for every field its type, allowed values and minimum entries", () => {
    const plan = SCHEMAS.find(({ name }) => name === "plan-output")!.fields;
    const field = (path: string) => plan.find((field) => field.path === path);
    expect(field("waves")).toMatchObject({ type: "list of list of text", required: true, minEntries: 1 });
    expect(field("tasks[].size")).toMatchObject({ type: "text", allowed: ["Standard", "Large"] });
    expect(field("tasks[].depends_on")).toMatchObject({ required: false, minEntries: 0 });
    expect(fieldsOf(completionSchema).find(({ path }) => path === "severity")).toMatchObject({ type: "text or null", required: true });
  });

  test("[FOR-146] each payload carries what its consumers read", () => {
    const required = SCHEMAS.map(({ name, fields }) => [name, fields.map(({ path }) => path).filter((path) => !path.includes("."))]);
    expect(Object.fromEntries(required)).toMatchObject({
      "research-output": expect.arrayContaining(["findings"]),
      "spec-output": expect.arrayContaining(["requirements", "acceptance_criteria"]),
      "design-output": expect.arrayContaining(["decisions"]),
      "plan-output": expect.arrayContaining(["tasks", "waves", "overall_risk_summary"]),
      "implementation-report": expect.arrayContaining(["baseline", "changes", "summary", "self_check", "ledger_entries"]),
      "verification-report": ["verification_report"],
      "knowledge-output": expect.arrayContaining(["knowledge_updates", "decisions", "memories"]),
    });
  });
});

describe("answers", () => {
  test.each(ROLES)("the example of %s is accepted", (role) => {
    expect(problems(role, EXAMPLE_ANSWERS[role])).toEqual([]);
  });

  test.each(ROLES)("[FOR-008] %s returns its own statuses and no other", (role) => {
    const accepted = ["DONE", "NEEDS_REVISION", "ERROR", "BLOCKED"].filter(
      (status) => problems(role, changed(role, ["completion", "status"], status)).length === 0,
    );
    const both = ["planner", "verifier"].includes(role);
    expect(accepted).toEqual(both ? ["DONE", "NEEDS_REVISION", "ERROR"] : ["DONE", "ERROR"]);
  });

  test.each(["status", "summary", "severity", "findings_count", "risk_level"])("[FOR-049] %s may not be missing", (field) => {
    const answer = structuredClone(EXAMPLE_ANSWERS.planner) as { completion: Record<string, unknown> };
    delete answer.completion[field];
    expect(problems("planner", answer).join()).toContain(`/completion/${field}`);
  });

  test("the block of a reviewer counts its findings", () => {
    expect(problems("adversarial-reviewer", changed("adversarial-reviewer", ["completion", "findings_count"], 2))).toEqual([
      "/completion/findings_count: must be 1, the number of findings",
    ]);
  });

  test("[FOR-049] the summary is one line of at most 200 characters", () => {
    const summary = (text: string) => problems("spec", changed("spec", ["completion", "summary"], text)).length;
    expect([summary("x".repeat(200)), summary("x".repeat(201)), summary("one\ntwo"), summary("")]).toEqual([0, 1, 1, 1]);
  });

  test("[FOR-049] the evidence summary is optional and has four whole numbers", () => {
    expect(problems("verifier", changed("verifier", ["completion", "evidence_summary"], undefined))).toEqual([]);
    expect(problems("verifier", changed("verifier", ["completion", "evidence_summary"], { total_checks: 1 }))).toHaveLength(3);
  });

  test.each(ROLES.filter((role) => role !== "adversarial-reviewer"))("[FOR-050] %s gives no severity", (role) => {
    expect(problems(role, changed(role, ["completion", "severity"], "Minor")).join()).toMatch(/\/completion\/severity: .*write null/);
  });

  test("[FOR-050] a reviewer gives the highest severity of its findings, and null only without findings", () => {
    const review = (severity: string | null, findings: readonly string[]) => {
      const answer = structuredClone(EXAMPLE_ANSWERS["adversarial-reviewer"]) as unknown as {
        completion: { severity: unknown; findings_count: number };
        payload: { findings: object[] };
      };
      const [finding] = answer.payload.findings;
      answer.payload.findings = findings.map((severity) => ({ ...finding, severity }));
      answer.completion = { ...answer.completion, severity, findings_count: findings.length };
      return problems("adversarial-reviewer", answer).length === 0;
    };
    expect(review("Critical", ["Minor", "Critical", "Major"])).toBe(true);
    expect(review("Major", ["Minor", "Critical", "Major"])).toBe(false);
    expect(review(null, ["Minor"])).toBe(false);
    expect(review(null, [])).toBe(true);
    expect(review("Minor", [])).toBe(false);
  });

  test("[FOR-050] planner and reviewer say the risk, and no other role does", () => {
    const accepting = (value: string | null) =>
      ROLES.filter((role) => problems(role, changed(role, ["completion", "risk_level"], value)).length === 0);
    expect(accepting("🔴")).toEqual(["planner", "adversarial-reviewer"]);
    expect(accepting(null)).toEqual(ROLES.filter((role) => !["planner", "adversarial-reviewer"].includes(role)));
  });

  test.each([
    ["the completion", ["completion", "severity"]],
    ["a finding", ["payload", "findings", 0, "severity"]],
  ])("[FOR-055] a severity of another scale in %s is refused with the four that exist", (_where, path) => {
    for (const wrong of ["high", "blocker", "Low", "CRITICAL"]) {
      const found = problems("adversarial-reviewer", changed("adversarial-reviewer", path, wrong)).join("\n");
      for (const severity of SEVERITIES) expect(found).toContain(severity);
      expect(found).toContain(wrong);
    }
  });

  test("only ERROR comes without a payload", () => {
    const answer = { ...EXAMPLE_ANSWERS.spec, payload: null };
    expect(problems("spec", answer).join()).toContain("/payload: must be given when the status is DONE");
    expect(problems("spec", { ...answer, completion: { ...answer.completion, status: "ERROR" } })).toEqual([]);
  });

  test("[FOR-148] unknown fields are accepted and dropped, at any depth", () => {
    const answer = changed("designer", ["payload", "decisions", 0, "votes"], 3) as Record<string, unknown>;
    const checked = checkSchema(answerSchemaOf("designer"), { ...answer, mood: "good" });
    expect(checked).toEqual({ ok: true, value: EXAMPLE_ANSWERS.designer });
  });

  test("[FOR-053] every broken field is named", () => {
    const answer = { completion: { status: "FINE", summary: 3 }, payload: { summary: "", findings: [] } };
    const found = problems("researcher", answer).join("\n");
    for (const field of ["/completion/status", "/completion/summary", "/completion/severity", "/payload/summary", "/payload/findings"])
      expect(found).toContain(field);
  });
});

describe("payloads", () => {
  test("[FOR-112] a decision that selects no alternative of its own is refused", () => {
    expect(problems("designer", changed("designer", ["payload", "decisions", 0, "selected"], "alt-9")).join()).toContain(
      '/payload/decisions/0/selected: selects "alt-9", which is none of alt-1, alt-2',
    );
  });

  test("[FOR-109] a task with a 🔴 file is Large, and every file has a risk", () => {
    const task = (size: string, risk: string | undefined) => {
      const answer = structuredClone(EXAMPLE_ANSWERS.planner) as unknown as {
        payload: { tasks: { size: string; relevant_context: { files_to_modify: { risk?: string | undefined }[] } }[] };
      };
      answer.payload.tasks[0]!.size = size;
      answer.payload.tasks[0]!.relevant_context.files_to_modify[1]!.risk = risk;
      return problems("planner", answer).join();
    };
    expect(task("Standard", "🔴")).toContain("/payload/tasks/0/size: a task with a 🔴 file is Large, not Standard");
    expect(task("Large", "🔴")).toBe("");
    expect(task("Large", "🟢")).toContain("a task without a 🔴 file is Standard");
    expect(task("Standard", undefined)).toContain("/files_to_modify/1/risk");
  });

  test("[FOR-059] a task names its context, id and title", () => {
    for (const field of ["id", "title", "relevant_context"])
      expect(problems("planner", changed("planner", ["payload", "tasks", 0, field], undefined)).join()).toContain(
        `/payload/tasks/0/${field}`,
      );
    expect(problems("planner", changed("planner", ["payload", "tasks", 0, "id"], "task-3")).join()).toContain("/payload/tasks/0/id");
  });

  test("a criterion of a requirement that does not exist is refused", () => {
    expect(problems("spec", changed("spec", ["payload", "acceptance_criteria", 0, "requirement"], "FR-7")).join()).toContain(
      "/payload/acceptance_criteria/0/requirement: no requirement has the id FR-7",
    );
  });

  test("an id that is given twice is refused where it stands the second time", () => {
    const requirements = [
      { id: "FR-1", text: "One." },
      { id: "FR-1", text: "Two." },
    ];
    expect(problems("spec", changed("spec", ["payload", "requirements"], requirements)).join()).toBe(
      "/payload/requirements/1: the requirement FR-1 is given twice",
    );
  });

  test("an implementation names a changed file, and a revert or fix need not", () => {
    const changes = (mode: string) => {
      const answer = changed("implementer", ["payload", "changes"], []) as { payload: object };
      return problems("implementer", { ...answer, payload: { ...answer.payload, mode } }).length;
    };
    expect([changes("implement"), changes("revert"), changes("fix")]).toEqual([1, 0, 0]);
  });

  test("[FOR-037] an implementer reports at most two self-fixes", () => {
    const attempts = (count: number) =>
      problems("implementer", changed("implementer", ["payload", "self_check", "attempts"], count)).length;
    expect([attempts(0), attempts(2), attempts(3)]).toEqual([0, 0, 1]);
  });

  test("[FOR-065] a smoke script has three to five lines", () => {
    const script = (lines: number) =>
      problems("implementer", changed("implementer", ["payload", "smoke_script", "text"], "a()\n\n".repeat(lines)));
    expect([2, 3, 5, 6].map((lines) => script(lines).length)).toEqual([1, 0, 0, 1]);
  });

  test("[FOR-131] an instruction change names a file below .github/instructions/", () => {
    const at = (path: string) =>
      problems("knowledge-agent", changed("knowledge-agent", ["payload", "instruction_changes", 0, "path"], path)).length;
    expect([at(".github/instructions/a.md"), at("src/a.ts"), at(".github/instructions/../agents/a.md")]).toEqual([0, 1, 1]);
  });
});

describe("documents", () => {
  test("[FOR-051] the file has completion and agent_output on top, in this order, with the header of the dispatch", () => {
    const text = toYaml(documentOf("researcher", EXAMPLE_ANSWERS.researcher, { ...facts, step: "1" }, { focus: "impact" }));
    const read = parse(text) as Record<string, Record<string, unknown>>;
    expect(Object.keys(read)).toEqual(["completion", "agent_output"]);
    expect(Object.keys(read["agent_output"]!)).toEqual([
      "agent",
      "instance",
      "step",
      "started_at",
      "completed_at",
      "schema_version",
      "payload",
    ]);
    expect(read["agent_output"]).toMatchObject({ agent: "researcher", step: "1", schema_version: "1.0", payload: { focus: "impact" } });
    expect(read["completion"]).toMatchObject({ output_paths: ["design-output.yaml"] });
  });

  test("[FOR-111][FOR-113] a decision gets its date, its author and the definition of its confidence", () => {
    const { agent_output } = documentOf("designer", EXAMPLE_ANSWERS.designer, facts);
    expect(Object.keys(agent_output.payload!.decisions[0]!)).toEqual([
      "id",
      "title",
      "context",
      "alternatives",
      "selected",
      "rationale",
      "confidence",
      "confidence_definition",
      "risk_classification",
      "date",
      "decided_by",
    ]);
    expect(agent_output.payload!.decisions[0]).toMatchObject({
      date: "2026-02-26T14:40:00Z",
      decided_by: "designer",
      confidence_definition: expect.stringMatching(/clear evidence.*comparable patterns/),
    });
  });

  test("[FOR-038] an implementation report without a baseline is refused", () => {
    const known = { task_id: "task-01", baseline: [EXAMPLE_BASELINE], ledger_entries: [] };
    expect(documentOf("implementer", EXAMPLE_ANSWERS.implementer, facts, known).agent_output.payload?.baseline).toHaveLength(1);
    expect(() => documentOf("implementer", EXAMPLE_ANSWERS.implementer, facts, { ...known, baseline: [] })).toThrow(/payload\/baseline/);
  });

  test("[FOR-079] the verification report of a task has the gate and its findings", () => {
    const { agent_output } = documentOf("verifier", EXAMPLE_ANSWERS.verifier, facts, { task_id: "task-01" });
    expect(agent_output.payload!.verification_report).toMatchObject({
      task_id: "task-01",
      evidence_gate: { total_checks: 3, passed: 3, failed: 0, gate_status: "passed" },
      findings: [{ check_name: "tests", phase: "after", passed: true }],
      regressions: [],
    });
  });

  test.each(["implementation-report", "plan-output", "task-schema"])("a %s that comes back from its text is the same", (name) => {
    const { schema, example } = SCHEMAS.find((entry) => entry.name === name)!;
    const text = toYaml(example as Parameters<typeof toYaml>[0]);
    const read = readYaml(text, schema);
    expect(read).toEqual({ ok: true, value: example });
    expect(read.ok && toYaml(read.value as Parameters<typeof toYaml>[0])).toBe(text);
  });

  test("the order of an answer's keys does not change the text", () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .toReversed()
                .map(([key, inner]) => [key, reversed(inner)]),
            )
          : value;
    const text = (answer: unknown) => {
      const checked = answerSchemaOf("planner").parse(answer);
      return toYaml(documentOf("planner", checked, facts));
    };
    expect(text(reversed(EXAMPLE_ANSWERS.planner))).toBe(text(EXAMPLE_ANSWERS.planner));
  });

  test("[FOR-049] the harness fills in the output paths of an answer, and a file without them is refused", () => {
    expect(problems("spec", changed("spec", ["completion", "output_paths"], undefined))).toEqual([]);
    const { completion, agent_output } = documentOf("spec", EXAMPLE_ANSWERS.spec, facts);
    const { output_paths, ...block } = completion;
    expect(output_paths).toEqual(facts.output_paths);
    const checked = checkSchema(documentSchemaOf("spec"), { completion: block, agent_output });
    expect(checked.ok ? [] : checked.violations.map(({ pointer }) => pointer)).toEqual(["/completion/output_paths"]);
  });

  test("[FOR-053] a file is refused with the line and the name of each broken field", () => {
    const text = toYaml(documentOf("designer", EXAMPLE_ANSWERS.designer, facts)).replace("confidence: High", "confidence: Sure");
    const read = readYaml(text, documentSchemaOf("designer"));
    expect(read.ok ? [] : read.errors).toEqual([
      expect.stringMatching(/^line \d+: \/agent_output\/payload\/decisions\/0\/confidence: .*"Sure"/),
    ]);
  });

  test("[FOR-054] text that is no document is an error and no exception", () => {
    const texts = ["", "]", "completion: [", "a: 1\na: 2", "completion: &a\n  x: *a", "\u0000"];
    for (const text of texts) expect(readYaml(text, documentSchemaOf("spec")).ok, text).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => !readYaml(text, documentSchemaOf("spec")).ok));
  });

  test("[FOR-148] a file of a later version is refused, with its version named", () => {
    const text = toYaml(documentOf("spec", EXAMPLE_ANSWERS.spec, facts)).replace('schema_version: "1.0"', 'schema_version: "1.1"');
    const read = readYaml(text, documentSchemaOf("spec"));
    expect(read.ok ? [] : read.errors.join()).toContain("/agent_output/schema_version");
  });

  test("every role but the orchestrator has an answer and a file", () => {
    expect([...ROLES, "orchestrator"].toSorted()).toEqual(Object.keys(FORGE_AGENTS).toSorted());
  });
});
