import { checkSchema } from "@slipway/kernel/schema/violations";
import { splitRef, type IndexStatus } from "../code-index/entry.ts";
import { inRange } from "../code-index/range.ts";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Call } from "@slipway/kernel/record/operations/call";
import { decisionLogKind } from "./decisions.ts";
import { exceptionKind, raiseInput, type InterfaceChangeException, type RaiseExceptionInput } from "./schema.ts";

/** Which roles may raise an exception, and in which phase. */
export const RAISERS: Readonly<Record<string, readonly RaisePhase[]>> = {
  proposer: ["implementation", "revision"],
  challenger: ["debate"],
  ship: ["fingerprint_mismatch"],
};
export type RaisePhase = "implementation" | "revision" | "debate" | "fingerprint_mismatch";

export interface Raiser {
  readonly role: string;
  readonly phase: RaisePhase;
  readonly artifact_ref: string;
  readonly run_id: string;
  /** The module being built, and its dependencies as `MM-…@range`. */
  readonly module_id: string;
  readonly dependencies: readonly string[];
}

export type RaisedException =
  | {
      readonly ok: true;
      readonly exception_id: string;
      readonly status: "RAISED";
      readonly task_halted: true;
      readonly exception: InterfaceChangeException;
    }
  /** Refused: nothing has changed, and it may be tried again. */
  | { readonly ok: false; readonly problems: readonly string[] };

export interface RaisePorts {
  readonly documents: Documents;
  readonly statusOf: (ref: string) => Promise<IndexStatus | null>;
}

/** Performs `raise_interface_change_exception`, also for the ship step. After success the caller must stop working on the task. */
export async function raiseException(
  { documents, statusOf }: RaisePorts,
  call: Call,
  raiser: Raiser,
  given: unknown,
): Promise<RaisedException> {
  if (RAISERS[raiser.role]?.includes(raiser.phase) !== true) {
    return { ok: false, problems: [`An interface change exception cannot be raised by ${raiser.role} during ${raiser.phase}.`] };
  }
  const checked = checkSchema(raiseInput, given);
  if (!checked.ok) return { ok: false, problems: checked.violations.map(({ pointer, message }) => `${pointer || "/"}: ${message}`) };
  const input = checked.value;
  const problems = targetProblems(input, raiser, await statusOf(input.target_module));
  if (problems.length > 0) return { ok: false, problems };
  const { proposed_delta, compatibility, ...rest } = input;
  const exception = await documents.keep(call, exceptionKind, {
    ...rest,
    raised_by: { artifact_ref: raiser.artifact_ref, role: raiser.role, run_id: raiser.run_id },
    proposed_contract_delta: proposed_delta,
    compatibility_expectation: compatibility,
  });
  const { exception_id } = exception;
  await documents.keep({ ...call, operationId: `${call.operationId}/log` }, decisionLogKind, { exception_id, entries: [] });
  return { ok: true, exception_id, status: "RAISED", task_halted: true, exception };
}

/** Only a shipped dependency can be the target; a module's own contract is changed in its debate. */
export function targetProblems(
  { target_module }: Pick<RaiseExceptionInput, "target_module">,
  raiser: Raiser,
  status: IndexStatus | null,
): string[] {
  const { module_id, version } = splitRef(target_module);
  if (module_id === raiser.module_id)
    return [`/target_module: ${target_module} is the module being implemented; revise its own contract in the debate.`];
  const named = raiser.dependencies.map(splitRef).filter((dependency) => dependency.module_id === module_id);
  return [
    ...(named.some((dependency) => inRange(version, dependency.version))
      ? []
      : [
          `/target_module: ${target_module} is not one of the dependencies of ${raiser.module_id} (${raiser.dependencies.join(", ") || "none"}).`,
        ]),
    ...(status === "SHIPPED" ? [] : [`/target_module: ${target_module} is not shipped${status === null ? "" : `: it is ${status}`}.`]),
  ];
}
