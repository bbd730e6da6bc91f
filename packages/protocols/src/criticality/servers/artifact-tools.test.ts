import { describe, expect, test } from "vitest";
import { printClaims } from "../spec/claims.ts";
import { printSpec } from "../spec/print-spec.ts";
import { SPEC_SECTIONS } from "../spec/schema.ts";
import { sampleSpec } from "../spec/testing/specs.ts";
import { ARTIFACT_KIND_NAMES } from "./artifact-schemas.ts";
import { artifactTools } from "./artifact-tools.ts";
import { OPEN_SESSION } from "../../tool-server.ts";
import { PROGRAM_FILES, SPEC } from "./testing/program.ts";
import { openScene, recordRun } from "./testing/scene.ts";
import { artifactSchema } from "./validate-artifact.ts";

const scene = (files: Readonly<Record<string, string>> = PROGRAM_FILES) => openScene(artifactTools, files);

const WITNESS = {
  name: "Positive",
  description: "a number above zero",
  base: { generic: false, type_params: [], inner_type: "number" },
  invariants: [{ id: "positive", description: "above zero", formal: "value > 0", testable: true }],
  constructors: [{ name: "positive", trust_level: "safe" as const }],
};
const WITNESS_ROW = {
  name: "Positive",
  description: WITNESS.description,
  definition: WITNESS,
  level: "runtime" as const,
  invariants: [{ id: "positive", level: "runtime" as const }],
};
const DECISION = {
  constraint: "Amounts are integers",
  category: "data",
  source: "auditor_suggestion",
  phase: "lattice",
  confidence: "inferred",
};

test("[CRI-160] the artifact server has exactly its four tools", () => {
  expect(artifactTools(OPEN_SESSION).map(({ name }) => name)).toEqual([
    "read_spec_section",
    "append_decision",
    "get_type_witness",
    "validate_schema",
  ]);
});

describe("read_spec_section", () => {
  test("[CRI-160] returns a section of the specification on the base branch", async () => {
    const { ok } = await scene();
    expect(await ok("read_spec_section", { section: "claims" })).toEqual({
      section: "claims",
      version: "1.0.0",
      source: { kind: "base_branch", path: "spec/spec.toml" },
      value: SPEC.claims,
    });
    expect(await ok("read_spec_section", { section: "meta" })).toMatchObject({ value: SPEC.meta });
  });

  test("[CRI-160] ignores a specification in the checkout that is not committed", async () => {
    const { scratch, ok } = await scene();
    scratch.write("spec/spec.toml", printSpec(sampleSpec({ system: { name: "draft", description: "not committed" } })));
    expect(await ok("read_spec_section", { section: "system" })).toMatchObject({ value: SPEC.system });
  });

  test("prefers what a run under way has recorded, and the base branch once the run has ended", async () => {
    const recorded = sampleSpec({ system: { name: "recorded", description: "of the run" } });
    const running = await scene();
    await recordRun(running.scratch.records, "run-1", "running", { spec: printSpec(recorded) });
    expect(await running.ok("read_spec_section", { section: "system" })).toMatchObject({
      source: { kind: "run", run_id: "run-1" },
      value: { name: "recorded" },
    });
    const ended = await scene();
    await recordRun(ended.scratch.records, "run-1", "completed", { spec: printSpec(recorded) });
    expect(await ended.ok("read_spec_section", { section: "system" })).toMatchObject({ source: { kind: "base_branch" } });
  });

  test("uses the last run's specification where the base branch has none", async () => {
    const { scratch, ok } = await scene({});
    await recordRun(scratch.records, "run-1", "completed", { spec: printSpec(SPEC) });
    expect(await ok("read_spec_section", { section: "system" })).toMatchObject({ source: { kind: "run" } });
  });

  test("names what is missing where there is no specification", async () => {
    const { refused } = await scene({});
    expect(await refused("read_spec_section", { section: "system" })).toMatchObject({
      code: "input_path_not_found",
      message: expect.stringContaining("spec/spec.toml"),
    });
  });

  test.each([
    ["a section that does not exist", { section: "interview" }],
    ["a path", { section: "../../.slipway/runs" }],
    ["NUL", { section: "system\0" }],
    ["a prototype", { section: "__proto__" }],
    ["nothing", {}],
    ["an actor, which this server's calls do not name", { section: "system", actor_type: "orchestrator", actor_id: "root" }],
  ])("refuses %s before anything is read", async (_what, input) => {
    expect(await (await scene()).refused("read_spec_section", input)).toMatchObject({ code: "schema_validation_failed" });
  });

  test("says which line of a broken specification is wrong", async () => {
    const { refused } = await scene({ ...PROGRAM_FILES, "spec/spec.toml": "[meta]\nversion = 1\n" });
    expect(await refused("read_spec_section", { section: "system" })).toMatchObject({ code: "config_invalid" });
  });
});

