import { readdirSync } from "node:fs";
import { join } from "node:path";
import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { APPROVE, challengeOf, contractOf, REJECT } from "@slipway/protocols/factory/engineering/testing/modules";
import { AGREED, change, deliverLarge, GOOD } from "@slipway/protocols/factory/testing/changes";
import { deliver, FAIL, FIRST, SECOND } from "@slipway/protocols/factory/testing/numbers";
import { describe, expect, test } from "vitest";
import { buildAll, factoryProject, goOn } from "../testing/factory-project.ts";
import { letters, type Project } from "../testing/project.ts";

const WITHOUT_APPROVAL = { "slipway/policy.yaml": POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,") };
const shown = async (project: Project, ...words: readonly string[]) => (await project.slipway(["factory", ...words])).stdout;
const value = async <T>(project: Project, ...words: readonly string[]) =>
  (await project.slipway(["factory", ...words, "--json"])).json<T>()[0]!;

/** The first task halts after three rounds; the second waits for it. */
async function halted(): Promise<{ readonly project: Project; readonly escalation: string }> {
  const project = factoryProject(WITHOUT_APPROVAL);
  for (const attempt of ["1", "2", "3"]) {
    project.record("proposer", attempt, deliver({ "module contract": JSON.stringify(contractOf()) }), "MM-twice");
    project.record("challenger", attempt, FAIL, "MM-twice");
  }
  project.record("arbiter", "3", REJECT, "MM-twice");
  expect((await buildAll(project)).code).toBe(23);
  const [file = ""] = readdirSync(join(project.root, ".slipway/state_store/escalations"));
  return { project, escalation: file.slice(0, -".json".length) };
}

/** The second task needs another contract for the first task's module. */
async function excepted(): Promise<{ readonly project: Project; readonly exception: string }> {
  const project = factoryProject(WITHOUT_APPROVAL);
  project.record("proposer", "1", change(), "MM-quad");
  const asked = await buildAll(project);
  expect(asked.code).toBe(23);
  const [view] = await value<{ exception: { exception_id: string } }[]>(project, "ice");
  const exception = view!.exception.exception_id;
  expect(asked.stdout).toContain(`slipway factory ice ${exception} APPROVE_CHANGE\n`);
  return { project, exception };
}

test("without a project every command says so", async () => {
  const project = letters({ "numbers.md": "# Numbers\n" });
  expect((await project.slipway(["factory", "tasks"])).stderr).toContain("Nothing has run in this repository yet.");
  await project.slipway(["run", "letters.spec.md", "--cassette", project.cassette]);
  expect(await shown(project, "tasks")).toContain("No project yet");
  expect(await value(project, "tasks")).toBeNull();
  expect(await shown(project, "escalation")).toBe("No task has halted.\n");
  expect(await shown(project, "ice")).toContain("There are no interface change exceptions");
  const { stderr, code } = await project.slipway(["factory", "debate"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("No task is in progress or halted")]);
});

describe("a task that has halted", () => {
  test("is shown with the tasks it blocks, its debate round by round, and its escalation with the effect of each answer", async () => {
    const { project, escalation } = await halted();
    const tasks = await shown(project, "tasks");
    expect(tasks).toContain("reading\n  statements\n    import-a-statement\n");
    expect(tasks).toMatch(new RegExp(`! HALTED +${FIRST}\\n +${escalation}: MM-twice@1.0.0 did not ship`));
    expect(tasks).toContain(`- BLOCKED     ${SECOND}\n          blocked by ${FIRST} (HALTED, ${escalation})\n`);

    const debate = await shown(project, "debate");
    expect(debate).toContain(`MM-twice@1.0.0 of ${FIRST}`);
    expect(debate.match(/round \d/g)).toEqual(["round 1", "round 2", "round 3"]);
    expect(debate).toContain("verdict: FAIL   R1 MET  R2 MET  R3 NOT_MET");
    expect(debate).toContain(
      "objection: error surfaces: infinity is doubled to infinity\n      wanted: refuse it\n      opinion: no witness was given\n",
    );
    expect(debate).toContain("Arbiter: REJECT: The objections stand.");
    expect(await shown(project, "debate", "MM-twice")).toBe(debate);
    const { debates } = await value<{ debates: { rounds: unknown[] }[] }>(project, "debate", FIRST);
    expect(debates[0]?.rounds).toHaveLength(3);
    expect(await shown(project, "debate", SECOND)).toContain("is BLOCKED: it has no locked plan yet");
    expect(await shown(project, "debate", "MM-none")).toContain("No module MM-none has been planned here");
    expect((await project.slipway(["factory", "debate", "T-none"])).stderr).toContain('There is no task "T-none"');

    const escalated = await shown(project, "escalation");
    expect(escalated).toContain(`${escalation} ${FIRST} halted`);
    expect(escalated).toContain("error surfaces: infinity is doubled to infinity");
    expect(escalated).toContain("debate: 3 proposals, 3 challenges, 1 adjudication");
    expect(escalated).toContain(`waiting for it: ${SECOND}`);
    expect(escalated).toContain("recommended: PROVIDE_FIX");
    for (const action of ["APPROVE_OVERRIDE", "AMEND_SPEC", "SPLIT_TASK", "REVISE_PLAN", "PROVIDE_FIX", "ABANDON_TASK"])
      expect(escalated).toMatch(new RegExp(`    ${action} +\\w`));
    expect(await shown(project, "escalation", escalation)).toBe(escalated);
    expect(await value(project, "escalation", escalation)).toMatchObject({ state: "asked", blocks: [SECOND] });
    expect((await project.slipway(["factory", "escalation", "ESC-00000000"])).code).toBe(2);
  });

  test("is resolved by name, with a comment or a file; an invalid answer changes nothing", async () => {
    const { project, escalation } = await halted();
    const resolve = (...words: readonly string[]) => project.slipway(["factory", "resolve", escalation, ...words]);
    expect((await resolve()).stderr).toContain("APPROVE_OVERRIDE, AMEND_SPEC");
    expect((await resolve("PROVIDE_FIX", "--comment", "x")).code).toBe(2);
    project.write("fix.json", "[]");
    expect((await resolve("--json-file", "fix.json")).stderr).toContain("fix.json does not hold a JSON object");
    project.write("fix.json", '{"a":1,"a":2}');
    expect((await resolve("--json-file", "fix.json")).stderr).toContain("fix.json: ");
    expect((await resolve("PROVIDE_FIX", "--json-file", "fix.json", "--comment", "x")).stderr).toContain("cannot both be given");
    expect((await project.slipway(["factory", "resolve", "ESC-00000000", "ABANDON_TASK"])).stderr).toContain("has no open question");
    expect(await value(project, "escalation", escalation)).toMatchObject({ state: "asked" });

    project.write("fix.json", JSON.stringify({ fix_description: "by hand", fix_artifacts: { "implementation/extra.ts": "export {};\n" } }));
    const answered = await resolve("PROVIDE_FIX", "--json-file", "fix.json");
    expect([answered.code, answered.stderr]).toEqual([0, ""]);
    expect(await shown(project, "escalation", escalation)).toContain("Answered: `slipway resume` applies it.");
    project.record("challenger", "2.1", FAIL, "MM-twice");
    project.record("arbiter", "2.1", REJECT, "MM-twice");
    expect((await goOn(project)).code).toBe(23);
    expect(await shown(project, "escalation", escalation)).toContain("answered: PROVIDE_FIX by person:kim");
    expect(await shown(project, "escalation", escalation)).toContain("Resolved: no answer is needed.");

    const [open] = (await value<{ state: string; escalation: { escalation_id: string } }[]>(project, "escalation")).filter(
      ({ state }) => state === "asked",
    );
    await project.slipway(["factory", "resolve", open!.escalation.escalation_id, "ABANDON_TASK", "--comment", "not needed"]);
    await goOn(project);
    expect(await shown(project, "tasks")).toContain(`x ABANDONED   ${FIRST}`);
    expect(await shown(project, "tasks")).toContain(`blocked by ${FIRST} (ABANDONED`);
    const stuck = await shown(project, "escalation");
    for (const action of ["APPROVE_OVERRIDE", "REVISE_PLAN", "PROVIDE_FIX"])
      expect(stuck).toMatch(new RegExp(`${action} +\\(not available: `));
    expect(stuck).toMatch(/AMEND_SPEC +replace/);
  });
});

describe("an interface change exception", () => {
  test("is listed, shown, deferred, and later rejected by name", async () => {
    const { project, exception } = await excepted();
    expect(await shown(project, "ice")).toContain(
      `${exception} RAISED     INCOMPLETE MM-twice@1.0.0: numbers that are too large become infinite (waits for you)`,
    );
    const all = await shown(project, "ice", exception);
    expect(all).toContain("evidence: the contract of MM-twice names one error");
    expect(all).toContain('added_error_surfaces: [{"name":"LargeError"');
    expect((await project.slipway(["factory", "ice", "ICE-00000000"])).code).toBe(2);
    expect((await project.slipway(["factory", "ice", exception, "MAYBE"])).stderr).toContain("APPROVE_CHANGE, REJECT_CHANGE, DEFER");
    expect((await project.slipway(["factory", "ice", exception, "DEFER", "--comment", "later"])).code).toBe(0);
    // The answer is recorded but not applied yet: the run must be resumed first.
    expect((await project.slipway(["factory", "ice", exception, "REJECT_CHANGE", "--comment", "no"])).stderr).toContain(
      "must resume first",
    );
    expect((await goOn(project)).code).toBe(23);
    expect((await project.slipway(["factory", "ice", exception, "REJECT_CHANGE"])).stderr).toContain("/reason");
    expect((await project.slipway(["factory", "ice", exception, "REJECT_CHANGE", "--comment", "no", "--stay-halted"])).code).toBe(0);
    expect((await goOn(project)).code).toBe(23);
    expect(await shown(project, "ice", exception)).toMatch(
      /DEFERRED by person:kim, \S+: later\n {2}REJECTED by person:kim, \S+: no\n {2}Closed/,
    );
    const late = await project.slipway(["factory", "ice", exception, "APPROVE_CHANGE"]);
    expect(late.code).toBe(2);
  });

  test("[FAC-177] is decided long after its task was resolved otherwise: deferred again, then approved; a new version ships and replaces the old one", async () => {
    const { project, exception } = await excepted();
    await project.slipway(["factory", "ice", exception, "DEFER"]);
    await goOn(project);
    const [{ escalation }] = (await value<[{ escalation: { escalation_id: string } }]>(project, "escalation"))!;
    await project.slipway(["factory", "resolve", escalation.escalation_id, "ABANDON_TASK", "--comment", "for now"]);
    const ended = await goOn(project);
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect((await project.slipway(["factory", "ice", exception, "DEFER", "--comment", "next year"])).stdout).toBe(
      `${exception} is DEFERRED.\n`,
    );
    expect((await project.slipway(["factory", "ice", exception, "REJECT_CHANGE"])).stderr).toContain("REJECT_CHANGE needs a reason");

    for (const [role, contract, module] of [
      ["challenger", GOOD, challengeOf()],
      ["arbiter", AGREED, APPROVE],
    ] as const) {
      project.record(role, "new-version-1.contract-1", contract, "MM-twice");
      project.record(role, "new-version-1.1", module, "MM-twice");
    }
    const contract = contractOf("MM-twice", "twice", {
      error_surfaces: [...contractOf().error_surfaces, ...change().proposed_delta.added_error_surfaces] as never,
      module_version: "1.1.0",
      compatibility: { backward_compatible_with: ["MM-twice@1.0.0"], breaking_change_policy: "a new major version" },
    });
    const task = `## Acceptance Criteria\n- serves what the interface change asks for`;
    project.record("proposer", "new-version-1.1", deliverLarge({ "module contract": JSON.stringify(contract), task }), "MM-twice");
    const changed = await project.slipway([
      "factory",
      "ice",
      exception,
      "APPROVE_CHANGE",
      "--comment",
      "now",
      "--cassette",
      project.cassette,
    ]);
    expect([changed.stderr, changed.stdout]).toEqual(["", expect.stringContaining(`${exception} is resolved: MM-twice@1.1.0`)]);
    expect(changed.code).toBe(0);
    expect(await shown(project, "ice")).toContain(`${exception} RESOLVED`);
    expect(project.sql("SELECT status, superseded_by FROM code_index_retirements")).toEqual([
      { status: "SUPERSEDED", superseded_by: "MM-twice@1.1.0" },
    ]);
    const again = await project.slipway(["factory", "ice", exception, "APPROVE_CHANGE", "--cassette", project.cassette]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("is RESOLVED and cannot become APPROVED")]);
  });
});
