import type { PlayedAlias, SkillName } from "../models/skills.ts";
import type { BlockType } from "./block.ts";
import type { ArtifactName } from "./facts.ts";
import type { Guard } from "./guards.ts";
import type { SubStateName } from "./states.ts";

/** A sub-state of a phase, or a top-level state. As a source, `active` is every sub-state; as a target, the phase that was blocked. */
export type StateRef =
  | { readonly level: "phase"; readonly phase: string; readonly subState: string }
  | { readonly level: "protocol"; readonly state: "active" | "completed" }
  | { readonly level: "protocol"; readonly state: "blocked"; readonly reason: BlockType };

export type TransitionAction =
  | { readonly type: "none" | "destroyContext" | "persistCheckpoint" | "runCompiler" }
  | { readonly type: "archiveArtifacts"; readonly artifacts: readonly string[] }
  | { readonly type: "sendNotification"; readonly channel: "block" | "complete" | "phase_change" }
  | { readonly type: "recordDecision"; readonly decision: string }
  | { readonly type: "invokeModel"; readonly role: PlayedAlias; readonly prompt: SkillName | (string & {}) }
  | { readonly type: "runTests"; readonly scope: "function" | "cluster" | "transform" }
  | { readonly type: "sequence"; readonly actions: readonly TransitionAction[] };

export interface Transition {
  readonly from: StateRef;
  readonly to: StateRef;
  readonly guard: Guard;
  readonly action: TransitionAction;
}

/** A sub-state by its name, `phase.subState`. */
export function at(name: SubStateName | (string & {})): StateRef {
  const [phase = "", subState = ""] = name.split(".");
  return { level: "phase", phase, subState };
}

export const ACTIVE: StateRef = { level: "protocol", state: "active" };
export const COMPLETED: StateRef = { level: "protocol", state: "completed" };

export function blockedBy(reason: BlockType): StateRef {
  return { level: "protocol", state: "blocked", reason };
}

export const exists = (artifact: ArtifactName | BlockType): Guard => ({ type: "artifactExists", artifact });
export const said = (responseType: string): Guard => ({ type: "humanResponse", responseType });
export const not = (guard: Guard): Guard => ({ type: "not", guard });
export const and = (...guards: Guard[]): Guard => ({ type: "and", guards });
export const or = (...guards: Guard[]): Guard => ({ type: "or", guards });

export const PERSIST: TransitionAction = { type: "persistCheckpoint" };
export const DESTROY: TransitionAction = { type: "destroyContext" };
export const COMPILE: TransitionAction = { type: "runCompiler" };
export const ask = (role: PlayedAlias, prompt: SkillName): TransitionAction => ({ type: "invokeModel", role, prompt });
export const tests = (scope: "function" | "cluster" | "transform"): TransitionAction => ({ type: "runTests", scope });
export const record = (decision: string): TransitionAction => ({ type: "recordDecision", decision });
export const archive = (...artifacts: ArtifactName[]): TransitionAction => ({ type: "archiveArtifacts", artifacts });
export const notify = (channel: "block" | "complete" | "phase_change"): TransitionAction => ({ type: "sendNotification", channel });
export const sequence = (...actions: TransitionAction[]): TransitionAction => ({ type: "sequence", actions });

/** What a person is asked must be on disk before they are told. */
export const BLOCK = sequence(DESTROY, PERSIST, notify("block"));

export const row = (from: StateRef, to: StateRef, guard: Guard, action: TransitionAction): Transition => ({ from, to, guard, action });

/** The actions in order, without sequences and `none`. */
export function actionsOf(action: TransitionAction): readonly Exclude<TransitionAction, { type: "sequence" }>[] {
  if (action.type === "sequence") return action.actions.flatMap(actionsOf);
  return action.type === "none" ? [] : [action];
}
