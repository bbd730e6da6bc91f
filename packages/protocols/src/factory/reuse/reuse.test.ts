import { embeddingText } from "../code-index/entry.ts";
import { hashedModel } from "@slipway/agents/embeddings/hashed-model";
import { dot } from "../code-index/matrix.ts";
import { embedAll, embedOne } from "@slipway/agents/embeddings/model";
import { HELD_OUT, LABELLED, QUESTIONS } from "../code-index/testing/labelled-modules.ts";
import { describe, expect, test } from "vitest";
import { contractOf, planOf, plannedModule, reportOf } from "../engineering/testing/modules.ts";
import { factoryRecords, shippedEntry } from "../testing/factory-records.ts";
import { reuseFacts, searchAs } from "./reuse.ts";
import { nearDuplicates, reuseProblems, type DecidedModule, type ReuseFacts } from "./rules.ts";
import { reuseReportKind, reuseReportSchema, type ModuleReport } from "./schema.ts";
import { signatureOf } from "./signature.ts";

const created: DecidedModule = plannedModule("MM-new");
const { module_id: _, ...bare } = reportOf("MM-new");
const report = reportOf("MM-new", ["MM-old@1.0.0"]);
const facts: ReuseFacts = { known: ["MM-old@1.0.0"], returned: [], alike: [] };
const problemsOf = (given: Partial<ModuleReport>, module = created, known: Partial<ReuseFacts> = {}) =>
  reuseProblems(module, { ...report, ...given }, { ...facts, ...known }).map(({ field, message }) => `${field} ${message}`);

describe("a reuse search report", () => {
  test("that is valid lets a module be created", () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ candidates_considered: [] })).toEqual([]);
    expect(problemsOf({}, created, { returned: [{ module_ref: "MM-old@1.0.0", similarity: 0.4 }] })).toEqual([]);
  });

  test("agrees with the plan, and names existing modules", () => {
    expect(problemsOf({ conclusion: "REUSE_EXISTING" })[0]).toBe(
      "/conclusion is REUSE_EXISTING, and the plan says CREATE_NEW for MM-new, which needs CREATE_NEW",
    );
    expect(problemsOf(reportOf("MM-new", ["MM-made_up@1.0.0"]))).toEqual([
      "/candidates_considered/0/module_ref MM-made_up@1.0.0 is not in the code index",
    ]);
  });

  test("omits no result of its own query and no near duplicate; each is named once", () => {
    const returned = ["MM-a@1.0.0", "MM-b@2.0.0"].map((module_ref) => ({ module_ref, similarity: 0.456 }));
    const alike = [{ module_ref: "MM-b@2.0.0", similarity: 0.5, same_signature: true }];
    expect(problemsOf({}, created, { returned, alike })).toEqual([
      "/candidates_considered leaves out MM-b@2.0.0, a near duplicate of MM-new (similarity 0.50, the same types in and out): reuse it, or name it there and say why it will not do",
      "/candidates_considered leaves out MM-a@1.0.0, which the code index gives for this query (similarity 0.46): reuse it, or name it there and say why it will not do",
    ]);
  });

  test("about reuse names something to reuse", () => {
    const reuse: DecidedModule = { module_id: "MM-new", reuse_decision: "REUSE", reuse_candidate_refs: ["MM-old@1.0.0"] };
    const existing: Partial<ModuleReport> = { candidates_considered: [], conclusion: "REUSE_EXISTING" };
    expect(problemsOf(existing, reuse)).toEqual([]);
    expect(problemsOf({ conclusion: "REUSE_EXISTING" }, reuse).join()).toContain("no candidate of the code index is left");
    expect(problemsOf(existing, { ...reuse, reuse_candidate_refs: ["MM-none@1.0.0"] }).join()).toContain("no candidate");
    expect(problemsOf({ candidates_considered: [] }, reuse).join()).toContain("is CREATE_NEW, and the plan says REUSE");
  });

  test("without content is invalid", () => {
    for (const field of ["query", "justification"]) {
      for (const text of ["", " ", "TBD", "n/a"]) expect(reuseReportSchema.safeParse({ ...bare, [field]: text }).success, text).toBe(false);
    }
    const vague = { ...bare, candidates_considered: [{ module_ref: "MM-old@1.0.0", why_rejected: "..." }] };
    expect(reuseReportSchema.safeParse(vague).success).toBe(false);
    expect(reuseReportSchema.safeParse({ ...bare, candidates_considered: [{ module_ref: "MM-old", why_rejected: "old" }] }).success).toBe(
      false,
    );
    expect(reuseReportSchema.safeParse({ ...bare, conclusion: "REUSE" }).success).toBe(false);
    expect(reuseReportSchema.safeParse(bare).success).toBe(true);
  });

  test("is stored unchanged, with its module", async () => {
    const { documents, call } = await factoryRecords();
    const kept = await documents.keep(call(), reuseReportKind, { ...report, task_id: "T-a-b-c-001", near_duplicates: [] });
    expect(kept).toMatchObject({ ...report, report_id: expect.stringMatching(/^RSR-[0-9a-f]{8}$/) });
  });
});

