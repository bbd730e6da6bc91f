import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readPage, REPOSITORY_STREAM } from "../journal/repository.ts";
import { answerWithin, openInbox } from "../questions/inbox.ts";
import { CONFIDENCES, decisionSchema, SETTLED_CONFIDENCES, type DecisionDraft } from "./decision.ts";
import type { SupersedeRequest } from "./decisions.ts";
import { callBy, draft, openDecisionBench, PROOF, REPORT, SCOPE, type DecisionBench } from "./testing/decision-bench.ts";

let bench: DecisionBench;
beforeEach(async () => {
  bench = await openDecisionBench();
});
afterEach(() => bench.close());

const add = (id: string, changes: Partial<DecisionDraft> = {}) =>
  bench.decisions.append(callBy("orchestrator"), SCOPE, draft({ id, ...changes }));
const chain = async (...ids: readonly string[]) => {
  for (const [index, id] of ids.entries()) await add(id, { dependencies: index === 0 ? [] : [ids[index - 1] ?? ""] });
};
const replace = (id: string, changes: Partial<SupersedeRequest> = {}): SupersedeRequest => ({
  id,
  replacement: { constraint: "something else" },
  reason: "the user said so",
  ...changes,
});
const statesNow = async () =>
  Object.fromEntries((await bench.decisions.list(SCOPE)).map(({ id, status, confidence }) => [id, `${status} ${confidence}`]));

describe("append", () => {
  test("[CRI-088] an entry keeps every field, and optional fields are absent when they were not given", async () => {
    bench.clock.time = Date.UTC(2026, 0, 23, 10);
    await add("base");
    const texts = { failure_context: "a race", contradiction_resolved: "no leaks", user_notes: "be kind", rationale: "because" };
    const full = await add("full", { ...texts, dependencies: ["base"], confidence: "canonical" });
    expect(full).toEqual({
      id: "full",
      timestamp: "2026-01-23T10:00:00.000Z",
      constraint: "User IDs are UUIDs",
      category: "data_model",
      source: "user_explicit",
      phase: "ignition",
      confidence: "canonical",
      dependencies: ["base"],
      status: "active",
      ...texts,
    });
    expect(Object.keys(await bench.decisions.get(SCOPE, "base")).toSorted()).toEqual(
      ["category", "confidence", "constraint", "dependencies", "id", "phase", "source", "status", "timestamp"].toSorted(),
    );
  });

  test.each(["constraint", "category", "source", "phase", "confidence"])("[CRI-088] an entry without %s is refused", async (field) => {
    const { [field as "phase"]: _left, ...rest } = draft();
    await expect(bench.decisions.append(callBy("orchestrator"), SCOPE, rest as DecisionDraft)).rejects.toThrow(`/${field}`);
    expect(await bench.decisions.list(SCOPE)).toEqual([]);
  });

  test("[CRI-089] exactly six confidences are known", async () => {
    expect([...CONFIDENCES].toSorted()).toEqual(["blocking", "canonical", "delegated", "inferred", "provisional", "suspended"]);
    for (const confidence of SETTLED_CONFIDENCES) expect((await add(confidence, { confidence })).confidence).toBe(confidence);
    const entry = await bench.decisions.get(SCOPE, "inferred");
    expect(decisionSchema.safeParse({ ...entry, confidence: "suspended" }).success).toBe(true);
  });

  test.each(["certain", "Canonical", "", null, 1])("[CRI-089] the confidence %j is rejected", async (confidence) => {
    const wrong = { ...draft(), confidence } as unknown as DecisionDraft;
    await expect(bench.decisions.append(callBy("orchestrator"), SCOPE, wrong)).rejects.toMatchObject({ code: "schema_validation_failed" });
    expect(decisionSchema.safeParse({ ...(await add("ok")), confidence }).success).toBe(false);
  });

  test("entries become suspended only by a cascade", async () => {
    const wrong = { ...draft(), confidence: "suspended" } as unknown as DecisionDraft;
    await expect(bench.decisions.append(callBy("orchestrator"), SCOPE, wrong)).rejects.toThrow("/drafts/0/confidence");
  });

  test.each([
    ["an empty constraint", { constraint: " \n " }],
    ["a NUL", { constraint: "a\0b" }],
    ["a very long text", { rationale: "x".repeat(20_001) }],
    ["an id with a bracket", { id: "d1]" }],
    ["a repeated dependency", { dependencies: ["a", "a"] }],
    ["a number in the prefix", { prefix: "d1" }],
  ])("%s is refused", async (_case, changes) => {
    await expect(bench.decisions.append(callBy("orchestrator"), SCOPE, draft(changes))).rejects.toMatchObject({
      code: "schema_validation_failed",
    });
  });

  test("ids are numbered by prefix, skip numbers in use, and are separate in each scope", async () => {
    await add("d002");
    const append = (scope: string, prefix?: string) =>
      bench.decisions.append(callBy("orchestrator"), scope, draft(prefix === undefined ? {} : { prefix }));
    expect([await append(SCOPE), await append(SCOPE), await append("feature:f"), await append(SCOPE, "design_delegation_")]).toMatchObject([
      { id: "d001" },
      { id: "d003" },
      { id: "d001" },
      { id: "design_delegation_001" },
    ]);
    expect(await bench.decisions.list("feature:f")).toHaveLength(1);
    expect(await bench.decisions.find("repository", "d001")).toBeNull();
  });

  test("a scope is a run, a feature or the repository", async () => {
    expect((await bench.decisions.append(callBy("orchestrator"), "repository", draft())).id).toBe("d001");
    await expect(bench.decisions.append(callBy("orchestrator"), "elsewhere", draft())).rejects.toThrow("/scope");
  });

  test("the same call appends once, and journals once", async () => {
    const call = callBy("orchestrator", "op");
    const first = await bench.decisions.append(call, SCOPE, draft());
    expect(await bench.decisions.append(call, SCOPE, draft())).toEqual(first);
    expect(await bench.decisions.list(SCOPE)).toEqual([first]);
    const { events } = await readPage(bench.db, REPOSITORY_STREAM);
    expect(events.map(({ name }) => name)).toEqual(["decision.append"]);
    await expect(bench.decisions.append(call, SCOPE, draft({ constraint: "other" }))).rejects.toMatchObject({ code: "operation_conflict" });
  });

  test("an id is used once", async () => {
    await add("one");
    await expect(add("one")).rejects.toMatchObject({ code: "decision_exists" });
    const twice = [draft({ id: "two" }), draft({ id: "two" })];
    await expect(bench.decisions.appendAll(callBy("orchestrator"), SCOPE, twice)).rejects.toMatchObject({ code: "decision_exists" });
    expect(await bench.decisions.list(SCOPE)).toHaveLength(1);
  });

  test("a worker of a feature may not append", async () => {
    const call = { actor: { type: "builder", id: "b" }, operationId: "x" } as const;
    await expect(bench.decisions.append(call, SCOPE, draft())).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
  });
});

