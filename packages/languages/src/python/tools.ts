import { readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import type { MissingTool } from "../adapter.ts";
import { programsOf, type LanguageMachine } from "../toolchains/machine.ts";
import type { WantedTool } from "../toolchains/missing.ts";

export const PYTHON: WantedTool = {
  tool: "python3",
  neededFor: "compile checks and tests of Python",
  install: "Debian: apt-get install python3",
  program: "python3",
};
export const PYRIGHT: MissingTool = {
  tool: "pyright",
  neededFor: "type checks of Python; without it and mypy only the syntax is checked",
  install: "npm install --save-dev pyright",
  isOptional: true,
};
export const PYTEST: MissingTool = { tool: "pytest", neededFor: "tests of Python", install: "Debian: apt-get install python3-pytest" };
export const HYPOTHESIS: MissingTool = {
  tool: "hypothesis",
  neededFor: "property tests of Python",
  install: "Debian: apt-get install python3-hypothesis",
};

/** The folder of the package pyright: in a node_modules of the machine, or behind a program on PATH. */
export async function pyrightFolder(machine: LanguageMachine): Promise<string | null> {
  const own = (machine.packages ?? []).map((folder) => join(folder, "pyright"));
  const program = (await programsOf(machine)).find("pyright-langserver");
  const candidates = [...own, ...(program === null ? [] : [dirname(realpathSync(program))])];
  return candidates.find((folder) => kindAt(join(folder, "langserver.index.js")) === "file") ?? null;
}

/** Modules that are installed beside the interpreter on PATH, or with the system's. Found by their folders, without starting it. */
export async function pythonModules(machine: LanguageMachine): Promise<Set<string>> {
  const program = (await programsOf(machine)).find("python3");
  const prefix = program === null ? [] : [dirname(dirname(program)), dirname(dirname(realpathSync(program)))];
  const libraries = prefix.flatMap((folder) =>
    namesIn(join(folder, "lib"))
      .filter((name) => /^python3(?:\.\d+)?$/.test(name))
      .map((name) => join(folder, "lib", name)),
  );
  const places = libraries.flatMap((folder) => [join(folder, "site-packages"), join(folder, "dist-packages")]);
  return new Set(places.flatMap(namesIn));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
