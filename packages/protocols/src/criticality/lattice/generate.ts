import type { PackItem } from "@slipway/agents/pack";
import type { SourceProblem, SourceTree } from "@slipway/languages/adapter";
import type { CriticalityRun } from "../criticality-run.ts";
import type { SystemSpec } from "../spec/schema.ts";
import { importConstructors } from "./import-constructors.ts";
import type { Lattice, WitnessTier } from "./lattice.ts";
import { readLattice, scaffoldProblems } from "./problems.ts";
import { scaffoldAnswer, witnessesAnswer, type Scaffold } from "./scaffold.ts";

/** What the lattice is made from. */
export interface LatticeInput {
  readonly spec: SystemSpec;
  readonly specText: string;
  /** How the language is written here: layout, hole marker, compiler settings. */
  readonly target: string;
  /** Files of the project that are not the model's: manifest, compiler settings. */
  readonly projectFiles: SourceTree;
  /** Whether the repository has a file that no earlier run wrote. */
  readonly isTaken: (path: string) => Promise<boolean>;
  /** Why an earlier lattice was given up, without its code. */
  readonly defectReport: string | null;
  /** Distinguishes the steps of a second lattice in the same run. */
  readonly round: number;
}

/** A scaffold with its witnesses, before it is checked. */
export interface LatticeDraft {
  readonly tree: SourceTree;
  readonly scaffold: Scaffold;
  readonly witnesses: readonly WitnessTier[];
}

/** Asks for witnesses and for the skeleton of all modules. `errors` are what the compiler and the rules said of the last one. */
export async function draftLattice(
  run: CriticalityRun,
  input: LatticeInput,
  attempt: number,
  errors: readonly SourceProblem[],
): Promise<LatticeDraft> {
  const { language } = run.services;
  const of = { phase: "lattice", alias: "structurer_model", attempt: `${input.round}.${attempt}` } as const;
  const name = `${input.round}:${attempt}`;
  const artifacts = latticeArtifacts(input, await run.ledger.constraintBlock(`constraints:lattice:${name}`), errors);
  const { witnesses } = await run.askModel(`witnesses:${name}`, {
    ...of,
    skill: "generate_witness",
    subject: "witnesses",
    artifacts,
    schema: witnessesAnswer,
  });
  const generated = witnesses.map((definition) => ({ definition, ...language.generateWitness(definition) }));
  const available = generated
    .map(({ path, text }) => `// ${path}\n${language.id === "typescript" ? signaturesOf(text) : text}`)
    .join("\n\n");
  const target = artifact(
    "language target",
    available === "" ? input.target : `${input.target}\n\nTypes in src/witnesses:\n\n${available}`,
  );
  const scaffold = await run.askModel(`scaffold:${name}`, {
    ...of,
    skill: "scaffold_module",
    subject: "lattice",
    artifacts: [...artifacts.filter(({ title }) => title !== "language target"), target],
    schema: scaffoldAnswer,
  });
  const complete = (text: string) => (language.id === "typescript" ? importConstructors(text, generated) : text);
  const files = Object.fromEntries(scaffold.files.map(({ path, text }) => [path, complete(text)]));
  const own = Object.fromEntries(generated.map(({ path, text }) => [path, text]));
  return {
    tree: { ...input.projectFiles, ...files, ...own },
    scaffold,
    witnesses: generated.map(({ definition, level, invariants }) => ({ name: definition.name, definition, level, invariants })),
  };
}

/** The lattice if it passes every check, and the problems for the next attempt otherwise. */
export async function checkLattice(
  run: CriticalityRun,
  { spec, isTaken }: LatticeInput,
  draft: LatticeDraft,
  signal: AbortSignal,
): Promise<{ readonly lattice: Lattice | null; readonly problems: readonly SourceProblem[] }> {
  const { language, kernel } = run.services;
  const paths = draft.scaffold.files.map(({ path }) => path);
  const taken = new Set((await Promise.all(paths.map(async (path) => ((await isTaken(path)) ? [path] : [])))).flat());
  const misplaced = scaffoldProblems(draft.scaffold, spec, language, taken);
  if (misplaced.length > 0) return { lattice: null, problems: misplaced };
  const read = readLattice(draft.tree, draft.scaffold, spec, language);
  const oracle = await language.openOracle(draft.tree, { sandbox: await kernel.sandbox(), signal });
  try {
    const compiled = await oracle.check();
    const problems = [...compiled.problems, ...read.problems];
    const lattice = { tree: draft.tree, functions: read.functions, witnesses: draft.witnesses };
    return compiled.passed && problems.length === 0 ? { lattice, problems: [] } : { lattice: null, problems };
  } finally {
    await oracle.close();
  }
}

function latticeArtifacts(input: LatticeInput, constraints: string, errors: readonly SourceProblem[]): PackItem[] {
  return [
    artifact("spec.toml", input.specText),
    artifact("constraints", constraints),
    artifact("language target", input.target),
    ...(input.defectReport === null ? [] : [artifact("structural defect report", input.defectReport)]),
    ...(errors.length === 0 ? [] : [artifact("compiler errors", errors.map(problemLine).join("\n"))]),
  ];
}

function artifact(title: string, text: string): PackItem {
  return { title, kind: "artifact", text };
}

export function problemLine({ file, line, column, message }: SourceProblem): string {
  return `${file ?? "(skeleton)"}:${line}:${column}: ${message}`;
}

/** A TypeScript witness as the structurer needs it: declarations without their bodies. */
function signaturesOf(text: string): string {
  return text
    .split("\n")
    .filter((line) => /^(?:export |\/\*\*| \*)/.test(line))
    .map((line) => line.replace(/ \{$/, ";"))
    .join("\n");
}
