import type { CodeIndex } from "../code-index/code-index.ts";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { EngineeringServices } from "../engineering/ports.ts";
import { raiseException, type RaisePhase } from "./raise.ts";
import { lockedPlanKind } from "../record-kinds.ts";

export interface RaisingStores {
  readonly documents: Documents;
  readonly codeIndex: Pick<CodeIndex, "find">;
}

const PHASE_OF: Readonly<Record<string, RaisePhase>> = { proposer: "implementation", challenger: "debate", ship: "fingerprint_mismatch" };

/** Records an exception raised by a role of the engineering loop. */
export function raisePort({ documents, codeIndex }: RaisingStores): EngineeringServices["exceptions"]["raise"] {
  const statusOf = async (ref: string) => (await codeIndex.find(ref))?.status ?? null;
  return async (call, { raised_by, exception_type: type, ...change }) => {
    // An invocation is named `<run>/<task>/<module>/<step>`, which gives the module.
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

/** Of the contract locked last. Scans all plans: exceptions are rare. */
async function lockedDependencies(documents: Documents, moduleId: string): Promise<string[]> {
  const contracts = (await documents.list(lockedPlanKind)).flatMap((locked) => locked.contracts);
  return contracts.findLast(({ module_id }) => module_id === moduleId)?.dependencies.map(({ ref }) => ref) ?? [];
}
