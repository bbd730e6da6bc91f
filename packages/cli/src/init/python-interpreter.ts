import { at, below, type InitTarget } from "./target.ts";

export interface Interpreter {
  readonly command: string;
  /** Continues a sentence: " in .venv …", or empty. */
  readonly because: string;
  readonly shared: readonly string[];
  hasTool(name: string): boolean;
}

const ENVIRONMENTS = [".venv", "venv", "env"];

/** The virtual environment of the checkout, if there is one: it has the packages, and gates cannot install any. */
export function interpreterOf(place: InitTarget): Interpreter {
  const { machine } = place;
  const folder = ENVIRONMENTS.find((name) => machine.here(at(place, `${name}/bin/python`)));
  if (folder === undefined) return { command: "python3", because: "", shared: [], hasTool: () => false };
  return {
    command: `${folder}/bin/python`,
    because: `, in the virtual environment ${at(place, folder)}`,
    shared: [at(place, folder)],
    hasTool: (name) => machine.here(at(place, `${folder}/bin/${name}`)),
  };
}

/** With the src layout an editable install would test the checkout instead of the worktree; PYTHONPATH takes precedence. */
export function sourceFolder(place: InitTarget): { readonly PYTHONPATH?: string } {
  return below(place).some((path) => /^src\/.+\.py$/.test(path)) ? { PYTHONPATH: "src" } : {};
}
