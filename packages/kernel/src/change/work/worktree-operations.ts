import { availableParallelism } from "node:os";
import { supervisorSettings } from "../../config/supervisor.ts";
import type { StepEvent } from "../judge/gates/run.ts";
import { gateSlots } from "../judge/gates/slots.ts";
import type { WithWorktree } from "../turn/worktree-mutex/holds.ts";
import type { Operation } from "../../record/operations/operation.ts";
import type { Call } from "../../record/operations/call.ts";
import { cancelledGateOperation, runGatesOperation, wasStopped, type GateInput, type GateSummary, type GateWatch } from "../judge/gate.ts";
import type { CommandsInput } from "../judge/commands/input.ts";
import { runCommandsOperation } from "../judge/commands/operation.ts";
import type { CommandsWatch } from "../judge/commands/run-commands.ts";
import { applyPatchOperation, type AppliedPatch } from "./patch.ts";
import { revertFilesOperation, type RevertedFiles, type RevertInput } from "./revert.ts";
import { probeOperation } from "../judge/probe.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

type Perform = <I extends { feature_id: string }, E, O>(operation: Operation<I, E, O>, call: Call, input: I) => Promise<O>;

/** Serialises operations that read or write the files of a feature's worktree, across processes. */
export type WorkOn = <T>(operation: string, featureId: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export function workOn(holds: WithWorktree): WorkOn {
  return (operation, featureId, work, signal) => holds({ featureId, operation, signal }, work);
}

/** Patches, probes and gates, which need more than one call of the door. */
export function worktreeOperations(dependencies: FeatureDependencies, perform: Perform, atWork: WorkOn) {
  const slots = gateSlots(supervisorSettings(dependencies.configuration.policy, availableParallelism()).max_parallel_gate_runs);

  async function applyPatch(call: Call, input: { feature_id: string; unified_diff: string }): Promise<AppliedPatch> {
    const { operation, undo } = applyPatchOperation(dependencies);
    return atWork(operation.name, input.feature_id, async () => {
      try {
        return await perform(operation, call, input);
      } catch (error) {
        await undo();
        throw error;
      }
    });
  }

  async function revertFiles(call: Call, input: RevertInput): Promise<RevertedFiles> {
    const { operation, undo } = revertFilesOperation(dependencies);
    return atWork(operation.name, input.feature_id, async () => {
      try {
        return await perform(operation, call, input);
      } catch (error) {
        await undo();
        throw error;
      }
    });
  }

  async function runGates(call: Call, input: GateInput, watch: GateWatch): Promise<GateSummary> {
    const work = () => perform(runGatesOperation(dependencies, slots, watch), call, input);
    try {
      return await atWork("gates.run", input.feature_id, work, watch.signal);
    } catch (error) {
      if (wasStopped(error)) await noteCancelled(call, input);
      throw error;
    }
  }

  /** Records a cancellation that has already happened. Its failure must not replace the error of the stopped gate. */
  async function noteCancelled(call: Call, input: GateInput): Promise<void> {
    const { actor, operationId: gate_id } = call;
    const note = { actor, operationId: `${gate_id}/cancelled/${Math.floor(dependencies.clock.now())}` };
    await perform(cancelledGateOperation(dependencies), note, { ...input, gate_id }).catch(() => undefined);
  }

  return {
    applyPatch,
    /** Files as they were at the feature's base. */
    revertFiles,
    /** Not on the worktree, so that it need not wait for operations that use it. */
    runCommands: (call: Call, input: CommandsInput, watch?: CommandsWatch) =>
      perform(runCommandsOperation(dependencies, slots, watch), call, input),
    probe: (call: Call, input: { feature_id: string }, signal?: AbortSignal) =>
      perform(probeOperation(dependencies, slots, signal), call, input),
    runGates: (call: Call, input: GateInput, signal?: AbortSignal, onStep?: (event: StepEvent) => void) =>
      runGates(call, input, { signal, onStep }),
  };
}
