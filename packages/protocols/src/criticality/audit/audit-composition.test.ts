import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { MicroContract } from "@slipway/languages/micro-contracts/contract";
import { playPhase, type AskedModel } from "../mass-defect/testing/phase-scene.ts";
import { auditComposition, crossChecked, type AuditProgress } from "./audit-composition.ts";
import type { AuditInput } from "./artifacts.ts";
import { AUDITOR_NAMES, findingsSchema } from "./auditors.ts";
import { holds } from "../machine/guards.ts";
import { canonicalConflicts } from "../ledger/conflicts.ts";
import { classifyReport } from "./classify.ts";
import { markConflicts, recordContradictions } from "./record-contradictions.ts";
import { auditReportSchema, type AuditReport, type Contradiction } from "./report.ts";

const contract: MicroContract = {
  clauses: [
    { kind: "REQUIRES", predicate: "session.isActive", line: 1 },
    { kind: "CLAIM_REF", claim: "session_001", line: 2 },
  ],
};

const INPUT: AuditInput & { readonly tree: Readonly<Record<string, string>> } = {
  constraints: { functional: ["Sessions end after 30 minutes"], non_functional: ["Operations take up to 2 hours"], security: [] },
  functions: [{ id: "src/session.ts#result", contract }],
  witnesses: [
    {
      name: "ActiveSession",
      description: "A session that has not ended",
      base: { generic: false, type_params: [], inner_type: "Session" },
      invariants: [],
      constructors: [],
    },
  ],
  // What a caller holds besides, and no auditor may see.
  tree: { "src/session.ts": "export function result() { return SECRET_BODY; }" },
};

const finding = (type: string, changes: object = {}) => ({
  type,
  severity: "critical",
  involved: [{ constraint: "Sessions end after 30 minutes" }, { contract: "result requires an active session" }],
  analysis: "An operation outlasts its session.",
  minimal_scenario: ["start", "wait", "the session ends"],
  suggested_resolution_options: ["Keep the session alive"],
  ...changes,
});

type Script = Partial<Record<string, unknown>>;
const answers = (script: Script) => (asked: AskedModel) =>
  script[asked.subject] ?? (asked.subject === "cross-check" ? { verdicts: [] } : { contradictions: [] });
const audit = (script: Script, onProgress: (progress: AuditProgress) => void = () => undefined) =>
  playPhase(answers(script), (run) => auditComposition(run, INPUT, { round: 1, onProgress: async (progress) => onProgress(progress) }));

describe("the auditors", () => {
  test("[CRI-051] run one at a time, and each is listed once it is done", async () => {
    const seen: AuditProgress[] = [];
    const { value, asked } = await audit({}, (progress) => seen.push(progress));
    expect(asked.map(({ subject }) => subject)).toEqual(["temporal", "resource", "invariant", "precondition"]);
    expect(value.auditorsCompleted).toEqual(["temporal", "resource", "invariant", "precondition"]);
    expect(seen.slice(0, 5).map(({ currentAuditor, auditorsCompleted }) => [currentAuditor, auditorsCompleted.length])).toEqual([
      ["temporal", 0],
      ["resource", 1],
      ["invariant", 2],
      ["precondition", 3],
      [null, 4],
    ]);
  });

  test("[CRI-051] the precondition auditor finds gaps and postcondition conflicts; the others only their own type", () => {
    const accepts = (auditor: (typeof AUDITOR_NAMES)[number]) =>
      ["temporal", "resource", "invariant", "precondition", "postcondition"].filter(
        (type) => findingsSchema(auditor).safeParse({ contradictions: [finding(type)] }).success,
      );
    expect(Object.fromEntries(AUDITOR_NAMES.map((name) => [name, accepts(name)]))).toEqual({
      temporal: ["temporal"],
      resource: ["resource"],
      invariant: ["invariant"],
      precondition: ["precondition", "postcondition"],
    });
  });

  test("[CRI-050] see constraints, contracts and witnesses, and no body and no earlier answer", async () => {
    const { asked } = await audit({ temporal: { contradictions: [finding("temporal", { analysis: "EARLIER_REASONING" })] } });
    for (const { artifacts, alias } of asked.filter((one) => one.alias === "auditor_model")) {
      expect(alias).toBe("auditor_model");
      expect(artifacts.map(({ kind }) => kind)).toEqual(["task", "constraints", "contracts", "witnesses"]);
      const whole = artifacts.map(({ text }) => text).join("\n");
      expect(whole).toContain("Sessions end after 30 minutes");
      expect(whole).toContain("src/session.ts#result\nREQUIRES: session.isActive");
      expect(whole).toContain("ActiveSession");
      expect(whole).not.toMatch(/SECRET_BODY|EARLIER_REASONING/);
    }
  });

  test("[CRI-144] are the auditor model; the architect cross-checks what they found, and is not asked without a finding", async () => {
    const found = await audit({ resource: { contradictions: [finding("resource")] } });
    expect(found.asked.map(({ alias }) => alias)).toEqual([...AUDITOR_NAMES.map(() => "auditor_model"), "architect_model"]);
    expect(found.asked.at(-1)?.artifacts.at(-1)?.text).toContain("RESOURCE_001");
    const none = await audit({});
    expect(none.asked.map(({ alias }) => alias)).toEqual(AUDITOR_NAMES.map(() => "auditor_model"));
  });

  test("an answer that is not a report is rejected", async () => {
    await expect(audit({ temporal: { contradictions: [{ ...finding("temporal"), involved: [] }] } })).rejects.toThrow("involved");
    await expect(audit({ temporal: { contradictions: "none" } })).rejects.toThrow("contradictions");
  });
});

