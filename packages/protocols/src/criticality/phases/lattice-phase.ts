import type { SourceProblem } from "@slipway/languages/adapter";
import type { CriticalityRun } from "../criticality-run.ts";
import { checkLattice, draftLattice, type LatticeInput } from "../lattice/generate.ts";
import { latticeJson, tierReport, type Lattice } from "../lattice/lattice.ts";
import { projectTemplate, targetText } from "../lattice/target.ts";
import { committedFiles } from "../prepare.ts";
import { nextRound, type Work } from "../work.ts";
import type { PhaseSession, PhaseWork } from "./session.ts";

/** Asks for a skeleton until it compiles and holds no logic, within the limit of repairs. */
export const latticePhase: PhaseWork = async (session, before) => {
  const { run, keeper, show } = session;
  const work = nextRound(before, "lattice");
  if (before.lattice !== null) archiveLattice(run, before.lattice, work.rounds.lattice - 1);
  const input = await latticeInput(session, work);
  const maxRepairAttempts = run.config.orchestrator.max_repair_attempts;
  let errors: readonly SourceProblem[] = [];
  for (let attempt = 1; ; attempt++) {
    const draft = await draftLattice(run, input, attempt, errors);
    await keeper.advance({ artifacts: [attempt === 1 ? "lattice" : "repair"] });
    const checked = await run.ctx.step(`lattice:${input.round}:${attempt}`, (signal) => checkLattice(run, input, draft, signal));
    if (checked.lattice !== null) {
      run.files.put("lattice/lattice.json", latticeJson(checked.lattice));
      run.files.put("lattice/witness-tiers.json", tierReport(checked.lattice));
      const next = { ...work, lattice: checked.lattice, progress: null, attempts: {}, clusters: [], defect: null };
      show(next);
      await keeper.advance({ compile: "passed" }, { text: "the skeleton holds no logic, and every claim has a contract", good: true });
      return next;
    }
    errors = checked.problems;
    await keeper.advance({ compile: "failed", problems: [...errors], maxRepairAttempts });
    // The repairs are exhausted: the table blocks without further facts.
    if (attempt > maxRepairAttempts) {
      await keeper.advance({ blocks: work.rounds.blocks }, { text: `the skeleton has still ${errors.length} problems`, good: false });
      return work;
    }
  }
};

async function latticeInput({ run, input }: PhaseSession, { specification, defect, rounds }: Work): Promise<LatticeInput> {
  if (specification === null) throw new TypeError("Lattice begins after a specification is approved.");
  const { language, kernel } = run.services;
  const committed = committedFiles(kernel);
  const template = projectTemplate(language, run.id);
  const projectFiles = { ...template, ...input.project_files };
  return {
    spec: specification.spec,
    specText: specification.specText,
    target: targetText(language),
    projectFiles,
    isTaken: async (path) => (await committed(path)) !== null && (await committed(run.config.project.spec_path)) === null,
    defectReport: defect,
    round: rounds.lattice,
  };
}

/** Kept for people; no model sees it again. */
function archiveLattice({ files }: CriticalityRun, { tree }: Lattice, round: number): void {
  for (const [path, text] of Object.entries(tree)) files.put(`archive/lattice/${round}/${path}`, text);
}
