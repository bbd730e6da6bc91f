import { afterAll, afterEach, describe, expect, test } from "vitest";
import { considering, planOf } from "../engineering/testing/modules.ts";
import { sampleSpec, sampleTask } from "../product/testing/specs.ts";
import { approved } from "../testing/approved.ts";
import { FIRST, NUMBERS, SECOND } from "../testing/numbers.ts";
import { language, PAGE, type Works } from "../testing/works.ts";
import { asked, build, edit, fates, indexOf, making, ONE, reusing, tasksOf, TWO } from "./testing/edited.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const QUAD = planOf(["MM-quad", ["MM-twice@^1.0.0"]]);
const debated = (module: string) => ["proposer", "challenger", "arbiter"].map((role) => `${role} ${module}`);

describe("an edited page", () => {
  test("edited three times: each time only the changes are built, and what builds on a changed interface", async () => {
    works = (await approved()).works;
    const two = { ...TWO, description: "Turns two lines of text into a record." };
    const plan = await edit(works, `${PAGE}1`, sampleSpec([ONE, two]), { planner: [QUAD] });
    expect(fates(plan)).toEqual([`keep ${FIRST}: unchanged`, `rebuild ${SECOND}: description changed`]);
    const { body } = await works.question();
    expect(body).toContain(`1 built again:\n  ${SECOND} (Double again): description changed [MM-quad@1.0.0]`);
    expect(body).toContain(`1 kept as shipped:\n  ${FIRST} (Double): unchanged [MM-twice@1.0.0]`);
    expect(asked(works)).toEqual(["product-owner numbers"]);
    const shown = works.asked[0]!.sections();
    expect(JSON.parse(shown["before/spec.json"]!)).toEqual(NUMBERS);
    expect(shown["before/SPEC.md"]).toBe(PAGE);
    expect(await build(works)).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.1"] } });
    expect(asked(works)).toEqual(["product-owner numbers", `planner ${SECOND}`, ...debated("MM-quad")]);
    const planner = works.asked[1]!.sections();
    expect(planner["why it is planned again"]).toContain("description changed");
    expect(planner["earlier module MM-quad@1.0.0"]).toContain('"module_id": "MM-quad"');
    expect(tasksOf(works)[FIRST]).toMatchObject({ status: "SHIPPED", module_refs: ["MM-twice@1.0.0"] });
    expect(await indexOf(works)).toEqual(["MM-twice@1.0.0 SHIPPED", "MM-quad@1.0.0 SUPERSEDED", "MM-quad@1.0.1 SHIPPED"]);

    const one = { ...ONE, subtasks: [...ONE.subtasks, "Write it down"] };
    const again = await edit(works, `${PAGE}2`, sampleSpec([one, two]), { planner: [planOf(["MM-twice"])] });
    expect(fates(again)).toEqual([`rebuild ${FIRST}: subtasks changed`, `recheck ${SECOND}: unchanged; depends on ${FIRST}`]);
    expect(await build(works)).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.1", "MM-quad@1.0.1"] } });
    expect(asked(works)).toEqual(["product-owner numbers", `planner ${FIRST}`, ...debated("MM-twice")]);
    expect((await works.services.store.shippedModule("MM-quad@1.0.1"))?.depends_on).toEqual(["MM-twice@1.0.1"]);

    const wider = planOf(["MM-twice"]);
    const inputs = [{ name: "n", type: "number", constraints: ["not negative", "finite"] }];
    await edit(works, `${PAGE}3`, sampleSpec([{ ...one, description: "Turns one finite number into another." }, two]), {
      planner: [
        { ...wider, contracts: wider.contracts.map((contract) => ({ ...contract, inputs })) },
        considering(planOf(["MM-quad", ["MM-twice@^2.0.0"]]), "MM-twice@2.0.0"),
      ],
      proposer: [making("n * 2", 42, [{ category: "input constraint", item: "n: finite", test: "refuses a negative number" }])],
    });
    expect(await build(works)).toMatchObject({ value: { status: "released", modules: ["MM-twice@2.0.0", "MM-quad@1.0.2"] } });
    const last = works.asked.findLast(({ role }) => role === "planner")!;
    expect(last.subject).toBe(SECOND);
    expect(last.sections()["why it is planned again"]).toContain("the interface of MM-twice changed (MM-twice@1.0.0 to MM-twice@2.0.0)");
  });

  test("a new task before the others shifts their numbers, a removed one leaves the release, and a module that fails its tests is built again", async () => {
    works = (await approved()).works;
    const half = sampleTask(3, { name: "Half", acceptance_criteria: ONE.acceptance_criteria });
    const plan = await edit(works, `${PAGE}1`, sampleSpec([half, { ...ONE, name: "Double it" }, TWO]), {
      planner: [considering(planOf(["MM-half"]), "MM-twice@1.0.0", "MM-quad@1.0.0"), reusing("MM-twice", "MM-twice@1.0.0")],
    });
    const third = SECOND.replace("002", "003");
    expect(fates(plan)).toEqual([
      `build ${FIRST}: new`,
      `rebuild ${SECOND}: name changed`,
      `recheck ${third}: unchanged; depends on ${SECOND}`,
    ]);
    expect(plan.tasks.map(({ was }) => was)).toEqual([null, FIRST, SECOND]);
    expect(await build(works)).toMatchObject({
      value: { status: "released", modules: ["MM-half@1.0.0", "MM-twice@1.0.0", "MM-quad@1.0.0"] },
    });
    expect(asked(works)).toEqual(["product-owner numbers", `planner ${FIRST}`, ...debated("MM-half"), `planner ${SECOND}`]);

    const removing = await edit(works, `${PAGE}2`, sampleSpec([{ ...ONE, name: "Double it", description: "Makes four of one." }, TWO]), {
      planner: [planOf(["MM-twice"]), QUAD],
      proposer: [making("n * 4", 84)],
    });
    expect(removing.removed).toEqual([{ task_id: FIRST, name: "Half", module_refs: ["MM-half@1.0.0"] }]);
    await build(works);
    const planner = works.asked.findLast(({ role }) => role === "planner")!;
    expect(planner.subject).toBe(SECOND);
    expect(planner.sections()["why it is planned again"]).toContain('the tests of MM-quad@1.0.0 fail with MM-twice@1.0.1: "doubles"');
    expect(await indexOf(works)).toContain("MM-half@1.0.0 SHIPPED");
  });
});
