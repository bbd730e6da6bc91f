import type { InitTarget } from "./target.ts";

export type GateStepKind = "compile" | "typecheck" | "lint" | "test";

/** A gate found in a project. */
export interface FoundStep {
  readonly kind: GateStepKind;
  readonly cmd: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** One sentence: the choice and its reason. */
  readonly why: string;
}

export interface InitFinding {
  readonly steps: readonly FoundStep[];
  /** Commands of the steps, to be located on this machine. */
  readonly commands: readonly string[];
  /** Folders of the repository that git ignores and the steps need. */
  readonly shared?: readonly string[];
  /** Folders of the home folder the steps need, when they exist. */
  readonly home?: readonly string[];
  /** What was left out, or what the person must do. */
  readonly notes?: readonly string[];
}

export type DetectedLanguage = "node" | "python" | "rust" | "go" | "java";

export interface Detector {
  readonly language: DetectedLanguage;
  readonly title: string;
  /** Null if the folder is not a project of this language. */
  readonly detect: (place: InitTarget) => InitFinding | null;
}
