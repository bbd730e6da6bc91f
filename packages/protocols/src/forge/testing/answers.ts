import type { ProviderRequest } from "@slipway/agents/provider";
import { z } from "zod";
import { readYaml } from "../schemas/yaml.ts";

/** What a scripted agent says: a text as it is, a value as JSON, an error of its provider. */
export type Said = string | object | Error;

type Completion = Readonly<Record<string, unknown>>;

export function completion(more: Completion = {}): Completion {
  return { status: "DONE", summary: "Done.", severity: null, findings_count: 0, risk_level: null, ...more };
}

/** An agent that says it could not do its work. */
export function failedAnswer(summary = "It did not work."): object {
  return { completion: completion({ status: "ERROR", summary }), payload: null };
}

export function taskId(number: number): string {
  return `task-${String(number).padStart(2, "0")}`;
}

/** The file that the default plan's task creates. */
export function partFile(number: number): string {
  return `src/part-${String(number).padStart(2, "0")}.json`;
}

export interface PlannedTask {
  readonly number: number;
  readonly risk?: "🟢" | "🟡" | "🔴";
  readonly path?: string;
  /** Other files that the task creates. */
  readonly also?: readonly string[];
  readonly operation?: "create" | "modify" | "delete";
  readonly depends_on?: readonly string[];
}

export function taskOf({ number, risk = "🟢", path = partFile(number), also = [], operation = "create", depends_on = [] }: PlannedTask) {
  return {
    id: taskId(number),
    title: `Part ${number}`,
    size: risk === "🔴" ? "Large" : "Standard",
    task_type: "code",
    relevant_context: {
      design_sections: ["design-output.yaml#payload.decisions[id='D-1']"],
      spec_requirements: ["spec-output.yaml#payload.requirements[id='FR-1']"],
      files_to_modify: [{ path, risk, operation }, ...also.map((other) => ({ path: other, risk, operation: "create" }))],
    },
    acceptance_criteria: ["AC-1"],
    depends_on: [...depends_on],
  };
}

/** A planner's answer; by default all tasks are in one wave. */
export function planAnswer(tasks: readonly PlannedTask[], waves: readonly (readonly number[])[] = [tasks.map(({ number }) => number)]) {
  const risk = (["🔴", "🟡", "🟢"] as const).find((one) => tasks.some((task) => (task.risk ?? "🟢") === one)) ?? "🟢";
  return {
    completion: completion({ risk_level: risk }),
    payload: {
      summary: `${tasks.length} parts.`,
      tasks: tasks.map(taskOf),
      waves: waves.map((wave) => wave.map(taskId)),
      overall_risk_summary: risk,
    },
  };
}

export function decision(id = "D-1") {
  const alternative = (number: number) => ({
    id: `alt-${number}`,
    label: `Way ${number}`,
    description: "A way.",
    pros: ["short"],
    cons: ["none"],
  });
  return {
    id,
    title: `Choice ${id}`,
    context: "There are two ways.",
    alternatives: [alternative(1), alternative(2)],
    selected: "alt-1",
    rationale: "It is shorter.",
    confidence: "High",
    risk_classification: "🟢",
  };
}

/** An entry of an implementer's list for each path. */
export function changesOf(paths: readonly string[], summary = "The part is there."): object[] {
  return paths.map((path) => ({ path, summary }));
}

/** An implementer's answer with the whole new texts of files; null deletes one. */
export function implementation(files: Readonly<Record<string, string | null>>, more: object = {}): object {
  const summary = "The part is there.";
  return {
    output: {
      completion: completion(),
      payload: {
        mode: "implement",
        summary,
        changes: changesOf(Object.keys(files)),
        self_check: { attempts: 0, passed: true },
        ...more,
      },
    },
    files: Object.entries(files).map(([path, content]) => ({ path, content })),
  };
}

export interface SaidFinding {
  readonly title?: string;
  readonly severity?: string;
  readonly category?: string;
  readonly affected_artifacts?: readonly string[];
}

