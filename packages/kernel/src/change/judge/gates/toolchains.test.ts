import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseYamlConfig } from "../../../config/yaml.ts";
import { scratchFolder } from "../../../host/sandbox/testing/scratch.ts";
import { GATES_FILE, gatesSchema } from "../../../config/gates.ts";
import { runCase, sandboxForGates } from "./testing/gate.ts";

/** Stand-ins that accept the arguments and write the reports of the real tools. */
const REPOSITORIES = {
  nx: {
    "tools/nx": `#!/bin/sh\n[ "$1 $2" = "run-many --target=test" ] || exit 64\nmkdir -p coverage\nprintf 'SF:a.ts\\nDA:1,1\\nDA:2,1\\nBRDA:1,0,0,1\\nend_of_record\\n' > coverage/lcov.info\n`,
    [GATES_FILE]: `
version: 1
profiles: { default: { modes: {
  fast: [{ name: lint, cmd: ["true"] }],
  full: [{ name: test, cmd: [tools/nx, run-many, --target=test] }] } } }
parsers: { coverage: { type: lcov, path: coverage/lcov.info, modes: [full] } }
thresholds: { coverage_line_min: 0.9, coverage_branch_min: 0.9 }
`,
  },
  maven: {
    mvnw: `#!/bin/sh\n[ "$*" = "-B -o verify" ] || exit 64\nmkdir -p target/site/jacoco target/surefire-reports\nprintf '<report name="x"><counter type="BRANCH" missed="0" covered="4"/><counter type="LINE" missed="1" covered="19"/></report>' > target/site/jacoco/jacoco.xml\nprintf '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>' > target/surefire-reports/TEST-a.xml\n`,
    [GATES_FILE]: `
version: 1
profiles: { default: { modes: {
  fast: [{ name: compile, cmd: ["true"] }],
  full: [{ name: verify, cmd: [./mvnw, -B, -o, verify], timeout_seconds: 120 }] } } }
parsers:
  coverage: { type: jacoco_xml, path: target/site/jacoco/jacoco.xml }
  tests: { type: junit_xml, path: "target/surefire-reports/TEST-*.xml" }
thresholds: { coverage_line_min: 0.9, coverage_branch_min: 0.9 }
`,
  },
  cargo: {
    "bin/cargo": `#!/bin/sh\n[ "$1" = llvm-cov ] || exit 64\n[ "$CARGO_TERM_COLOR" = never ] || exit 65\nprintf '<coverage line-rate="1"><packages><package><classes><class filename="src/lib.rs"><lines><line number="1" hits="1"/><line number="2" hits="3" branch="true" condition-coverage="100%% (2/2)"/></lines></class></classes></package></packages></coverage>' > cobertura.xml\n`,
    [GATES_FILE]: `
version: 1
profiles: { default: { modes: {
  fast: [{ name: check, cmd: ["true"] }],
  full: [{ name: test, cmd: [./bin/cargo, llvm-cov], env: { CARGO_TERM_COLOR: never } }] } } }
parsers: { coverage: { type: cobertura_xml, path: cobertura.xml } }
thresholds: { coverage_line_min: 0.9, coverage_branch_min: 0.9 }
`,
  },
};

describe("[FEA-002] gates depend on gates.yaml alone", async () => {
  const sandbox = await sandboxForGates();

  it.each(Object.entries(REPOSITORIES))("a repository of the %s kind passes with its configuration only", async (_, files) => {
    const worktree = scratchFolder();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(worktree, name)), { recursive: true });
      writeFileSync(join(worktree, name), text);
      chmodSync(join(worktree, name), 0o755);
    }
    const config = parseYamlConfig(GATES_FILE, readFileSync(join(worktree, GATES_FILE)), gatesSchema);
    const result = await runCase({ sandbox, worktree, config });
    expect(result).toMatchObject({ passed: true, failure: null, coverage: { verdicts: { line: "pass", branch: "pass" } } });
    expect(result.coverage?.line).toBeGreaterThanOrEqual(0.9);
  });

  it("the kernel's sources never compare with the name of a toolchain", () => {
    const root = join(import.meta.dirname, "../../..");
    const names = "npm|npx|pnpm|yarn|nx|node|vitest|jest|mvn|maven|gradle|gradlew|cargo|rustc|go|pytest|python|dotnet|make|bazel";
    const branch = new RegExp(`(===?|!==?|case|includes\\(|startsWith\\(|endsWith\\(|test\\()\\s*["'\`/^]+(${names})["'\`/$ ]`);
    const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !/\.test\.ts$|testing\//.test(name),
    );
    expect(sources.length).toBeGreaterThan(30);
    for (const name of sources) expect(readFileSync(join(root, name), "utf8"), name).not.toMatch(branch);
  });
});
