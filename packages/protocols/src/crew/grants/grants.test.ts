import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CREW_ROLES, type CrewRole } from "../agents.ts";
import { sessionPath } from "../session/session-name.ts";
import { CREW_STATES, type CrewMode, type CrewState } from "../states/states.ts";
import { isBuildFile, isDocsFile, isProductFile, isSensitiveFile, isTestFile } from "./file-kinds.ts";
import { mayRead, mayWrite } from "./write-grants.ts";

const SESSION = "2026-11-18_date-format";
const OTHER = "2026-11-17_other-run";
const at = (state: CrewState, mode: CrewMode = "full") => ({ session: SESSION, state, mode });
const own = (name: string) => `${sessionPath(SESSION)}${name}`;
const writers = (path: string, state: CrewState, mode: CrewMode = "full") =>
  CREW_ROLES.filter((role) => mayWrite(role, path, at(state, mode)));
const whenever = (role: CrewRole, path: string) => CREW_STATES.filter((state) => mayWrite(role, path, at(state)));

test.each(["src/a.spec.js", "e2e/login.ts", "src/__tests__/a.ts", "py/conftest.py", "src/__snapshots__/a.snap", "lib/user_test.rb"])(
  "%s is a file of the tests, which only those who write tests may change",
  (path) => {
    expect([isTestFile(path), isBuildFile(path), isProductFile(path)]).toEqual([true, false, false]);
  },
);

const BUILT_WITH =
  "Makefile CMakeLists.txt docker-compose.yml pyproject.toml Cargo.toml pom.xml build.gradle.kts jest.config.js tsconfig.base.json " +
  "dev-requirements.txt App.csproj .npmrc .eslintrc.json .prettierignore .gitlab-ci.yml .circleci/config.yml packages/a/scripts/deploy.sh " +
  "release/notes.mjs nx.json";
test.each(BUILT_WITH.split(" "))("%s decides how the product is built or shipped, and is no file of the product", (path) => {
  expect([isBuildFile(path), isProductFile(path)]).toEqual([true, false]);
});

test.each(["HISTORY.md", "RELEASE_NOTES.md", "doc/changelog-2.md", "release-notes/2.0.md", "CHANGES.md", "RELEASE-NOTES.md"])(
  "%s tells users what has changed",
  (path) => expect(isDocsFile(path)).toBe(true),
);

