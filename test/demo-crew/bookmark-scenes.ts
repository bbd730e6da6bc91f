import type { AuthoredAnswer } from "../demo-author.ts";
import { LIBRARY_ITEMS, sayFor, testsIn } from "./answers.ts";
import { acceptance, bullets, fullSpec, leanSpec, sections, tasksWith } from "./documents.ts";
import {
  ESCAPE,
  ESCAPE_FIRST,
  ESCAPE_FIRST_TEST,
  ESCAPE_TEST,
  PAGE,
  PAGE_FIXED,
  PAGE_TEST,
  PAGE_TEST_WITH_EMPTY,
  PAGE_TEST_WITH_REL,
  README,
} from "./sources.ts";

const ESCAPE_CHECK = testsIn("test/escape.test.js");
const PAGE_CHECK = testsIn("test/page.test.js");

const LEAN_CRITERIA = { "AC-001": "Titles are escaped in the page." };
const CRITERIA = {
  "AC-001": "Texts are escaped, also in attributes.",
  "AC-002": "Each bookmark with a web address is a link; other addresses stay text.",
};

const TITLE = "Bookmarks as a page";
const GOAL = "Bookmarks can be exported as a page of links.";

const LEAN_TASKS = {
  tasks: [{ id: "T-001", status: "not-started", goal: GOAL, acceptance_checks: [`cmd: ${ESCAPE_CHECK}`] }],
};

const task = (id: string, title: string, goal: string, check: string, more: object) => ({
  id,
  status: "not-started",
  type: "feat",
  title,
  depends_on: [],
  goal,
  non_goals: [],
  context_files: [],
  acceptance_checks: [`cmd: ${check}`],
  risk_flags: ["none"],
  done_when: ["its check passes"],
  ...more,
});

const TASKS = {
  project: { name: "bookmarks", definition_of_done: ["every criterion is met", "the tests pass"] },
  tasks: [
    task("T-001", "Escape texts", "escapeHtml() makes texts safe in a page and in attributes.", ESCAPE_CHECK, {
      files_expected: ["src/escape.js", "test/escape.test.js"],
    }),
    task("T-002", "The page", "pageOf() makes a page of links from bookmarks.", PAGE_CHECK, {
      depends_on: ["T-001"],
      files_expected: ["src/page.js", "test/page.test.js"],
      risk_flags: ["security"],
    }),
  ],
};

const architecture = (addresses: string) =>
  sections("Architecture", {
    Overview: "Two small modules beside the list of bookmarks.",
    Modules: bullets(["`src/escape.js`: a text as it may stand in a page", "`src/page.js`: the page, with one link for each bookmark"]),
    "Data Flow": "Bookmarks go into pageOf(), each text through escapeHtml(), and one text comes out.",
    Interfaces: "`escapeHtml(text)` and `pageOf(bookmarks)`, both pure functions.",
    "Directory Layout": "`src` for the modules, `test` for their tests.",
    "Error Handling": "A bookmark cannot make the page fail.",
    Configuration: "None.",
    Security: addresses,
    Decisions: addresses,
    "Testing Strategy": "A file of tests for each module, run by node --test.",
  });

const NOTES = [
  {
    severity: "minor",
    category: "Quality",
    file: "test/page.test.js",
    line: 6,
    message: "No test has an empty list.",
    suggested_fix: "Add one.",
  },
  {
    severity: "minor",
    category: "Quality",
    file: "src/page.js",
    line: 8,
    message: "The title of the page cannot be chosen.",
    suggested_fix: "Make it a parameter.",
  },
];
const REL = {
  severity: "medium",
  category: "Other",
  file: "src/page.js",
  description: "A page that is opened from a link can reach the one that it was opened from.",
  recommended_fix: "Set rel to noopener.",
};
const POLICY = {
  severity: "medium",
  category: "CSP",
  file: "src/page.js",
  description: "The page has no Content-Security-Policy.",
  recommended_fix: "Add a meta element with one.",
};

/** What the person leaves as it is, in the words of status.json. */
export const KNOWN_ISSUES = [
  "minor in src/page.js:8: The title of the page cannot be chosen. Suggested: Make it a parameter.",
  "CSP in src/page.js: The page has no Content-Security-Policy. Recommended: Add a meta element with one. (accept-risk)",
];

