import { POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { slipway } from "./cli.ts";
import { planFor } from "./site.ts";
import { makeYard, type Yard } from "./yard.ts";

/** Nobody is asked before a merge, so that only the gates decide. */
export const UNATTENDED = POLICY.replace("canary: off", "canary: final").replace(
  "merge_policy: {",
  "merge_policy: { require_user_approval: false,",
);
const REPORTING = [
  "--test-reporter=spec",
  "--test-reporter-destination=stdout",
  "--test-reporter=junit",
  "--test-reporter-destination=reports/junit.xml",
];
const PARSED = "parsers: { tests: { type: junit_xml, path: reports/junit.xml, modes: [full] } }\n";

/** The fast gate accepts everything; the full one, which decides about the merge, runs these commands. */
export function gatesOf(cmd: readonly string[], more = ""): string {
  return `version: 1\nprofiles: { default: { modes: { fast: [{ name: look, cmd: ["true"] }], full: [{ name: test, cmd: ${JSON.stringify(cmd)} }] } } }\n${more}`;
}
export const REPORTED = gatesOf(["node", "--test", ...REPORTING], PARSED);

const AGENT = `import fs from "node:fs";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { role, input } = JSON.parse(text);
const answers = JSON.parse(fs.readFileSync("answers.json", "utf8"));
const entries = JSON.parse(input?.context_bundle?.find(({ kind }) => kind === "qa_index")?.text ?? '{"pending":[]}');
const updates = entries.pending.map(({ path, hunks }) => ({ path, hunks: hunks.map(({ start_line, end_line }) => ({ start_line, end_line })), status: "passed" }));
process.stdout.write(JSON.stringify({ output: role === "qa" ? { type: "NOTE", text: "covered", updates } : answers[role] }));
`;

type Files = Readonly<Record<string, string>>;

export interface GatedRun {
  readonly yard: Yard;
  readonly stdout: string;
  readonly stderr: string;
  readonly hasMerged: boolean;
}

/** `slipway run` of one specification, for which the agent answers with this patch. */
export async function gatedRun(project: Files, unified_diff: string, policy = UNATTENDED): Promise<GatedRun> {
  const files = [...unified_diff.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, path = ""]) => path);
  const isNew = (path: string) => unified_diff.includes(`--- /dev/null\n+++ b/${path}`);
  const plan = planFor("letters", {
    allowed_areas: ["."],
    files: { create: files.filter(isNew), modify: files.filter((path) => !isNew(path)), delete: [] },
  });
  const yard = await makeYard({
    files: {
      "slipway/gates.yaml": REPORTED,
      "slipway/policy.yaml": policy,
      "agent.mjs": AGENT,
      "answers.json": JSON.stringify({
        planner: { type: "PLAN_SUBMISSION", plan },
        builder: { type: "PATCH", summary: "sums", unified_diff },
      }),
      "slipway/agents.yaml": "version: 1\nroles: {}\nruntime: { default_provider: custom, custom: { command: [node, agent.mjs] } }\n",
      ...project,
    },
  });
  // The checkout must be clean, or nothing merges into it.
  yard.git("reset", "--quiet", "--hard");
  const { stdout, stderr } = await slipway(yard, ["run", "letters.spec.md"]);
  return { yard, stdout, stderr, hasMerged: yard.git("log", "-1", "--format=%s", "main").trim() !== "files" };
}

export interface CanaryOutcome {
  readonly outcome: string;
  readonly runs: number;
  readonly ms: number;
  readonly gate_ms: number;
  readonly waived_by: string | null;
  readonly comment: string | null;
  readonly planted: readonly { readonly kind: string; readonly path: string; readonly fate: string; readonly why: string }[];
}

export function canariesOf(yard: Yard): CanaryOutcome[] {
  const rows = yard.sql("SELECT counts FROM checks WHERE kind = 'canary' ORDER BY at") as { counts: string }[];
  return rows.map(({ counts }) => JSON.parse(counts) as CanaryOutcome);
}
