import { checkSchema } from "@slipway/kernel/schema/violations";
import { compatibilityOf, deltaOf, deltaText, type Compatibility } from "@slipway/languages/contracts/delta";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { contractSchema, type Contract } from "@slipway/languages/contracts/schema";
import { nextVersion } from "@slipway/languages/contracts/version";
import type { ContractDelta, InterfaceChangeException } from "./schema.ts";

/** The contract after the change, with facts that need no debate. */
export interface InterfaceCandidate {
  readonly contract: Contract;
  readonly fingerprint: string;
  /** Compared with the current contract, line by line. */
  readonly differences: readonly string[];
  readonly claimed: Compatibility;
  readonly found: Exclude<Compatibility, "UNKNOWN">;
  /** False if the change claims compatibility but breaks callers. */
  readonly claim_holds: boolean;
}

export type Candidacy =
  { readonly ok: true; readonly candidate: InterfaceCandidate } | { readonly ok: false; readonly problems: readonly string[] };

/** Applies the delta to the contract, with the version its compatibility requires. */
export function candidateFor(
  current: Contract,
  {
    proposed_contract_delta: delta,
    compatibility_expectation: claimed,
  }: Pick<InterfaceChangeException, "proposed_contract_delta" | "compatibility_expectation">,
): Candidacy {
  const problems = namesProblems(current, delta);
  if (problems.length > 0) return { ok: false, problems };
  const changed = applied(current, delta);
  const fingerprint = fingerprintOf(changed);
  const before = { version: current.module_version, fingerprint: fingerprintOf(current) };
  if (fingerprint === before.fingerprint) return { ok: false, problems: ["The delta does not change the contract."] };
  const found = compatibilityOf(current, changed);
  const checked = checkSchema(contractSchema, {
    ...changed,
    module_version: nextVersion(before, fingerprint, claimed),
    compatibility: { ...changed.compatibility, backward_compatible_with: found === "BREAKING" ? [] : [...served(current)] },
  });
  if (!checked.ok) return { ok: false, problems: checked.violations.map(({ pointer, message }) => `${pointer}: ${message}`) };
  return {
    ok: true,
    candidate: {
      contract: checked.value,
      fingerprint,
      differences: deltaText(deltaOf(current, changed)),
      claimed,
      found,
      claim_holds: claimed !== "BACKWARD_COMPATIBLE" || found === claimed,
    },
  };
}

function served({ module_id, module_version, compatibility }: Contract): Set<string> {
  return new Set([...compatibility.backward_compatible_with, `${module_id}@${module_version}`]);
}

function applied(contract: Contract, delta: ContractDelta): Contract {
  return {
    ...contract,
    inputs: changedList(contract.inputs, delta.added_inputs, delta.removed_inputs, delta.modified_inputs),
    outputs: changedList(contract.outputs, delta.added_outputs, delta.removed_outputs, delta.modified_outputs),
    error_surfaces: [...contract.error_surfaces, ...delta.added_error_surfaces],
    effects: [...contract.effects, ...delta.added_effects],
    modes: {
      sync: delta.mode_changes?.sync ?? contract.modes.sync,
      async: delta.mode_changes?.async ?? contract.modes.async,
      notes: delta.mode_changes?.notes ?? contract.modes.notes,
    },
  };
}

interface Named {
  readonly name: string;
}

function changedList<T extends Named>(list: readonly T[], added: readonly T[], removed: readonly string[], modified: readonly T[]): T[] {
  const kept = list.filter(({ name }) => !removed.includes(name));
  return [...kept.map((element) => modified.find(({ name }) => name === element.name) ?? element), ...added];
}

function names(list: readonly Named[]): string[] {
  return list.map(({ name }) => name);
}

/** Added names must be new; removed and modified names must exist. */
function namesProblems(contract: Contract, delta: ContractDelta): string[] {
  const check = (field: keyof ContractDelta, names: readonly string[], there: readonly Named[], wanted: boolean) =>
    names
      .filter((name) => there.some((element) => element.name === name) !== wanted)
      .map(
        (name) =>
          `/proposed_contract_delta/${field}: ${contract.module_id}@${contract.module_version} has ${wanted ? "no" : "already"} "${name}"`,
      );
  return [
    ...check("added_inputs", names(delta.added_inputs), contract.inputs, false),
    ...check("removed_inputs", delta.removed_inputs, contract.inputs, true),
    ...check("modified_inputs", names(delta.modified_inputs), contract.inputs, true),
    ...check("added_outputs", names(delta.added_outputs), contract.outputs, false),
    ...check("removed_outputs", delta.removed_outputs, contract.outputs, true),
    ...check("modified_outputs", names(delta.modified_outputs), contract.outputs, true),
    ...check("added_error_surfaces", names(delta.added_error_surfaces), contract.error_surfaces, false),
  ];
}