const REPORT = sections("Report", {
  "What was done": "Bookmarks can be exported as a page: texts are escaped, and only web addresses become links.",
  "How to run": "Call `pageOf(bookmarks)` of `src/page.js`.",
  "How to test": "`npm test`",
  "Known issues": bullets(KNOWN_ISSUES),
});

/** One session that begins lean, proves larger and goes on in full mode to the merge. */
export function bookmarkScenes(): AuthoredAnswer[] {
  const say = sayFor("export-bookmarks-page");
  return [
    say.begins("lean", "Bookmarks are exported as a page.", {
      "spec.md": leanSpec({ title: TITLE, goal: GOAL, criteria: LEAN_CRITERIA }),
      "acceptance.json": acceptance(LEAN_CRITERIA, { "AC-001": ESCAPE_CHECK }),
      "tasks.yaml": tasksWith(LEAN_TASKS),
    }),
    say.builds(
      "Texts are escaped.",
      { "src/escape.js": ESCAPE_FIRST, "test/escape.test.js": ESCAPE_FIRST_TEST },
      {
        tasks: tasksWith(LEAN_TASKS, "implemented"),
        notes: ["signal: task-larger: the page needs a second module and a decision about unsafe addresses"],
        command: ESCAPE_CHECK,
      },
    ),
    say.specifies("The page, with what is to become of unsafe addresses.", {
      "spec.md": fullSpec({
        title: TITLE,
        problem: "Bookmarks can only be read by programs.",
        goal: GOAL,
        nonGoal: "Import of pages.",
        stories: [
          "As a reader I open my bookmarks in a browser.",
          "As a reader I share the page with others.",
          "As a cautious person I am not harmed by an address.",
        ],
        functional: ["escapeHtml(text) escapes signs and quotes.", "pageOf(bookmarks) returns a page."],
        edgeCases: ["no bookmarks", "a title with markup", "a quote in an address", "an address that runs a script"],
        criteria: CRITERIA,
      }),
      "acceptance.json": acceptance(CRITERIA, { "AC-001": ESCAPE_CHECK, "AC-002": PAGE_CHECK }),
    }),
    say.designs("Two pure functions.", architecture("Every text is escaped."), "addresses come from outside"),
    say.designs(
      "Addresses that run scripts are covered now.",
      architecture("Every text is escaped. Only http and https addresses become links; any other address stands there as text."),
      "addresses come from outside",
    ),
    say.plans("Escaping first, then the page.", tasksWith(TASKS)),
    say.builds(
      "Quotes are escaped, too.",
      { "src/escape.js": ESCAPE, "test/escape.test.js": ESCAPE_TEST },
      { tasks: tasksWith(TASKS, "implemented"), command: ESCAPE_CHECK },
    ),
    ...say.reviewsInWords(LIBRARY_ITEMS),
    say.tests([{ line: ESCAPE_CHECK, passed: 2 }], { "AC-001": "test/escape.test.js", "AC-002": "test/page.test.js comes with T-002" }),
    say.builds(
      "A page of links.",
      { "src/page.js": PAGE, "test/page.test.js": PAGE_TEST },
      { tasks: tasksWith(TASKS, "completed", "implemented"), command: PAGE_CHECK },
    ),
    say.reviews(LIBRARY_ITEMS, NOTES),
    say.builds("A test has an empty list.", { "test/page.test.js": PAGE_TEST_WITH_EMPTY }, { command: PAGE_CHECK }),
    say.reviews(LIBRARY_ITEMS),
    say.tests([{ line: PAGE_CHECK, passed: 3 }], { "AC-001": "test/escape.test.js", "AC-002": "test/page.test.js" }),
    say.secures([REL, POLICY]),
    say.builds(
      "Opened pages have no hold of this one.",
      { "src/page.js": PAGE_FIXED, "test/page.test.js": PAGE_TEST_WITH_REL },
      { command: PAGE_CHECK },
    ),
    // The accepted risk is still there; nobody is asked again.
    say.secures([POLICY]),
    say.reviews(LIBRARY_ITEMS),
    say.integrates(),
    say.documents(README, REPORT),
    say.integrates(),
  ];
}
