import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FINDING_SEVERITIES, REVIEW_CATEGORIES, REVIEW_SEVERITIES, type CrewFinding, type ReviewComment } from "../contract/artifacts.ts";
import { PROJECT_TYPES, type ProjectType } from "../contract/names.ts";
import { checklistAnswers, unanswered } from "./answers.ts";
import { QA_FOCUS } from "./qa.ts";
import { changeTypesOf, checklistFor, focusOf, openGroups, skippedLines } from "./qualify.ts";
import { REVIEWER_CHECKLIST } from "./reviewer.ts";
import { SECURITY_CHECKLIST } from "./security.ts";
import { typeOfFile } from "./topics.ts";
import { isBlocking, isNote, reviewVerdict, securityStatus } from "./verdicts.ts";

const ids = (role: "Reviewer" | "QA" | "Security", type: ProjectType, files: readonly string[] = []) =>
  checklistFor(role, type, files).items.map(({ id }) => id);
const skipped = (role: "Reviewer" | "QA" | "Security", type: ProjectType, files: readonly string[] = []) =>
  checklistFor(role, type, files)
    .skipped.map(({ id }) => id)
    .toSorted();

describe("the data", () => {
  test("[CRW-113] 33 items in six groups", () => {
    const counts = Object.fromEntries(
      [...new Set(REVIEWER_CHECKLIST.map(({ group }) => group))].map((group) => [
        group,
        REVIEWER_CHECKLIST.filter((item) => item.group === group).length,
      ]),
    );
    expect(counts).toEqual({ security: 8, architecture: 6, logic: 4, performance: 2, quality: 4, devils_advocate: 9 });
    expect(REVIEWER_CHECKLIST).toHaveLength(33);
    expect(new Set(REVIEWER_CHECKLIST.map(({ id }) => id)).size).toBe(33);
  });

  test("[CRW-117] QA's focus by type of change, and what holds always", () => {
    const of = (...changes: Parameters<typeof focusOf>[0]) => focusOf(changes, checklistFor("QA", "web")).map(({ id }) => id);
    const always = ["error-handling", "test-naming", "spec-edge-cases"];
    expect(of()).toEqual(always);
    expect(of("endpoint")).toEqual(["endpoint-acl", "endpoint-csrf", "endpoint-tenant", "endpoint-errors", ...always]);
    expect(of("data method")).toEqual(["data-parameters", "data-where", "data-returns", ...always]);
    expect(of("business logic")).toEqual(["logic-validation", "logic-null", "logic-boundaries", ...always]);
    expect(of("UI")).toEqual(["ui-escaping", "ui-csrf-token", "ui-translations", "ui-accessibility", ...always]);
    expect(of("security fix", "bug fix")).toEqual(["fix-closed", "bug-reproduced", ...always]);
    expect(of("config")).toEqual(["config-loads", "config-regression", ...always]);
  });

  test("[CRW-117] the types of a change follow from its files and its task", () => {
    const of = (files: string[], taskType: string | null = null, isSecurityFix = false) =>
      changeTypesOf({ files, taskType, isSecurityFix });
    expect(of(["src/routes/users.ts"])).toEqual(["endpoint"]);
    expect(of(["src/models/user.ts", "src/views/user.vue"])).toEqual(["data method", "UI"]);
    expect(of(["src/price.ts", "package.json"], "fix")).toEqual(["business logic", "bug fix", "config"]);
    expect(of(["test/price.test.ts", "README.md"], null, true)).toEqual(["security fix"]);
  });
});

