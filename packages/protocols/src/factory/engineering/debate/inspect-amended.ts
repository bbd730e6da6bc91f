import { unappliedAmendments, type Unapplied } from "./amendments.ts";
import { TASK_STEPS } from "../../steps.ts";
import type { Debate } from "./debate.ts";
import type { amend, Proposed } from "./propose.ts";
import type { Adjudication } from "./schemas.ts";

/** Checks each amendment in the amended files. */
export function inspectAmended(
  { run, brief }: Debate,
  round: number,
  { amendments }: Adjudication,
  { files }: Proposed,
  amended: Exclude<Awaited<ReturnType<typeof amend>>, { problem: string }>,
): Promise<Unapplied[]> {
  const { language } = run.services;
  return run.ctx.step(TASK_STEPS.amended.named(brief.contract.module_id, round), async (signal) => {
    const versionOf = async (version: Version["files"]) => ({ files: version, elements: await language.elementsOf(version, signal) });
    return unappliedAmendments(amendments, amended.applied, await versionOf(files), await versionOf(amended.files));
  });
}

type Version = Parameters<typeof unappliedAmendments>[2];

/** Used if the Proposer gave no valid answer: no amendment counts as applied. */
export function refused({ amendments }: Adjudication, explanation: string): Unapplied[] {
  return amendments.map((amendment) => ({ amendment, problem: "the Proposer gave no valid answer", explanation }));
}
