import { ADR_NAME, DESIGN_SPEC_NAME, RESEARCH_NAME } from "./artifact-names.ts";
import { findSection, hasText, listEntries, section, sectionProblems, sectionsOf, type Expected } from "./sections.ts";

const SPEC_MINIMUM = [
  section("Goals", /^(?:project )?goals?\b/i),
  section("Acceptance Criteria", /\bacceptance criteria\b/i),
  section("Definition of Done", /\bdefinition of done\b/i),
];

/** What every reader of spec.md relies on, in either mode. */
export function specProblems(text: string): string[] {
  return sectionProblems("spec.md", text, SPEC_MINIMUM);
}

const USER_STORIES = section("User Stories", /\buser stories\b/i);
const EDGE_CASES = section("Edge Cases", /\bedge cases?\b/i);
const ACCEPTANCE = section("Acceptance Criteria", /\bacceptance criteria\b/i);
const NON_FUNCTIONAL = section("Non-functional Requirements", /\bnon-?functional\b/i);
const SPEC_FULL = [
  ...SPEC_MINIMUM,
  section("Problem Statement", /\bproblem\b/i),
  section("Non-goals", /\bnon-?goals?\b|\bout of scope\b/i),
  USER_STORIES,
  section("Functional Requirements", /^(?:[\d.]+\s*)?functional\b/i),
  NON_FUNCTIONAL,
  EDGE_CASES,
  section("Assumptions", /\bassumptions?\b/i),
];
const MIN_STORIES = 3;
const MAX_STORIES = 10;
const MIN_EDGE_CASES = 8;
const FEW_EDGE_CASES = /\bfewer\b|\bnot applicable\b|\bn\/a\b/i;

/** What SpecAgent owes in full mode. `criteria` are the ids of acceptance.json. */
export function fullSpecProblems(text: string, criteria: readonly string[]): string[] {
  const bodyOf = (expected: Expected) => findSection(text, expected)?.body ?? "";
  const stories = storiesIn(bodyOf(USER_STORIES));
  const edges = bodyOf(EDGE_CASES);
  const named = new Set(bodyOf(ACCEPTANCE).match(/\bAC-\d{3,}\b/g));
  const unmapped = listEntries(bodyOf(ACCEPTANCE)).filter((entry, _, all) => all.length > 0 && !/\bAC-\d{3,}\b/.test(entry));
  const unknown = [...named].filter((id) => !criteria.includes(id));
  const topics = ["perf", "security", "usability"].filter((topic) => !bodyOf(NON_FUNCTIONAL).toLowerCase().includes(topic));
  return [
    ...(sectionsOf(text)[0]?.level === 1 ? [] : ["spec.md: the title is missing; begin with `# <title>`"]),
    ...sectionProblems("spec.md", text, SPEC_FULL),
    ...(stories < MIN_STORIES || stories > MAX_STORIES
      ? [`spec.md: ${stories} user stories; must be ${MIN_STORIES} to ${MAX_STORIES}`]
      : []),
    ...topics.map((topic) => `spec.md: the non-functional requirements say nothing of ${topic}`),
    ...(listEntries(edges).length < MIN_EDGE_CASES && !FEW_EDGE_CASES.test(edges)
      ? [`spec.md: fewer than ${MIN_EDGE_CASES} edge cases; list more, or say why fewer apply`]
      : []),
    ...(named.size === 0 ? ["spec.md: the acceptance criteria name no id of acceptance.json"] : []),
    ...unknown.map((id) => `spec.md: ${id} is not in acceptance.json`),
    ...unmapped.map((entry) => `spec.md: the criterion ${JSON.stringify(entry.slice(0, 60))} names no id of acceptance.json`),
  ];
}

/** Stories are list entries, or headings of their own. */
function storiesIn(body: string): number {
  const headings = sectionsOf(body).length;
  return headings > 0 ? headings : body.split("\n").filter((line) => /^(?:[-*+]|\d+[.)])\s+\S/.test(line)).length;
}

const OVERVIEW = section("Overview", /\boverview\b/i);
const MODULES = section("Modules/components", /\bmodules?\b|\bcomponents?\b/i);

export function architectureProblems(text: string): string[] {
  return sectionProblems("architecture.md", text, [OVERVIEW, MODULES]);
}

const ARCHITECTURE_FULL = [
  OVERVIEW,
  MODULES,
  section("Data Flow", /\bdata ?flows?\b/i),
  section("Interfaces", /\binterfaces?\b|\bapis?\b/i),
  section("Directory Layout", /\b(?:directory|folder|file) (?:layout|structure)\b/i),
  section("Error Handling", /\berrors?\b/i),
  section("Configuration", /\bconfiguration\b|\bconfig\b/i),
  section("Security", /\bsecurity\b/i),
  section("Testing Strategy", /\btest(?:s|ing)?\b/i),
];

export function fullArchitectureProblems(text: string): string[] {
  return sectionProblems("architecture.md", text, ARCHITECTURE_FULL);
}

const ADR = [
  section("Context", /^context\b/i),
  section("Decision", /^decision\b/i),
  section("Alternatives considered", /^alternatives\b/i),
  section("Consequences", /^consequences\b/i),
  section("Notes", /^notes\b/i),
];

/** `name` is the path in the session. */
export function adrProblems(name: string, text: string): string[] {
  return [...(ADR_NAME.test(name) ? [] : [`${name}: must be adr/ADR-<NNN>.md`]), ...sectionProblems(name, text, ADR)];
}

const RESEARCH = ["Topic", "Context", "Methodology", "Findings", "Options", "Recommendation", "Sources", "Open Questions"].map((name) =>
  section(name, new RegExp(`^${name}\\b`, "i")),
);

export function researchProblems(name: string, text: string): string[] {
  return [
    ...(RESEARCH_NAME.test(name) ? [] : [`${name}: must be research/research-<topic-slug>.md`]),
    ...sectionProblems(name, text, RESEARCH),
  ];
}

export function designSpecProblems(name: string, text: string): string[] {
  return [
    ...(DESIGN_SPEC_NAME.test(name) ? [] : [`${name}: must be design-specs/design-spec-<slug>.md`]),
    ...(hasText(text) ? [] : [`${name}: empty`]),
  ];
}

const SCRIPTS = section("Scripts", /\bscripts?\b|\bcommands?\b/i);
const README = [
  section("Features", /\bfeatures?\b/i),
  section("Requirements", /\brequirements?\b|\bprerequisites?\b/i),
  section("Quickstart", /\bquick ?start\b|\bgetting started\b/i),
  SCRIPTS,
  section("Project Structure", /\bstructure\b|\blayout\b/i),
  section("Troubleshooting", /\btroubleshooting\b/i),
  section("License", /\blicen[cs]e\b/i),
];
const WHAT_IT_IS = section("What it is", /\bwhat (?:it|this) is\b|\babout\b|\boverview\b/i);

export function readmeProblems(text: string): string[] {
  const scripts = findSection(text, SCRIPTS)?.body.toLowerCase() ?? "";
  const intro = text.replace(/^\s*#[^\n]*\n/, "").split(/^#/m)[0] ?? "";
  return [
    ...(hasText(intro) || hasText(findSection(text, WHAT_IT_IS)?.body ?? "") ? [] : ["README.md: says nowhere what it is"]),
    ...sectionProblems("README.md", text, README),
    ...["test", "build", "lint"].filter((name) => !scripts.includes(name)).map((name) => `README.md: the scripts do not name ${name}`),
  ];
}
