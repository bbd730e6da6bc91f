import { describe, expect, it } from "vitest";
import { parseYamlConfig } from "./yaml.ts";
import { GATES_FILE, gatesSchema, type GatesConfig } from "./gates.ts";

const MODES = `modes: { fast: [{ name: lint, cmd: [lint] }], full: [{ name: test, cmd: [test] }] }`;

function parse(text: string): GatesConfig {
  return parseYamlConfig(GATES_FILE, text, gatesSchema);
}

function refusal(text: string): { code: string; message: string; field: unknown } {
  try {
    parse(text);
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: { field: unknown } };
    return { code, message, field: details.field };
  }
  throw new Error("it was accepted");
}

describe("gates.yaml", () => {
  it("[FEA-039] has version, profiles, modes and steps, with optional cwd, env and timeout", () => {
    const config = parse(`
version: 1
profiles:
  default:
    modes:
      fast: [{ name: lint, cmd: [npx, lint] }]
      full:
        - { name: build, cmd: [make], cwd: sub, env: { CI: true, LEVEL: 3, NAME: x }, timeout_seconds: 90 }
        - { name: test, cmd: [make, test], network: true }
      merge: [{ name: all, cmd: [make, all] }]
`);
    expect(config.profiles.default?.modes.full[0]).toEqual({
      name: "build",
      cmd: ["make"],
      cwd: "sub",
      env: { CI: "true", LEVEL: "3", NAME: "x" },
      timeout_seconds: 90,
    });
    expect(Object.keys(parse(`version: 1\nprofiles: { default: { ${MODES} } }`).profiles.default?.modes ?? {})).toEqual(["fast", "full"]);
    for (const [text, field] of [
      [`profiles: { default: { ${MODES} } }`, "/version"],
      ["version: 1", "/profiles"],
      ["version: 1\nprofiles: { default: {} }", "/profiles/default/modes/fast"],
      ["version: 1\nprofiles: { default: { modes: { fast: [{ name: a, cmd: [x] }] } } }", "/profiles/default/modes/full"],
      ["version: one\nprofiles: {}", "/version"],
      [
        "version: 1\nprofiles: { default: { modes: { fast: [{ name: a, cmd: make test }], full: [{ name: a, cmd: [x] }] } } }",
        "/profiles/default/modes/fast/0/cmd",
      ],
      [
        "version: 1\nprofiles: { default: { modes: { fast: [{ cmd: [x] }], full: [{ name: a, cmd: [x] }] } } }",
        "/profiles/default/modes/fast/0/name",
      ],
      [
        "version: 1\nprofiles: { default: { modes: { fast: [{ name: a, cmd: [x], timeout_seconds: soon }], full: [{ name: a, cmd: [x] }] } } }",
        "/profiles/default/modes/fast/0/timeout_seconds",
      ],
    ]) {
      expect(refusal(text ?? ""), text).toMatchObject({ code: "config_invalid", field });
    }
  });

  it("[FEA-040] may name a coverage parser, capabilities and thresholds from 0 to 1", () => {
    const config = parse(`
version: 1
profiles: { default: { ${MODES} } }
parsers: { coverage: { type: lcov, path: coverage/lcov.info }, tests: { type: junit_xml, path: "reports/*.xml" } }
capabilities: [lcov, junit_xml]
thresholds: { coverage_line_min: 0.9, coverage_branch_min: 0.8, coverage_line_target: 1, coverage_branch_target: 1.0 }
`);
    expect(config.parsers?.coverage).toEqual({ type: "lcov", path: "coverage/lcov.info" });
    expect(config.thresholds).toMatchObject({ coverage_line_min: 0.9, coverage_branch_target: 1 });
    for (const type of ["none", "custom"])
      expect(parse(`version: 1\nprofiles: { d: { ${MODES} } }\nparsers: { coverage: { type: ${type} } }`).parsers?.coverage?.type).toBe(
        type,
      );
    for (const type of ["lcov", "junit_xml", "jacoco_xml", "cobertura_xml"]) {
      expect(
        parse(`version: 1\nprofiles: { d: { ${MODES} } }\nparsers: { coverage: { type: ${type}, path: r } }`).parsers?.coverage?.type,
      ).toBe(type);
    }
    for (const name of ["coverage_line_min", "coverage_branch_min", "coverage_line_target", "coverage_branch_target"]) {
      expect(refusal(`version: 1\nprofiles: { d: { ${MODES} } }\nthresholds: { ${name}: 90 }`)).toMatchObject({
        code: "config_invalid",
        field: `/thresholds/${name}`,
      });
    }
  });

  it("an unknown parser stops the start with its own code", () => {
    const unknown = refusal(`version: 1\nprofiles: { d: { ${MODES} } }\nparsers: { coverage: { type: gocover, path: r } }`);
    expect(unknown).toMatchObject({ code: "unsupported_parser", field: "/parsers/coverage/type" });
    expect(refusal(`version: 1\nprofiles: { d: { ${MODES} } }\nparsers: { tests: { type: tap, path: r } }`).code).toBe(
      "unsupported_parser",
    );
  });

  it.each([
    ["an unknown field", `version: 1\nprofiles: { d: { ${MODES} } }\nparalel: true`, "paralel"],
    [
      "an unknown mode",
      `version: 1\nprofiles: { d: { modes: { fast: [{ name: a, cmd: [x] }], full: [{ name: a, cmd: [x] }], slow: [] } } }`,
      "slow",
    ],
    ["an empty mode", "version: 1\nprofiles: { d: { modes: { fast: [], full: [{ name: a, cmd: [x] }] } } }", "/profiles/d/modes/fast"],
    ["no profile", "version: 1\nprofiles: {}", "at least one profile"],
    [
      "two steps of one name",
      "version: 1\nprofiles: { d: { modes: { fast: [{ name: a, cmd: [x] }, { name: a, cmd: [y] }], full: [{ name: a, cmd: [x] }] } } }",
      "names must differ",
    ],
    [
      "no program",
      'version: 1\nprofiles: { d: { modes: { fast: [{ name: a, cmd: [""] }], full: [{ name: a, cmd: [x] }] } } }',
      "name of a program",
    ],
    ["a NUL", 'version: 1\nprofiles: { d: { modes: { fast: [{ name: a, cmd: ["x\\0y"] }], full: [{ name: a, cmd: [x] }] } } }', "NUL"],
    ["a parser without a path", `version: 1\nprofiles: { d: { ${MODES} } }\nparsers: { coverage: { type: lcov } }`, "needs the path"],
    [
      "an invalid variable name",
      "version: 1\nprofiles: { d: { modes: { fast: [{ name: a, cmd: [x], env: { A-B: x } }], full: [{ name: a, cmd: [x] }] } } }",
      "A-B",
    ],
    [
      "an undeclared parser",
      `version: 1\nprofiles: { d: { ${MODES} } }\nparsers: { coverage: { type: lcov, path: r } }\ncapabilities: [junit_xml]`,
      "declared capabilities",
    ],
  ])("refuses %s and names it", (_, text, named) => {
    const { message } = refusal(text);
    expect(message).toContain(GATES_FILE);
    expect(message).toContain(named);
  });

  const producing = (produces: readonly string[], more = "") =>
    `version: 1\nprofiles: { d: { modes: { fast: [{ name: a, cmd: [x], produces: ${JSON.stringify(produces)} }], full: [{ name: a, cmd: [x] }] } } }\n${more}`;

  it("a step may produce files and folders below its worktree", () => {
    const produces = ["dist", "build/out.js", ".github/x"];
    expect(parse(producing(produces)).profiles["d"]?.modes.fast[0]?.produces).toEqual(produces);
  });

  it.each(["../x", "a/../../x", "/etc/passwd", ".", "a//b", "a/", ".git/hooks", ".GIT", "a\\b", "dist/*", "a\0b", ""])(
    "a step produces nothing outside its worktree, in .git, or with a pattern: %j",
    (path) => expect(refusal(producing([path])).field).toBe("/profiles/d/modes/fast/0/produces/0"),
  );

  it.each([
    ["the report", ["reports/junit.xml"]],
    ["a folder around it", ["dist", "reports"]],
  ])("a report is never a product, neither by naming %s", (_what, produces) => {
    const parsers = "parsers: { tests: { type: junit_xml, path: reports/junit.xml } }";
    expect(refusal(producing(produces, parsers))).toMatchObject({
      code: "config_invalid",
      field: "/profiles/d/modes/fast/0/produces",
      message: expect.stringContaining("never handed on") as string,
    });
    expect(parse(producing(["reports-of-others"], parsers)).version).toBe(1);
  });

  it("every parser in use must be declared, and no other", () => {
    const parsers = "parsers: { coverage: { type: none }, tests: { type: junit_xml, path: r.xml } }\n";
    expect(parse(producing(["dist"], `${parsers}capabilities: [junit_xml, lcov]`)).capabilities).toHaveLength(2);
    expect(refusal(producing(["dist"], `${parsers}capabilities: []`)).field).toBe("/parsers/tests/type");
    expect(parse(producing(["dist"], "capabilities: []")).parsers).toBeUndefined();
  });
});
