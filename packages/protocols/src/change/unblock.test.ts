import { afterEach, describe, expect, test } from "vitest";
import { recover } from "./recovery.ts";
import {
  newFile,
  NOTHING_MISSING,
  openWorkshop,
  patchOf,
  planFor,
  resultOf,
  type Script,
  type Workshop,
} from "../features/testing/workshop.ts";

const MIGRATION = planFor("letters", { contracts: { openapi: "none", events: "none", db: "migration" } });
const SCRIPT: Script = { planner: [MIGRATION], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

let services: Workshop;
let number = 0;
afterEach(() => services.close());

const standing = () => services.kernel.features.standing("letters");
const recovered = (...goesOn: string[]) =>
  recover(services.kernel, `recovery-${(number += 1)}`, goesOn.length === 0 ? ["letters"] : goesOn);
const question = async () => (await services.open()).find(({ kind }) => kind === "blocked");

/** Drives the run until the worker of the role is called; then the process "dies". */
async function diesAt(role: string) {
  let dead = false;
  const died = Promise.withResolvers<void>();
  const script = Object.fromEntries(
    Object.entries(SCRIPT).map(([name, answers]) => [
      name,
      name !== role
        ? answers
        : [
            async (pack: never) => {
              if (!dead) {
                dead = true;
                died.resolve();
                await new Promise(() => undefined);
              }
              const [answer] = answers;
              return typeof answer === "function" ? (answer as (given: never) => unknown)(pack) : answer;
            },
          ],
    ]),
  );
  services = await openWorkshop(script, { graceMs: 0 });
  const runId = await services.start();
  const stop = new AbortController();
  const driven = services.engine.drive(runId, { signal: stop.signal });
  await died.promise;
  stop.abort(new Error("killed"));
  await driven;
  return runId;
}

describe("[FEA-130] a restart after the leases have expired", () => {
  test("blocks the feature with the reason, and resumes it if the lock is still free", async () => {
    const runId = await diesAt("qa");
    await services.expireLocks();
    expect(await recovered()).toMatchObject({ reclaimed: [{ resource: "db_migrations", former_holder: "letters" }] });
    expect(await standing()).toMatchObject({
      status: "blocked",
      status_reason: expect.stringContaining("db_migrations expired"),
      lost: ["db_migrations"],
    });
    await services.drive(runId);
    expect(await services.locks()).toEqual([{ resource: "db_migrations", holder: "letters" }]);
    expect(await standing()).toMatchObject({ status: "ready_to_merge" });
    expect((await services.open()).map(({ kind }) => kind)).toEqual(["approval"]);
  });

  test("keeps leases that have not expired", async () => {
    await diesAt("builder");
    expect(await recovered()).toMatchObject({ reclaimed: [], pending: { features: ["letters"], queued: [] } });
    expect(await standing()).toMatchObject({ status: "building", lost: [] });
  });

  test("asks a person if another run has the lock, and continues when the lock is free again", async () => {
    const runId = await diesAt("builder");
    await services.expireLocks();
    await recovered();
    await services.expireLocks();
    await services.takeLock("db_migrations", "other");
    await services.drive(runId);
    const asked = await question();
    expect(asked).toMatchObject({ title: "letters is blocked", body: expect.stringMatching(/expired.*db_migrations.*"other"/s) });
    await services.expireLocks();
    await services.answer(asked!, { decision: "retry" });
    await services.drive(runId);
    expect(await standing()).toMatchObject({ status: "ready_to_merge", lost: [] });
  });

  test.each(["builder", "qa"])("a person may end the feature before or after the %s has answered", async (role) => {
    const runId = await diesAt(role);
    await services.expireLocks();
    await recovered();
    await services.expireLocks();
    await services.takeLock("db_migrations", "other");
    await services.drive(runId);
    await services.answer((await question())!, { decision: "give_up" });
    expect(resultOf(await services.drive(runId))).toMatchObject({ status: "failed" });
    expect(await standing()).toMatchObject({ status: "failed", status_reason: "given up by a person" });
  });

  test("while an approved feature waits for its turn: it becomes ready again and lands", async () => {
    services = await openWorkshop(SCRIPT);
    const runId = await services.start();
    await services.drive(runId);
    await services.approve((await services.open())[0]!);
    await services.expireLocks();
    await recovered();
    expect(await standing()).toMatchObject({ status: "blocked" });
    expect(resultOf(await services.drive(runId))).toMatchObject({ status: "merged" });
  });
});

test("under collision_policy: block, a feature queued for the lock of an approved feature does not overtake it at a restart", async () => {
  const migration = (name: string) =>
    planFor(name, {
      files: { create: [`src/${name}.txt`], modify: [], delete: [] },
      contracts: { openapi: "none", events: "none", db: "migration" },
    });
  const names = ["first", "second"];
  services = await openWorkshop(
    Object.fromEntries([
      ...names.flatMap((name) => [
        [`planner/${name}`, [migration(name)]],
        [`builder/${name}`, [newFile(`src/${name}.txt`, name)]],
      ]),
      ["qa", [NOTHING_MISSING]],
    ]),
    { policy: { "supervisor: {": "collision_policy: block\nsupervisor: {" } },
  );
  const runId = await services.start(...names);
  await services.drive(runId);
  await services.approve((await services.open())[0]!);
  await services.expireLocks();
  await recovered(...names);
  expect(await services.locks()).toEqual([{ resource: "db_migrations", holder: "first" }]);
  await services.drive(runId);
  expect(await services.kernel.features.standing("first")).toMatchObject({ status: "merged" });
  expect(await services.kernel.features.standing("second")).toMatchObject({ status: "ready_to_merge" });
  expect((await services.open()).map(({ kind }) => kind)).toEqual(["approval"]);
});

test("a feature that a person blocked is not unblocked without a person", async () => {
  const runId = await diesAt("builder");
  const call = { actor: { type: "system", id: "kim" }, operationId: "by-hand" } as const;
  await services.kernel.features.changeStatus(call, { feature_id: "letters", to: "blocked", reason: "wait for legal" });
  await services.drive(runId);
  const asked = await question();
  expect(asked?.body).toContain("wait for legal");
  await services.answer(asked!, { decision: "retry" });
  await services.drive(runId);
  expect(await standing()).toMatchObject({ status: "ready_to_merge" });
});

describe("[FEA-131] recovery reports the open work", () => {
  test("open features, untested entries and interrupted calls", async () => {
    await diesAt("qa");
    const db = services.kernel.records.database.db;
    const cut = {
      id: "cut-off",
      name: "gates.run",
      actor_type: "system",
      actor_id: "x",
      input_digest: "0",
      status: "started",
      claim: null,
      owner: null,
    };
    await db
      .insertInto("operations")
      .values({ ...cut, started_at: 1, finished_at: null, response: null, failure: null } as never)
      .execute();
    const { pending } = await recovered();
    expect(pending).toMatchObject({
      features: ["letters"],
      queued: [],
      cut_off: [{ operation: "gates.run", operation_id: "cut-off" }],
      untested: [{ feature_id: "letters", open_entries: 1 }],
    });
  });

  test("each feature continues at its first unfinished phase: no worker that has answered is asked again", async () => {
    const runId = await diesAt("qa");
    await recovered();
    await services.drive(runId);
    expect(services.asked.map(({ role }) => role)).toEqual(["planner", "builder", "qa", "qa"]);
    expect((await services.open()).map(({ kind }) => kind)).toEqual(["approval"]);
  });

  test("projected files that were changed by hand are written again", async () => {
    await diesAt("builder");
    services.write(".slipway/features/letters/state.md", "nonsense\n");
    expect((await recovered()).repaired).toEqual(["letters"]);
    expect(services.read(".slipway/features/letters/state.md")).toContain("status: building");
  });

  test("a state that does not fit its schema is refused before the run resumes", async () => {
    await diesAt("builder");
    await services.kernel.records.database.db.updateTable("features").set({ gates: '{"fast":"perhaps"}' }).execute();
    await expect(recovered()).rejects.toMatchObject({
      code: "schema_validation_failed",
      message: expect.stringContaining('state of "letters"'),
    });
  });

  test("an empty repository has nothing to recover", async () => {
    services = await openWorkshop(SCRIPT);
    expect(await recovered()).toEqual({ repaired: [], reclaimed: [], pending: { features: [], queued: [], cut_off: [], untested: [] } });
  });
});
