import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TestSelection } from "../adapter.ts";
import { compileResult } from "../toolchains/compile.ts";
import { readJunitReport } from "../toolchains/junit-report.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool } from "../toolchains/require-tool.ts";
import { newEndLine, programRun } from "../toolchains/result-lines.ts";
import { runTool, TOOL_TIMEOUT_MS } from "../toolchains/run-tool.ts";
import { brokenRun, joinRuns, judged } from "../toolchains/test-report.ts";
import { plantCpp, plantTests, withoutPlanted } from "../toolchains/planted-tests.ts";
import { inCopy, putFiles } from "../toolchains/work-folder.ts";
import type { TestRun } from "../typescript/test-run.ts";
import { CPP_FLAGS, cppFiles, GXX, librariesOf } from "./project.ts";

const REPORT = "slipway-report.xml";

/** Each test file becomes a program, linked with all sources. */
export async function runCppTests(machine: LanguageMachine, sourcePath: string, selection: TestSelection): Promise<TestRun> {
  await requireTool(machine, GXX);
  const { files, timeoutMs = TOOL_TIMEOUT_MS, ...run } = selection;
  return inCopy(sourcePath, async (folder) => {
    const ends = performance.now() + timeoutMs;
    const left = () => Math.max(1, ends - performance.now());
    const { sources, tests } = cppFiles(folder);
    const wanted = tests.filter((path) => files === undefined || files.includes(path));
    const planted = await plantTests(folder, wanted, plantCpp);
    await mkdir(join(folder, ".slipway-tests"));
    const runs: TestRun[] = [];
    for (const [index, test] of wanted.entries()) {
      const text = readFileSync(join(folder, test), "utf8");
      const program = `.slipway-tests/${index}`;
      const endLine = newEndLine();
      const isGtest = /#\s*include\s*<gtest\//.test(text);
      const wrapper = isGtest ? [] : [`${program}.main.cpp`];
      if (!isGtest) await putFiles(folder, { [`${program}.main.cpp`]: mainAround(endLine) });
      const wrapped = isGtest ? [] : ["-Wl,--wrap=main"];
      const command = ["g++", ...CPP_FLAGS, "-O0", ...wrapped, "-o", program, test, ...wrapper, ...sources, ...librariesOf(text)];
      const tool = { ...run, machine, folder };
      const built = compileResult(await runTool({ ...tool, timeoutMs: left(), command }), "g++");
      if (!built.passed) {
        const [first] = built.problems;
        return brokenRun(`the tests of ${test} do not compile: ${first?.file ?? "g++"}:${first?.line ?? 1}: ${first?.message ?? ""}`);
      }
      const options = isGtest ? [`--gtest_output=xml:${REPORT}`] : [];
      const outcome = await runTool({ ...tool, timeoutMs: left(), command: [`./${program}`, ...options] });
      runs.push(
        isGtest
          ? judged(await readJunitReport(join(folder, REPORT), REPORT), outcome, { passed: 0, failed: [1] })
          : programRun(test, outcome, endLine),
      );
    }
    return withoutPlanted(joinRuns(runs), planted);
  });
}

/** The linker calls this instead of `main`. It calls the test's own, and says that it returned. */
function mainAround(endLine: string): string {
  return `#include <cstdio>
extern "C" int __real_main(int argc, char** argv);
extern "C" int __wrap_main(int argc, char** argv) {
  const int code = __real_main(argc, argv);
  std::puts("${endLine}");
  return code;
}
`;
}