describe("dependencies", () => {
  const all = (...drafts: readonly Partial<DecisionDraft>[]) =>
    bench.decisions.appendAll(
      callBy("orchestrator"),
      SCOPE,
      drafts.map((changes) => draft(changes)),
    );

  test("entries of one call may depend on each other in any order", async () => {
    await all({ id: "b", dependencies: ["a"] }, { id: "a" });
    expect((await bench.decisions.get(SCOPE, "b")).dependencies).toEqual(["a"]);
  });

  test("a cycle is refused with its path, and nothing is stored", async () => {
    const cycle = all({ id: "a", dependencies: ["c"] }, { id: "b", dependencies: ["a"] }, { id: "c", dependencies: ["b"] });
    await expect(cycle).rejects.toMatchObject({ code: "decision_dependency_invalid", message: expect.stringContaining("a → c → b → a") });
    expect(await bench.decisions.list(SCOPE)).toEqual([]);
  });

  test("an entry that depends on itself is refused", async () => {
    await expect(add("a", { dependencies: ["a"] })).rejects.toThrow("a → a");
  });

  test("an unknown dependency is refused, also one of another scope", async () => {
    await bench.decisions.append(callBy("orchestrator"), "repository", draft({ id: "far" }));
    await expect(add("a", { dependencies: ["far"] })).rejects.toThrow("depends on far, which does not exist");
  });

  test("an ended or suspended dependency is refused, with what to do instead", async () => {
    await chain("root", "below");
    await add("old");
    await bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("old", { replacement: { id: "new", constraint: "x" } }));
    await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "root", REPORT);
    const actions = async (id: string) =>
      add("z", { dependencies: [id] }).catch(
        (error: { details: { suggested_next_actions: string[] } }) => error.details.suggested_next_actions,
      );
    expect(await actions("root")).toEqual(["Leave root out."]);
    expect(await actions("below")).toEqual(["Reinstate below first, or leave it out."]);
    expect(await actions("old")).toEqual(["Depend on new instead."]);
  });

  test("an entry may not depend on both sides of an unresolved contradiction", async () => {
    await all({ id: "a" }, { id: "b" }, { id: "c" }, { id: "ab", confidence: "blocking", dependencies: ["a", "b"] });
    await expect(add("z", { dependencies: ["a", "c", "b"] })).rejects.toMatchObject({
      code: "decision_dependency_invalid",
      message: expect.stringContaining("contradict each other (ab)"),
    });
    await expect(add("z", { dependencies: ["b", "a"] })).rejects.toMatchObject({ code: "decision_dependency_invalid" });
    expect((await add("one-side", { dependencies: ["a", "c"] })).status).toBe("active");
    // It says so itself.
    expect((await add("ab-again", { confidence: "blocking", dependencies: ["a", "b"] })).status).toBe("active");
    await bench.decisions.invalidate(callBy("person"), SCOPE, "ab-again", REPORT);
    await bench.decisions.invalidate(callBy("person"), SCOPE, "ab", REPORT);
    expect((await add("z", { dependencies: ["a", "b"] })).status).toBe("active");
  });
});

