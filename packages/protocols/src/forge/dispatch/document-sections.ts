import type { PackItem } from "@slipway/agents/pack";
import { DECISIONS_FILE, DESIGN_FILE, KNOWLEDGE_FILE, PLAN_FILE, REQUEST_FILE, researchFile, SPEC_FILE, verdictsFile } from "../files.ts";
import type { ForgeRun } from "../forge-run.ts";
import { FOCUS_TEXTS } from "../rules/reviewers.ts";
import { RESEARCH_FOCUSES } from "../schemas/enums.ts";
import { yamlText } from "../schemas/yaml.ts";
import type { DispatchOf } from "./dispatches.ts";
import { memorySections } from "./memories.ts";
import { completionBlocks, repositorySections, runFile, runFiles } from "./sections.ts";
import { ledgerText } from "./task-sections.ts";

const RESEARCH = RESEARCH_FOCUSES.map(researchFile);

export async function researchSections(run: ForgeRun, { focus, more }: DispatchOf<"researcher">): Promise<PackItem[]> {
  return [
    ...(await runFile(run, REQUEST_FILE, "request")),
    { title: "focus", kind: "parameters", text: more === null ? focus : `${focus}\n${more}` },
    ...(await memorySections(run)),
    ...(await repositorySections(run)),
  ];
}

export async function specSections(run: ForgeRun, { wishes }: DispatchOf<"spec">): Promise<PackItem[]> {
  return [
    ...(await runFile(run, REQUEST_FILE, "request")),
    ...(await upstream(run, await researchFiles(run))),
    ...wishSection(wishes),
    ...(await repositorySections(run)),
  ];
}

export async function designSections(run: ForgeRun, { round }: DispatchOf<"designer">): Promise<PackItem[]> {
  return [
    ...(await runFile(run, REQUEST_FILE, "request")),
    ...(await upstream(run, [SPEC_FILE, ...(await researchFiles(run))])),
    ...(round === 1 ? [] : [...(await runFile(run, DESIGN_FILE)), ...(await findingsOf(run, "design"))]),
    ...(await repositorySections(run)),
  ];
}

export async function planSections(run: ForgeRun, { constraints, feedback, failed }: DispatchOf<"planner">): Promise<PackItem[]> {
  return [
    ...(await upstream(run, [DESIGN_FILE, SPEC_FILE, verdictsFile("design")])),
    ...(constraints.length === 0
      ? []
      : [{ title: "open findings: constraints of the plan", kind: "constraints", text: constraints.join("\n\n") }]),
    ...wishSection(feedback),
    ...(failed.length === 0
      ? []
      : [
          ...(await runFile(run, PLAN_FILE)),
          { title: "tasks to plan again, with their findings", kind: "results", text: yamlText(failed) },
        ]),
    ...(await repositorySections(run)),
  ];
}

/** The seed's parameters, the artifacts of the scope and, for code, the staged diff and the ledger. */
export async function reviewSections(run: ForgeRun, dispatch: DispatchOf<"adversarial-reviewer">): Promise<PackItem[]> {
  const { scope, focus, round, risk_level } = dispatch;
  const artifacts = scope === "design" ? [DESIGN_FILE, "design.md"] : ["git diff --staged", "implementation-reports/"];
  const parameters = {
    review_scope: scope,
    review_focus: focus,
    focus: FOCUS_TEXTS[focus],
    artifacts,
    risk_level,
    ...(scope === "code" ? { verification_evidence_path: "verification-ledger.db" } : {}),
    run_id: run.ref.run_id,
    round,
  };
  const items: PackItem[] = [{ title: "review", kind: "parameters", text: yamlText(parameters) }, ...(await runFile(run, SPEC_FILE))];
  if (scope === "design") return [...items, ...(await runFiles(run, [DESIGN_FILE, "design.md"])), ...(await repositorySections(run))];
  const { features } = run.change.services.kernel;
  const { text } = await features.diffText(run.id, { max_bytes: MAX_DIFF_BYTES });
  const paths = await run.files.paths();
  const reports = paths.filter((path) => path.startsWith("implementation-reports/"));
  const tasks = paths.flatMap((path) => /^tasks\/(.+)\.yaml$/.exec(path)?.[1] ?? []);
  const evidence = await Promise.all(tasks.map(async (id) => `# ${id}\n${await ledgerText(run, id)}`));
  return [
    ...items,
    { title: "git diff --staged", kind: "diff", text },
    ...(await runFiles(run, reports, "report")),
    { title: "verification evidence", kind: "evidence", text: evidence.join("\n") },
    ...(await repositorySections(run)),
  ];
}

const MAX_DIFF_BYTES = 200_000;

/** Everything of the run. It has no terminal, so that the harness adds the diff and the queries. */
export async function knowledgeSections(run: ForgeRun, { confidence }: DispatchOf<"knowledge-agent">): Promise<PackItem[]> {
  const paths = await run.files.paths();
  const typed = paths.filter((path) => path.endsWith(".yaml") && path !== DECISIONS_FILE && path !== KNOWLEDGE_FILE);
  const { text } = await run.change.services.kernel.features.diffText(run.id, { max_bytes: MAX_DIFF_BYTES });
  return [
    ...(await runFile(run, REQUEST_FILE, "request")),
    { title: "confidence of the run", kind: "parameters", text: confidence },
    ...(await upstream(run, typed)),
    ...(await runFile(run, DECISIONS_FILE)),
    { title: "telemetry", kind: "evidence", text: yamlText(await run.ledger.telemetry(run.ref.run_id)) },
    { title: "git diff", kind: "diff", text },
    ...(await memorySections(run)),
  ];
}

/** Completion blocks first, then the outputs. */
async function upstream(run: ForgeRun, paths: readonly string[]): Promise<PackItem[]> {
  return [...(await completionBlocks(run, paths)), ...(await runFiles(run, paths))];
}

async function researchFiles(run: ForgeRun): Promise<string[]> {
  const written = (await run.files.paths()).filter((path) => path.startsWith("research/") && path.endsWith(".yaml"));
  return [...new Set([...RESEARCH, ...written])].filter((path) => written.includes(path));
}

async function findingsOf(run: ForgeRun, scope: "design" | "code"): Promise<PackItem[]> {
  const paths = (await run.files.paths()).filter((path) => path.startsWith(`review-findings/${scope}-`) && path.endsWith(".md"));
  return [...(await runFile(run, verdictsFile(scope))), ...(await runFiles(run, paths, "findings"))];
}

function wishSection(text: string | null): PackItem[] {
  return text === null ? [] : [{ title: "a person asks for this", kind: "request", text }];
}
