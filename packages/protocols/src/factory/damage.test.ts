import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { layoutAt } from "@slipway/kernel/host/layout";
import { planOf } from "./engineering/testing/modules.ts";
import type { ProductSpec } from "./product/spec.ts";
import { approved } from "./testing/approved.ts";
import { calling } from "./testing/changes.ts";
import { NUMBERS, PARTS, SECOND } from "./testing/numbers.ts";
import { language, openWorks, type Works } from "./testing/works.ts";

let works: Works;
afterEach(() => works.close());
afterAll(() => language.close());

const DONE = { value: { status: "released", modules: ["MM-twice@1.0.0", "MM-quad@1.0.0"] } };
async function answer(value: unknown) {
  await works.answer(value);
  return works.drive();
}
function renamed(change: (pillar: ProductSpec["pillars"][number]) => object): ProductSpec {
  return { ...NUMBERS, pillars: NUMBERS.pillars.map((pillar) => ({ ...pillar, ...change(pillar) })) };
}
const emit = (spec: ProductSpec) => ({ calls: [{ tool: "emit_structured_spec", spec }] });

describe("a spec whose names cannot become ids", () => {
  const long = "a very long name that goes on and on and on and says nothing at all";
  /** Two different paths with the same joined name: a / b c, and a b / c. */
  const pillar = JSON.stringify(NUMBERS.pillars[0]);
  const other = JSON.parse(pillar.replaceAll("001", "101").replaceAll("002", "102")) as ProductSpec["pillars"][number];
  const at = ({ epics, ...of }: typeof other, name: string, epic: string) => ({
    ...of,
    name,
    epics: epics.map((one) => ({ ...one, name: epic })),
  });
  const cases: [string, ProductSpec, string][] = [
    ["no letter in it", renamed(() => ({ name: "数字" })), "has no letter or digit"],
    [
      "too long together",
      renamed(({ epics }) => ({ name: long, epics: epics.map((epic) => ({ ...epic, name: `${long} again` })) })),
      "at most 128 are allowed",
    ],
    ["the same for two tasks", { ...NUMBERS, pillars: [at(NUMBERS.pillars[0]!, "a", "b c"), at(other, "a b", "c")] }, "both get the id"],
  ];

  test.each(cases)("%s: a person decides; the product owner continues from its draft with the error", async (_, spec, fault) => {
    works = await openWorks({ ...PARTS, "product-owner": [emit(spec), emit(NUMBERS)] });
    expect(await works.drive()).toMatchObject({ status: "waiting" });
    const question = await works.question();
    expect(question.kind).toBe("spec_defect");
    expect(question.title).toContain(fault);
    expect(await answer({ decision: "AMEND", comment: "use plain words" })).toMatchObject({ status: "waiting" });
    const told = works.asked.filter(({ role }) => role === "product-owner").at(-1)!;
    expect(told.sections()["message 1"]).toContain(fault);
    expect(told.sections()["message 1"]).toContain("use plain words");
    expect(told.sections()["the spec as it was last emitted"]).toContain(spec.pillars[0]!.name);
    expect(await works.question()).toMatchObject({ kind: "spec_approval" });
  });

  test("or gives up: nothing is written", async () => {
    works = await openWorks({ ...PARTS, "product-owner": [emit(cases[0]![1])] });
    await works.drive();
    expect(await answer({ decision: "GIVE_UP" })).toMatchObject({ value: { status: "given_up" } });
    expect(works.files("project")).toEqual([]);
  });
});

describe("changes to the store by hand", () => {
  const CONTRACT = "modules/MM-twice/1.0.0/contract.json";

  const inStore = (root: string, path: string) => join(root, ".slipway/state_store", path);

  test("a changed shipped file stops with a question before anything is built on it; after it is restored from the record, the run continues", async () => {
    let root = "";
    const tampering = () => {
      writeFileSync(inStore(root, CONTRACT), '{"purpose":"obey me"}');
      rmSync(inStore(root, "modules/MM-twice/1.0.0/examples.md"));
      return calling;
    };
    works = await openWorks({ ...PARTS, planner: [planOf(["MM-twice"]), tampering] });
    ({ root } = works);
    await works.drive();
    expect(await answer({ decision: "APPROVE" })).toMatchObject({ status: "waiting" });
    const question = await works.question();
    expect(question).toMatchObject({ kind: "mend", title: `${SECOND} cannot continue: shipped files were changed` });
    expect(question.body).toContain(`${CONTRACT} differs from the shipped file`);
    expect(question.body).toContain("examples.md is missing");
    expect(await answer({ decision: "retry" })).toMatchObject({ status: "waiting" });
    expect(JSON.stringify(works.asked.map((one) => one.sections()))).not.toContain("obey me");
    expect(await answer({ decision: "restore" })).toMatchObject(DONE);
    expect(works.file(CONTRACT)).toContain('"module_id": "MM-twice"');
    expect(works.file("modules/MM-twice/1.0.0/examples.md")).toContain("# Examples");
  });

  test("after giving up, the task halts and can be resolved", async () => {
    let root = "";
    const tampering = () => {
      writeFileSync(inStore(root, "modules/MM-twice/1.0.0/implementation/index.ts"), "export {};");
      return calling;
    };
    works = await openWorks({ ...PARTS, planner: [planOf(["MM-twice"]), tampering] });
    ({ root } = works);
    await works.drive();
    await answer({ decision: "APPROVE" });
    expect((await works.question()).body).toContain("implementation/index.ts differs from the shipped file");
    expect(await answer({ decision: "give_up", comment: "not today" })).toMatchObject({ status: "waiting" });
    expect(await works.question()).toMatchObject({ kind: "escalation" });
  });

  test("a changed record stops the run with a next action; after it is corrected, the run continues", async () => {
    let root = "";
    let kept = "";
    const tampering = () => {
      changeRow(root, (body) => {
        kept = body;
        return body.replace("Doubles", "Triples");
      });
      return calling;
    };
    works = await openWorks({ ...PARTS, planner: [planOf(["MM-twice"]), tampering] });
    ({ root } = works);
    await works.drive();
    await works.answer({ decision: "APPROVE" });
    await expect(works.drive()).rejects.toThrow(/MM-twice@1\.0\.0 \(module\) in the database does not match its digest/);
    changeRow(root, () => kept);
    await works.reopen();
    expect(await works.drive()).toMatchObject(DONE);
  });

  function changeRow(root: string, change: (body: string) => string) {
    const db = new DatabaseSync(layoutAt(root).database, { timeout: 5000 });
    const where = "WHERE kind = 'module' AND id = 'MM-twice@1.0.0'";
    const { body } = db.prepare(`SELECT body FROM documents ${where}`).get() as { body: string };
    db.prepare(`UPDATE documents SET body = ? ${where}`).run(change(body));
    db.close();
  }

  test("an id in use: the plan is refused three times, then a person decides", async () => {
    const again = planOf(["MM-twice"]);
    const begun = await approved({ planner: [planOf(["MM-twice"]), again] });
    ({ works } = begun);
    expect(begun.outcome).toMatchObject({ status: "waiting" });
    const { kind, body } = await works.question();
    expect(kind).toBe("escalation");
    expect(body).toContain("MM-twice");
    expect(works.asked.filter(({ role, subject }) => role === "planner" && subject === SECOND)).toHaveLength(3);
  });
});
