import type { CompileResult, SourceTree, ToolRun } from "../adapter.ts";
import { compileResult } from "../toolchains/compile.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool } from "../toolchains/require-tool.ts";
import { runTool } from "../toolchains/run-tool.ts";
import { filesIn, inCopy } from "../toolchains/work-folder.ts";
import { GO, goEnvironment, prepareGoProject } from "./project.ts";

const isError = (line: string) => /\.go:\d+/.test(line);

/** `go build`, and then `go vet`, which also type-checks the tests. */
export async function compileGo(machine: LanguageMachine, source: string | SourceTree, run: ToolRun): Promise<CompileResult> {
  await requireTool(machine, GO);
  return inCopy(source, async (folder) => {
    if (!filesIn(folder).some((path) => path.endsWith(".go"))) return { passed: true, problems: [] };
    await prepareGoProject(folder);
    const tool = { ...run, machine, folder, env: goEnvironment(folder, machine), keeps: "go" };
    const built = compileResult(await runTool({ ...tool, command: ["go", "build", "-gcflags=-e", "./..."] }), "go build", { isError });
    if (!built.passed) return built;
    return compileResult(await runTool({ ...tool, command: ["go", "vet", "./..."] }), "go vet", { isError });
  });
}
