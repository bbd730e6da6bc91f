import type { StructuralDefectReport } from "../escalation/breakers.ts";
import type { BlockReason, BlockType } from "./block.ts";
import type { Facts } from "./facts.ts";
import type { PhaseState } from "./states.ts";

/** The reason of a block: what the work reported, or what follows from the state and the facts. */
export function blockReason(type: BlockType, facts: Facts, phase: PhaseState | null): BlockReason {
  if (facts.block?.type === type) return facts.block;
  switch (type) {
    case "canonical_conflict":
      return { type, decisions: ["", ""] };
    case "unresolved_contradiction": {
      const found = phase?.subState.type === "reportingContradictions" ? phase.subState.data.contradictions : [];
      return { type, report: { contradictions_found: found } };
    }
    case "circuit_breaker": {
      const failedFunction = functionOf(phase) ?? facts.functions?.failed[0] ?? "";
      return { type, failedFunction, attempts: [], defect: defectOf(failedFunction, facts) };
    }
    case "security_review":
      return { type, vulnerability: vulnerabilities(facts, phase) };
    case "structural_defect":
      return { type, message: repairMessage(phase) };
    case "user_requested":
    case "archive_failure":
    case "provider_unavailable":
    case "context_overflow":
      return { type, message: type };
  }
}

function defectOf(failedFunction: string, { failure, functions }: Facts): StructuralDefectReport {
  return {
    condition: "function_exhausted",
    rate: null,
    functions: failedFunction === "" ? (functions?.failed ?? []) : [failedFunction],
    modules: [],
    failureTypes: failure === undefined ? [] : [failure.failure.type],
  };
}

function vulnerabilities({ failure }: Facts, phase: PhaseState | null) {
  if (failure?.failure.type !== "security") return [];
  const [rule = "", ...rest] = failure.failure.vulnerability.split(": ");
  return [{ rule, severity: "high", location: functionOf(phase) ?? "", message: rest.join(": ") }];
}

function functionOf(phase: PhaseState | null): string | null {
  const subState = phase?.subState;
  return subState?.type === "implementing" || subState?.type === "verifying" ? subState.data.functionId : null;
}

function repairMessage(phase: PhaseState | null): string {
  if (phase?.subState.type !== "repairingStructure") return "The structure does not compile.";
  const { errors, maxRepairAttempts } = phase.subState.data;
  const lines = errors.map(({ file, line, message }) => `- ${file ?? "(project)"}:${line}: ${message}`);
  return [`The structure does not compile after ${maxRepairAttempts} repairs.`, ...lines].join("\n");
}
