import type { DecisionDraft } from "@slipway/kernel/record/decisions/decision";
import type { CriticalityRun } from "../criticality-run.ts";

type IgnitionDecision = Omit<DecisionDraft, "phase" | "id" | "prefix">;

/** Appends entries of Ignition to the ledger under ids such as `design_delegation_001`. */
export async function appendDecisions(
  { ledger }: Pick<CriticalityRun, "ledger">,
  name: string,
  prefix: string,
  decisions: readonly IgnitionDecision[],
): Promise<void> {
  if (decisions.length === 0) return;
  await ledger.append(
    name,
    decisions.map((decision) => ({ ...decision, prefix, phase: "ignition" })),
  );
}

/** A delegation is the person's own decision. */
export function appendDelegation(
  run: Pick<CriticalityRun, "ledger">,
  name: string,
  phaseTitle: string,
  notes: string | null,
): Promise<void> {
  return appendDecisions(run, `${name}:delegation`, "design_delegation_", [
    {
      constraint: `Decisions after ${phaseTitle} are delegated to the architect`,
      category: "architectural",
      source: "user_explicit",
      confidence: "canonical",
      ...(notes === null ? {} : { user_notes: ledgerText(notes) }),
    },
  ]);
}

/** The ledger refuses NUL. */
export function ledgerText(text: string): string {
  return text.replaceAll("\0", "\u{fffd}").toWellFormed();
}
