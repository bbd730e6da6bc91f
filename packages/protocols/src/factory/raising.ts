import type { CodeIndex } from "@slipway/kernel/code-index/code-index";
import type { Documents } from "@slipway/kernel/documents/documents";
import type { EngineeringShop } from "./engineering/ports.ts";
import { raiseException, type RaisePhase } from "./exceptions/raise.ts";

export interface RaisingRooms {
  readonly documents: Documents;
  readonly codeIndex: Pick<CodeIndex, "find">;
}

const PHASE_OF: Readonly<Record<string, RaisePhase>> = { proposer: "implementation", challenger: "debate", ship: "fingerprint_mismatch" };

/**
 * What a role of the engineering loop says of a contract, as an exception on record. An invocation is named
 * `<run>/<task>/<module>/<step>`: the module at work is known from who speaks. It is shown shipped modules only as dependencies, so
 * one that it names and that is shipped is one of them.
 */
export function raisePort({ documents, codeIndex }: RaisingRooms): EngineeringShop["exceptions"]["raise"] {
  return async (call, { raised_by, ...change }) => {
    const raiser = {
      ...raised_by,
      phase: PHASE_OF[raised_by.role] ?? "implementation",
      module_id: /\/(MM-\w+)\//.exec(raised_by.run_id)?.[1] ?? "",
      dependencies: [change.target_module],
    };
    const statusOf = async (ref: string) => (await codeIndex.find(ref))?.status ?? null;
    const raised = await raiseException({ documents, statusOf }, call, raiser, { type: "CANNOT_SUPPORT", ...change });
    return raised.ok ? { ok: true, exception_id: raised.exception_id } : { ok: false, problems: raised.problems };
  };
}
