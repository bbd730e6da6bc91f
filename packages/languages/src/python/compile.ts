import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import { z } from "zod";
import type { CompileResult, SourceProblem, SourceTree, ToolRun } from "../adapter.ts";
import { compileResult, lastLines, withoutPlace } from "../toolchains/compile.ts";
import { programsOf, type LanguageMachine } from "../toolchains/machine.ts";
import { requireTool } from "../toolchains/require-tool.ts";
import { runTool, whyStopped, type ToolOutcome } from "../toolchains/run-tool.ts";
import { filesIn, inCopy } from "../toolchains/work-folder.ts";
import { PYRIGHT, PYTHON, pyrightFolder } from "./tools.ts";

/** Compiles every file given as an argument and prints what is wrong, as JSON. */
const SYNTAX_CHECK = `
import json, sys
found = []
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            compile(file.read(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        found.append([path, error.lineno or 1, error.offset or 1, str(error.msg)])
    except ValueError as error:
        found.append([path, 1, 1, str(error)])
print(json.dumps(found))
`;

const syntaxSchema = z.array(z.tuple([z.string(), z.number(), z.number(), z.string()]));
const reportSchema = z.object({
  generalDiagnostics: z.array(
    z.object({
      file: z.string().optional(),
      severity: z.string(),
      message: z.string(),
      range: z.object({ start: z.object({ line: z.number(), character: z.number() }) }).optional(),
    }),
  ),
});

export const SYNTAX_ONLY = `Only the syntax was checked: neither pyright nor mypy is installed. ${PYRIGHT.install}`;

/** The settings of pyright for a project without its own. */
export const PYRIGHT_CONFIG = `${JSON.stringify({ typeCheckingMode: "standard", extraPaths: ["src"], reportMissingModuleSource: "none" })}\n`;

/** Syntax first, then the type checkers that are installed: pyright, and mypy. */
export async function compilePython(machine: LanguageMachine, source: string | SourceTree, run: ToolRun): Promise<CompileResult> {
  await requireTool(machine, PYTHON);
  return inCopy(source, async (folder) => {
    const files = filesIn(folder).filter((path) => /\.pyi?$/.test(path));
    if (files.length === 0) return { passed: true, problems: [] };
    const syntax = await runTool({ ...run, machine, folder, command: ["python3", "-I", "-c", SYNTAX_CHECK, ...files] });
    const problems = syntaxProblems(syntax);
    if (problems.length > 0) return { passed: false, problems };
    const pyright = await pyrightFolder(machine);
    const hasMypy = (await programsOf(machine)).find("mypy") !== null;
    const results = [
      ...(pyright === null ? [] : [await runPyright(machine, folder, pyright, run)]),
      ...(hasMypy ? [await runMypy(machine, folder, run)] : []),
    ];
    if (results.length === 0) return { passed: true, problems: [], notes: [SYNTAX_ONLY] };
    return { passed: results.every(({ passed }) => passed), problems: results.flatMap((result) => result.problems) };
  });
}

function syntaxProblems(outcome: ToolOutcome): SourceProblem[] {
  const found = outcome.exitCode === 0 ? syntaxSchema.safeParse(parsed(outcome.stdout)).data : undefined;
  if (found !== undefined) return found.map(([file, line, column, message]) => ({ file, line, column, message }));
  return [
    withoutPlace(whyStopped(outcome, "python3") ?? `python3 ended with ${outcome.exitCode}: ${lastLines(outcome.stderr.split("\n"))}`),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function runPyright(machine: LanguageMachine, folder: string, pyright: string, run: ToolRun): Promise<CompileResult> {
  if (kindAt(join(folder, "pyrightconfig.json")) === "missing" && kindAt(join(folder, "pyproject.toml")) === "missing")
    await writeFile(join(folder, "pyrightconfig.json"), PYRIGHT_CONFIG);
  const command = ["node", join(pyright, "index.js"), "--outputjson", "-p", "."];
  const outcome = await runTool({ ...run, machine, folder, command, starts: ["python3"], readOnly: [pyright] });
  const report = reportSchema.safeParse(parsed(outcome.stdout)).data;
  if (report === undefined) {
    const reason = whyStopped(outcome, "pyright") ?? `pyright ended with ${outcome.exitCode}: ${lastLines(outcome.stderr.split("\n"))}`;
    return { passed: false, problems: [withoutPlace(reason)] };
  }
  const problems = report.generalDiagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ file = null, message, range }) => ({
      file: file?.replace(`${folder}/`, "") ?? null,
      line: (range?.start.line ?? 0) + 1,
      column: (range?.start.character ?? 0) + 1,
      message,
    }));
  return { passed: problems.length === 0, problems };
}

async function runMypy(machine: LanguageMachine, folder: string, run: ToolRun): Promise<CompileResult> {
  const options = ["--no-color-output", "--no-error-summary", "--show-column-numbers", "--hide-error-context", "--cache-dir=/dev/null"];
  const roots = ["--ignore-missing-imports", "--explicit-package-bases", "--namespace-packages"];
  const env = kindAt(join(folder, "src")) === "folder" ? { MYPYPATH: "src" } : {};
  const command = ["mypy", ...options, ...roots, kindAt(join(folder, "src")) === "folder" ? "src" : "."];
  return compileResult(await runTool({ ...run, machine, folder, command, env, starts: ["python3"] }), "mypy");
}
