import type { LanguageAdapter, MissingTool } from "../adapter.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { missingAmong } from "../toolchains/missing.ts";
import { syntaxAdapter } from "../tree-sitter/syntax-adapter.ts";
import { pythonClaimTest } from "./claim-test.ts";
import { compilePython } from "./compile.ts";
import { pythonGrammar } from "./grammar.ts";
import { openPythonOracle } from "./oracle.ts";
import { PYTHON_SCAN } from "./scan-rules.ts";
import { runPythonTests } from "./tests.ts";
import { HYPOTHESIS, PYRIGHT, PYTEST, PYTHON, pyrightFolder, pythonModules } from "./tools.ts";
import { pythonUnitTest } from "./unit-test.ts";
import { pythonWitness } from "./witness.ts";

const FILES = /\.py$/;

export function pythonAdapter(machine: LanguageMachine): LanguageAdapter {
  return {
    id: "python",
    title: "Python",
    support: "strong",
    extension: ".py",
    ...syntaxAdapter(pythonGrammar, FILES, PYTHON_SCAN),
    missingTools: () => missingTools(machine),
    compileCheck: (sourcePath, run) => compilePython(machine, sourcePath, run),
    openOracle: (tree, run) => openPythonOracle(machine, tree, run),
    runTests: (sourcePath, selection) => runPythonTests(machine, sourcePath, selection),
    generateWitness: pythonWitness,
    unitTest: pythonUnitTest,
    claimTest: (tree, claim) => pythonClaimTest(FILES, tree, claim),
  };
}

async function missingTools(machine: LanguageMachine): Promise<MissingTool[]> {
  const [python] = await missingAmong([PYTHON], machine);
  if (python !== undefined) return [python, PYTEST, HYPOTHESIS];
  const modules = await pythonModules(machine);
  return [
    ...((await pyrightFolder(machine)) === null ? [PYRIGHT] : []),
    ...(modules.has("pytest") ? [] : [PYTEST]),
    ...(modules.has("hypothesis") ? [] : [HYPOTHESIS]),
  ];
}