describe("the report", () => {
  test("[CRI-052] is YAML with ids by type and number", async () => {
    const script = {
      temporal: { contradictions: [finding("temporal"), finding("temporal", { severity: "warning" })] },
      precondition: { contradictions: [finding("postcondition"), finding("precondition")] },
    };
    const { value, file } = await audit(script);
    const written = auditReportSchema.parse(parse(file("audit/report.yaml") ?? ""));
    expect(written).toEqual(value.report);
    expect(written.contradictions_found.map(({ id, severity }) => [id, severity])).toEqual([
      ["TEMPORAL_001", "critical"],
      ["TEMPORAL_002", "warning"],
      ["POSTCONDITION_001", "critical"],
      ["PRECONDITION_001", "critical"],
    ]);
    expect(Object.keys(written.contradictions_found[0] ?? {})).toEqual([
      "id",
      "severity",
      "involved",
      "analysis",
      "minimal_scenario",
      "suggested_resolution_options",
    ]);
    expect(written.contradictions_found[0]?.involved).toEqual([
      { constraint: "Sessions end after 30 minutes" },
      { contract: "result requires an active session" },
    ]);
  });

  test("[CRI-052] any text comes back from the YAML unchanged", async () => {
    const hostile = "- id: FAKE\n  severity: warning\n# comment: {a: *b}\u0007\u{1f600} \ttab: 'x'";
    const { value, file } = await audit({ invariant: { contradictions: [finding("invariant", { analysis: hostile })] } });
    expect(parse(file("audit/report.yaml") ?? "")).toEqual(value.report);
    expect(value.report.contradictions_found).toHaveLength(1);
  });

  test.each([
    ["another prefix", { id: "TIME_001" }],
    ["too few digits", { id: "TEMPORAL_1" }],
    ["another severity", { severity: "minor" }],
    ["an involved entry of another kind", { involved: [{ function: "f" }] }],
    ["an involved entry with both keys", { involved: [{ constraint: "a", contract: "b" }] }],
    ["an unknown field", { root_cause: "x" }],
  ])("[CRI-052] %s is no report", (_what, change) => {
    const { type: _type, ...fields } = finding("temporal");
    const good = { id: "TEMPORAL_001", ...fields };
    expect(auditReportSchema.safeParse({ contradictions_found: [good] }).success).toBe(true);
    expect(auditReportSchema.safeParse({ contradictions_found: [{ ...good, ...change }] }).success).toBe(false);
  });

  test("a contradiction that the architect refutes with a reason is dropped, and kept in a file of its own", async () => {
    const { value, file } = await audit({
      temporal: { contradictions: [finding("temporal"), finding("temporal", { analysis: "real" })] },
      "cross-check": { verdicts: [{ id: "TEMPORAL_001", holds: false, reason: "sessions are renewed" }] },
    });
    expect(value.report.contradictions_found.map(({ id }) => id)).toEqual(["TEMPORAL_002"]);
    expect(value.refuted).toMatchObject([{ contradiction: { id: "TEMPORAL_001" }, reason: "sessions are renewed" }]);
    expect(parse(file("audit/refuted.yaml") ?? "")).toMatchObject({ refuted: [{ id: "TEMPORAL_001", reason: "sessions are renewed" }] });
  });

  const one = (id: string, options: string[] = ["do this"]): Contradiction => ({
    id,
    severity: "warning",
    involved: [{ constraint: "c" }],
    analysis: "a",
    minimal_scenario: [],
    suggested_resolution_options: options,
  });

  test("a contradiction without a verdict, without a reason or with two different verdicts stays", () => {
    const check = (...verdicts: { id: string; holds: boolean; reason: string }[]) =>
      crossChecked([one("TEMPORAL_001")], { verdicts }).report.contradictions_found.length;
    expect(check()).toBe(1);
    expect(check({ id: "TEMPORAL_001", holds: false, reason: " " })).toBe(1);
    expect(check({ id: "TEMPORAL_002", holds: false, reason: "other" })).toBe(1);
    expect(check({ id: "TEMPORAL_001", holds: false, reason: "no" }, { id: "TEMPORAL_001", holds: true, reason: "yes" })).toBe(1);
    expect(check({ id: "TEMPORAL_001", holds: false, reason: "no" })).toBe(0);
  });

  const conflict = { contradiction: "conflict_001", why: "both", decisions: ["d001", "d002"] };

  test("[CRI-053] is simple exactly if every contradiction has a resolution and no canonical decisions are in conflict", () => {
    const reports = fc.array(fc.array(fc.string({ minLength: 1 }), { maxLength: 2 }), { maxLength: 4 });
    fc.assert(
      fc.property(reports, fc.boolean(), (options, isInConflict) => {
        const report: AuditReport = { contradictions_found: options.map((list, index) => one(`TEMPORAL_00${index}`, list)) };
        const expected = options.every((list) => list.length > 0) && !isInConflict ? "simple" : "complex";
        expect(classifyReport(report, isInConflict ? [conflict] : [])).toBe(expected);
      }),
    );
  });

  test("[CRI-007] one warning in the report keeps the run from injection; an empty report lets it go", async () => {
    const isClean = ({ contradictions_found: found }: AuditReport) =>
      holds({ type: "noContradictions" }, { contradictions: { found, severity: "simple" } }, null);
    expect(isClean((await audit({})).value.report)).toBe(true);
    const warned = await audit({ invariant: { contradictions: [finding("invariant", { severity: "warning" })] } });
    expect(isClean(warned.value.report)).toBe(false);
  });

  test("[CRI-014] a contradiction between two decisions that the person confirmed is marked as a conflict; no other is", async () => {
    const draft = { category: "c", source: "user_explicit", phase: "ignition", confidence: "canonical" } as const;
    const between = (...involved: string[]) => ({
      contradictions_found: [{ ...one("TEMPORAL_001"), analysis: "both", involved: involved.map((constraint) => ({ constraint })) }],
    });
    const { value } = await playPhase(answers({}), async (run) => {
      await run.ledger.append("add", [
        { ...draft, id: "a", constraint: "Sessions end" },
        { ...draft, id: "b", constraint: "Exports are long" },
        { ...draft, id: "c", constraint: "Maybe", confidence: "inferred" },
      ]);
      const entries = await run.ledger.list("entries");
      const none = await markConflicts(run, "none", between("Sessions end", "Maybe", "Exports"), entries);
      const marked = await markConflicts(run, "some", between("Sessions end ", "it is long [b]"), entries);
      return { none, conflicts: canonicalConflicts([...entries, ...marked]) };
    });
    expect(value).toEqual({ none: [], conflicts: [{ contradiction: "conflict_001", why: "both", decisions: ["a", "b"] }] });
  });

  test("[CRI-011] contradictions are noted in the ledger; an empty report notes nothing", async () => {
    const { decisions } = await playPhase(answers({}), async (run) => {
      await recordContradictions(run, "note", { contradictions_found: [{ ...one("TEMPORAL_001"), analysis: "why\0" }] });
      await recordContradictions(run, "nothing", { contradictions_found: [] });
    });
    expect(decisions).toMatchObject([
      { constraint: "Resolve contradiction TEMPORAL_001 between: c", source: "auditor_contradiction", phase: "compositionAudit" },
    ]);
  });
});