describe("facts of the index about a plan", () => {
  const io = (inputs: string[], outputs: string[]) => ({ inputs, outputs, error_surfaces: ["Bad"], effects: [], modes: ["sync"] });

  test("results of the query, and near duplicates by text or by types", async () => {
    const { index, ship } = await factoryRecords();
    await ship(
      shippedEntry("twice_as_much", {
        purpose: "Gives the double of a number.",
        tags: ["number"],
        io_summary: io(["value: number"], ["result:number"]),
      }),
      shippedEntry("twice_text", { purpose: "Doubles a number (a).", tags: ["number"], io_summary: io(["n: string"], ["double: string"]) }),
      shippedEntry("send_mail", { purpose: "Hands a message to the mail relay.", io_summary: io(["to: number"], ["sent: number"]) }),
      shippedEntry("a", { purpose: "Doubles a number (a)." }),
    );
    const { "MM-a": a } = await reuseFacts(index, planOf(["MM-a"]));
    expect(a?.alike.map(({ module_ref, same_signature }) => [module_ref, same_signature])).toEqual([["MM-twice_as_much@1.0.0", true]]);
    expect(a?.returned.map(({ module_ref }) => module_ref).toSorted()).toEqual(["MM-twice_as_much@1.0.0", "MM-twice_text@1.0.0"]);

    const same = contractOf("MM-b", "b");
    await ship(
      shippedEntry("word_for_word", {
        purpose: same.purpose,
        tags: ["number"],
        io_summary: { inputs: ["n: number"], outputs: ["double: bigint"], error_surfaces: ["NegativeError"], effects: [], modes: ["sync"] },
      }),
    );
    const { "MM-b": b } = await reuseFacts(index, planOf(["MM-b"]));
    expect(b?.alike.find(({ module_ref }) => module_ref === "MM-word_for_word@1.0.0")).toMatchObject({ same_signature: false });
  });

  test("the named modules that exist; a plan without new modules has no duplicates", async () => {
    const { index, ship } = await factoryRecords();
    await ship(shippedEntry("twice", { purpose: "Doubles a number." }));
    const reusing = {
      modules: [plannedModule("MM-twice", [], { reuse_decision: "REUSE", reuse_candidate_refs: ["MM-twice@1.0.0", "MM-twice@2.0.0"] })],
      contracts: [],
      reuse_reports: [reportOf("MM-twice"), reportOf("MM-stray", ["MM-twice@1.0.0"])],
    };
    expect(await reuseFacts(index, reusing)).toEqual({
      "MM-twice": { known: ["MM-twice@1.0.0"], returned: [], alike: [] },
      "MM-stray": { known: ["MM-twice@1.0.0"], returned: [], alike: [] },
    });
  });

  test("a signature is the types of inputs and outputs, in any order and under any name", () => {
    const of = (inputs: string[], outputs: string[]) => signatureOf({ io_summary: io(inputs, outputs) });
    expect(of(["a: string", "b: Map<string, number>"], ["c: Date"])).toBe(of(["x: Map<string,number>", "y:string"], ["Date"]));
    expect(of(["a: string"], ["c: Date"])).not.toBe(of(["c: Date"], ["a: string"]));
  });
});

/** The numbers of decision 0030. The vectors are deterministic, so these are exact. */
test("most paraphrased duplicates are flagged, and no module of another kind", async () => {
  const vectors = await embedAll(hashedModel, LABELLED.map(embeddingText));
  const flaggedFor = async (module: (typeof LABELLED)[number]) => {
    const own = await embedOne(hashedModel, embeddingText(module));
    const found = LABELLED.map((entry, row) => ({ ...shippedEntry(entry.name, entry), similarity_score: dot(own, vectors[row]!) }));
    return nearDuplicates({ ...module, module_id: "MM-another" }, found, hashedModel.levels).map(({ module_ref }) => module_ref);
  };
  for (const module of LABELLED) expect(await flaggedFor(module)).toEqual([`${module.module_id}@1.0.0`]);

  const renamed = (lines: readonly string[]) => lines.map((line, at) => `given${at}: ${line.slice(line.indexOf(":") + 1)}`);
  const shares = await Promise.all(
    [QUESTIONS, HELD_OUT].map(async (questions) => {
      const flags = questions.map(async ([purpose, name]) => {
        const { io_summary, ...rest } = LABELLED.find((module) => module.name === name)!;
        const io = { ...io_summary, inputs: renamed(io_summary.inputs), outputs: renamed(io_summary.outputs) };
        return { name, refs: await flaggedFor({ ...rest, purpose, io_summary: io }) };
      });
      const all = await Promise.all(flags);
      expect(all.flatMap(({ name, refs }) => refs.filter((ref) => ref !== `MM-${name}@1.0.0`))).toEqual([]);
      return all.filter(({ refs }) => refs.length > 0).length / all.length;
    }),
  );
  expect(shares).toEqual([0.74, 0.64]);
});

test("only product owner, micro planner and Proposer search the index", async () => {
  const { index, ship } = await factoryRecords();
  await ship(shippedEntry("parse"));
  for (const role of ["product-owner", "planner", "proposer"])
    expect((await searchAs(index, role, { query: "parse" })).results).toHaveLength(1);
  for (const role of ["challenger", "arbiter", "ship", "Proposer", ""])
    await expect(searchAs(index, role, { query: "parse" })).rejects.toMatchObject({ code: "forbidden_tool_for_role", details: { role } });
});
