import { inspect, type Inspection } from "../inspection.ts";
import { TASK_STEPS } from "../../steps.ts";
import type { Debate } from "./debate.ts";
import type { Proposed } from "./propose.ts";
import { runWitness } from "./witness.ts";

/** Inspects a proposal and reruns the upheld witnesses of earlier rounds, so that no upheld objection is forgotten. */
export function inspectProposal(
  { run, brief, upheld }: Debate,
  round: number,
  { proposal, files, coverage }: Proposed,
): Promise<Inspection> {
  const earlier = [...upheld];
  return run.ctx.step(TASK_STEPS.inspect.named(brief.contract.module_id, round), async (signal) => {
    const proposed = { files, coverage, acceptance_checks: proposal.acceptance_checks };
    const found = await inspect(run.services, brief, proposed, run.task.acceptance_criteria, signal);
    const findings = [...found.findings];
    for (const witness of earlier) {
      const result = await runWitness(run.services, brief, files, witness, signal);
      if (result.standing !== "upheld") continue;
      findings.push({
        criterion: "R3",
        invariant: "an earlier objection",
        evidence: `still stands: ${result.report}`,
        required_change: "Answer it.",
      });
    }
    return { ...found, findings };
  });
}
