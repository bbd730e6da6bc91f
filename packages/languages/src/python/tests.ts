import { join } from "node:path";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import type { TestSelection } from "../adapter.ts";
import { readJunitReport } from "../toolchains/junit-report.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool, toolMissing } from "../toolchains/require-tool.ts";
import { runTool } from "../toolchains/run-tool.ts";
import { brokenRun, judged } from "../toolchains/test-report.ts";
import { lastLines } from "../toolchains/compile.ts";
import { plantPython, plantTests, withoutPlanted } from "../toolchains/planted-tests.ts";
import { filesIn, inCopy } from "../toolchains/work-folder.ts";
import type { TestRun } from "../typescript/test-run.ts";
import { PYTEST, PYTHON } from "./tools.ts";

const REPORT = "slipway-report.xml";
const NO_TESTS = 5;
const USAGE = 4;
const INTERRUPTED = 2;
/** As pytest finds them. */
const TEST_FILE = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/;

/** Runs pytest over a copy of the project, with `src` and the project's root on the path of modules. */
export async function runPythonTests(machine: LanguageMachine, sourcePath: string, selection: TestSelection): Promise<TestRun> {
  await requireTool(machine, PYTHON);
  const { files, ...run } = selection;
  return inCopy(sourcePath, async (folder) => {
    const planted = await plantTests(folder, files ?? filesIn(folder).filter((path) => TEST_FILE.test(path)), plantPython);
    const hasSources = kindAt(join(folder, "src")) === "folder";
    const outcome = await runTool({
      ...run,
      machine,
      folder,
      command: [
        "python3",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        "--tb=short",
        `--junit-xml=${REPORT}`,
        ...(files ?? []),
      ],
      env: {
        PYTHONDONTWRITEBYTECODE: "1",
        PYTHONHASHSEED: "0",
        PYTHONPATH: [...(hasSources ? [join(folder, "src")] : []), folder].join(":"),
      },
    });
    if (outcome.exitCode === 1 && /No module named pytest/.test(outcome.stderr)) throw toolMissing(PYTEST);
    if (outcome.exitCode === NO_TESTS) return { tests: [], skipped: [], broken: null };
    if (outcome.exitCode === USAGE) return brokenRun(`pytest refused to start: ${lastLines(outcome.stderr.split("\n"))}`);
    const report = await readJunitReport(join(folder, REPORT), REPORT);
    return withoutPlanted(judged(report, outcome, { passed: 0, failed: [1, INTERRUPTED] }), planted);
  });
}
