import { afterEach, describe, expect, test } from "vitest";
import {
  ARCHITECTURE,
  architecture,
  comment,
  finding,
  fullIntake,
  leanIntake,
  own,
  OWN,
  qa,
  reviewer,
  said,
  security,
  written,
} from "./testing/artifacts.ts";
import { openBench, type CrewBench, type Models, type People } from "./testing/bench.ts";
import { builds, mends, reviews, TEAM, YES } from "./testing/team.ts";

let bench: CrewBench;
afterEach(() => bench.close());

const LEAN: Models = { "spec-agent": [leanIntake()], coder: [builds(), mends()], reviewer: [reviews], qa: [qa()] };
const lean = async (models: Models, people: People = {}) => {
  bench = await openBench({ ...LEAN, ...models }, people, { mode: "lean" });
  return bench;
};

describe("PASS WITH NOTES", () => {
  test("[CRW-114][CRW-074][CRW-057] asks which notes are repaired; the rest is known and reported", async () => {
    const noted = ({ prompt }: { readonly prompt: string }) =>
      reviewer(prompt, [comment("minor", "Name it."), comment("major", "Split it."), comment("nit", "Space.")]);
    await lean({ reviewer: [noted, reviews] }, { crew_decisions: [{ answers: { "UD-1": "fix" } }] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.states().slice(1, 6)).toEqual(["IMPLEMENT_LOOP", "ASK_USER", "IMPLEMENT_LOOP", "FIX_REVIEW", "IMPLEMENT_LOOP"]);
    expect(bench.last("coder").prompt).toContain("Repair: minor in src/a.txt:1: Name it.");
    expect(bench.status().user_decisions.map(({ status, state_context }) => [status, state_context])).toEqual([
      ["answered", "IMPLEMENT_LOOP"],
      ["cancelled", "IMPLEMENT_LOOP"],
    ]);
    expect(bench.status().known_issues.join()).toContain("Split it.");
    expect(bench.file("report.md")).toContain("Split it.");
  });
});

describe("a medium finding of Security", () => {
  const needs = security([finding("medium"), finding("medium", "The file is world-readable.")], {
    status: "NEEDS_DECISION",
    summary: "Two decisions.",
  });
  const sensitive = { "spec-agent": [leanIntake({ risk_flags: ["security"] })] };

  test("[CRW-059][CRW-058] is decided one by one; what is not answered is asked again alone", async () => {
    await lean(
      { ...sensitive, security: [needs, security()] },
      { crew_decisions: [{ answers: { "UD-1": "fix-now" } }, { answers: { "UD-2": "cancel: not this year" } }] },
    );
    expect((await bench.result()).status).toBe("merged");
    expect(bench.asked[0]?.body).toContain("UD-2: [security]");
    expect(bench.asked[1]?.body).not.toContain("UD-1:");
    expect(bench.states()).toContain("FIX_SECURITY");
    expect(bench.status().user_decisions[1]).toMatchObject({ status: "cancelled", resolution_reason: "user deferred: not this year" });
    expect(bench.status().known_issues.join()).toContain("The file is world-readable.");
  });

  test("[CRW-059][CRW-048] accepted, it is known and the gate passes", async () => {
    await lean({ ...sensitive, security: [needs] }, { crew_decisions: [{ decision: "accept-risk" }] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.roles().filter((role) => role === "Security T-001")).toHaveLength(1);
    expect(bench.status().known_issues).toHaveLength(2);
  });
});

describe("a question that an author leaves to the user", () => {
  test("[CRW-074][CRW-070][CRW-072] is asked in ASK_USER, and the author writes again with the answer", async () => {
    const asks = fullIntake(["signal: ambiguous-requirement: two letters or two words?"]);
    const again = written([own("spec.md", `${asks.files[0]?.content ?? ""}\n`)]);
    bench = await openBench({ ...TEAM, "spec-agent": [asks, again] }, { ...YES, crew_decisions: [{ decision: "letters" }] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.states().slice(0, 4)).toEqual(["INTAKE", "ASK_USER", "INTAKE", "DESIGN"]);
    expect(bench.last("spec-agent").prompt).toContain(
      "UD-1: [ambiguous_requirement] SpecAgent: two letters or two words? — the user decided: letters",
    );
    expect(bench.last("coder").prompt).toContain("the user decided: letters");
  });
});

const RESEARCH = ["Topic", "Context", "Methodology", "Findings", "Options", "Recommendation", "Sources", "Open Questions"]
  .map((title) => `## ${title}\n\n${title}.`)
  .join("\n\n");

describe("DESIGN", () => {
  const option = { id: "OPT-1", label: "grep", pros: ["there"], cons: ["old"], effort: "low", recommended: true };
  const report = written([own("research/research-search.md", RESEARCH)]);
  const ok = {
    ...report,
    output: {
      ...report.output,
      artifacts: { ...(report.output["artifacts"] as object), research_summary: ["a", "b", "c"], confidence: "high", options: [option] },
    },
  };
  const asks = said({ notes: ["Which shell?"] }, [], { status: "NEEDS_INFO", summary: "The shell is not known." });
  const wanted = fullIntake(["signal: research-needed: alternatives: which search tool?"]);

  test("[CRW-024][CRW-085][CRW-110] researches what was asked for, with the user's answers, before the architecture", async () => {
    bench = await openBench({ ...TEAM, "spec-agent": [wanted], researcher: [asks, ok] }, { ...YES, crew_decisions: [{ decision: "sh" }] });
    expect((await bench.result()).status).toBe("merged");
    expect(bench.roles().slice(0, 4)).toEqual(["SpecAgent meta", "Researcher meta", "Researcher meta", "Architect meta"]);
    expect(bench.last("researcher").prompt).toContain("UD-1: Which shell? — the user decided: sh");
    expect(bench.last("researcher").prompt).toContain('"research_question": "alternatives: which search tool?"');
    expect(bench.last("architect").prompt).toContain(`${OWN}research/research-search.md`);
  });

  test("[CRW-024] a second NEEDS_INFO blocks", async () => {
    bench = await openBench({ ...TEAM, "spec-agent": [wanted], researcher: [asks] }, { ...YES, crew_decisions: [{ decision: "sh" }] });
    await bench.run();
    expect(bench.asked.at(-1)?.body).toContain("agent_blocked: Researcher: The shell is not known.");
  });

  test("[CRW-109][CRW-085] a design-spec that comes inline is stored as a file and goes to those who build and check", async () => {
    const ui = architecture(["signal: risk: none: one file", "signal: designer-needed: new-screen: a list"], ARCHITECTURE);
    const designer = said({ design_spec_inline: "A list of letters.", design_spec_file: null });
    const noSpecNote = builds(undefined, { notes: ["done"] });
    bench = await openBench({ ...TEAM, architect: [ui], designer: [designer], coder: [noSpecNote] }, YES);
    expect((await bench.result()).status).toBe("merged");
    expect(bench.file("design-specs/design-spec-change-letters.md")).toBe("A list of letters.\n");
    for (const role of ["coder", "reviewer", "qa"])
      expect(bench.last(role).prompt).toContain(`${OWN}design-specs/design-spec-change-letters.md`);
    expect(bench.asked[0]?.body).toContain("A list of letters.");
  });
});
