import { join } from "node:path";
import type { TestSelection } from "../adapter.ts";
import { readJunitReport } from "../toolchains/junit-report.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool, toolMissing } from "../toolchains/require-tool.ts";
import { newEndLine, programRun } from "../toolchains/result-lines.ts";
import { runTool, TOOL_TIMEOUT_MS, type ToolCommand } from "../toolchains/run-tool.ts";
import { brokenRun, joinRuns, judged } from "../toolchains/test-report.ts";
import { plantJava, plantTests, withoutPlanted } from "../toolchains/planted-tests.ts";
import { inCopy, putFiles } from "../toolchains/work-folder.ts";
import type { TestRun } from "../typescript/test-run.ts";
import { CLASSES, compileIn } from "./compile.ts";
import { JAVAC, javaFiles, hasJunit, JUNIT, junitPath } from "./project.ts";

const JAVA = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-ea"];
const REPORTS = ".slipway-reports";

const RUNNER = "SlipwayTestRunner";

/** Calls the `main` of the named class, and says that it returned. */
function runnerText(endLine: string): string {
  return `public class ${RUNNER} {
    public static void main(String[] names) throws Throwable {
        java.lang.reflect.Method main = Class.forName(names[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) new String[0]);
        } catch (java.lang.reflect.InvocationTargetException thrown) {
            throw thrown.getCause();
        }
        System.out.println("${endLine}");
    }
}
`;
}

/** Test classes with a `main` are run one by one, and those with annotations by JUnit's console launcher. */
export async function runJavaTests(machine: LanguageMachine, sourcePath: string, selection: TestSelection): Promise<TestRun> {
  await requireTool(machine, JAVAC);
  const { files, timeoutMs = TOOL_TIMEOUT_MS, ...run } = selection;
  return inCopy(sourcePath, async (folder) => {
    const ends = performance.now() + timeoutMs;
    const { programs, usesJunit } = javaFiles(folder);
    if (usesJunit && !hasJunit()) throw toolMissing(JUNIT);
    const wanted = programs.filter((program) => files === undefined || files.includes(program.path));
    const planted = await plantTests(
      folder,
      wanted.map(({ path }) => path),
      plantJava,
    );
    const endLine = newEndLine();
    await putFiles(folder, { [`${RUNNER}.java`]: runnerText(endLine) });
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
    for (const { path, name } of wanted) runs.push(programRun(path, await runTool(tool([...JAVA, "-cp", CLASSES, RUNNER, name])), endLine));
    if (usesJunit) {
      const classes = [CLASSES, ...junitPath()].join(":");
      const launcher = ["org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--details=none", `--scan-classpath=${CLASSES}`];
      const outcome = await runTool(tool([...JAVA, "-cp", classes, ...launcher, `--reports-dir=${REPORTS}`]));
      const report = await readJunitReport(join(folder, REPORTS, "TEST-junit-jupiter.xml"), "TEST-junit-jupiter.xml");
      runs.push(judged(report, outcome, { passed: 0, failed: [1] }));
    }
    return withoutPlanted(joinRuns(runs), planted);
  });
}
