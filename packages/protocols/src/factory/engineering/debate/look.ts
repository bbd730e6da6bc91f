import { inspect, type Inspection } from "../inspection.ts";
import type { Debate } from "./debate.ts";
import type { Proposed } from "./propose.ts";
import { hear } from "./witness.ts";

/** The harness's own look, with the witnesses of earlier rounds that were right: they have to be answered, not forgotten. */
export function lookAt({ site, brief, upheld }: Debate, round: number, { proposal, files, coverage }: Proposed): Promise<Inspection> {
  const earlier = [...upheld];
  return site.ctx.step(`${brief.contract.module_id}/inspect:${round}`, async (signal) => {
    const proposed = { files, coverage, acceptance_checks: proposal.acceptance_checks };
    const found = await inspect(site.shop, brief, proposed, site.task.acceptance_criteria, signal);
    const findings = [...found.findings];
    for (const witness of earlier) {
      const heard = await hear(site.shop, brief, files, witness, signal);
      if (heard.standing !== "upheld") continue;
      findings.push({
        criterion: "R3",
        invariant: "an earlier objection",
        evidence: `still stands: ${heard.report}`,
        required_change: "Answer it.",
      });
    }
    return { ...found, findings };
  });
}
