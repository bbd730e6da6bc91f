import type { CodeIndex } from "./code-index/code-index.ts";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { EngineeringShop } from "./engineering/ports.ts";
import { raiseException, type RaisePhase } from "./exceptions/raise.ts";
import { lockedPlanKind } from "./kept.ts";

export interface RaisingRooms {
  readonly documents: Documents;
  readonly codeIndex: Pick<CodeIndex, "find">;
}

const PHASE_OF: Readonly<Record<string, RaisePhase>> = { proposer: "implementation", challenger: "debate", ship: "fingerprint_mismatch" };

/** What a role of the engineering loop says of a contract, as an exception on record. */
export function raisePort({ documents, codeIndex }: RaisingRooms): EngineeringShop["exceptions"]["raise"] {
  const statusOf = async (ref: string) => (await codeIndex.find(ref))?.status ?? null;
  return async (call, { raised_by, exception_type: type, ...change }) => {
    // An invocation is named `<run>/<task>/<module>/<step>`: which module is at work is known from who speaks.
    const module_id = /\/(MM-\w+)\//.exec(raised_by.run_id)?.[1] ?? "";
    const raiser = {
      ...raised_by,
      phase: PHASE_OF[raised_by.role] ?? "implementation",
      module_id,
      dependencies: await lockedDependencies(documents, module_id),
    };
    const raised = await raiseException({ documents, statusOf }, call, raiser, { type, ...change });
    return raised.ok ? { ok: true, exception_id: raised.exception_id } : { ok: false, problems: raised.problems };
  };
}

/** Of the contract as it was last locked. All plans are gone through: exceptions are rare. */
async function lockedDependencies(documents: Documents, moduleId: string): Promise<string[]> {
  const contracts = (await documents.list(lockedPlanKind)).flatMap((locked) => locked.contracts);
  return contracts.findLast(({ module_id }) => module_id === moduleId)?.dependencies.map(({ ref }) => ref) ?? [];
}
