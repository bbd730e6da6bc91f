import { join } from "node:path";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import type { TestSelection } from "../adapter.ts";
import { readJunitReport } from "../toolchains/junit-report.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool, toolMissing } from "../toolchains/require-tool.ts";
import { programRun } from "../toolchains/result-lines.ts";
import { runTool, TOOL_TIMEOUT_MS, type ToolCommand } from "../toolchains/run-tool.ts";
import { brokenRun, joinRuns, judged } from "../toolchains/test-report.ts";
import { inCopy } from "../toolchains/work-folder.ts";
import type { TestRun } from "../typescript/test-run.ts";
import { CLASSES, compileIn } from "./compile.ts";
import { JAVAC, javaFiles, JUNIT, junitPath } from "./project.ts";

const JAVA = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-ea"];
const REPORTS = ".slipway-reports";

/** Test classes with a `main` are run one by one, and those with annotations by JUnit's console launcher. */
export async function runJavaTests(machine: LanguageMachine, sourcePath: string, selection: TestSelection): Promise<TestRun> {
  await requireTool(machine, JAVAC);
  const { files, timeoutMs = TOOL_TIMEOUT_MS, ...run } = selection;
  return inCopy(sourcePath, async (folder) => {
    const ends = performance.now() + timeoutMs;
    const { programs, usesJunit } = javaFiles(folder);
    if (usesJunit && kindAt("/usr/share/java/junit-platform-console.jar") === "missing") throw toolMissing(JUNIT);
    const compiled = await compileIn(machine, folder, { ...run, timeoutMs });
    if (!compiled.passed) {
      const [first] = compiled.problems;
      return brokenRun(`the tests do not compile: ${first?.file ?? "javac"}:${first?.line ?? 1}: ${first?.message ?? ""}`);
    }
    const tool = (command: readonly string[]): ToolCommand => ({
      ...run,
      timeoutMs: Math.max(1, ends - performance.now()),
      machine,
      folder,
      command,
    });
    const runs: TestRun[] = [];
    for (const { path, name } of programs.filter((program) => files === undefined || files.includes(program.path)))
      runs.push(programRun(path, await runTool(tool([...JAVA, "-cp", CLASSES, name]))));
    if (usesJunit) {
      const classes = [CLASSES, ...junitPath()].join(":");
      const launcher = ["org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--details=none", `--scan-classpath=${CLASSES}`];
      const outcome = await runTool(tool([...JAVA, "-cp", classes, ...launcher, `--reports-dir=${REPORTS}`]));
      const report = await readJunitReport(join(folder, REPORTS, "TEST-junit-jupiter.xml"), "TEST-junit-jupiter.xml");
      runs.push(judged(report, outcome, { passed: 0, failed: [1] }));
    }
    return joinRuns(runs);
  });
}