describe("append_decision", () => {
  test("[CRI-160] appends one decision to the ledger of the run under way, once per operation id", async () => {
    const { scratch, ok } = await scene();
    await recordRun(scratch.records, "run-1", "running");
    const call = () => ok("append_decision", { decision: DECISION, operation_id: "first" });
    expect(await call()).toMatchObject({ run_id: "run-1", decision: { id: "d001", constraint: "Amounts are integers", status: "active" } });
    expect(await call()).toMatchObject({ decision: { id: "d001" } });
    expect((await scratch.kernel.decisions.list("run:run-1")).map(({ id }) => id)).toEqual(["d001"]);
  });

  test("[CRI-160] stores nothing of a decision that is refused", async () => {
    const { scratch, refused } = await scene();
    await recordRun(scratch.records, "run-1", "running");
    expect(await refused("append_decision", { decision: { ...DECISION, dependencies: ["d999"] } })).toMatchObject({
      code: "decision_dependency_invalid",
    });
    expect(await scratch.kernel.decisions.list("run:run-1")).toEqual([]);
  });

  test.each(["canonical", "delegated", "suspended"])("cannot append a %s decision, which only a person makes", async (confidence) => {
    const { scratch, refused } = await scene();
    await recordRun(scratch.records, "run-1", "running");
    expect(await refused("append_decision", { decision: { ...DECISION, confidence } })).toMatchObject({ code: "schema_validation_failed" });
  });

  test.each([
    ["text with NUL", { ...DECISION, constraint: "a\0b" }],
    ["huge text", { ...DECISION, constraint: "x".repeat(20_001) }],
    ["unknown fields", { ...DECISION, status: "active" }],
  ])("refuses %s", async (_what, decision) => {
    expect(await (await scene()).refused("append_decision", { decision })).toMatchObject({ code: "schema_validation_failed" });
  });

  test.each(["no run", "a finished run"])("is refused with %s", async (what) => {
    const { scratch, refused } = await scene();
    if (what === "a finished run") await recordRun(scratch.records, "run-1", "completed");
    expect(await refused("append_decision", { decision: DECISION })).toMatchObject({ code: "run_not_found" });
  });
});

describe("get_type_witness", () => {
  test("[CRI-160] returns the recorded definition of a witness", async () => {
    const { scratch, ok } = await scene();
    await recordRun(scratch.records, "run-1", "running", { witnesses: [WITNESS_ROW] });
    expect(await ok("get_type_witness", { name: "Positive" })).toEqual({ source: { kind: "run", run_id: "run-1" }, witness: WITNESS_ROW });
  });

  test("names the witnesses that there are, or that there are none", async () => {
    const { scratch, refused } = await scene();
    const none = { code: "input_path_not_found", details: { suggested_next_actions: [expect.stringContaining("no witness yet")] } };
    expect(await refused("get_type_witness", { name: "Positive" })).toMatchObject(none);
    await recordRun(scratch.records, "run-1", "running", { witnesses: [WITNESS_ROW] });
    const named = { details: { suggested_next_actions: ["Ask for one of Positive."] } };
    expect(await refused("get_type_witness", { name: "constructor" })).toMatchObject(named);
  });
});

