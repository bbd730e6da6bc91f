import type { PackItem } from "@slipway/agents/pack";
import type { ParsedSource, SourceTree } from "@slipway/languages/adapter";
import type { TransformationType } from "../catalog/catalog.ts";
import type { CriticalityRun } from "../criticality-run.ts";
import type { ReduceInput } from "./reduce.ts";
import { subjectOf } from "../lattice/lattice.ts";
import { functionText, spliceFunction } from "./splice.ts";
import { preservationSchema, transformAnswerSchema } from "./transform-answer.ts";
import { verifyTransform, type TransformVerifier } from "./verify-transform.ts";

export interface PatternTrial {
  readonly tree: SourceTree;
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly transformation: TransformationType;
  /** Unique among the trials of the function: `VISIT.TRIAL`. */
  readonly number: string;
  /** The decisions in force. */
  readonly decisions: string;
  readonly verify: TransformVerifier;
  readonly onProgress: ReduceInput["onProgress"] | undefined;
}

export type TrialOutcome =
  | { readonly type: "accepted"; readonly tree: SourceTree; readonly added: readonly string[] }
  /** The model says that a guard applies. */
  | { readonly type: "guarded"; readonly guard: string }
  | { readonly type: "reverted"; readonly reason: string };

const HIGH_RISK = 3;

/** Asks for one transformation and verifies it. The given tree never changes, so not accepting it restores the former code exactly. */
export async function tryPattern(run: CriticalityRun, trial: PatternTrial): Promise<TrialOutcome> {
  const { tree, id, path, name, transformation, number, verify, onProgress } = trial;
  const { language } = run.services;
  const { patternId, risk } = transformation;
  const step = `reduce:${id}:${patternId}:${number}`;
  const ast = language.parseAst(tree[path] ?? "");
  const before = functionText(ast, name);
  const request = { phase: "massDefect", subject: subjectOf(id), attempt: `${patternId}.${number}` } as const;
  await onProgress?.({ type: "applying", function: id, transformation, beforeCode: before });
  const answer = await run.askModel(step, {
    ...request,
    skill: "apply_pattern",
    alias: risk < HIGH_RISK ? "worker_model" : "architect_model",
    artifacts: artifactsOf(run, trial, ast),
    schema: transformAnswerSchema,
  });
  if (answer.outcome === "guarded") return { type: "guarded", guard: answer.guard };
  const spliced = spliceFunction(language, ast, name, answer, risk);
  if ("refused" in spliced) return reverted(run, trial, spliced.refused);
  const after = functionText(language.parseAst(spliced.text), name);
  if (run.config.mass_defect.audit_transforms && risk >= HIGH_RISK) {
    const audit = await run.askModel(`${step}:audit`, {
      ...request,
      skill: "audit_transform",
      alias: "auditor_model",
      artifacts: [
        contractOf(ast, name),
        { title: "Before", kind: "code", text: before },
        { title: "After", kind: "code", text: [after, ...answer.declarations].join("\n\n") },
      ],
      schema: preservationSchema,
    });
    if (!audit.preserves) return reverted(run, trial, `the auditor says that it changes the behaviour: ${audit.reason}`);
  }
  await onProgress?.({ type: "verifying", function: id, transformation, afterCode: after });
  const changed = { ...tree, [path]: spliced.text };
  const { min_test_coverage: minCoverage } = run.config.mass_defect.targets;
  const verdict = await run.ctx.step(`${step}:verify`, (signal) =>
    verifyTransform(verify, { tree: changed, path, function: id, risk, added: spliced.added, minCoverage }, signal),
  );
  if (!verdict.passed) return reverted(run, trial, `${verdict.check}: ${verdict.detail}`);
  return { type: "accepted", tree: changed, added: spliced.added };
}

/** The code is an item of its own. Nothing of it is put into the template, so a text in it stays data. */
function artifactsOf(run: CriticalityRun, { tree, path, name, transformation, decisions }: PatternTrial, ast: ParsedSource): PackItem[] {
  return [
    { title: `Pattern ${transformation.patternId}`, kind: "pattern", text: transformation.prompt },
    { title: `Function ${name}`, kind: "code", text: functionText(ast, name) },
    contractOf(ast, name),
    { title: "Definitions", kind: "definitions", text: run.services.language.typeDefinitions(tree, path, name, 1) },
    { title: "Decisions", kind: "decisions", text: decisions },
  ];
}

function contractOf({ functions }: ParsedSource, name: string): PackItem {
  return { title: "Contract", kind: "contract", text: functions.find((one) => one.name === name)?.doc ?? "(none)" };
}

const MAX_REASON = 4_000;

async function reverted(run: CriticalityRun, { id, transformation, number }: PatternTrial, reason: string): Promise<TrialOutcome> {
  const { patternId } = transformation;
  await run.ledger.append(`reduce:${id}:${patternId}:${number}:revert`, [
    {
      prefix: "revert_",
      constraint: `Pattern ${patternId} was reverted on ${id}`,
      category: "code_reduction",
      source: "transform_reverted",
      phase: "massDefect",
      confidence: "inferred",
      failure_context: reason.replaceAll("\0", "\u{fffd}").slice(0, MAX_REASON).toWellFormed(),
    },
  ]);
  return { type: "reverted", reason };
}