/** A reviewer's answer whose counts fit its findings. */
export function reviewAnswer(verdict: string, findings: readonly SaidFinding[] = [], more: object = {}) {
  const full = findings.map(
    ({ title = "It is not done", severity = "Major", category = "correctness", affected_artifacts = ["design.md"] }) => {
      return {
        title,
        severity,
        category,
        affected_artifacts,
        description: "It is described.",
        recommendation: "Do it.",
        evidence: "Seen.",
      };
    },
  );
  const count = (severity: string) => full.filter((finding) => finding.severity === severity).length;
  const severity = ["Blocker", "Critical", "Major", "Minor"].find((one) => count(one) > 0) ?? null;
  const findings_count = { blocker: count("Blocker"), critical: count("Critical"), major: count("Major"), minor: count("Minor") };
  return {
    completion: completion({ severity, findings_count: full.length, risk_level: "🟢" }),
    payload: { verdict, confidence: "High", summary: "One paragraph.", findings_count, findings: full, ...more },
  };
}

/** A valid answer of each role, for a run that ends with a commit. */
export function usualAnswer(request: ProviderRequest, tasks: readonly PlannedTask[], waves?: readonly (readonly number[])[]): Said {
  switch (request.role) {
    case "researcher":
      return {
        completion: completion(),
        payload: { summary: "It is small.", findings: [{ title: "One folder", detail: "src", files: [] }] },
      };
    case "spec":
      return {
        completion: completion(),
        payload: {
          summary: "Parts.",
          requirements: [{ id: "FR-1", text: "There are parts." }],
          acceptance_criteria: [{ id: "AC-1", text: "Each part loads.", requirement: "FR-1" }],
        },
      };
    case "designer":
      return { completion: completion(), payload: { summary: "One file for each part.", decisions: [decision()] } };
    case "planner":
      return planAnswer(tasks, waves);
    case "implementer":
      return usualImplementation(request, tasks);
    case "verifier":
      return verifierAnswer(request);
    case "adversarial-reviewer":
      return reviewAnswer("approve");
    default:
      return { completion: completion(), payload: { summary: "Nothing new.", knowledge_updates: [] } };
  }
}

function usualImplementation({ attempt }: ProviderRequest, tasks: readonly PlannedTask[]): Said {
  if (/-revert-/.test(attempt)) {
    const payload = { mode: "revert", summary: "It is given up.", changes: [], self_check: { attempts: 0, passed: false } };
    return { completion: completion(), payload };
  }
  const number = numberOf(attempt);
  const path = tasks.find((task) => task.number === number)?.path ?? partFile(number);
  return implementation({ [path]: partText(attempt) }, { mode: modeOf(attempt) });
}

/** What an implementer is asked for by the name of its attempt. */
export function modeOf(attempt: string): "fix" | "implement" {
  return /-(?:fix-|gates-|sent-back-).*-i1\./.test(attempt) ? "fix" : "implement";
}

/** A file of the change; one that says BUG fails its check. */
export function partText(text: string): string {
  return `${JSON.stringify({ part: text })}\n`;
}

/** The number in `task-03-w1-i1.1`. */
export function numberOf(attempt: string): number {
  return Number(/^task-(\d+)/.exec(attempt)?.[1] ?? 0);
}

/** The text of a section of the request. */
export function sectionOf({ input }: Pick<ProviderRequest, "input">, title: string): string {
  return input.context_bundle.find((one) => one.title === title)?.text ?? "";
}

const shownRows = z.array(z.object({ phase: z.string(), round: z.int(), check_name: z.string(), passed: z.int() }));
const shownRun = z.object({ round: z.int() });

function shown<T>(request: ProviderRequest, title: string, schema: z.ZodType<T>): T {
  const read = readYaml(sectionOf(request, title), schema, title);
  if (!read.ok) throw new Error(read.errors.join("; "));
  return read.value;
}

/** What the rows in the request say, and nothing else. */
export function verifierAnswer(
  request: ProviderRequest,
  more: { readonly status?: string; readonly met?: boolean; readonly gate?: object } = {},
) {
  const { round } = shown(request, "run", shownRun);
  const rows = shown(request, "ledger rows of this task", shownRows);
  const after = rows.filter((row) => row.phase === "after" && row.round === round);
  const failed = after.filter(({ passed }) => passed === 0).length;
  const passed = after.length - failed;
  const evidence_gate = { total_checks: after.length, passed, failed, gate_status: failed === 0 ? "passed" : "failed", ...more.gate };
  return {
    completion: completion({ status: more.status ?? (failed === 0 ? "DONE" : "NEEDS_REVISION") }),
    payload: {
      verification_report: {
        evidence_gate,
        findings: [],
        regressions: [],
        criteria: [{ id: "AC-1", met: more.met ?? failed === 0, evidence: "The rows of the ledger." }],
      },
    },
  };
}
