import { describe, expect, test } from "vitest";
import { acceptanceCommands, parseAcceptance, verificationOf } from "./acceptance.ts";
import { artifactProblems, invalidArtifacts, producedProblems } from "./artifact-checks.ts";
import {
  adrProblems,
  architectureProblems,
  designSpecProblems,
  fullArchitectureProblems,
  fullSpecProblems,
  readmeProblems,
  researchProblems,
  specProblems,
} from "./documents.ts";
import { leanReport, reportProblems } from "./report.ts";
import { findSection, hasText, listEntries, section, sectionsOf } from "./sections.ts";
import { parseTasks } from "./tasks.ts";
import { fullTask, fullTasks, leanTasks, sampleStatus } from "./testing/samples.ts";

const document = (names: readonly string[], body = "Text.") => names.map((name) => `## ${name}\n\n${body}\n`).join("\n");
/** Each section on its own: missing, and empty. */
function needsEach(names: readonly string[], problems: (text: string) => string[], start = ""): void {
  expect(problems(start + document(names))).toEqual([]);
  for (const name of names) {
    expect([name, problems(start + document(names.filter((each) => each !== name))).length]).toEqual([name, 1]);
    const emptied = names.map((each) => `## ${each}\n${each === name ? "<!-- later -->" : "Text."}\n`).join("\n");
    expect(problems(start + emptied)).toEqual([expect.stringContaining("is empty")]);
  }
}

describe("sections", () => {
  test("run to the next heading of their level, and headings in code are code", () => {
    const text = "# Title\n\n## A\nx\n### B\ny\n```sh\n# not a heading\n```\n## C ##\nz\n";
    expect(sectionsOf(text).map(({ level, title }) => `${level} ${title}`)).toEqual(["1 Title", "2 A", "3 B", "2 C"]);
    expect(findSection(text, section("A", /^A$/))?.body).toContain("y");
    expect(findSection(text, section("A", /^A$/))?.body).not.toContain("z");
    expect(sectionsOf("~~~\n# a\n```\n# b\n~~~\n# c").map(({ title }) => title)).toEqual(["c"]);
  });

  test("text is more than headings and comments", () => {
    expect([hasText("### Sub\n<!-- a\nb -->\n---\n"), hasText("- a"), hasText("")]).toEqual([false, true, false]);
    expect(listEntries("- a\n  * b\n1. c\ntext\n-")).toEqual(["a", "b", "c"]);
  });
});

const MINIMUM = ["Goals", "Acceptance Criteria", "Definition of Done"];

describe("spec.md", () => {
  test("[CRW-028] needs goals, criteria and a definition of done", () => {
    needsEach(MINIMUM, specProblems);
  });

  const list = (count: number, entry: string) => Array.from({ length: count }, (_, index) => `- ${entry} ${index + 1}`).join("\n");
  const PARTS: Readonly<Record<string, string>> = {
    "Problem Statement": "p",
    Goals: "g",
    "Non-goals": "n",
    "User Stories": list(3, "As a user"),
    "Functional Requirements": "f",
    "Non-functional Requirements": "Performance, security and usability.",
    "Edge Cases": list(8, "case"),
    "Acceptance Criteria": "- AC-001 it works",
    Assumptions: "a",
    "Definition of Done": "d",
  };
  const spec = (changes: Readonly<Record<string, string | null>> = {}, title = "# Dates\n\n") =>
    title +
    Object.entries({ ...PARTS, ...changes })
      .filter(([, body]) => body !== null)
      .map(([name, body]) => `## ${name}\n\n${body}\n`)
      .join("\n");
  const problems = (changes: Readonly<Record<string, string | null>>) => fullSpecProblems(spec(changes), ["AC-001"]);

  test("[CRW-107] a full one has every part", () => {
    expect(problems({})).toEqual([]);
    for (const name of Object.keys(PARTS)) expect([name, problems({ [name]: null }).length > 0]).toEqual([name, true]);
    expect(fullSpecProblems(spec({}, ""), ["AC-001"])).toEqual([expect.stringContaining("title")]);
  });

  test("[CRW-107] 3 to 10 user stories, as entries or headings", () => {
    expect(problems({ "User Stories": list(2, "story") })).toHaveLength(1);
    expect(problems({ "User Stories": list(10, "story") })).toEqual([]);
    expect(problems({ "User Stories": list(11, "story") })).toHaveLength(1);
    expect(problems({ "User Stories": "### A\na\n### B\nb\n### C\nc" })).toEqual([]);
  });

  test("[CRW-107] perf, security and usability, and 8 edge cases unless fewer apply", () => {
    for (const rest of ["security, usability", "perf, usability", "perf, security"])
      expect(problems({ "Non-functional Requirements": rest })).toHaveLength(1);
    expect(problems({ "Edge Cases": list(7, "case") })).toHaveLength(1);
    expect(problems({ "Edge Cases": `${list(3, "case")}\n\nFewer apply: there is no input.` })).toEqual([]);
  });

  test("[CRW-107] every criterion names an id of acceptance.json", () => {
    expect(problems({ "Acceptance Criteria": "- AC-001 a\n- AC-002 b" })).toEqual([expect.stringContaining("AC-002 is not in")]);
    expect(problems({ "Acceptance Criteria": "- AC-001 a\n- it is fast" })).toEqual([expect.stringContaining("it is fast")]);
    expect(problems({ "Acceptance Criteria": "It works." })).toEqual([expect.stringContaining("name no id")]);
  });
});

