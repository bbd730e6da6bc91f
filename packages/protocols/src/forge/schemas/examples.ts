import type { PlayedForgeRole } from "../agents.ts";
import type { Answer } from "./answers.ts";
import { CONFIDENCE_DEFINITIONS, type AnsweredDecision } from "./decision.ts";
import type { CheckRecord } from "./implementation.ts";
import type { ForgeTask } from "./task.ts";

/** One feature in every example: a limit on the length of a display name. */
const completion = { status: "DONE", severity: null, findings_count: 0, risk_level: null, output_paths: [] as string[] } as const;

const done = (summary: string) => ({ ...completion, output_paths: [], summary });

const EXAMPLE_DECISION: AnsweredDecision = {
  id: "D-1",
  title: "Where the length is checked",
  context: "Names come in through the web form and through the import.",
  alternatives: [
    {
      id: "alt-1",
      label: "In the model",
      description: "One check that both ways in pass through.",
      pros: ["one place"],
      cons: ["later message"],
    },
    {
      id: "alt-2",
      label: "In the form",
      description: "A check in the browser.",
      pros: ["early message"],
      cons: ["the import bypasses it"],
    },
  ],
  selected: "alt-1",
  rationale: "The import has no form, so only the model sees every name.",
  confidence: "High",
  risk_classification: "🟡",
};

export const EXAMPLE_RECORD = {
  ...EXAMPLE_DECISION,
  confidence_definition: CONFIDENCE_DEFINITIONS.High,
  date: "2026-02-26T14:41:00Z",
  decided_by: "designer",
};

export const EXAMPLE_TASK: ForgeTask = {
  id: "task-01",
  title: "Limit a display name to 80 characters",
  description: "Refuse a longer name in the model and test the limit from both sides.",
  size: "Standard",
  task_type: "code",
  relevant_context: {
    design_sections: ["design-output.yaml#payload.decisions[id='D-1']"],
    spec_requirements: ["spec-output.yaml#payload.requirements[id='FR-1']"],
    files_to_modify: [
      { path: "src/user.ts", risk: "🟡", operation: "modify" },
      { path: "src/user.test.ts", risk: "🟢", operation: "create" },
    ],
  },
  acceptance_criteria: ["AC-1"],
  depends_on: [],
};

export const EXAMPLE_BASELINE: CheckRecord = {
  check_name: "tests",
  tool: "npm",
  command: "npm test",
  exit_code: 0,
  passed: true,
  output_snippet: "tests 12, pass 12, fail 0",
};

/** A valid answer of each role. */
export const EXAMPLE_ANSWERS: { readonly [R in PlayedForgeRole]: Answer<R> } = {
  researcher: {
    completion: { ...done("Names enter in two places"), findings_count: 1 },
    payload: {
      summary: "A name is written by the form and by the import; both use the same model.",
      findings: [{ title: "Two ways in", detail: "The form and the import both call saveUser.", files: ["src/user.ts", "src/import.ts"] }],
      open_questions: ["Are longer names stored already?"],
    },
  },
  spec: {
    completion: done("One requirement with one criterion"),
    payload: {
      summary: "A display name has at most 80 characters.",
      requirements: [{ id: "FR-1", text: "A display name longer than 80 characters is refused." }],
      acceptance_criteria: [{ id: "AC-1", text: "81 characters are refused, 80 are stored.", requirement: "FR-1" }],
      pushback: [
        {
          severity: "Minor",
          concern: "Names that are longer today cannot be saved again.",
          options: [
            { id: "proceed", label: "Refuse them too" },
            { id: "modify", label: "Let stored names stay" },
            { id: "abandon", label: "Abandon the run" },
          ],
        },
      ],
    },
  },
  designer: {
    completion: done("The model checks the length"),
    payload: {
      summary: "saveUser refuses a name that is too long; both ways in show its message.",
      decisions: [EXAMPLE_DECISION],
      components: [{ name: "user model", responsibility: "It refuses a name that is too long.", files: ["src/user.ts"] }],
    },
  },
  planner: {
    completion: { ...done("One task in one wave"), risk_level: "🟡" },
    payload: {
      summary: "One task changes the model and its test.",
      tasks: [EXAMPLE_TASK],
      waves: [["task-01"]],
      overall_risk_summary: "🟡",
      decisions: [],
    },
  },
  implementer: {
    completion: done("saveUser refuses names of more than 80 characters"),
    payload: {
      mode: "implement",
      summary: "The model checks the length before it saves.",
      changes: [
        { path: "src/user.ts", summary: "saveUser throws for a name longer than 80 characters." },
        { path: "src/user.test.ts", summary: "Tests with 80 and 81 characters." },
      ],
      self_check: { attempts: 1, passed: true },
      smoke_script: {
        path: "smoke.mjs",
        text: 'import { saveUser } from "./src/user.ts";\nconst user = saveUser("a".repeat(80));\nconsole.log(user.name.length);\n',
        command: ["node", "smoke.mjs"],
      },
    },
  },
  verifier: {
    completion: {
      ...done("Three checks passed and the criterion is met"),
      evidence_summary: { total_checks: 3, passed: 3, failed: 0, security_blockers: 0 },
    },
    payload: {
      verification_report: {
        evidence_gate: { total_checks: 3, passed: 3, failed: 0, gate_status: "passed" },
        findings: [{ check_name: "tests", phase: "after", passed: true, output_snippet: "tests 14, pass 14, fail 0" }],
        regressions: [],
        criteria: [{ id: "AC-1", met: true, evidence: "The check tests runs both lengths and passed." }],
        baseline_discrepancies: [],
      },
    },
  },
  "adversarial-reviewer": {
    completion: { ...done("The import swallows the new error"), severity: "Major", findings_count: 1, risk_level: "🟡" },
    payload: {
      verdict: "needs_revision",
      confidence: "High",
      findings_count: { blocker: 0, critical: 0, major: 1, minor: 0 },
      summary: "The limit holds, but a refused name disappears from an import without a message.",
      findings: [
        {
          title: "The import hides a refused name",
          severity: "Major",
          category: "correctness",
          description: "importUsers catches every error of saveUser and goes on.",
          affected_artifacts: ["src/import.ts"],
          recommendation: "Report each refused name with its line.",
          evidence: "src/import.ts, the catch around saveUser.",
        },
      ],
      checks_cited: [{ task_id: "task-01", check_name: "tests", passed: true }],
    },
  },
  "knowledge-agent": {
    completion: done("One pattern is worth keeping"),
    payload: {
      summary: "Limits of fields belong in the model.",
      knowledge_updates: [{ topic: "validation", text: "Every way in passes through the model." }],
      memories: [{ topic: "validation", text: "Check limits of fields in src/user.ts, not in the form." }],
      instruction_changes: [{ path: ".github/instructions/models.md", text: "Check limits in the model.", weakens: false }],
      retrospective: [{ metric: "verification iterations", value: "1" }],
      decisions: [EXAMPLE_DECISION],
    },
  },
};