test("kinds of files", () => {
  expect(["src/a.test.ts", "tests/x/data.json", "pkg/a_test.go", "test_a.py", "src/AppTest.java"].map(isTestFile)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(["src/a.ts", "src/testing.ts", "contest/a.ts"].map(isTestFile)).toEqual([false, false, false]);
  expect(["README.md", "CHANGELOG.md", "docs/releases/2.0.md", "docs/guide.md", "src/README.md"].map(isDocsFile)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(
    ["package.json", "web/vite.config.ts", ".github/workflows/ci.yml", "scripts/build.mjs", "Dockerfile", "go.mod"].every(isBuildFile),
  ).toBe(true);
  expect(["src/a.ts", "src/config.ts", "test/package.json", "README.md"].map(isBuildFile)).toEqual([false, false, false, false]);
  expect(["src/a.ts", "a.test.ts", "README.md", "package.json", "logo.png"].map(isProductFile)).toEqual([true, false, false, false, false]);
  expect(["src/auth/check.ts", "src/LoginForm.tsx", "src/httpClient.ts", "src/price.ts", "test/auth.test.ts"].map(isSensitiveFile)).toEqual(
    [true, true, true, false, false],
  );
});

describe("outside the session", () => {
  test("[CRW-080] source code is Coder's alone, in the loop and its repairs", () => {
    expect(writers("src/a.ts", "IMPLEMENT_LOOP")).toEqual(["Coder"]);
    expect(whenever("Coder", "src/a.ts")).toEqual(["IMPLEMENT_LOOP", "FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"]);
  });

  test("[CRW-080] Integrator writes build files in INTEGRATE, FIX_BUILD and RELEASE only", () => {
    expect(whenever("Integrator", "package.json")).toEqual(["INTEGRATE", "RELEASE", "FIX_BUILD"]);
    for (const path of ["src/a.ts", "test/a.test.ts", "README.md"]) expect(whenever("Integrator", path)).toEqual([]);
  });

  test("[CRW-080] QA writes tests, Docs the README, changelog and release notes", () => {
    expect(writers("test/a.test.ts", "FIX_TESTS")).toEqual(["Coder", "QA"]);
    for (const path of ["src/a.ts", "package.json", "README.md"]) expect(whenever("QA", path)).toEqual([]);
    expect(writers("README.md", "RELEASE")).toEqual(["Docs"]);
    for (const path of ["src/a.ts", "docs/guide.md", "package.json"]) expect(whenever("Docs", path)).toEqual([]);
  });

  test("[CRW-079][CRW-080] every other role, and the orchestrator, writes nothing there", () => {
    const paths = ["src/a.ts", "test/a.test.ts", "package.json", "README.md", "CHANGELOG.md", "spec.md"];
    for (const role of CREW_ROLES.filter((each) => !["Coder", "Integrator", "QA", "Docs"].includes(each)))
      for (const path of paths) expect([role, path, ...whenever(role, path)]).toEqual([role, path]);
  });
});

describe("inside the session", () => {
  test.each([
    ["spec.md", "full", "DESIGN", ["SpecAgent"]],
    ["acceptance.json", "full", "INTAKE", ["SpecAgent"]],
    ["tasks.yaml", "full", "PLAN", ["Planner", "Coder", "Orchestrator"]],
    ["tasks.yaml", "lean", "INTAKE_LEAN", ["SpecAgent", "Planner", "Coder", "Orchestrator"]],
    ["architecture.md", "full", "DESIGN", ["Architect"]],
    ["adr/ADR-001.md", "full", "DESIGN", ["Architect"]],
    ["adr/notes.md", "full", "DESIGN", []],
    ["design-specs/design-spec-list.md", "full", "DESIGN", ["Designer", "Orchestrator"]],
    ["research/research-dates.md", "full", "DESIGN", ["Researcher"]],
    ["report.md", "full", "RELEASE", ["Docs"]],
    ["report.md", "lean", "INTEGRATE", ["Docs", "Orchestrator"]],
    ["spec.md", "full", "RELEASE", ["SpecAgent", "Docs"]],
    ["architecture.md", "full", "RELEASE", ["Architect", "Docs"]],
    ["approve-design-history.jsonl", "full", "APPROVE_DESIGN", ["Orchestrator"]],
    ["run-log.jsonl", "full", "PLAN", ["Orchestrator"]],
    ["other.md", "full", "PLAN", []],
  ] as const)("[CRW-081][CRW-079] %s in %s mode, %s: %j", (name, mode, state, expected) => {
    expect(writers(own(name), state, mode)).toEqual(expected);
  });

  test("[CRW-081][CRW-010] status.json is open to all but those without a tool that writes", () => {
    expect(CREW_ROLES.filter((role) => !writers(own("status.json"), "IMPLEMENT_LOOP").includes(role))).toEqual(["Reviewer", "Security"]);
    for (const role of ["Reviewer", "Security"] as const)
      for (const name of ["tasks.yaml", "spec.md"]) expect(whenever(role, own(name))).toEqual([]);
  });
});

const spelling = fc.constantFrom<(path: string) => string>(
  (path) => `./${path}`,
  (path) => `/${path}`,
  (path) => path.replace("/", "//"),
  (path) => path.replaceAll("/", "\\"),
  (path) => `x/../${path}`,
  (path) => `${path}\0`,
  (path) => path.replace(".slipway", ".Slipway"),
  (path) => path.replace(".slipway", ".slipway."),
  (path) => path.replace(".slipway", ".slipway "),
  (path) => path.replace(".slipway", ".sli\u200cpway"),
  (path) => path.replace(".slipway", "\uff0eslipway"),
  (path) => path,
);

test("[CRW-027] no role writes another session, in any state and spelling", () => {
  const name = fc.constantFrom("spec.md", "status.json", "tasks.yaml", "a.test.ts", "README.md", "package.json", "tests/a.ts");
  fc.assert(
    fc.property(fc.constantFrom(...CREW_ROLES), fc.constantFrom(...CREW_STATES), name, spelling, (role, state, file, spelt) => {
      expect(mayWrite(role, spelt(`${sessionPath(OTHER)}${file}`), at(state))).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

test("[CRW-079] no role writes git's or the harness's folders", () => {
  const path = fc.constantFrom(
    ".git/config",
    ".GIT/hooks/pre-commit",
    "git~1/config",
    "slipway/gates.yaml",
    "Slipway/policy.yaml",
    ".slipway/features/a",
    ".slipway",
    "slipway./gates.yaml",
  );
  fc.assert(
    fc.property(fc.constantFrom(...CREW_ROLES), fc.constantFrom(...CREW_STATES), path, (role, state, file) => {
      expect(mayWrite(role, file, at(state))).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test("[CRW-027] everything but git's own folder is readable, earlier sessions too", () => {
  expect([`${sessionPath(OTHER)}spec.md`, "src/a.ts", "slipway/gates.yaml"].map(mayRead)).toEqual([true, true, true]);
  expect([".git/config", "../secret", "/etc/passwd", "./src/a.ts", ".Git/config"].map(mayRead)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