describe("validate_schema", () => {
  test.each(["spec", "claims", "ledger", "witnesses", "state", "config"])("[CRI-160] finds the committed %s valid", async (artifact) => {
    const { scratch, ok } = await scene();
    await recordRun(scratch.records, "run-1", "running", { witnesses: [WITNESS_ROW] });
    await ok("append_decision", { decision: DECISION });
    expect(await ok("validate_schema", { artifact })).toMatchObject({ artifact, valid: true, violations: [] });
  });

  test("an empty ledger is valid", async () => {
    const { scratch, ok } = await scene();
    await recordRun(scratch.records, "run-1", "running");
    expect(await ok("validate_schema", { artifact: "ledger" })).toMatchObject({ valid: true, source: { kind: "run", run_id: "run-1" } });
  });

  test.each(["ledger", "witnesses", "state", "config", "contradiction_report", "witness", "structured_claim"])(
    "says that no %s is committed",
    async (artifact) => {
      const { refused } = await scene({});
      expect(await refused("validate_schema", { artifact })).toMatchObject({ code: "input_path_not_found" });
    },
  );

  test.each([
    ["spec", printSpec(SPEC)],
    ["claims", printClaims(SPEC)],
    ["witness", JSON.stringify(WITNESS)],
    ["contradiction_report", "contradictions_found: []\n"],
  ])("[CRI-160] accepts a valid draft of a %s", async (artifact, text) => {
    expect(await (await scene()).ok("validate_schema", { artifact, text })).toMatchObject({ valid: true, source: { kind: "call" } });
  });

  test("[CRI-160] lists every violation of a draft by its pointer", async () => {
    const { ok } = await scene();
    const text = printSpec(SPEC).replace('type = "invariant"', 'type = "wish"').replace('domain = "fintech"', "domain = 7");
    const { valid, violations } = await ok<{ valid: boolean; violations: { pointer: string }[] }>("validate_schema", {
      artifact: "spec",
      text,
    });
    expect([valid, violations.map(({ pointer }) => pointer).toSorted()]).toEqual([false, ["/claims/balance_001/type", "/meta/domain"]]);
  });

  test("[CRI-160] checks rules across fields that a JSON schema cannot express", async () => {
    const twice = sampleSpec({ interfaces: { Bank: { methods: [0, 1].map(() => ({ name: "pay", params: [], returns: "void" })) } } });
    expect(await (await scene()).ok("validate_schema", { artifact: "spec", text: printSpec(twice) })).toMatchObject({
      valid: false,
      violations: [{ pointer: "/interfaces/Bank/methods/1/name" }],
    });
  });

  test("does not repeat the value that breaks a rule", async () => {
    const answer = await (await scene()).ok("validate_schema", { artifact: "witness", text: '{"name": "PRIVATE-WORDS"}' });
    expect(answer).toMatchObject({ valid: false });
    expect(JSON.stringify(answer)).not.toContain("PRIVATE-WORDS");
  });

  test.each([
    ["spec", "not = = toml"],
    ["witness", "{"],
    ["contradiction_report", "a: &x [1]\nb: *x\n"],
  ])("a %s that does not parse is invalid, not an error", async (artifact, text) => {
    expect(await (await scene()).ok("validate_schema", { artifact, text })).toMatchObject({
      valid: false,
      violations: [{ rule: "syntax" }],
    });
  });

  test("every kind has a JSON schema", () => {
    for (const name of ARTIFACT_KIND_NAMES)
      expect(artifactSchema(name)).toHaveProperty("$schema", "https://json-schema.org/draft/2020-12/schema");
  });
});

test("[CRI-160] no tool serves the interview, or any other file that is no artifact", async () => {
  const { scratch, ok } = await scene();
  await recordRun(scratch.records, "run-1", "running", { witnesses: [WITNESS_ROW] });
  scratch.write(".slipway/runs/run-1/interview/transcript.jsonl", "INTERVIEW-TEXT");
  const answers = await Promise.all([
    ...["meta", ...SPEC_SECTIONS].map((section) => ok("read_spec_section", { section })),
    ...["spec", "claims", "ledger", "witnesses", "state", "config"].map((artifact) => ok("validate_schema", { artifact })),
    ok("get_type_witness", { name: "Positive" }),
  ]);
  expect(JSON.stringify(answers)).not.toContain("INTERVIEW-TEXT");
});

describe("a role at the artifact server", () => {
  test.each(["auditor", "structurer"])("[CRI-163] the %s reads, and its append_decision is refused and recorded", async (role) => {
    const { scratch, as } = await scene();
    await recordRun(scratch.records, "run-1", "running");
    const { ok, refused, recorded } = as({ role });
    await ok("read_spec_section", { section: "system" });
    expect(await refused("append_decision", { decision: DECISION })).toMatchObject({
      code: "forbidden_tool_for_role",
      details: { role, tool: "append_decision", allowed_roles: ["architect"] },
    });
    expect(await scratch.kernel.decisions.list("run:run-1")).toEqual([]);
    expect(await recorded("criticality.refuse_call")).toMatchObject([
      { role, tool: "append_decision", server: "criticality-artifact-server" },
    ]);
  });

  test("[CRI-163] the architect writes, under its own name in the journal", async () => {
    const { scratch, as } = await scene();
    await recordRun(scratch.records, "run-1", "running");
    await as({ role: "architect" }).ok("append_decision", { decision: DECISION });
    const events = await scratch.records.database.db.selectFrom("events").select("payload").where("name", "=", "decision.append").execute();
    expect(events.map(({ payload }) => JSON.parse(String(payload)) as unknown)).toMatchObject([{ actor: { id: "architect" } }]);
  });

  test.each(["worker", "guardian"])("[CRI-164] every call of the %s is refused and recorded, also with an invalid input", async (role) => {
    const { refused, recorded } = (await scene()).as({ role });
    for (const { name } of artifactTools(OPEN_SESSION))
      expect(await refused(name, { nonsense: true })).toMatchObject({ code: "forbidden_tool_for_role" });
    expect(await recorded("criticality.refuse_call")).toHaveLength(4);
  });
});
