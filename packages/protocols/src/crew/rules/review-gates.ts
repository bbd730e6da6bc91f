import type { DispatchedRole } from "../agents.ts";
import type { OutputGates, OutputStatus } from "../contract/output.ts";
import { isProductFile, isSensitiveFile, isTestFile } from "../grants/file-kinds.ts";
import type { CrewTaskStatus } from "../session/tasks.ts";

export const REVIEW_GATES = ["Reviewer", "QA", "Security"] as const;
export type ReviewGate = (typeof REVIEW_GATES)[number];

export interface ReviewedWork {
  readonly changed: readonly string[];
  /** Lines that the change adds, as text. */
  readonly added: string;
  readonly riskFlags: readonly string[];
  /** Commands among the task's acceptance checks. */
  readonly commands: readonly string[];
  /** Of Coder's output. */
  readonly gates: Pick<OutputGates, "needs_tests" | "security_concerns">;
}

/** Code about authentication, input or the network, whatever its file is called. */
const SENSITIVE_CODE =
  /\b(?:password|passwd|credential|authenticat\w*|authoriz\w*|oauth|jwt|cookie|csrf|cors)\b|\b(?:fetch|XMLHttpRequest|WebSocket|createServer|urlopen)\s*\(|\b(?:axios|requests|http|https|net|socket|tls)\.\w|\breq(?:uest)?\.(?:body|query|params|headers|form|args)\b|\b(?:process\.argv|process\.stdin|sys\.argv|os\.Args|input\s*\(|readline|formData|eval\s*\(|child_process|subprocess|os\.system)/i;

export function touchesSecurity({ changed, added }: Pick<ReviewedWork, "changed" | "added">): boolean {
  return changed.some(isSensitiveFile) || (changed.some(isProductFile) && SENSITIVE_CODE.test(added));
}

/** The gates that a task needs, in their order. Reviewer always. */
export function neededGates(work: ReviewedWork): ReviewGate[] {
  const { changed, riskFlags, commands, gates } = work;
  const needsQa = gates.needs_tests || commands.length > 0 || changed.some((path) => isProductFile(path) || isTestFile(path));
  const needsSecurity = riskFlags.includes("security") || gates.security_concerns.length > 0 || touchesSecurity(work);
  return ["Reviewer", ...(needsQa ? (["QA"] as const) : []), ...(needsSecurity ? (["Security"] as const) : [])];
}

/** How a gate ended. A waiver is an answered decision after an exhausted loop; `decided` means that every finding is resolved. */
export interface ReviewResult {
  readonly status: OutputStatus;
  readonly meetsDefinitionOfDone: boolean;
  readonly decided: boolean;
  readonly waived: boolean;
}

export function passed({ status, meetsDefinitionOfDone, decided, waived }: ReviewResult): boolean {
  if (waived || (status === "NEEDS_DECISION" && decided)) return true;
  return status === "OK" && meetsDefinitionOfDone;
}

/** The first needed gate that has not passed; null if the task can be completed. */
export function nextGate(needed: readonly ReviewGate[], results: Partial<Readonly<Record<ReviewGate, ReviewResult>>>): ReviewGate | null {
  return needed.find((gate) => results[gate] === undefined || !passed(results[gate])) ?? null;
}

/** The only way to `completed`. */
export function mayComplete(
  status: CrewTaskStatus,
  needed: readonly ReviewGate[],
  results: Partial<Readonly<Record<ReviewGate, ReviewResult>>>,
): boolean {
  return status === "implemented" && needed.includes("Reviewer") && nextGate(needed, results) === null;
}

export interface SessionSoFar {
  readonly dispatched: readonly DispatchedRole[];
  readonly behaviourChanged: boolean;
  readonly touchesSecurity: boolean;
}

const FULL_ROLES: readonly DispatchedRole[] = [
  "SpecAgent",
  "Architect",
  "Planner",
  "Coder",
  "Reviewer",
  "QA",
  "Security",
  "Integrator",
  "Docs",
];
const NOT_IN_LEAN: readonly DispatchedRole[] = ["Architect", "Planner", "Designer", "Researcher", "Integrator", "Docs"];

/** Roles without which the session must not end. */
export function missingRoles(
  mode: "full" | "lean",
  { dispatched, behaviourChanged, touchesSecurity: touches }: SessionSoFar,
): DispatchedRole[] {
  const needed: readonly DispatchedRole[] =
    mode === "full"
      ? FULL_ROLES
      : ["Coder", "Reviewer", ...(behaviourChanged ? (["QA"] as const) : []), ...(touches ? (["Security"] as const) : [])];
  return needed.filter((role) => !dispatched.includes(role));
}

export function mayDispatch(mode: "full" | "lean", role: DispatchedRole): boolean {
  return mode === "full" || !NOT_IN_LEAN.includes(role);
}

/** Gates that no task has needed and that run once as `meta` before INTEGRATE. */
export function missingGates(mode: "full" | "lean", soFar: SessionSoFar): ReviewGate[] {
  return REVIEW_GATES.filter((gate) => missingRoles(mode, soFar).includes(gate));
}