describe("acceptance.json", () => {
  const criterion = { id: "AC-001", description: "It works", verify: ["npm test", "cmd: npm run e2e", "manual: look"] };
  const parsed = (...criteria: object[]) => parseAcceptance(JSON.stringify({ acceptance_criteria: criteria }));

  test("[CRW-029] at least one criterion with a unique id, a description and a verification", () => {
    expect(parsed(criterion)).toEqual({ ok: true, value: [criterion] });
    expect(parsed().ok).toBe(false);
    expect(parsed(criterion, criterion).ok).toBe(false);
    for (const change of [{ id: "AC-1" }, { id: "1" }, { description: " " }, { verify: [] }, { verify: "npm test" }, { verify: undefined }])
      expect([change, parsed({ ...criterion, ...change }).ok]).toEqual([change, false]);
    expect(parseAcceptance("{}").ok).toBe(false);
    expect(parseAcceptance("AC-001").ok).toBe(false);
  });

  test("[CRW-029] an entry of verify is manual if it says so, and otherwise a command with or without its prefix", () => {
    expect(criterion.verify.map(verificationOf)).toEqual([
      { kind: "command", text: "npm test" },
      { kind: "command", text: "npm run e2e" },
      { kind: "manual", text: "look" },
    ]);
    expect(acceptanceCommands([criterion, { ...criterion, id: "AC-002" }])).toEqual(["npm test", "npm run e2e"]);
  });
});

describe("other documents", () => {
  test("[CRW-030] architecture.md needs an overview and modules or components", () => {
    needsEach(["Overview", "Modules"], architectureProblems);
    expect(architectureProblems(document(["Overview", "Components"]))).toEqual([]);
  });

  test("[CRW-108] the Architect owes nine parts, and five in each ADR", () => {
    const names = [
      "Overview",
      "Modules",
      "Data Flow",
      "Interfaces",
      "Directory Layout",
      "Error Handling",
      "Configuration",
      "Security",
      "Testing Strategy",
    ];
    needsEach(names, fullArchitectureProblems);
    needsEach(["Context", "Decision", "Alternatives considered", "Consequences", "Notes"], (text) => adrProblems("adr/ADR-001.md", text));
    expect(adrProblems("adr/1.md", document(["Context", "Decision", "Alternatives considered", "Consequences", "Notes"]))).toHaveLength(1);
  });

  test("[CRW-110] a research report has eight parts and its name", () => {
    const names = ["Topic", "Context", "Methodology", "Findings", "Options", "Recommendation", "Sources", "Open Questions"];
    needsEach(names, (text) => researchProblems("research/research-dates.md", text));
    expect(researchProblems("research/dates.md", document(names))).toHaveLength(1);
  });

  test("[CRW-109] a design-spec has its name and a content", () => {
    expect(designSpecProblems("design-specs/design-spec-list.md", "Text")).toEqual([]);
    expect(designSpecProblems("design-specs/list.md", "")).toHaveLength(2);
  });

  test("[CRW-120] README.md says what it is and has its seven sections, with test, build and lint", () => {
    const intro = "# Dates\n\nFormats dates.\n\n";
    const names = ["Features", "Requirements", "Quickstart", "Project Structure", "Troubleshooting", "License"];
    const scripts = "## Scripts\n\nnpm test, npm run build, npm run lint\n\n";
    needsEach(names, readmeProblems, intro + scripts);
    expect(readmeProblems(`# Dates\n\n${scripts}${document(names)}`)).toEqual([expect.stringContaining("what it is")]);
    expect(readmeProblems(intro + scripts.replace(", npm run lint", "") + document(names))).toEqual([expect.stringContaining("lint")]);
  });

  test("[CRW-097][CRW-098] report.md has four parts, and every known issue", () => {
    needsEach(["What was done", "How to run", "How to test", "Known issues"], (text) => reportProblems(text, []));
    const text = document(["What was done", "How to run", "How to test"]);
    expect(reportProblems(`${text}## Known issues\n\n- slow\n  on Windows\n`, ["slow on Windows"])).toEqual([]);
    expect(reportProblems(`slow\n\n${text}## Known issues\n\nNone.\n`, ["slow"])).toEqual([expect.stringContaining('"slow"')]);
  });

  test("[CRW-098] the report of a lean session is valid and holds every known issue", () => {
    const read = parseTasks(leanTasks(), "lean");
    if (!read.ok) throw new Error("lean tasks");
    const known_issues = ["slow on Windows", "two\nlines"];
    const data = {
      status: sampleStatus({ known_issues }),
      task: read.value.tasks[0]!,
      changes: [],
      runCommands: [],
      testCommands: [],
      manualSteps: [],
    };
    const full = { ...data, changes: ["src/a.ts: formats"], runCommands: ["npm start"], testCommands: ["npm test"], manualSteps: ["look"] };
    for (const each of [data, full]) expect(reportProblems(leanReport(each), known_issues)).toEqual([]);
    expect(leanReport({ ...data, status: sampleStatus() })).toContain("None.");
    for (const text of ["src/a.ts: formats", "`npm start`", "`npm test`", "- look", "Format dates"])
      expect(leanReport(full)).toContain(text);
  });
});

