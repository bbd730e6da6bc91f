import type { CompileResult, SourceTree, ToolRun } from "../adapter.ts";
import { compileResult } from "../toolchains/compile.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool } from "../toolchains/require-tool.ts";
import { runTool } from "../toolchains/run-tool.ts";
import { inCopy } from "../toolchains/work-folder.ts";
import { CPP_FLAGS, cppFiles, GXX } from "./project.ts";

/** Checks each source and each header by itself. */
export async function compileCpp(machine: LanguageMachine, source: string | SourceTree, run: ToolRun): Promise<CompileResult> {
  await requireTool(machine, GXX);
  return inCopy(source, async (folder) => {
    const { sources, headers, tests, programs } = cppFiles(folder);
    const files = [...sources, ...programs, ...tests, ...headers];
    if (files.length === 0) return { passed: true, problems: [] };
    const command = ["g++", ...CPP_FLAGS, "-fsyntax-only", "-fno-diagnostics-show-caret", "-x", "c++", ...files];
    return compileResult(await runTool({ ...run, machine, folder, command }), "g++");
  });
}
