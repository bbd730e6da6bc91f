import { shipEvidenceSchema } from "@slipway/languages/contracts/evidence";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { APPROVE, codeOf } from "./engineering/testing/modules.ts";
import type { StateMachine } from "./project/state.ts";
import { approved } from "./testing/approved.ts";
import { FIRST, NUMBERS, PARTS, SECOND } from "./testing/numbers.ts";
import { language, openWorks, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const json = <T>(path: string) => JSON.parse(works.file(path) ?? "null") as T;

describe("a factory run", () => {
  test("[FAC-001] [FAC-003] [FAC-035] runs from the product loop over the gate to the project, task by task, and to the release", async () => {
    works = await openWorks(PARTS);
    expect(await works.drive()).toMatchObject({ status: "waiting" });
    expect(works.asked.map(({ role }) => role)).toEqual(["product-owner"]);
    expect(works.file("project/state_machine.json")).toBeNull();
    await works.reopen();
    await works.answer({ decision: "APPROVE" });
    expect(await works.drive()).toMatchObject({
      status: "completed",
      value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] },
    });
    const debate = ["proposer", "challenger", "arbiter"];
    expect(works.asked.map(({ role }) => role)).toEqual([
      "product-owner",
      "planner",
      "proposer",
      "challenger",
      ...debate,
      "planner",
      ...debate,
    ]);
    expect((await works.steps()).filter((step) => /^(init|dispatch|update)/.test(step))).toEqual([
      "init_state_machine",
      "dispatch:1",
      "update_state_machine:1",
      "dispatch:2",
      "update_state_machine:2",
      "dispatch:3",
    ]);
    expect(json("product/spec.json")).toEqual(NUMBERS);
    const { tasks, spec_version } = json<StateMachine>("project/state_machine.json");
    expect(spec_version).toBe(NUMBERS.spec_version);
    expect(tasks).toMatchObject({
      [FIRST]: { status: "SHIPPED", module_refs: ["MM-twice@1.0.0"] },
      [SECOND]: { status: "SHIPPED", module_refs: ["MM-quad@1.0.0"], depends_on: [FIRST] },
    });
  });

  test("[FAC-091] [FAC-149] [FAC-191] stores every record at its path, once", async () => {
    works = (await approved()).works;
    const entries = await works.services.codeIndex.snapshot();
    expect(entries.map(({ module_id, version, status }) => ({ module_id, version, status }))).toEqual([
      { module_id: "MM-twice", version: "1.0.0", status: "SHIPPED" },
      { module_id: "MM-quad", version: "1.0.0", status: "SHIPPED" },
    ]);

    expect(works.files("modules/MM-twice/1.0.0")).toEqual([
      "contract.json",
      "examples.md",
      "implementation/index.ts",
      "ship.json",
      "tests/execution_log.json",
      "tests/module.test.ts",
    ]);
    const ship = shipEvidenceSchema.parse(json("modules/MM-quad/1.0.0/ship.json"));
    expect(ship).toMatchObject({ module_id: "MM-quad", verification: { result: "PASS" } });
    expect(ship.environment.repo_revision).toMatch(/^[0-9a-f]{40}$/);
    const call = { actor: { type: "orchestrator", id: "other" }, operationId: "again" } as const;
    const sealed = { module_id: "MM-quad", version: "1.0.0", files: {}, depends_on: [] };
    await expect(works.services.store.sealModule(call, sealed)).rejects.toThrow(
      "MM-quad@1.0.0 cannot be changed: a module is written once.",
    );

    const rounds = Map.groupBy(works.files("debates"), (path) => path.split("/")[0]);
    expect([...rounds.values()].map((paths) => paths.map((path) => path.slice(path.indexOf("/") + 1))).toSorted()).toEqual([
      ["adjudication.json", "challenge.json", "proposal.json", "witnesses.json"].map((file) => `round-1/${file}`),
      [
        ...["challenge.json", "proposal.json", "witnesses.json"].map((file) => `round-1/${file}`),
        ...["adjudication.json", "challenge.json", "proposal.json", "witnesses.json"].map((file) => `round-2/${file}`),
      ],
    ]);

    const invocations = works.asked.filter(({ role }) => role !== "product-owner");
    const packs = works.files("context_packs").map((path) => json<{ created_for: { role: string } }>(`context_packs/${path}`));
    expect(packs.map(({ created_for }) => created_for.role).toSorted()).toEqual(works.asked.map(({ role }) => role).toSorted());
    const [reports, contributions] = [/^RSR-/, /^CONTRIB-/].map((name) => works.files("contributions").filter((path) => name.test(path)));
    expect(contributions).toHaveLength(invocations.length + 2);
    expect(reports).toHaveLength(2);

    expect(works.files("releases")).toHaveLength(1);
    expect(json(`releases/${works.files("releases")[0]}`)).toMatchObject({
      modules: [{ module_ref: "MM-twice@1.0.0" }, { module_ref: "MM-quad@1.0.0" }],
      overall_result: "PASS",
    });
  });

  test("a task sees its dependencies by contract and examples, never by source", async () => {
    works = (await approved()).works;
    const file = works.files("project").find((path) => path.endsWith(`${SECOND}.md`));
    const text = works.file(`project/${file}`)!;
    expect(text).toContain("- MM-twice@1.0.0: Doubles a number (twice). inputs: n: number; outputs: double: number;");
    expect(text).toContain("Twenty-one doubled is forty-two.");
    for (const { role, sections } of works.asked.filter(({ subject }) => subject === "MM-quad" || subject === SECOND)) {
      expect(JSON.stringify(sections()), role).not.toContain(JSON.stringify(codeOf("twice")).slice(1, -1));
    }
  });

  test("ends without a project when a person gives the spec up", async () => {
    works = await openWorks({ ...PARTS, "product-owner": ["nothing of use"], arbiter: [APPROVE] });
    await works.drive();
    await works.answer({ decision: "give_up", comment: "not now" });
    expect(await works.drive()).toMatchObject({ status: "completed", value: { status: "given_up" } });
    expect(works.file("project/state_machine.json")).toBeNull();
  });

  test("interrupted after every few events and resumed, it repeats no finished invocation and ships nothing twice", async () => {
    works = await openWorks(PARTS, { leaveAfter: 7 });
    let outcome = await works.drive();
    let times = 0;
    for (; outcome.status !== "completed" && times < 200; times++) {
      await works.reopen();
      outcome = await works.drive();
      if (outcome.status === "waiting") await works.answer({ decision: "APPROVE" });
    }
    expect(outcome).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } });
    expect(times).toBeGreaterThan(15);
    const roles = works.asked.map(({ role, subject }) => `${role} ${subject}`);
    expect(roles).toHaveLength(11);
    expect((await works.services.codeIndex.snapshot()).map(({ module_id }) => module_id)).toEqual(["MM-twice", "MM-quad"]);
    expect(works.files("releases")).toHaveLength(1);
    expect(works.files("contributions")).toHaveLength(12 + 2);
  });
});