describe("by type of project", () => {
  test("[CRW-077] web has every item", () => {
    for (const role of ["Reviewer", "QA", "Security"] as const) expect(skipped(role, "web")).toEqual([]);
  });

  test("[CRW-077] api skips templates, user interface and form CSRF, and keeps the other CSRF and XSS items", () => {
    expect(skipped("Reviewer", "api")).toEqual(["template"]);
    expect(skipped("QA", "api")).toEqual(["ui-accessibility", "ui-csrf-token", "ui-escaping", "ui-translations"]);
    expect(ids("Reviewer", "api")).toEqual(expect.arrayContaining(["csrf", "xss", "tenancy-scoping"]));
  });

  test("[CRW-077][CRW-078] cli and lib skip CSRF, XSS, tenant scoping, templates and, for the Reviewer, routing", () => {
    for (const type of ["cli", "lib"] as const) {
      expect(skipped("Reviewer", type)).toEqual(["csrf", "routing", "template", "tenancy-scoping", "xss"]);
      expect(skipped("QA", type)).toEqual(expect.arrayContaining(["endpoint-csrf", "endpoint-tenant", "ui-escaping"]));
    }
  });

  test("[CRW-078] Security skips SSRF and CSP for cli and lib, CSP for api, and looks at path traversal for cli", () => {
    expect(skipped("Security", "cli")).toEqual(["csp", "csrf-form", "csrf-request", "ssrf", "tenancy", "xss-output", "xss-template"]);
    expect(skipped("Security", "lib")).toEqual([
      "csp",
      "csrf-form",
      "csrf-request",
      "path-traversal",
      "ssrf",
      "tenancy",
      "xss-output",
      "xss-template",
    ]);
    expect(skipped("Security", "api")).toEqual(["csp", "csrf-form", "xss-template"]);
    expect(ids("Security", "cli")).toContain("path-traversal");
  });

  test("[CRW-077][CRW-078] what is looked at first", () => {
    const stress = (role: "Reviewer" | "QA", type: ProjectType) => checklistFor(role, type).stress;
    expect(stress("Reviewer", "web")).toEqual([]);
    expect(stress("Reviewer", "api")).toEqual(["auth", "input validation", "rate limiting"]);
    expect(stress("Reviewer", "cli")).toEqual(["input validation", "privilege escalation", "secrets"]);
    expect(stress("Reviewer", "lib")).toEqual(["API safety", "input validation", "dependency hygiene"]);
    expect(stress("QA", "cli")).toEqual(expect.arrayContaining(["argument parsing", "exit codes", "error messages"]));
    expect(stress("QA", "lib")).toEqual(expect.arrayContaining(["API contract", "edge cases"]));
  });

  test("[CRW-077] in a mixed project each file decides", () => {
    expect(["src/views/a.vue", "bin/run.ts", "src/api/users.ts", "src/price.ts"].map(typeOfFile)).toEqual(["web", "cli", "api", "lib"]);
    expect(skipped("Reviewer", "mixed", ["bin/run.ts"])).toEqual(skipped("Reviewer", "cli"));
    expect(skipped("Reviewer", "mixed", ["bin/run.ts", "src/views/a.vue"])).toEqual([]);
    expect(skipped("Reviewer", "mixed", ["bin/run.ts", "src/api/users.ts"])).toEqual(["template"]);
    expect(skipped("Security", "mixed")).toEqual([]);
  });

  test("[CRW-078] each skipped item is recorded as N/A with the type, and every item is either asked or recorded", () => {
    expect(skippedLines(checklistFor("Reviewer", "api"))).toEqual(["template: N/A (api)"]);
    fc.assert(
      fc.property(
        fc.constantFrom(...PROJECT_TYPES),
        fc.constantFrom("Reviewer", "QA", "Security"),
        fc.array(fc.constantFrom("a.ts", "bin/a.ts", "a.vue")),
        (type, role, files) => {
          const all = { Reviewer: REVIEWER_CHECKLIST, QA: QA_FOCUS, Security: SECURITY_CHECKLIST }[role];
          const list = checklistFor(role, type, files);
          expect([...list.items, ...list.skipped].map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
        },
      ),
    );
  });

  test("a group is open while one of its items applies", () => {
    const list = checklistFor("Reviewer", "cli");
    expect([...openGroups(list)]).toEqual(["security", "architecture", "logic", "performance", "quality", "devils_advocate"]);
    expect(openGroups({ ...list, items: [] }).size).toBe(0);
  });
});

test("[CRW-113] answers are read from the notes", () => {
  const notes = ["xss: ok", "csrf: N/A lib", " edge-cases: issue empty list", "dry: maybe", "A note: OK"];
  expect([...checklistAnswers(notes)]).toEqual([
    ["xss", "OK"],
    ["csrf", "N/A"],
    ["edge-cases", "issue"],
  ]);
  const items = REVIEWER_CHECKLIST.filter(({ id }) => ["xss", "dry"].includes(id));
  expect(unanswered(items, notes)).toEqual(["dry"]);
});

describe("verdicts", () => {
  const comment = (severity: ReviewComment["severity"], category: ReviewComment["category"] = "Logic"): ReviewComment => ({
    severity,
    category,
    file: "a",
    line: 1,
    message: "m",
    suggested_fix: "f",
  });

  test("[CRW-114] BLOCKED needs fixes; OK passes, with notes if a comment is minor or major", () => {
    expect(reviewVerdict("BLOCKED", [])).toBe("NEEDS FIXES");
    expect([reviewVerdict("OK", []), reviewVerdict("OK", [comment("nit")])]).toEqual(["PASS", "PASS"]);
    expect([reviewVerdict("OK", [comment("nit"), comment("minor")]), reviewVerdict("OK", [comment("major")])]).toEqual([
      "PASS WITH NOTES",
      "PASS WITH NOTES",
    ]);
    expect(REVIEW_SEVERITIES.filter((severity) => isNote(comment(severity)))).toEqual(["minor", "major"]);
  });

  test("[CRW-114] a blocker blocks, and of major comments only those of Security", () => {
    for (const severity of REVIEW_SEVERITIES)
      for (const category of REVIEW_CATEGORIES)
        expect(isBlocking(comment(severity, category))).toBe(severity === "blocker" || (severity === "major" && category === "Security"));
  });

  const finding = (changes: Partial<CrewFinding>): CrewFinding => ({
    severity: "low",
    category: "Other",
    file: "a",
    description: "d",
    recommended_fix: "f",
    ...changes,
  });

  test("[CRW-118] the worst finding decides", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...FINDING_SEVERITIES)), (severities) => {
        const worst = Math.max(-1, ...severities.map((severity) => FINDING_SEVERITIES.indexOf(severity)));
        expect(securityStatus(severities.map((severity) => finding({ severity })))).toBe(
          worst >= 2 ? "BLOCKED" : worst === 1 ? "NEEDS_DECISION" : "OK",
        );
      }),
    );
  });

  test.each([
    [{ category: "Secrets" }, "BLOCKED"],
    [{ description: "A password is logged." }, "BLOCKED"],
    [{ category: "Auth", description: "A header lets anyone bypass authentication." }, "BLOCKED"],
    [{ description: "Auth bypass by a second slash" }, "BLOCKED"],
    [{ category: "Validation", description: "SQL injection through the name" }, "BLOCKED"],
    [{ description: "Uses dependency injection" }, "OK"],
    [{ category: "Auth", description: "The session lasts long." }, "OK"],
  ] as const)("[CRW-118] exposure, auth bypass and injection block at any severity: %j is %s", (changes, status) => {
    expect(securityStatus([finding(changes)])).toBe(status);
  });
});
