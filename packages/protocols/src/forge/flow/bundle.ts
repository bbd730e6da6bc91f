import { join } from "node:path";
import type { Landing } from "@slipway/kernel/change/land/merge";
import { writeDatabaseFile } from "@slipway/kernel/record/database/database-file";
import { renderBundle, type BundleFacts } from "../bundle/evidence-bundle.ts";
import { summariseReviews } from "../bundle/review-summary.ts";
import { rollbackCommand } from "../bundle/rollback.ts";
import { payloadOf } from "../dispatch/run-documents.ts";
import { BUNDLE_FILE, KNOWLEDGE_FILE, LEDGER_DATABASE_FILE, LEDGER_SUMMARY_FILE } from "../files.ts";
import { callOf, type ForgeRun } from "../forge-run.ts";
import { exportLedger } from "../ledger/export.ts";
import type { ForgeProgress } from "../progress.ts";
import { DEGRADATIONS, type RunFact } from "../rules/confidence.ts";
import type { ConfidenceLevel } from "../schemas/enums.ts";
import { FORGE_STEPS } from "../steps.ts";
import type { Build } from "./build.ts";

/** Step 8b: the evidence bundle from the ledger's rows, and the ledger as files. A failure is a warning: the run goes on. */
export async function writeBundle(progress: ForgeProgress, build: Build, name: string, landing: Landing | null): Promise<ConfidenceLevel> {
  const { run } = progress;
  const confidence = progress.confidence();
  const step = FORGE_STEPS.bundle.named(name);
  await run.ctx.step(step, async () => {
    const text = renderBundle(await factsOf(progress, build, confidence));
    await run.files.write(callOf(run, step), { [BUNDLE_FILE]: `${text}${landing === null ? "" : commitNote(landing)}` });
    await writeLedgerFiles(run, `${step}/ledger`);
    return { confidence };
  });
  return confidence;
}

/** A merge commit, which some policies want, is taken back in another way than a range. */
function commitNote({ commit, strategy }: Landing): string {
  const alone = strategy === "merge_commit" ? `git revert -m 1 --no-commit ${commit}` : `git revert --no-commit ${commit}`;
  return `\nCommitted as ${commit}. To take back only this commit: \`${alone}\`.\n`;
}

/** The ledger as a database anyone can query, and its summary. */
export async function writeLedgerFiles(run: ForgeRun, name: string): Promise<void> {
  const { database, yaml } = await exportLedger(run.ledger, run.ref.run_id);
  await run.files.write(callOf(run, name), { [LEDGER_SUMMARY_FILE]: yaml });
  if (database !== null) await writeDatabaseFile(join(run.files.place, LEDGER_DATABASE_FILE), database);
}

async function factsOf(progress: ForgeProgress, build: Build, confidence: ConfidenceLevel): Promise<BundleFacts> {
  const { run } = progress;
  const { features } = run.change.services.kernel;
  const { run_id, tag } = run.ref;
  const changed = await features.changedFiles(run.id);
  const risks = new Map(
    build.plan.tasks.flatMap(({ relevant_context }) => relevant_context.files_to_modify.map(({ path, risk }) => [path, risk] as const)),
  );
  const tasks = build.plan.tasks.map(async ({ id, title, size }) => {
    const round = build.rounds.get(id) ?? 1;
    const of = { run_id, task_id: id, round };
    return {
      id,
      title,
      size,
      round,
      counts: await run.ledger.counts(of),
      regressions: await run.ledger.regressions(of),
      evidence: await run.ledger.evidence(of),
    };
  });
  const known = build.plan.tasks.map(async ({ id }) => {
    const failures = await run.ledger.knownFailures({ run_id, task_id: id, round: build.rounds.get(id) ?? 1 });
    return failures.map(({ check_name }) => ({
      severity: "Minor" as const,
      source: "baseline",
      issue: `${check_name} of ${id} failed before the change, too`,
    }));
  });
  const knowledge = await payloadOf(run, "knowledge-agent", KNOWLEDGE_FILE);
  return {
    feature: run.id,
    run_id,
    confidence,
    warnings: progress.facts().flatMap(warningOf),
    ledger: run.ref.ledger,
    summary: knowledge?.summary ?? null,
    tasks: await Promise.all(tasks),
    reviews: summariseReviews(progress.reviews()),
    rollback: rollbackCommand({
      tag,
      committed: confidence !== "Low",
      files: changed.flatMap(({ path, old_path }) => [path, ...(old_path === undefined ? [] : [old_path])]),
    }),
    files: changed.map(({ path, change_type }) => ({ path, change: change_type, risk: risks.get(path) ?? null })),
    known_issues: [
      ...progress.issues().map(({ severity, text, from }) => ({ severity, source: from, issue: text })),
      ...(await Promise.all(known)).flat(),
    ],
  };
}

const OTHER_WARNINGS: Readonly<Partial<Record<RunFact, string>>> = {
  "design-review-exhausted": "The design review was not approved in its last round: its findings were constraints of the plan.",
  dissent: "A reviewer disagreed with the majority.",
  "baseline-discrepancy": "A claim about the base was contradicted by the files at the baseline tag.",
  "known-issue": "There are known issues.",
};

function warningOf(fact: RunFact): string[] {
  const warning = (DEGRADATIONS as Readonly<Partial<Record<RunFact, string>>>)[fact] ?? OTHER_WARNINGS[fact];
  return warning === undefined ? [] : [warning];
}