describe("supersede", () => {
  test("[CRI-094] the new entry is linked to the old one, the old one is superseded, and the reason is stored", async () => {
    await add("base");
    await add("old", { dependencies: ["base"], rationale: "old reasons" });
    const added = await bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("old"));
    expect(added).toMatchObject({ constraint: "something else", supersedes: "old", reason: "the user said so", status: "active" });
    expect(added).toMatchObject({ category: "data_model", phase: "ignition", confidence: "inferred", dependencies: ["base"] });
    expect(added.rationale).toBeUndefined();
    const old = await bench.decisions.get(SCOPE, "old");
    expect(old).toMatchObject({
      status: "superseded",
      superseded_by: added.id,
      reason: "the user said so",
      constraint: "User IDs are UUIDs",
    });
  });

  test("[CRI-090] a canonical entry is superseded by a person and by nobody else", async () => {
    await add("rule", { confidence: "canonical" });
    for (const changes of [{}, { failure_report: REPORT }, { replacement: { constraint: "x", confidence: "canonical" as const } }])
      await expect(bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("rule", changes))).rejects.toMatchObject({
        code: "decision_protected",
      });
    const system = { actor: { type: "system", id: "s" }, operationId: "system" } as const;
    await expect(bench.decisions.supersede(system, SCOPE, replace("rule"))).rejects.toMatchObject({ code: "decision_protected" });
    expect(await statesNow()).toEqual({ rule: "active canonical" });
    await bench.decisions.supersede(callBy("person"), SCOPE, replace("rule"));
    expect(await statesNow()).toMatchObject({ rule: "superseded canonical" });
  });

  test("[CRI-090] the orchestrator supersedes a canonical entry with a person's recorded answer, not with an open question", async () => {
    await add("rule", { confidence: "canonical" });
    const question = { name: "ask", kind: "k", title: "t", body: "", options: [], answerSchema: {}, context: {} };
    const inbox = openInbox(bench);
    const asked = { ...question, runId: null, answerableBy: [], remindAfterMs: [], askedAt: 1, expiresAt: null };
    for (const id of ["q1", "q2"]) await inbox.open({ ...asked, id, answerableBy: ["person", "system"] });
    const answer = (id: string, type: "person" | "system") =>
      bench.db.transaction().execute((tx) => answerWithin(tx, { id, value: "yes", by: { type, id: "ann" }, at: 2, rules: {} }));
    const attempt = (answer_to: string) => bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("rule", { answer_to }));
    await answer("q2", "system");
    for (const id of ["none", "q1", "q2"]) await expect(attempt(id)).rejects.toMatchObject({ code: "decision_protected" });
    await answer("q1", "person");
    expect(await attempt("q1")).toMatchObject({ supersedes: "rule" });
  });

  test("[CRI-090] a delegated entry is enforced like a canonical one until a failure implicates it", async () => {
    await add("choice", { confidence: "delegated" });
    await expect(bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("choice"))).rejects.toMatchObject({
      code: "decision_protected",
    });
    const added = await bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("choice", { failure_report: REPORT }));
    expect(added).toMatchObject({ supersedes: "choice", confidence: "delegated" });
  });

  test("[CRI-091] an inferred entry is overridden by a new canonical decision", async () => {
    await add("guess");
    const request = replace("guess", { replacement: { constraint: "x", confidence: "canonical", source: "user_explicit" } });
    expect(await bench.decisions.supersede(callBy("orchestrator"), SCOPE, request)).toMatchObject({ confidence: "canonical" });
    expect((await bench.decisions.get(SCOPE, "guess")).status).toBe("superseded");
  });

  test("an entry is superseded once, and an unknown one never", async () => {
    await add("old");
    await bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("old"));
    await expect(bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("old"))).rejects.toMatchObject({
      code: "invalid_status_transition",
      details: { suggested_next_actions: ["Use d001 instead."] },
    });
    await expect(bench.decisions.supersede(callBy("person"), SCOPE, replace("none"))).rejects.toMatchObject({ code: "decision_not_found" });
  });

  test("a replacement that depends on what it replaces is refused, also through others", async () => {
    await chain("old", "middle", "top");
    const request = (dependencies: string[]) => replace("old", { replacement: { constraint: "x", dependencies } });
    for (const dependency of ["old", "top"])
      await expect(bench.decisions.supersede(callBy("person"), SCOPE, request([dependency]))).rejects.toMatchObject({
        code: "decision_dependency_invalid",
        details: { dependency },
      });
    expect(await statesNow()).toEqual({ old: "active inferred", middle: "active inferred", top: "active inferred" });
  });

  test("dependencies that have ended are not taken over", async () => {
    await add("gone");
    await add("base");
    await add("old", { dependencies: ["gone", "base"] });
    await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "gone", REPORT);
    expect(await bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("old"))).toMatchObject({ dependencies: ["base"] });
  });
});

