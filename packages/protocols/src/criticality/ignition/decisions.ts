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

const DELEGATION = "design_delegation_";

/** A delegation is the person's own decision. */
export function appendDelegation(
  run: Pick<CriticalityRun, "ledger">,
  name: string,
  phaseTitle: string,
  notes: string | null,
): Promise<void> {
  return appendDecisions(run, `${name}:delegation`, DELEGATION, [
    {
      constraint: `Decisions after ${phaseTitle} are delegated to the architect`,
      category: "architectural",
      source: "user_explicit",
      confidence: "canonical",
      ...(notes === null ? {} : { user_notes: ledgerText(notes) }),
    },
  ]);
}

/** A rejected interview delegates nothing any more; the answer to the question `name` orders it. */
export async function endDelegations({ ctx, ledger }: Pick<CriticalityRun, "ctx" | "ledger">, name: string): Promise<void> {
  const entries = await ledger.list(`${name}:ledger`);
  const report = { summary: "The person rejected the proposal and started over.", phase: "ignition" };
  for (const { id, status } of entries)
    if (status === "active" && id.startsWith(DELEGATION))
      await ledger.invalidate(`${name}:end:${id}`, id, report, { answer_to: `${ctx.runId}#${name}` });
}

/** The ledger refuses NUL. */
export function ledgerText(text: string): string {
  return text.replaceAll("\0", "\u{fffd}").toWellFormed();
}
