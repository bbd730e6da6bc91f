import { readFileSync } from "node:fs";
import { join } from "node:path";
import { languageAdapter } from "@slipway/languages/adapters";
import { beforeAll, describe, expect, test } from "vitest";
import { ANSWERS } from "./calendar/answers.ts";
import { programProject, writeProgram, type ProgramProject, type Written } from "./run-program.ts";

const SPEC = readFileSync(join(import.meta.dirname, "calendar", "spec.toml"), "utf8");

const GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: test, cmd: [python3, -m, pytest, -q, -p, "no:cacheprovider", --junit-xml=reports/junit.xml, tests] }]
      full: [{ name: test, cmd: [python3, -m, pytest, -q, -p, "no:cacheprovider", --junit-xml=reports/junit.xml, tests] }]
parsers:
  tests: { type: junit_xml, path: reports/junit.xml }
`;

const needed = ["python3", "pytest", "hypothesis"];
const missing = (await (await languageAdapter("python", { env: process.env })).missingTools()).filter(({ tool }) => needed.includes(tool));
if (missing.length > 0) console.log(`skipped: ${missing.map(({ tool, install }) => `${tool} is not installed (${install})`).join(", ")}`);

describe.skipIf(missing.length > 0)("a Python program from a given specification", () => {
  let project: ProgramProject;
  let written: Written;

  beforeAll(() => {
    project = programProject(
      {
        "README.md": "# Calendar\n",
        "spec.toml": SPEC,
        "slipway/gates.yaml": GATES,
        "slipway/criticality.toml": '[project]\nname = "calendar"\nlanguage = "python"\n',
      },
      ANSWERS,
    );
    written = writeProgram(project, "calendar");
  }, 600_000);

  test("is begun although pytest fails on a base without tests", () => {
    expect(written.output).toContain("found no tests, and its exit code");
  });

  test("is merged with 12 functions in 3 modules", () => {
    expect(written.value, written.output).toMatchObject({ status: "merged", functions: 12, escalations: 0 });
    expect(project.git("ls-tree", "-r", "--name-only", "main", "src").trim().split("\n")).toEqual([
      "src/domain/clock_text.py",
      "src/domain/interval.py",
      "src/services/calendar.py",
      "src/witnesses/minute_of_day.py",
    ]);
  });

  test("a body that does not parse and one that fails its tests are discarded", () => {
    expect(written.output).toMatch(/interval\.duration: attempt 1 does not (?:compile|parse)/);
    expect(written.output).toContain("interval.covers: attempt 1 fails its tests");
  });

  test("four claims are tested, and a temporal one is listed as untested", () => {
    expect(written.value["claims"]).toEqual({
      interval_001: "pass",
      text_001: "pass",
      calendar_001: "pass",
      calendar_002: "pass",
      calendar_003: "untested",
      style_001: "untested",
    });
  });

  test("a transformation is accepted, and no hole is left", () => {
    expect(written.output).toContain("extract-magic-value on clock_text.parse_minute: accepted");
    expect(project.git("show", "main:src/domain/clock_text.py")).toContain("minutes_per_hour = 60");
    expect(project.run("git", ["grep", "--quiet", "NotImplementedError", "main", "--", "src"]).status).toBe(1);
  });

  test("its tests pass when pytest runs them", () => {
    const { status, output } = project.run("python3", ["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    expect([status, output]).toEqual([0, expect.stringMatching(/^29 passed/m)]);
  }, 60_000);
});
