import { afterAll, afterEach, describe, expect, test } from "vitest";
import { planOf } from "../engineering/testing/modules.ts";
import { sampleSpec, sampleTask } from "../product/testing/specs.ts";
import { approved } from "../testing/approved.ts";
import { FIRST, NUMBERS, PARTS, SECOND } from "../testing/numbers.ts";
import { language, openWorks, PAGE, type Works } from "../testing/works.ts";
import { earlierFrom } from "./previous.ts";
import { asked, build, edit, fates, indexOf, ONE, tasksOf, TWO, WELL } from "./testing/edited.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

/** The second task halts: its plan depends on itself. */
const HALTING = { planner: [planOf(["MM-twice"]), planOf(["MM-quad", ["MM-quad@^1.0.0"]])] };
const THIRD = SECOND.replace("002", "003");

describe("an unfinished project", () => {
  test("continues from the same page after it was given up: no product owner, no question, and shipped tasks are kept", async () => {
    works = (await approved(HALTING)).works;
    await works.cancel();
    await works.again(PAGE, { ...WELL, planner: [planOf(["MM-quad", ["MM-twice@^1.0.0"]])] });
    expect(await works.drive()).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } });
    expect(asked(works)).toEqual([`planner ${SECOND}`, "proposer MM-quad", "challenger MM-quad", "arbiter MM-quad"]);
    expect((await works.steps()).slice(0, 4)).toEqual(["base-gates:1", "same-spec", "changes", "init_state_machine"]);
    const digest = (await works.services.projectStore.projects.head())!.origin!.page_digest;
    const { projects } = works.services.projectStore;
    expect(await earlierFrom(projects, "SPEC.md", digest, async () => true)).toMatchObject({ kind: "nothing_to_do" });
    expect(await earlierFrom(projects, "SPEC.md", digest, async () => false)).toMatchObject({ kind: "again" });
    expect(await earlierFrom(projects, "OTHER.md", digest, async () => true)).toEqual({ kind: "none" });

    // The spec is unchanged: everything is kept and released.
    const plan = await edit(works, `${PAGE}1`, NUMBERS);
    expect(fates(plan)).toEqual([`keep ${FIRST}: unchanged`, `keep ${SECOND}: unchanged`]);
    expect(await build(works)).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } });
    expect(asked(works)).toEqual(["product-owner numbers"]);
  });

  test("interrupted after every few events and resumed, it asks no role twice and keeps the same tasks", async () => {
    works = await openWorks(PARTS, { leaveAfter: 9 });
    const throughAll = async () => {
      for (let times = 0; times < 200; times++) {
        const outcome = await works.drive();
        if (outcome.status === "completed") return outcome;
        if (outcome.status === "waiting") await works.answer({ decision: "APPROVE" });
        await works.reopen();
      }
      return null;
    };
    await throughAll();
    const spec = sampleSpec([{ ...ONE, subtasks: [...ONE.subtasks, "Write it down"] }, TWO]);
    await works.again(`${PAGE}1`, {
      ...WELL,
      "product-owner": [{ calls: [{ tool: "emit_structured_spec", spec }] }],
      planner: [planOf(["MM-twice"])],
    });
    expect(await throughAll()).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.1", "MM-quad@1.0.0"] } });
    expect(works.asked.map(({ role }) => role)).toEqual(["product-owner", "planner", "proposer", "challenger", "arbiter"]);
    expect(await indexOf(works)).toEqual(["MM-twice@1.0.0 SUPERSEDED", "MM-quad@1.0.0 SHIPPED", "MM-twice@1.0.1 SHIPPED"]);
  });

  test("a task that a person abandoned stays abandoned while its text is unchanged, and blocks new dependants", async () => {
    works = (await approved(HALTING)).works;
    await works.answer({ action: "ABANDON_TASK", rationale: "not needed" });
    expect(await works.drive()).toMatchObject({ value: { status: "released", modules: ["MM-twice@1.0.0"] } });
    const third = sampleTask(3, { name: "Double thrice", depends_on: ["TSK-002"] });
    const plan = await edit(works, `${PAGE}1`, sampleSpec([ONE, TWO, third]));
    expect(fates(plan)).toEqual([
      `keep ${FIRST}: unchanged`,
      `abandoned ${SECOND}: abandoned before, and unchanged`,
      `build ${THIRD}: new`,
    ]);
    expect(await build(works)).toMatchObject({ status: "waiting" });
    expect(Object.values(tasksOf(works)).map(({ status }) => status)).toEqual(["SHIPPED", "ABANDONED", "BLOCKED"]);
    expect((await works.question()).title).toContain(`It depends on ${SECOND}, which will not be built.`);
    await works.cancel();
    const changed = await edit(works, `${PAGE}2`, sampleSpec([ONE, { ...TWO, name: "Double once more" }, third]));
    expect(fates(changed)).toEqual([
      `keep ${FIRST}: unchanged`,
      `build ${SECOND}: name changed`,
      `build ${THIRD}: not finished before (BLOCKED)`,
    ]);
  });
});
