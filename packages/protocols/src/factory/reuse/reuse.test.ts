import { describe, expect, test } from "vitest";
import { factoryRecords, shippedEntry } from "../testing/factory-records.ts";
import { judgeReuse, searchAs } from "./reuse.ts";
import { checkReuse, type ReuseFacts } from "./rules.ts";
import { reuseReportKind, type ReuseReport } from "./schema.ts";

const created = { module_id: "MM-new", reuse_decision: "CREATE_NEW", reuse_candidate_refs: [] } as const;
const report: ReuseReport = {
  query: "parse a date",
  candidates_considered: [{ module_ref: "MM-old@1.0.0", why_rejected: "It knows no leap years." }],
  conclusion: "CREATE_NEW",
  justification: "Nothing there reads weeks.",
};
const facts: ReuseFacts = { known: (ref) => ref === "MM-old@1.0.0", alike: [] };
const problemsOf = (given: unknown, module: Parameters<typeof checkReuse>[0] = created, with_: ReuseFacts = facts) => {
  const checked = checkReuse(module, given, with_);
  return checked.ok ? [] : checked.problems.map(({ field, message }) => `${field} ${message}`);
};

describe("a reuse search report", () => {
  test("that holds lets a module be made", () => {
    expect(checkReuse(created, report, facts)).toEqual({ ok: true, report });
    expect(problemsOf({ ...report, candidates_considered: [] })).toEqual([]);
  });

  test.each([
    ["none at all", undefined, "/ MM-new cannot be CREATE_NEW without a valid reuse search report"],
    ["null", null, "/ MM-new cannot be CREATE_NEW"],
    ["no query", { ...report, query: " " }, "/query"],
    ["no justification", { ...report, justification: "" }, "/justification"],
    ["another conclusion than there are", { ...report, conclusion: "REUSE" }, "/conclusion"],
    [
      "a candidate without a reason",
      { ...report, candidates_considered: [{ module_ref: "MM-old@1.0.0", why_rejected: "" }] },
      "why_rejected",
    ],
    ["a candidate without a version", { ...report, candidates_considered: [{ module_ref: "MM-old", why_rejected: "no" }] }, "module_ref"],
    ["a field nobody knows", { ...report, score: 1 }, "/score"],
    [
      "the plan saying the opposite",
      { ...report, conclusion: "REUSE_EXISTING" },
      "/conclusion is REUSE_EXISTING, and the plan says CREATE_NEW",
    ],
    [
      "a candidate the index does not have",
      { ...report, candidates_considered: [{ module_ref: "MM-made_up@1.0.0", why_rejected: "no" }] },
      "MM-made_up@1.0.0 is not in the code index",
    ],
  ])("is refused with %s", (_case, given, said) => {
    expect(problemsOf(given).join("\n")).toContain(said);
  });

  test("agrees with the plan about reuse too, and leaves something to be reused", () => {
    const reuse = { module_id: "MM-new", reuse_decision: "REUSE", reuse_candidate_refs: ["MM-old@1.0.0"] } as const;
    const existing = { ...report, candidates_considered: [], conclusion: "REUSE_EXISTING" };
    expect(problemsOf(existing, reuse)).toEqual([]);
    expect(problemsOf({ ...report, conclusion: "REUSE_EXISTING" }, reuse).join()).toContain("no candidate of the code index is left");
    expect(problemsOf(existing, { ...reuse, reuse_candidate_refs: ["MM-none@1.0.0"] }).join()).toContain("no candidate");
  });

  test("is kept as it was, with the module it is about", async () => {
    const { documents, call } = await factoryRecords();
    const kept = await documents.keep(call(), reuseReportKind, { ...report, module_id: "MM-new", task_id: "T-a-b-c-001" });
    expect(kept).toMatchObject({ ...report, report_id: expect.stringMatching(/^RSR-[0-9a-f]{8}$/) });
  });
});

describe("near duplicates", () => {
  const described = { purpose: "Parses an ISO 8601 calendar date and rejects days that do not exist.", tags: ["date"], io_summary: io() };
  function io() {
    return { inputs: ["text: string"], outputs: ["date: CalendarDate"], error_surfaces: ["InvalidDate"], effects: [], modes: ["sync"] };
  }

  test("nobody makes what is there already without saying why", async () => {
    const { index, ship } = await factoryRecords();
    await ship(
      shippedEntry("parse_date", { ...described, purpose: "Parses a calendar date in ISO 8601 and rejects days which do not exist." }),
      shippedEntry("send_mail", { purpose: "Hands a message to the mail relay." }),
    );
    const module = { ...created, module_id: "MM-iso_date", described };
    const silent = { ...report, candidates_considered: [{ module_ref: "MM-send_mail@1.0.0", why_rejected: "It sends mail." }] };
    const refused = await judgeReuse(index, module, silent);
    expect(refused).toMatchObject({ ok: false, problems: [{ field: "/candidates_considered" }] });
    expect(!refused.ok && refused.problems[0]?.message).toMatch(/^MM-parse_date@1\.0\.0 is much like MM-iso_date \(similarity \d\.\d\d\)/);
    const explained = { ...report, candidates_considered: [{ module_ref: "MM-parse_date@1.0.0", why_rejected: "It refuses week dates." }] };
    expect(await judgeReuse(index, module, explained)).toMatchObject({ ok: true });
    expect(await judgeReuse(index, { ...module, module_id: "MM-parse_date" }, silent)).toMatchObject({ ok: true });
    expect(await judgeReuse(index, module, { candidates_considered: [null, { module_ref: 7 }] })).toMatchObject({ ok: false });
    const reuse = { ...module, reuse_decision: "REUSE", reuse_candidate_refs: ["MM-parse_date@1.0.0"] } as const;
    const existing = { ...report, candidates_considered: [], conclusion: "REUSE_EXISTING" };
    expect(await judgeReuse(index, reuse, existing)).toMatchObject({ ok: true });
  });
});

test("product owner, micro planner and Proposer search the index; nobody else does", async () => {
  const { index, ship } = await factoryRecords();
  await ship(shippedEntry("parse"));
  for (const role of ["product-owner", "micro-planner", "proposer"])
    expect((await searchAs(index, role, { query: "parse" })).results).toHaveLength(1);
  for (const role of ["challenger", "arbiter", "ship", "Proposer", ""])
    await expect(searchAs(index, role, { query: "parse" })).rejects.toMatchObject({ code: "forbidden_tool_for_role", details: { role } });
});