describe("invalidate and cascade", () => {
  test("[CRI-094] invalidate stores the failure report and suspends direct and transitive dependents", async () => {
    await chain("root", "one", "two", "three");
    await add("other");
    await add("both", { dependencies: ["other", "two"] });
    const ended = await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "root", REPORT);
    expect(ended).toEqual({ invalidated: ["root"], suspended: ["one", "two", "three", "both"] });
    expect(await statesNow()).toEqual({
      root: "invalidated inferred",
      one: "active suspended",
      two: "active suspended",
      three: "active suspended",
      both: "active suspended",
      other: "active inferred",
    });
    expect(await bench.decisions.get(SCOPE, "root")).toMatchObject({ reason: REPORT.summary });
    const row = await bench.db.selectFrom("decisions").select("failure_report").where("id", "=", "root").executeTakeFirstOrThrow();
    expect(JSON.parse(row.failure_report ?? "")).toEqual(REPORT);
  });

  test("[CRI-094] invalidate without a failure report is refused", async () => {
    await add("a");
    const none = undefined as unknown as typeof REPORT;
    await expect(bench.decisions.invalidate(callBy("person"), SCOPE, "a", none)).rejects.toThrow("/failure_report");
  });

  test("[CRI-094] cascade suspends dependents and leaves the root as it is", async () => {
    await chain("root", "one", "two");
    await add("firm", { confidence: "canonical", dependencies: ["one"] });
    expect((await bench.decisions.cascade(callBy("orchestrator"), SCOPE, "root")).suspended).toEqual(["one", "two", "firm"]);
    expect(await statesNow()).toMatchObject({ root: "active inferred", two: "active suspended", firm: "active suspended" });
    expect(await bench.decisions.get(SCOPE, "firm")).toMatchObject({ suspended_from: "canonical" });
    expect((await bench.decisions.cascade(callBy("orchestrator"), SCOPE, "root")).suspended).toEqual([]);
    await expect(bench.decisions.cascade(callBy("orchestrator"), SCOPE, "none")).rejects.toMatchObject({ code: "decision_not_found" });
  });

  test("a cascade ends although the rows contain a cycle", async () => {
    await chain("a", "b", "c");
    await bench.db.insertInto("decision_dependencies").values({ scope: SCOPE, decision: "a", depends_on: "c" }).execute();
    expect((await bench.decisions.cascade(callBy("orchestrator"), SCOPE, "a")).suspended).toEqual(["b", "c"]);
  });

  test("a cascade reaches dependents through an entry that has ended", async () => {
    await chain("root", "middle", "top");
    await bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("middle"));
    expect((await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "root", REPORT)).suspended).toContain("top");
  });

  test("a canonical entry is invalidated only by a person, a delegated one by anyone with a failure", async () => {
    await add("rule", { confidence: "canonical" });
    await add("choice", { confidence: "delegated" });
    await expect(bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "rule", REPORT)).rejects.toMatchObject({
      code: "decision_protected",
    });
    await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "choice", REPORT);
    await bench.decisions.invalidate(callBy("person"), SCOPE, "rule", REPORT);
    expect(await statesNow()).toEqual({ rule: "invalidated canonical", choice: "invalidated delegated" });
    await expect(bench.decisions.invalidate(callBy("person"), SCOPE, "rule", REPORT)).rejects.toMatchObject({
      code: "invalid_status_transition",
      details: { suggested_next_actions: ["Append a new decision."] },
    });
  });

  test("[CRI-091] a failed phase invalidates every provisional entry of its scope, and suspends their dependents", async () => {
    await add("sure", { confidence: "canonical" });
    await add("maybe", { confidence: "provisional" });
    await add("perhaps", { confidence: "provisional", dependencies: ["maybe"] });
    await add("built", { dependencies: ["perhaps"] });
    await bench.decisions.append(callBy("orchestrator"), "run:other", draft({ id: "far", confidence: "provisional" }));
    const ended = await bench.decisions.invalidateProvisional(callBy("orchestrator"), SCOPE, REPORT);
    expect(ended).toEqual({ invalidated: ["maybe", "perhaps"], suspended: ["built"] });
    expect(await statesNow()).toEqual({
      sure: "active canonical",
      maybe: "invalidated provisional",
      perhaps: "invalidated provisional",
      built: "active suspended",
    });
    expect((await bench.decisions.get("run:other", "far")).status).toBe("active");
  });
});

