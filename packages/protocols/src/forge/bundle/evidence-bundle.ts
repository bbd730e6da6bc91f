import type { ConfidenceLevel, ReviewFocus, ReviewScope, Risk, FindingSeverity, TaskSize, Verdict } from "../schemas/enums.ts";
import type { EvidenceRow } from "../ledger/ledger-store.ts";
import type { EvidenceCounts, LedgerRegression } from "../ledger/questions.ts";
import { code, codeBlock, plain, table } from "./markdown.ts";

export interface BundleTask {
  readonly id: string;
  readonly title: string;
  readonly size: TaskSize;
  readonly round: number;
  /** Of the last round. */
  readonly counts: EvidenceCounts;
  readonly regressions: readonly LedgerRegression[];
  /** The evidence query's rows. */
  readonly evidence: readonly EvidenceRow[];
}

export interface BundleReview {
  readonly scope: ReviewScope;
  readonly round: number;
  readonly verdicts: readonly { readonly model: string; readonly focus: ReviewFocus; readonly verdict: Verdict; readonly found: number }[];
  /** Findings of this round that a later round did not repeat. */
  readonly fixed: number;
}

export interface BundleFile {
  readonly path: string;
  readonly change: string;
  /** Null for a file that no task planned. */
  readonly risk: Risk | null;
}

/** What the bundle says. Only `summary` may come from an agent. */
export interface BundleFacts {
  readonly feature: string;
  readonly run_id: string;
  readonly confidence: ConfidenceLevel;
  /** Why it is not High, and every degradation. */
  readonly warnings: readonly string[];
  readonly ledger: "sqlite" | "yaml";
  readonly summary: string | null;
  readonly tasks: readonly BundleTask[];
  readonly reviews: readonly BundleReview[];
  readonly rollback: string;
  readonly files: readonly BundleFile[];
  readonly known_issues: readonly { readonly severity: FindingSeverity; readonly source: string; readonly issue: string }[];
}

/** `evidence-bundle.md`. */
export function renderBundle(facts: BundleFacts): string {
  const { feature, run_id, summary } = facts;
  const parts = [
    `# Evidence bundle: ${plain(feature)}`,
    `Run ${code(run_id)}. ${ledgerSentence(facts.ledger)}`,
    ...(summary === null ? [] : [plain(summary)]),
    ...confidencePart(facts),
    ...verificationPart(facts),
    ...reviewPart(facts),
    "## Rollback",
    codeBlock(facts.rollback),
    ...blastPart(facts),
    ...issuesPart(facts),
    ...evidencePart(facts),
  ];
  return `${parts.join("\n\n")}\n`;
}

function ledgerSentence(ledger: BundleFacts["ledger"]): string {
  return ledger === "sqlite"
    ? "Every row below is in verification-ledger.db."
    : "SQLite could not be used: the evidence is in verification-ledger.yaml, and independent SQL verification was lost.";
}

function confidencePart({ confidence, warnings }: BundleFacts): string[] {
  const list = warnings.map((warning) => `- ${plain(warning)}`).join("\n");
  return ["## Confidence", `**${confidence}**`, ...(list === "" ? [] : [list])];
}

function verificationPart({ tasks }: BundleFacts): string[] {
  const rows = tasks.map(({ id, title, size, round, counts, regressions }) => [
    id,
    title,
    size,
    String(round),
    String(counts.passed),
    String(counts.failed),
    String(regressions.length),
  ]);
  const regressions = tasks.flatMap((task) =>
    task.regressions.map(
      ({ check_name, output_snippet }) =>
        `- ${task.id}: ${code(check_name)} passed on the base and fails now. ${plain(output_snippet ?? "")}`,
    ),
  );
  const summary = table(["Task", "Title", "Size", "Round", "Passed", "Failed", "Regressions"], rows);
  return ["## Verification", summary, ...(regressions.length === 0 ? [] : [regressions.join("\n")])];
}

function reviewPart({ reviews }: BundleFacts): string[] {
  const rows = reviews.flatMap(({ scope, round, verdicts }) =>
    verdicts.map(({ model, focus, verdict, found }) => [scope, String(round), model, focus, verdict, String(found)]),
  );
  const fixed = reviews.map(({ scope, round, verdicts, fixed: count }) => {
    const found = verdicts.reduce((sum, verdict) => sum + verdict.found, 0);
    return `- ${scope} review, round ${round}: ${found} found, ${count} fixed`;
  });
  return [
    "## Review",
    table(["Scope", "Round", "Model", "Focus", "Verdict", "Issues found"], rows),
    ...(fixed.length === 0 ? [] : [fixed.join("\n")]),
  ];
}

function blastPart({ files, tasks }: BundleFacts): string[] {
  const regressions = tasks.reduce((sum, task) => sum + task.regressions.length, 0);
  const count = (risk: Risk | null) => files.filter((file) => file.risk === risk).length;
  const risks = `🟢 ${count("🟢")}, 🟡 ${count("🟡")}, 🔴 ${count("🔴")}${count(null) === 0 ? "" : `, not planned ${count(null)}`}`;
  const rows = files.map(({ path, change, risk }) => [path, change, risk ?? "not planned"]);
  return ["## Blast radius", `${files.length} files (${risks}), ${regressions} regressions.`, table(["File", "Change", "Risk"], rows)];
}

function issuesPart({ known_issues }: BundleFacts): string[] {
  const rows = known_issues.map(({ severity, source, issue }) => [severity, source, issue]);
  return ["## Known issues", rows.length === 0 ? "None." : table(["Severity", "Source", "Issue"], rows)];
}

const EVIDENCE_COLUMNS = [
  "phase",
  "check_name",
  "tool",
  "command",
  "exit_code",
  "passed",
  "verdict",
  "severity",
  "round",
  "output_snippet",
] as const satisfies readonly (keyof EvidenceRow)[];

function evidencePart({ tasks }: BundleFacts): string[] {
  const sections = tasks.flatMap(({ id, evidence }) => [
    `### ${plain(id)}`,
    table(
      EVIDENCE_COLUMNS,
      evidence.map((row) => EVIDENCE_COLUMNS.map((column) => String(row[column] ?? ""))),
    ),
  ]);
  return ["## Evidence", ...sections];
}
