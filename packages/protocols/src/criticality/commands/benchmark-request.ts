import { closest } from "@slipway/kernel/schema/hint";
import type { Arguments } from "../../surface/command.ts";
import type { Surface } from "../../surface/surface.ts";
import { readWish, readWishes, refused, type ModelWish } from "../benchmark/models.ts";
import { BENCHMARK_LEVELS, type BenchmarkCase } from "../benchmark/suite/case.ts";
import { SUITE } from "../benchmark/suite/suite.ts";

export interface BenchmarkRequest {
  readonly cases: readonly BenchmarkCase[];
  readonly models: readonly ModelWish[];
  readonly candidate: ModelWish | null;
}

/** Options and variables that choose one model for every role, and precede what a run has recorded. */
const FOR_ALL = { options: ["agent-provider", "provider", "agent-model"], variables: ["SLIPWAY_AGENT_PROVIDER", "SLIPWAY_AGENT_MODEL"] };

/** Refuses what names no level, no case, no alias or no model. */
export function readRequest(args: Arguments, env: Surface["env"]): BenchmarkRequest {
  const [models, candidate] = [args.text("model"), args.text("candidate")];
  const cases = chosenCases(args.text("level"), args.text("case"));
  const forAll =
    FOR_ALL.options.filter((name) => args.text(name) !== undefined).map((name) => `--${name}`)[0] ??
    FOR_ALL.variables.find((name) => (env[name] ?? "") !== "");
  const option = candidate === undefined ? "--model" : "--candidate";
  if (forAll !== undefined && (models !== undefined || candidate !== undefined))
    throw refused(option, `${forAll} chooses the model of every role, so that ${option} would have no effect`, [`Leave ${forAll} out.`]);
  return {
    cases,
    models: models === undefined ? [] : readWishes("--model", models),
    candidate: candidate === undefined ? null : readWish("--candidate", candidate),
  };
}

function chosenCases(level: string | undefined, names: string | undefined): BenchmarkCase[] {
  if (level !== undefined && !BENCHMARK_LEVELS.some((one) => one === level)) throw unknown("level", level, BENCHMARK_LEVELS);
  const ofLevel = SUITE.filter((one) => level === undefined || one.level === level);
  if (names === undefined) return ofLevel;
  const wanted = names.split(",").map((name) => name.trim());
  const missing = wanted.find((name) => !ofLevel.some((one) => one.id === name || nameOf(one) === name));
  if (missing !== undefined) throw unknown("case", missing, ofLevel.map(nameOf));
  return ofLevel.filter((one) => wanted.includes(one.id) || wanted.includes(nameOf(one)));
}

/** Without its level. */
function nameOf({ id }: BenchmarkCase): string {
  return id.split("/")[1] ?? id;
}

function unknown(option: string, given: string, known: readonly string[]) {
  const meant = closest(given, known);
  return refused(`--${option}`, `--${option}: there is no ${option} ${JSON.stringify(given.slice(0, 80))}`, [
    ...(meant === null ? [] : [`Did you mean ${meant}?`]),
    `Choose from ${known.join(", ")}, or leave --${option} out for all of them.`,
  ]);
}