describe("suspended entries", () => {
  beforeEach(async () => {
    await chain("root", "one");
    await add("firm", { confidence: "canonical", dependencies: ["one"] });
    await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "root", REPORT);
  });

  test("[CRI-092] [CRI-094] reinstating needs a proof and restores the confidence from before", async () => {
    for (const proof of [undefined, {}, { method: "looked", evidence: "" }])
      await expect(bench.decisions.reinstate(callBy("person"), SCOPE, "one", proof as typeof PROOF)).rejects.toMatchObject({
        code: "schema_validation_failed",
      });
    expect(await statesNow()).toMatchObject({ one: "active suspended" });
    await bench.decisions.reinstate(callBy("orchestrator"), SCOPE, "one", PROOF);
    expect(await bench.decisions.reinstate(callBy("orchestrator"), SCOPE, "firm", PROOF)).toMatchObject({ confidence: "canonical" });
    expect(await statesNow()).toMatchObject({ one: "active inferred", firm: "active canonical" });
    const row = await bench.db.selectFrom("decisions").select("validation").where("id", "=", "firm").executeTakeFirstOrThrow();
    expect(JSON.parse(row.validation ?? "")).toEqual(PROOF);
  });

  test("an entry is not reinstated before what it depends on", async () => {
    await expect(bench.decisions.reinstate(callBy("person"), SCOPE, "firm", PROOF)).rejects.toMatchObject({
      code: "decision_dependency_invalid",
      details: { dependency: "one" },
    });
  });

  test("[CRI-092] a suspended entry can be discarded; a canonical one only by a person", async () => {
    await expect(bench.decisions.discard(callBy("orchestrator"), SCOPE, "firm", "no use")).rejects.toMatchObject({
      code: "decision_protected",
    });
    await bench.decisions.discard(callBy("person"), SCOPE, "firm", "no use");
    await bench.decisions.discard(callBy("orchestrator"), SCOPE, "one", "no use");
    expect(await bench.decisions.get(SCOPE, "firm")).toMatchObject({ status: "invalidated", confidence: "canonical", reason: "no use" });
    expect(await statesNow()).toMatchObject({ one: "invalidated inferred" });
  });

  test("an entry in force is neither reinstated nor discarded", async () => {
    await add("fine");
    for (const attempt of [
      bench.decisions.reinstate(callBy("person"), SCOPE, "fine", PROOF),
      bench.decisions.discard(callBy("person"), SCOPE, "fine", "x"),
    ])
      await expect(attempt).rejects.toMatchObject({ code: "invalid_status_transition", details: { state: "in_force" } });
  });

  test("a suspended entry is superseded under the rules of its confidence from before", async () => {
    await expect(bench.decisions.supersede(callBy("orchestrator"), SCOPE, replace("firm"))).rejects.toMatchObject({
      code: "decision_protected",
    });
    expect(await bench.decisions.supersede(callBy("person"), SCOPE, replace("firm"))).toMatchObject({ confidence: "canonical" });
  });
});