describe("artifacts of a session", () => {
  const acceptance = JSON.stringify({ acceptance_criteria: [{ id: "AC-001", description: "d", verify: ["npm test"] }] });
  const lean = {
    "spec.md": document(MINIMUM),
    "acceptance.json": acceptance,
    "status.json": JSON.stringify(sampleStatus()),
    "tasks.yaml": leanTasks(),
  };

  test("[CRW-031] an existing file that is not as its readers need it is named with its rule", () => {
    const names = [
      "spec.md",
      "acceptance.json",
      "tasks.yaml",
      "status.json",
      "adr/ADR-001.md",
      "research/research-a.md",
      "design-specs/design-spec-a.md",
    ];
    for (const name of names) {
      const found = artifactProblems(name, "", "full");
      expect([name, found.length > 0, found.every((text) => text.includes(name))]).toEqual([name, true, true]);
    }
    expect(artifactProblems("notes.md", "", "full")).toEqual([]);
    expect(invalidArtifacts(["spec.md", "architecture.md"], { "spec.md": "" }, "full")).toHaveLength(3);
  });

  test("[CRW-030] architecture.md is not checked in lean mode", () => {
    expect([artifactProblems("architecture.md", "", "lean").length, artifactProblems("architecture.md", "", "full").length]).toEqual([
      0, 2,
    ]);
  });

  test("[CRW-028][CRW-084] SpecAgent leaves all files of a lean session", () => {
    expect(producedProblems("SpecAgent", "lean", lean)).toEqual([]);
    for (const name of Object.keys(lean)) {
      expect(producedProblems("SpecAgent", "lean", Object.fromEntries(Object.entries(lean).filter(([each]) => each !== name)))).toContain(
        `${name}: missing`,
      );
    }
    expect(producedProblems("SpecAgent", "lean", { ...lean, "tasks.yaml": leanTasks({ status: "implemented" }) })).toHaveLength(1);
    expect(producedProblems("SpecAgent", "lean", { ...lean, "tasks.yaml": "x" })).not.toEqual([]);
    expect(producedProblems("SpecAgent", "full", lean).some((text) => text.includes("User Stories"))).toBe(true);
  });

  test("[CRW-108] Architect, Planner, Designer and Researcher are judged by what they leave", () => {
    expect(producedProblems("Architect", "full", {})).toEqual(["architecture.md: missing"]);
    expect(
      producedProblems("Architect", "full", { "architecture.md": document(["Overview", "Modules"]), "adr/x.md": "" }).length,
    ).toBeGreaterThan(7);
    expect(producedProblems("Designer", "full", { "design-specs/x.md": "Text" })).toHaveLength(1);
    expect(producedProblems("Researcher", "full", { "research/x.md": "Text", "spec.md": "" })).toHaveLength(9);
    expect(producedProblems("Coder", "full", {})).toEqual([]);
    const plan = fullTasks([fullTask("T-001")]);
    expect(producedProblems("Planner", "full", { "tasks.yaml": plan })).toEqual([]);
    expect(producedProblems("Planner", "full", { "tasks.yaml": "x" })).not.toEqual([]);
    const done = fullTasks([fullTask("T-001", { status: "completed" })]);
    expect(producedProblems("Planner", "full", { "tasks.yaml": plan }, { "tasks.yaml": done })).toHaveLength(1);
    expect(producedProblems("Planner", "full", { "tasks.yaml": done }, { "tasks.yaml": done })).toEqual([]);
  });
});
