import { structuralDefectReport, type StructuralDefectReport } from "../escalation/breakers.ts";
import type { AttemptRecord, BatchOutcome } from "../injection/inject-batch.ts";
import { commitOutcome, startInjection, type InjectionProgress } from "../injection/progress.ts";
import { unitTestsOf } from "../injection/scene.ts";
import { injectWave, planWaves } from "../injection/wave.ts";
import { holesIn } from "../lattice/lattice.ts";
import { keepEarlier } from "./keep-earlier.ts";
import type { BlockReason } from "../machine/block.ts";
import type { Facts } from "../machine/facts.ts";
import { shortName } from "../steps.ts";
import { nextRound, type Work } from "../work.ts";
import { attemptFacts, functionFacts, positionOf } from "./injection-steps.ts";
import { graveFindings, scanProgram } from "./security-scan.ts";
import type { PhaseSession, PhaseWork } from "./session.ts";

/** Fills holes wave by wave until none is left, a breaker trips or a person is needed. */
export const injectionPhase: PhaseWork = async (session, before) => {
  const { run, keeper, tools, show } = session;
  let work = nextRound(before, "injection");
  const { lattice } = work;
  if (lattice === null) throw new TypeError("Injection begins after the lattice compiles.");
  const waves = planWaves({ run, tools, tests: unitTestsOf(run, lattice), skeleton: lattice.tree }, lattice.functions);
  let progress = work.progress ?? (await keepEarlier(session, lattice, startInjection(lattice, work.rounds.injection)));
  for (;;) {
    const outcomes = await injectWave(waves, progress);
    if (outcomes.length === 0) return finishInjection(session, { ...work, progress }, progress);
    for (const outcome of outcomes.filter(({ blocked }) => blocked === undefined)) {
      const selected = functionFacts(progress);
      const committed = commitOutcome(progress, outcome, run.config.circuit_breaker, run.services.language);
      progress = committed.progress;
      work = { ...work, progress, attempts: { ...work.attempts, ...attemptsOf(outcome, work) } };
      show(work);
      await tellOutcome(session, work, outcome, selected);
      if (keeper.current().type === "blocked" || outcome.ended?.type === "returnToLattice")
        return { ...work, defect: defectText(outcome, committed.tripped, progress) };
      if (committed.tripped === null) continue;
      await keeper.advance(
        { functions: functionFacts(progress, committed.tripped) },
        { text: trippedText(committed.tripped), good: false },
      );
      return { ...work, defect: JSON.stringify(committed.tripped, null, 2) };
    }
    const block = outcomes.find(({ blocked }) => blocked !== undefined)?.blocked;
    if (block === undefined) continue;
    const stopped = { ...work, progress };
    show(stopped);
    await keeper.advance({ block, blocks: work.rounds.blocks }, { text: block.message, good: false });
    return stopped;
  }
};

/** Takes the transitions of every attempt, in the deterministic order of commits. */
async function tellOutcome(
  { keeper, run }: PhaseSession,
  work: Work,
  { batch, attempts, ended }: BatchOutcome,
  selected: NonNullable<Facts["functions"]>,
): Promise<void> {
  const [first] = attempts;
  const { progress } = work;
  if (first === undefined || progress === null) return;
  await keeper.advance({ attempt: positionOf(first), functions: selected });
  for (const [index, attempt] of attempts.entries()) {
    const facts = attemptFacts(attempt, attempts[index + 1] ?? null, progress);
    for (const one of facts) {
      const block =
        ended?.type === "circuitBreak" && one.failure?.action.type === "circuitBreak"
          ? { block: breakReason(batch, attempts, progress) }
          : {};
      const told =
        one.failure?.action.type === "escalate"
          ? { text: `${shortName(attempt.functionId)} escalates to ${one.failure.action.to}`, good: null }
          : undefined;
      await keeper.advance({ ...one, ...block, blocks: work.rounds.blocks }, told);
    }
  }
  await run.files.flush();
}

function attemptsOf({ batch, attempts }: BatchOutcome, work: Work): Record<string, readonly AttemptRecord[]> {
  return Object.fromEntries(batch.map((id) => [id, [...(work.attempts[id] ?? []), ...attempts]]));
}

function breakReason(batch: readonly string[], attempts: readonly AttemptRecord[], progress: InjectionProgress): BlockReason {
  const concerned = progress.records.filter(({ id }) => batch.includes(id));
  const failed = attempts.flatMap(({ failure, ...attempt }) => (failure === null ? [] : [{ ...positionOf(attempt), failure }]));
  const defect = structuralDefectReport("function_exhausted", null, concerned);
  return { type: "circuit_breaker", failedFunction: batch.join("+"), attempts: failed, defect };
}

/** For a return to Lattice: what could not be filled, and no code. */
function defectText({ batch, ended }: BatchOutcome, tripped: StructuralDefectReport | null, progress: InjectionProgress): string {
  const concerned = progress.records.filter(({ id }) => batch.includes(id));
  const condition = ended?.type === "returnToLattice" ? "coherence" : "function_exhausted";
  return JSON.stringify(tripped ?? structuralDefectReport(condition, null, concerned), null, 2);
}

function trippedText({ condition, rate, functions }: StructuralDefectReport): string {
  const share = rate === null ? "" : ` (${Math.round(rate * 100)} %)`;
  return `${condition}${share}: ${functions.map(shortName).join(", ")}`;
}

/** After the last function the whole source is scanned; then the phase is complete. */
async function finishInjection(session: PhaseSession, before: Work, progress: InjectionProgress): Promise<Work> {
  const { run, keeper, show } = session;
  const scan = await scanProgram(session, before.rounds.injection, progress.tree);
  const work = { ...before, scan };
  const grave = graveFindings(scan, work);
  show(work);
  if (grave.length > 0) {
    await keeper.advance(
      { block: { type: "security_review", vulnerability: grave }, blocks: work.rounds.blocks },
      { text: "the security scan found problems", good: false },
    );
    return work;
  }
  const left = holesIn(progress.tree, run.services.language);
  if (left.length > 0) {
    const block = breakReason(left, [], progress);
    await keeper.advance({ functions: functionFacts(progress), block, blocks: work.rounds.blocks });
    return work;
  }
  await keeper.advance(
    { functions: functionFacts(progress) },
    { text: `all ${progress.records.length} functions are written`, good: true },
  );
  return work;
}