describe("[CRI-093] content never changes and entries are never deleted", () => {
  beforeEach(() => chain("root", "one"));

  test.each([
    "constraint",
    "category",
    "source",
    "phase",
    "confidence",
    "dependencies",
    "failure_context",
    "contradiction_resolved",
    "user_notes",
    "rationale",
    "supersedes",
    "supersedes_reason",
    "id",
    "scope",
    "at",
  ])("the database refuses a new %s", async (column) => {
    const write = bench.db
      .updateTable("decisions")
      .set({ [column]: "changed" })
      .where("id", "=", "one")
      .execute();
    await expect(write).rejects.toThrow("the content of a decision never changes");
  });

  test("the database refuses to delete an entry or to touch its dependencies", async () => {
    await expect(bench.db.deleteFrom("decisions").execute()).rejects.toThrow("a decision is never deleted");
    for (const write of [
      bench.db.deleteFrom("decision_dependencies").execute(),
      bench.db.updateTable("decision_dependencies").set({ depends_on: "x" }).execute(),
    ])
      await expect(write).rejects.toThrow("never change");
  });

  test("the database refuses to revive an ended entry", async () => {
    await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "root", REPORT);
    const revive = bench.db.updateTable("decisions").set({ status: "active" }).where("id", "=", "root").execute();
    await expect(revive).rejects.toThrow("stays ended");
  });
});

describe("[CRI-190] compaction", () => {
  test("archives ended entries that no active entry depends on, directly or through others", async () => {
    await chain("kept-root", "kept-middle", "user");
    await add("lone");
    await chain("gone-root", "gone");
    await bench.decisions.supersede(
      callBy("orchestrator"),
      SCOPE,
      replace("kept-middle", { replacement: { constraint: "x", dependencies: [] } }),
    );
    await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "kept-root", REPORT);
    await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "gone-root", REPORT);
    await bench.decisions.discard(callBy("orchestrator"), SCOPE, "gone", "x");
    const active = async () => (await bench.decisions.list(SCOPE)).filter(({ status }) => status === "active");
    const before = await active();
    expect(await bench.decisions.compact(callBy("orchestrator"), SCOPE)).toEqual(["gone-root", "gone"]);
    expect(await active()).toEqual(before);
    expect((await bench.decisions.list(SCOPE)).map(({ id }) => id)).toEqual(["kept-root", "kept-middle", "user", "lone", "d001"]);
    expect((await bench.decisions.archived(SCOPE)).map(({ id }) => id)).toEqual(["gone-root", "gone"]);
    expect(await bench.decisions.compact(callBy("orchestrator"), SCOPE)).toEqual([]);
  });

  test("an archived id stays readable and is not given out again", async () => {
    await add("d001");
    await bench.decisions.invalidate(callBy("orchestrator"), SCOPE, "d001", REPORT);
    await bench.decisions.compact(callBy("orchestrator"), SCOPE);
    expect(await bench.decisions.get(SCOPE, "d001")).toMatchObject({ constraint: "User IDs are UUIDs", status: "invalidated" });
    expect((await bench.decisions.append(callBy("orchestrator"), SCOPE, draft())).id).toBe("d002");
    await expect(add("d001")).rejects.toMatchObject({ code: "decision_exists" });
  });
});
