import type { CompileResult, SourceTree, ToolRun } from "../adapter.ts";
import { compileResult } from "../toolchains/compile.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool } from "../toolchains/require-tool.ts";
import { runTool } from "../toolchains/run-tool.ts";
import { inCopy } from "../toolchains/work-folder.ts";
import { JAVAC, javaFiles, junitPath } from "./project.ts";

export const CLASSES = ".slipway-classes";
/** The compiler would otherwise take all memory that it sees. */
export const JAVA_MEMORY = "-J-Xmx1g";

export async function compileJava(machine: LanguageMachine, source: string | SourceTree, run: ToolRun): Promise<CompileResult> {
  await requireTool(machine, JAVAC);
  return inCopy(source, (folder) => compileIn(machine, folder, run));
}

/** Compiles everything into one folder of the copy. */
export async function compileIn(machine: LanguageMachine, folder: string, run: ToolRun): Promise<CompileResult> {
  const { all } = javaFiles(folder);
  if (all.length === 0) return { passed: true, problems: [] };
  const path = junitPath();
  const command = ["javac", JAVA_MEMORY, "-encoding", "UTF-8", "-Xlint:none", "-proc:none", "-d", CLASSES];
  const classes = path.length === 0 ? [] : ["-cp", path.join(":")];
  return compileResult(await runTool({ ...run, machine, folder, command: [...command, ...classes, ...all] }), "javac");
}
