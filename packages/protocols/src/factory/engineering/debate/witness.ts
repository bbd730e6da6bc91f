import { hollowed } from "@slipway/languages/typescript/hollow";
import { runTests, type TestRun } from "@slipway/languages/typescript/test-run";
import { sourcesOf, type ModuleBrief } from "../brief.ts";
import type { Deliverable } from "../deliverable.ts";
import type { InspectionFinding } from "../inspection.ts";
import type { EngineeringServices } from "../ports.ts";
import type { Objection } from "./schemas.ts";

/**
 * The result of an objection. fact: found by the harness. upheld: its witness failed, as it should. refuted: its witness passed. opinion:
 * it is about behaviour and has no usable witness. document: it is about written text, which needs no witness.
 */
export type WitnessVerdict = "fact" | "upheld" | "refuted" | "opinion" | "document";

export interface Witnessed {
  readonly failure_index: number;
  readonly standing: WitnessVerdict;
  /** What ran and with which result, or why nothing ran. */
  readonly report: string;
}

export type Witness = NonNullable<Objection["witness"]>;

const WITNESS_FILE = "tests/witness.test.ts";
const ALLOWED_IMPORTS = /^(?:node:(?:test|assert|assert\/strict)|\.\.\/implementation\/index\.ts)$/;

type Room = Pick<EngineeringServices, "language" | "kernel">;

/** Runs the witnesses of a challenge against the proposal, one at a time. Findings of the harness need none. */
export async function runWitnesses(
  services: Room,
  brief: ModuleBrief,
  files: Deliverable,
  objections: readonly Objection[],
  findings: readonly InspectionFinding[],
  signal?: AbortSignal,
): Promise<Witnessed[]> {
  const results: Witnessed[] = [];
  for (const [failure_index, { witness, concerns = "behaviour" }] of objections.entries()) {
    if (failure_index >= objections.length - findings.length) {
      results.push({ failure_index, standing: "fact", report: "found by the harness" });
    } else if (witness === undefined) {
      const report = concerns === "document" ? "about what is written" : "no witness was given";
      results.push({ failure_index, standing: concerns === "document" ? "document" : "opinion", report });
    } else {
      results.push({ failure_index, ...(await runWitness(services, brief, files, witness, signal)) });
    }
  }
  return results;
}

/** Runs one witness against the module and against the same module with empty functions. */
export async function runWitness(
  services: Room,
  brief: ModuleBrief,
  files: Deliverable,
  witness: Witness,
  signal?: AbortSignal,
): Promise<Omit<Witnessed, "failure_index">> {
  const code = Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith("implementation/")));
  const sources = sourcesOf(brief, { ...code, [WITNESS_FILE]: witness.source });
  const { imports, exported, tests: declared } = await services.language.readModule(sources, brief.contract, signal);
  const stray = imports.find(({ file, specifier }) => file === WITNESS_FILE && !ALLOWED_IMPORTS.test(specifier));
  if (stray !== undefined) return { standing: "opinion", report: `"${witness.name}" was not run: it imports ${stray.specifier}` };
  const options = { sandbox: await services.kernel.sandbox(), declared, ...(signal === undefined ? {} : { signal }) };
  const empty = { ...sources, files: hollowed(sources.files, exported) };
  const [run, hollow] = await Promise.all([runTests(sources, options), runTests(empty, options)]);
  return judgeWitness(witness.name, run, hollow);
}

/** A witness counts only if its result differs when the module is empty. */
export function judgeWitness(name: string, run: TestRun, empty: TestRun): Omit<Witnessed, "failure_index"> {
  const unusable = (why: string) => ({ standing: "opinion" as const, report: `"${name}" shows nothing: ${why}` });
  if (run.broken !== null) return unusable(run.broken);
  if (run.tests.length === 0) return unusable("no test in it was run");
  const own = run.tests.find(({ error }) => error?.by === "test");
  if (own !== undefined) return unusable(`"${own.name}" fails by itself: ${own.error?.name}: ${own.error?.message}`);
  if (outcome(run) === outcome(empty)) return unusable("it ends alike with nothing in the module");
  const failed = run.tests.filter(({ result }) => result === "FAIL");
  if (failed.length === 0)
    return { standing: "refuted", report: `"${name}" was run and passes: ${run.tests.map((test) => test.name).join(", ")}` };
  const shown = failed.map((test) => `"${test.name}": ${test.error?.name}: ${test.error?.message}`).join("; ");
  return { standing: "upheld", report: `"${name}" was run and fails: ${shown}` };
}

function outcome({ tests }: TestRun): string {
  return JSON.stringify(tests.map(({ name, result, error }) => [name, result, error?.name, error?.message]));
}

/** The objections a revision must answer: all that were not refuted. */
export function standingObjections(objections: readonly Objection[], results: readonly Witnessed[]): Objection[] {
  return objections.filter((_, index) => results.find(({ failure_index }) => failure_index === index)?.standing !== "refuted");
}
